//! Waits for the signals that ask a command to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
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
    drive` stops it; tables in a cluster of your own are still in their keyspace, where `bakeoff clean` \
    finds them";
/// Message about what a second Ctrl-C leaves behind of a command that writes a file.
const UNFINISHED_FILE: &str = "interrupted again: an unfinished file of --out may be left in its folder, with a \
    name that begins with a dot";
/// Time that an interrupted task has to remove its file.
const END_WAIT: Duration = Duration::from_secs(2);
const END_POLL: Duration = Duration::from_millis(10);

/// Whether a signal has asked a measurement of this process to stop.
static WAS_ASKED: AtomicBool = AtomicBool::new(false);
/// Who waits for the first signal.
static WAITING: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());
/// Begins the thread that listens for signals, once.
static LISTENER: Once = Once::new();

/// A part of a command, such as a step of a study, that is to be told of the first signal.
struct Waiting {
    ask: oneshot::Sender<()>,
    /// What a second signal leaves behind of it.
    left_behind: &'static str,
}

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
    let Some(asked) = wait(left_behind) else {
        return;
    };
    // A separate thread is needed, since a query may keep all threads of the runtime busy. Without one, nothing asks.
    LISTENER.call_once(|| {
        let listening = std::thread::Builder::new().name("signals".to_owned());
        listening.spawn(listen).ok();
    });
    if asked.await.is_err() {
        std::future::pending().await
    }
}

/// Enters who is to be told of the first signal; `None` if it has come, such as in an earlier step of a study.
fn wait(left_behind: &'static str) -> Option<oneshot::Receiver<()>> {
    let (ask, asked) = oneshot::channel();
    let mut waiting = waiting();
    if was_asked_to_stop() {
        return None;
    }
    // Steps that are over wait no more.
    waiting.retain(|waiting| !waiting.ask.is_closed());
    waiting.push(Waiting { ask, left_behind });
    Some(asked)
}

/// Takes all who are to be told of the first signal, which has come.
fn asked() -> Vec<Waiting> {
    let mut waiting = waiting();
    WAS_ASKED.store(true, Ordering::Relaxed);
    std::mem::take(&mut *waiting)
}

/// Tells all of the first signal, and returns what a second one leaves behind of those who still waited.
fn tell(all: Vec<Waiting>) -> Option<&'static str> {
    let mut left_behind = None;
    for waiting in all {
        if waiting.ask.send(()).is_ok() {
            left_behind = Some(waiting.left_behind);
        }
    }
    left_behind
}

fn waiting() -> MutexGuard<'static, Vec<Waiting>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Listens for signals until a second one ends the process.
fn listen() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else { return };
    runtime.block_on(async {
        let mut signals = Signals::new();
        signals.next().await;
        let left_behind = tell(asked());
        signals.next().await;
        if let Some(left_behind) = left_behind {
            print_line(left_behind);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_signal_says_what_is_left_of_the_step_that_was_under_way() {
        let entered = |left_behind| {
            let (ask, asked) = oneshot::channel();
            (Waiting { ask, left_behind }, asked)
        };
        let (over, asked_before) = entered("the first step");
        drop(asked_before);
        let (under_way, mut asked) = entered("the second step");
        let (after, asked_after) = entered("the third step");
        drop(asked_after);
        assert!(asked.try_recv().is_err());
        assert_eq!(tell(vec![over, under_way, after]), Some("the second step"));
        assert_eq!(asked.try_recv(), Ok(()));
        assert_eq!(tell(Vec::new()), None);
    }
}
