//! Being asked to stop.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::exit::INTERRUPTED;
use crate::stderr::tell;

/// What a second Ctrl-C leaves behind of a run.
const LEFT_BEHIND: &str = "interrupted again, so that nothing was put in order: a server that was \
    started may still run, with its data in the run folder, until the next `bakeoff run` or \
    `bakeoff drive` stops it; tables in a cluster that ran already are still there, in their \
    keyspace";

/// Ends on Ctrl-C, on SIGTERM, and when the terminal is closed. From then on another one ends the
/// process at once: what is being put in order may hang.
pub async fn asked_to_stop() {
    asked_to_stop_leaving(LEFT_BEHIND).await;
}

/// The same for a command that leaves something else behind when it is interrupted twice.
pub async fn asked_to_stop_leaving(left_behind: &'static str) {
    let (ask, asked) = oneshot::channel();
    // On a thread of its own: a query may keep all threads of the runtime busy.
    let listening = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || listen(ask, left_behind));
    if listening.is_err() || asked.await.is_err() {
        std::future::pending().await
    }
}

fn listen(ask: oneshot::Sender<()>, left_behind: &'static str) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else { return };
    runtime.block_on(async {
        let mut signals = Signals::new();
        signals.next().await;
        // Nobody waits for it when the command ends just now.
        let _ = ask.send(());
        signals.next().await;
        tell(left_behind);
        std::process::exit(INTERRUPTED);
    });
}

/// Absent where there can be no handler: then the signal ends the process at once, as it does by
/// default.
struct Signals([Option<Signal>; 3]);

impl Signals {
    fn new() -> Self {
        let kinds = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
        ];
        Signals(kinds.map(|kind| signal(kind).ok()))
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            () = one(interrupt) => {}
            () = one(terminate) => {}
            () = one(hangup) => {}
        }
    }
}

async fn one(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}
