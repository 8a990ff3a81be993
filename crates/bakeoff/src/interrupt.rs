//! Waits for the signals that ask a command to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::exit::{Exit, INTERRUPTED};
use crate::stderr::print_line;

/// Message about what a second Ctrl-C leaves behind of a run.
const LEFT_BEHIND: &str = "interrupted again, so nothing was cleaned up: a server that was started \
    may keep running, with its data in the run folder, until the next `bakeoff run` or `bakeoff \
    drive` stops it; tables in a cluster of your own are still in their keyspace";
/// Message about what a second Ctrl-C leaves behind of a command that writes a file.
const UNFINISHED_FILE: &str = "interrupted again: an unfinished file of --out may be left in its folder, with a \
    name that begins with a dot";
/// Time that an interrupted task has to remove its file.
const END_WAIT: Duration = Duration::from_secs(2);
const END_POLL: Duration = Duration::from_millis(10);
/// Time that the listener of a later step has to say what is left behind, before that of an earlier one ends the
/// process.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Whether a signal has asked a measurement of this process to stop.
static WAS_ASKED: AtomicBool = AtomicBool::new(false);

/// Returns whether a signal has asked a measurement of this process to stop. Once one has listened for signals,
/// they do not end the process between two measurements either.
pub fn was_asked_to_stop() -> bool {
    WAS_ASKED.load(Ordering::Relaxed)
}

/// Returns on Ctrl-C, on SIGTERM, and when the terminal is closed. A further signal ends the process at
/// once, since cleaning up may hang.
pub async fn asked_to_stop() {
    asked_to_stop_leaving(LEFT_BEHIND).await;
}

/// Returns like [`asked_to_stop`]; a second signal prints `left_behind` before it ends the process.
pub async fn asked_to_stop_leaving(left_behind: &'static str) {
    // A listener of an earlier measurement has received it, such as that of another step of a study.
    if was_asked_to_stop() {
        return;
    }
    let (ask, asked) = oneshot::channel();
    // A separate thread is needed, since a query may keep all threads of the runtime busy.
    let listening = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || listen(ask, left_behind));
    if listening.is_err() || asked.await.is_err() {
        std::future::pending().await
    }
}

/// Waits until a task has written its file of --out, or a signal asks for its end, after which the task has a moment to
/// remove the file. It is a task of its own, so that neither a slow reader nor a long computation delays a signal.
///
/// # Errors
/// Those of the task, and its panic.
pub async fn written_or_interrupted(mut writing: JoinHandle<Result<()>>) -> Result<Exit> {
    tokio::select! {
        done = &mut writing => done?.map(|()| Exit::Complete),
        () = asked_to_stop_leaving(UNFINISHED_FILE) => {
            writing.abort();
            // The runtime's clock is of no use here, since all of its threads may be busy.
            let since = Instant::now();
            while !writing.is_finished() && since.elapsed() < END_WAIT {
                std::thread::sleep(END_POLL);
            }
            print_line("interrupted");
            Ok(Exit::Interrupted)
        }
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
        WAS_ASKED.store(true, Ordering::Relaxed);
        // The receiver is gone once its step is over; a later step has a listener of its own.
        let is_heard = ask.send(()).is_ok();
        signals.next().await;
        if is_heard {
            print_line(left_behind);
        } else {
            tokio::time::sleep(LAST_WORDS).await;
        }
        std::process::exit(INTERRUPTED);
    });
}

/// The signals that ask to stop. `None` stands for one without a handler, which ends the process at once,
/// as it does by default.
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
            () = receive(interrupt) => {}
            () = receive(terminate) => {}
            () = receive(hangup) => {}
        }
    }
}

async fn receive(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}
