//! The answers of Spark's process: a line in JSON, and the bytes that it announces.

use std::io::{BufRead, Read};

use serde::Deserialize;

/// The largest number of bytes of a line.
const MOST_HEAD_BYTES: u64 = 1 << 20;
/// The largest number of bytes of an answer.
const MOST_BYTES: u64 = 2 << 30;

/// The versions that Spark's process says it has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Versions {
    pub(super) spark: String,
    pub(super) java: String,
}

/// What one request led to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    /// The number of the request.
    pub(super) id: u64,
    /// The answer, or the reason why there is none.
    pub(super) result: Result<Answer, String>,
}

/// The answer to one request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) bytes: Vec<u8>,
    pub(super) versions: Option<Versions>,
}

#[derive(Deserialize)]
struct Head {
    id: u64,
    #[serde(default)]
    bytes: u64,
    error: Option<String>,
    versions: Option<Versions>,
}

/// Reads the next answer; returns `None` where they end.
///
/// # Errors
/// Fails with what is wrong with it, after which nothing more can be read.
pub(super) fn read(from: &mut impl BufRead) -> Result<Option<Reply>, String> {
    let mut line = Vec::new();
    let read = from
        .by_ref()
        .take(MOST_HEAD_BYTES)
        .read_until(b'\n', &mut line);
    read.map_err(|error| format!("its answers cannot be read: {error}"))?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.pop() != Some(b'\n') {
        return Err("an answer has no end".to_owned());
    }
    let head: Head = serde_json::from_slice(&line)
        .map_err(|error| format!("an answer cannot be understood: {error}"))?;
    if let Some(error) = head.error {
        return Ok(Some(Reply {
            id: head.id,
            result: Err(error),
        }));
    }
    Ok(Some(Reply {
        id: head.id,
        result: Ok(Answer {
            bytes: read_bytes(from, head.bytes)?,
            versions: head.versions,
        }),
    }))
}

fn read_bytes(from: &mut impl BufRead, announced: u64) -> Result<Vec<u8>, String> {
    if announced > MOST_BYTES {
        return Err(format!("an answer of {announced} bytes is too large"));
    }
    // The vector grows with what really comes.
    let mut bytes = Vec::new();
    let read = from.by_ref().take(announced).read_to_end(&mut bytes);
    read.map_err(|error| format!("its answers cannot be read: {error}"))?;
    if bytes.len() as u64 == announced {
        Ok(bytes)
    } else {
        Err("an answer has no end".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(mut bytes: &[u8]) -> Result<Vec<Reply>, String> {
        let mut replies = Vec::new();
        while let Some(reply) = read(&mut bytes)? {
            replies.push(reply);
        }
        Ok(replies)
    }

    #[test]
    fn answers_and_errors_follow_each_other() {
        let text =
            b"{\"id\": 0, \"bytes\": 0, \"versions\": {\"spark\": \"3.5.9\", \"java\": \"17\"}}\n\
                     {\"id\": 2, \"bytes\": 3}\na\nb{\"id\": 1, \"error\": \"no\"}\n";
        let [started, answered, failed] = &read_all(text).unwrap()[..] else {
            panic!("three answers");
        };
        let versions = started.result.as_ref().unwrap().versions.clone();
        assert_eq!(versions.unwrap().spark, "3.5.9");
        assert_eq!(answered.result.as_ref().unwrap().bytes, b"a\nb");
        assert_eq!((answered.id, failed.id), (2, 1));
        assert_eq!(failed.result, Err("no".to_owned()));
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        for (text, why) in [
            (&b"{\"id\": 1, \"bytes\": 3}\nab"[..], "no end"),
            (b"{\"id\": 1", "no end"),
            (b"Traceback\n", "cannot be understood"),
            (b"{\"bytes\": 1}\na", "cannot be understood"),
            (b"{\"id\": -1}\n", "cannot be understood"),
            (b"{\"id\": 1, \"bytes\": 99999999999}\n", "too large"),
            (b"\xff\n", "cannot be understood"),
        ] {
            let error = read_all(text).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        let endless = vec![b'x'; 2 * MOST_HEAD_BYTES as usize];
        assert_eq!(read_all(&endless).unwrap_err(), "an answer has no end");
    }
}
