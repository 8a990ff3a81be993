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

    async fn all(mut answer: Answer) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while let Some(part) = answer.next().await? {
            bytes.extend(part);
        }
        Ok(bytes)
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
        // Read in the other order than they came.
        assert_eq!(all(one.unwrap()).await.unwrap(), b"one");
        assert_eq!(all(other.unwrap()).await.unwrap(), b"other");
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
        let later = exchange.ask(json!({"do": "query"})).await;
        assert_eq!(later.unwrap_err(), error);
        drop(ending.join().unwrap());
    }

    /// Larger than the parts that wait and than the pipe: nothing of it is held on its way.
    #[tokio::test]
    async fn a_large_answer_comes_in_parts_and_one_that_is_given_up_is_in_nobodys_way() {
        let (exchange, _started, mut process) = Process::pair();
        let large = "x".repeat((PARTS + 8) * reply::PART_BYTES as usize);
        let text = large.clone();
        let answering = std::thread::spawn(move || {
            for text in [&text[..], &text, "last"] {
                let id = process.next()["id"].as_u64().unwrap();
                process.answer(id, text);
            }
            process
        });
        let ask = || exchange.ask(json!({"do": "query"}));
        assert_eq!(all(ask().await.unwrap()).await.unwrap(), large.as_bytes());
        let mut given_up = ask().await.unwrap();
        let first = given_up.next().await.unwrap().unwrap();
        assert_eq!(first.len() as u64, reply::PART_BYTES);
        drop(given_up);
        assert_eq!(all(ask().await.unwrap()).await.unwrap(), b"last");
        drop(answering.join().unwrap());
    }

    #[tokio::test]
    async fn an_answer_that_is_cut_off_is_no_answer() {
        let (exchange, _started, mut process) = Process::pair();
        let ending = std::thread::spawn(move || {
            let id = process.next()["id"].clone();
            writeln!(process.answers, "{}", json!({"id": id, "bytes": 1 << 20})).unwrap();
            process.answers.write_all(&[0; 1000]).unwrap();
        });
        let answer = exchange.ask(json!({"do": "query"})).await.unwrap();
        let why = "an answer has no end".to_owned();
        assert_eq!(all(answer).await.unwrap_err(), Failure::Ended(why));
        ending.join().unwrap();
        let later = exchange.ask(json!({"do": "query"})).await.unwrap_err();
        assert!(matches!(later, Failure::Ended(_)), "{later:?}");
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
