//! Servers started by Bakeoff that end during a run.

use std::net::SocketAddr;
use std::time::Duration;

use futures::future::try_join_all;
use tokio::net::TcpStream;

/// The longest wait for the process of a killed server to be gone.
const END_WAIT: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(50);

/// Waits, after an error, until a process is gone if nothing listens on one of its addresses any more.
/// Connections close a moment before the process ends, so that its end would otherwise be missed.
pub async fn await_end(addresses: &[SocketAddr], is_running: impl Fn() -> bool) {
    let connections = addresses.iter().map(TcpStream::connect);
    if try_join_all(connections).await.is_ok() {
        return;
    }
    let ended = async {
        while is_running() {
            tokio::time::sleep(POLL).await;
        }
    };
    // A process that only stopped listening is an error like any other.
    tokio::time::timeout(END_WAIT, ended).await.ok();
}
