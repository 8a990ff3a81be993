//! Being asked to stop.

use tokio::signal::unix::{SignalKind, signal};

/// Ends on Ctrl-C, on SIGTERM, and when the terminal is closed.
pub async fn asked_to_stop() {
    let wait = |kind| async move {
        match signal(kind) {
            Ok(mut stream) => {
                stream.recv().await;
            }
            // Without a handler the signal ends the process at once, as it does by default.
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = wait(SignalKind::interrupt()) => {}
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::hangup()) => {}
    }
}
