//! Requests to Spark's process and the answers to them, which come in any order.

use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::reply::{self, Reply, Versions};

/// The number of the answer to the configuration, which no request asks for.
const START: u64 = 0;
/// The parts of an answer that wait for being read. With more, no further answers are read from the process.
const PARTS: usize = 64;
/// What is said of a process whose answers have ended, before the reason for it is known.
pub(super) const ENDED: &str = "its process ended";

type Result<T> = std::result::Result<T, Failure>;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// The process's own reason.
    Refused(String),
    /// How requests or answers ended, whatever was asked.
    Ended(String),
}

/// The answer to one request, whose bytes are still coming. Those that nobody reads any more are dropped.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) versions: Option<Versions>,
    /// The number of bytes that were not read yet.
    left: u64,
    parts: mpsc::Receiver<Result<Vec<u8>>>,
}

impl Answer {
    /// Returns the next bytes, or `None` behind the last ones.
    ///
    /// # Errors
    /// Fails with `Ended` where the process ended before its answer did.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if self.left == 0 {
            return Ok(None);
        }
        match self.parts.recv().await {
            Some(part) => {
                let part = part?;
                self.left = self.left.saturating_sub(part.len() as u64);
                Ok(Some(part))
            }
            None => Err(Failure::Ended(ENDED.to_owned())),
        }
    }
}

/// The requests that a process was sent, and those that wait for an answer.
pub(super) struct Exchange {
    /// The input of the process, or `None` when it was told to end.
    input: Mutex<Option<Box<dyn Write + Send>>>,
    asked: Arc<Mutex<Asked>>,
    next: AtomicU64,
}

/// The requests without an answer.
#[derive(Debug, Default)]
struct Asked {
    waiting: HashMap<u64, oneshot::Sender<Result<Answer>>>,
    /// Why no more answers come.
    ended: Option<String>,
}

impl Exchange {
    /// Starts to read answers on a thread, which ends with them. Returns what the first answer, to the configuration,
    /// comes through.
    pub(super) fn new(
        input: impl Write + Send + 'static,
        answers: impl Read + Send + 'static,
    ) -> (Exchange, oneshot::Receiver<Result<Answer>>) {
        let (sender, started) = oneshot::channel();
        let mut asked = Asked::default();
        asked.waiting.insert(START, sender);
        let asked = Arc::new(Mutex::new(asked));
        let reading = Arc::clone(&asked);
        std::thread::spawn(move || read_answers(answers, &reading));
        let exchange = Exchange {
            input: Mutex::new(Some(Box::new(input))),
            asked,
            next: AtomicU64::new(START + 1),
        };
        (exchange, started)
    }

    /// Sends the configuration, which is the first line of all.
    pub(super) fn configure(&self, configuration: &Value) -> Result<()> {
        self.send(configuration)
    }

    /// Sends a request and waits for its answer. If the caller stops waiting, the request is cancelled.
    ///
    /// # Errors
    /// Fails with `Refused`, or `Ended`.
    pub(super) async fn ask(&self, mut request: Value) -> Result<Answer> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        request["id"] = json!(id);
        let (sender, answer) = oneshot::channel();
        {
            let mut asked = locked(&self.asked);
            if let Some(why) = &asked.ended {
                return Err(Failure::Ended(why.clone()));
            }
            asked.waiting.insert(id, sender);
        }
        let mut cancelling = Cancelling {
            exchange: self,
            id: Some(id),
        };
        self.send(&request)?;
        let answer = answer.await;
        cancelling.id = None;
        answer.unwrap_or_else(|_| Err(Failure::Ended(ENDED.to_owned())))
    }

    /// Ends the input of the process, which ends itself then.
    pub(super) fn close(&self) {
        *locked(&self.input) = None;
    }

    /// Returns why no more answers come, if that is so.
    pub(super) fn ended(&self) -> Option<String> {
        locked(&self.asked).ended.clone()
    }

    /// Stops waiting for an answer, and asks the process to give the request up.
    fn cancel(&self, id: u64) {
        if locked(&self.asked).waiting.remove(&id).is_none() {
            return;
        }
        let own = self.next.fetch_add(1, Ordering::Relaxed);
        let request = json!({"id": own, "do": "cancel", "request": id});
        // A process that takes no more requests has ended.
        self.send(&request).ok();
    }

    fn send(&self, request: &Value) -> Result<()> {
        let mut line = request.to_string();
        line.push('\n');
        let mut input = locked(&self.input);
        let Some(input) = &mut *input else {
            return Err(Failure::Ended(ENDED.to_owned()));
        };
        let sent = input
            .write_all(line.as_bytes())
            .and_then(|()| input.flush());
        sent.map_err(|error| Failure::Ended(format!("it takes no requests: {error}")))
    }
}

/// Cancels a request when it is dropped, unless there is no number in it any more.
struct Cancelling<'a> {
    exchange: &'a Exchange,
    id: Option<u64>,
}

impl Drop for Cancelling<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.exchange.cancel(id);
        }
    }
}

/// Hands every answer to who asked for it, and their end to all that still wait.
fn read_answers(answers: impl Read, asked: &Mutex<Asked>) {
    let mut answers = BufReader::new(answers);
    let why = loop {
        let handed = match reply::read(&mut answers) {
            Ok(Some(reply)) => hand_over(reply, &mut answers, asked),
            Ok(None) => break ENDED.to_owned(),
            Err(why) => break why,
        };
        if let Err(why) = handed {
            break why;
        }
    };
    let mut asked = locked(asked);
    for (_, waiting) in asked.waiting.drain() {
        waiting.send(Err(Failure::Ended(why.clone()))).ok();
    }
    asked.ended = Some(why);
}

/// Hands an answer over, and then its bytes as they come, so that no answer is held here, however large.
///
/// # Errors
/// Fails as [`reply::read_part`] does, after which nothing more can be read.
fn hand_over(
    reply: Reply,
    answers: &mut impl Read,
    asked: &Mutex<Asked>,
) -> std::result::Result<(), String> {
    let Reply { id, result } = reply;
    // Taken out at once, since the lock must not be held while the bytes come.
    let waiting = locked(asked).waiting.remove(&id);
    let announced = match result {
        Ok(announced) => announced,
        Err(reason) => {
            if let Some(waiting) = waiting {
                waiting.send(Err(Failure::Refused(reason))).ok();
            }
            return Ok(());
        }
    };
    let (sender, parts) = mpsc::channel(PARTS);
    let mut left = announced.bytes;
    let answer = Answer {
        versions: announced.versions,
        left,
        parts,
    };
    if let Some(waiting) = waiting {
        // Nobody waits for the answer to a request that was given up just now.
        waiting.send(Ok(answer)).ok();
    } else {
        drop(answer);
    }
    while left > 0 {
        // Read even if nobody wants it: the next answer is behind it.
        let part = reply::read_part(answers, left);
        let failed = part.as_ref().err().cloned();
        left -= part.as_ref().map_or(0, Vec::len) as u64;
        sender.blocking_send(part.map_err(Failure::Ended)).ok();
        if let Some(why) = failed {
            return Err(why);
        }
    }
    Ok(())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
