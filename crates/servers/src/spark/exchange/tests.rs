//! Tests of requests to a process of Spark, and its answers.

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
