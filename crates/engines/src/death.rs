//! Servers of our own that end while a run goes on.

use std::net::SocketAddr;
use std::time::Duration;

use futures::future::try_join_all;
use tokio::net::TcpStream;

/// How long a server that was killed may take until its process is gone.
const END_WAIT: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(50);

/// To be awaited after an error: where nobody listens any more on one of some addresses, waits for a
/// process to be gone, so that its end is known. Connections close a moment before.
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
    // One that only stopped listening is an error like others.
    tokio::time::timeout(END_WAIT, ended).await.ok();
}
