//! The answers of Spark's process: a line in JSON, and the bytes that it announces.

use std::io::{BufRead, ErrorKind, Read};

use serde::Deserialize;

/// The largest number of bytes of a line.
const MOST_HEAD_BYTES: u64 = 1 << 20;
/// The bytes of an answer that are read at a time, if it has so many.
pub(super) const PART_BYTES: u64 = 64 << 10;

/// What Spark's process says of Spark.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Versions {
    /// The version of Spark; of a cluster those of its executors, with commas between them if they differ.
    pub(super) spark: String,
    /// The version of this machine's Java, if Spark runs on one.
    pub(super) java: Option<String>,
    /// The number of executors of a cluster, if that is known.
    pub(super) executors: Option<u64>,
    /// The number of cores of a cluster, if that is known.
    pub(super) cores: Option<u64>,
    /// The number of parts that a server of Spark Connect makes where nothing says how many.
    pub(super) parts: Option<u64>,
}

/// What one request led to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    /// The number of the request.
    pub(super) id: u64,
    /// What follows, or the reason why there is no answer.
    pub(super) result: Result<Announced, String>,
}

/// What the line before an answer says of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Announced {
    /// The number of bytes that follow.
    pub(super) bytes: u64,
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

/// Reads the line of the next answer, whose bytes have to be read next; returns `None` where answers end.
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
    let result = match head.error {
        Some(error) => Err(error),
        None => Ok(Announced {
            bytes: head.bytes,
            versions: head.versions,
        }),
    };
    Ok(Some(Reply {
        id: head.id,
        result,
    }))
}

/// Reads the next bytes of an answer of which so many are left.
///
/// # Errors
/// Those of [`read`].
pub(super) fn read_part(from: &mut impl Read, left: u64) -> Result<Vec<u8>, String> {
    let mut part = vec![0; left.min(PART_BYTES) as usize];
    match from.read_exact(&mut part) {
        Ok(()) => Ok(part),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            Err("an answer has no end".to_owned())
        }
        Err(error) => Err(format!("its answers cannot be read: {error}")),
    }
}

#[cfg(test)]
mod hostile;

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads all answers, each with its bytes.
    fn read_all(mut from: &[u8]) -> Result<Vec<(Reply, Vec<u8>)>, String> {
        let mut replies = Vec::new();
        while let Some(reply) = read(&mut from)? {
            let announced = reply.result.as_ref().map_or(0, |announced| announced.bytes);
            let mut bytes = Vec::new();
            while (bytes.len() as u64) < announced {
                bytes.extend(read_part(&mut from, announced - bytes.len() as u64)?);
            }
            replies.push((reply, bytes));
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
        let versions = started.0.result.as_ref().unwrap().versions.clone();
        let versions = versions.unwrap();
        assert_eq!(versions.spark, "3.5.9");
        assert_eq!((versions.executors, versions.cores), (None, None));
        assert_eq!(answered.1, b"a\nb");
        assert_eq!((answered.0.id, failed.0.id), (2, 1));
        assert_eq!(failed.0.result, Err("no".to_owned()));
    }

    #[test]
    fn a_large_answer_is_read_in_parts() {
        let bytes = vec![7; PART_BYTES as usize + 1];
        let mut from = &bytes[..];
        let first = read_part(&mut from, bytes.len() as u64).unwrap();
        assert_eq!(first.len() as u64, PART_BYTES);
        assert_eq!(read_part(&mut from, 1).unwrap(), [7]);
        // What is announced takes no memory before it comes.
        let error = read_part(&mut from, u64::MAX).unwrap_err();
        assert_eq!(error, "an answer has no end");
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        for (text, why) in [
            (&b"{\"id\": 1, \"bytes\": 3}\nab"[..], "no end"),
            (b"{\"id\": 1", "no end"),
            (b"Traceback\n", "cannot be understood"),
            (b"{\"bytes\": 1}\na", "cannot be understood"),
            (b"{\"id\": -1}\n", "cannot be understood"),
            (b"{\"id\": 1, \"bytes\": 99999999999}\n", "no end"),
            (b"\xff\n", "cannot be understood"),
        ] {
            let error = read_all(text).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        let endless = vec![b'x'; 2 * MOST_HEAD_BYTES as usize];
        assert_eq!(read_all(&endless).unwrap_err(), "an answer has no end");
    }
}
