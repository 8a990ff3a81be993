//! Requests to Spark's process and the answers to them, which come in any order.

use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::reply::{self, Answer, Reply};

/// The number of the answer to the configuration, which no request asks for.
const START: u64 = 0;
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
        match reply::read(&mut answers) {
            Ok(Some(Reply { id, result })) => {
                if let Some(waiting) = locked(asked).waiting.remove(&id) {
                    // Nobody waits for the answer to a request that was given up just now.
                    waiting.send(result.map_err(Failure::Refused)).ok();
                }
            }
            Ok(None) => break ENDED.to_owned(),
            Err(why) => break why,
        }
    };
    let mut asked = locked(asked);
    for (_, waiting) in asked.waiting.drain() {
        waiting.send(Err(Failure::Ended(why.clone()))).ok();
    }
    asked.ended = Some(why);
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::BufRead;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    use super::*;

    /// The end of a process: it reads requests, and answers as it is told.
    struct Process {
        requests: BufReader<UnixStream>,
        answers: UnixStream,
    }

    impl Process {
        fn pair() -> (Exchange, oneshot::Receiver<Result<Answer>>, Process) {
            let (input, requests) = UnixStream::pair().unwrap();
            let (answers, output) = UnixStream::pair().unwrap();
            let (exchange, started) = Exchange::new(input, output);
            let process = Process {
                requests: BufReader::new(requests),
                answers,
            };
            (exchange, started, process)
        }

        fn next(&mut self) -> Value {
            let mut line = String::new();
            self.requests.read_line(&mut line).unwrap();
            serde_json::from_str(&line).unwrap()
        }

        fn answer(&mut self, id: u64, text: &str) {
            let head = json!({"id": id, "bytes": text.len()});
            writeln!(self.answers, "{head}").unwrap();
            self.answers.write_all(text.as_bytes()).unwrap();
        }
    }

    #[tokio::test]
    async fn every_answer_finds_its_request_in_any_order() {
        let (exchange, started, mut process) = Process::pair();
        exchange.configure(&json!({"a": "b"})).unwrap();
        let answering = std::thread::spawn(move || {
            assert_eq!(process.next(), json!({"a": "b"}));
            process.answer(0, "");
            let (first, second) = (process.next(), process.next());
            for request in [second, first] {
                let sql = request["sql"].as_str().unwrap().to_owned();
                process.answer(request["id"].as_u64().unwrap(), &sql);
            }
            process
        });
        started.await.unwrap().unwrap();
        let ask = |sql: &str| exchange.ask(json!({"do": "query", "sql": sql}));
        let (one, other) = tokio::join!(ask("one"), ask("other"));
        assert_eq!(one.unwrap().bytes, b"one");
        assert_eq!(other.unwrap().bytes, b"other");
        assert_eq!(exchange.ended(), None);
        drop(answering.join().unwrap());
    }

    #[tokio::test]
    async fn a_request_that_nobody_waits_for_is_cancelled() {
        let (exchange, _started, mut process) = Process::pair();
        let asking = exchange.ask(json!({"do": "query"}));
        let short = Duration::from_millis(1);
        tokio::time::timeout(short, asking).await.unwrap_err();
        let (query, cancel) = (process.next(), process.next());
        assert_eq!(cancel["do"], "cancel");
        assert_eq!(cancel["request"], query["id"]);
        assert_ne!(cancel["id"], query["id"]);
    }

    #[tokio::test]
    async fn a_process_that_ends_fails_all_that_wait_and_whatever_comes_later() {
        let (exchange, started, mut process) = Process::pair();
        let ending = std::thread::spawn(move || {
            process.next();
            process.answers.write_all(b"Traceback\n").unwrap();
            process
        });
        let error = exchange.ask(json!({"do": "query"})).await.unwrap_err();
        let Failure::Ended(why) = &error else {
            panic!("{error:?}");
        };
        assert!(why.contains("cannot be understood"), "{why}");
        assert_eq!(exchange.ended().as_ref(), Some(why));
        assert_eq!(started.await.unwrap().unwrap_err(), error);
        assert_eq!(
            exchange.ask(json!({"do": "query"})).await,
            Err(error.clone())
        );
        drop(ending.join().unwrap());
    }

    #[tokio::test]
    async fn what_the_process_says_of_a_request_is_its_own_failure() {
        let (exchange, _started, mut process) = Process::pair();
        let answering = std::thread::spawn(move || {
            let id = process.next()["id"].clone();
            let head = json!({"id": id, "error": "no such table"});
            writeln!(process.answers, "{head}").unwrap();
            process
        });
        let error = exchange.ask(json!({"do": "query"})).await.unwrap_err();
        assert_eq!(error, Failure::Refused("no such table".to_owned()));
        drop(answering.join().unwrap());
    }

    #[tokio::test]
    async fn after_its_end_nothing_is_sent() {
        let (exchange, _started, process) = Process::pair();
        exchange.close();
        let error = exchange.ask(json!({"do": "query"})).await.unwrap_err();
        assert_eq!(error, Failure::Ended(ENDED.to_owned()));
        let mut rest = Vec::new();
        let Process { mut requests, .. } = process;
        requests.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"");
    }
}
