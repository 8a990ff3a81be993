//! Ends the process if a case goes on for ever: nothing else ends a loop.

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Time that is longer than any machine needs for one input.
const PATIENCE: Duration = Duration::from_secs(120);

/// A thread that waits for the next case, until this is dropped.
pub struct Watch(Sender<u64>);

/// Begins to watch the cases of a parser, whose inputs are in this file.
pub fn begin(parser: &str, input: PathBuf) -> Watch {
    let (send, receive) = mpsc::channel();
    let parser = parser.to_owned();
    thread::spawn(move || {
        let mut last = 0;
        loop {
            match receive.recv_timeout(PATIENCE) {
                Ok(case) => last = case,
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        let path = input.display();
        eprintln!("{parser}, case {last}: no end after {PATIENCE:?}; its input is in {path}");
        std::process::abort();
    });
    Watch(send)
}

impl Watch {
    /// Notes that a case begins.
    pub fn begin(&self, case: u64) {
        self.0.send(case).expect("the thread that watches");
    }
}
