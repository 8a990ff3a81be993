//! What is said between Bakeoff and the process that a driver is loaded into. A request is a line of JSON,
//! after which the rows of an ingest follow as an Arrow IPC stream. Whatever comes back is a frame: its head,
//! which names the request, and at most [`FRAME_BYTES`]; those of an answer are one Arrow IPC stream together.

use serde::{Deserialize, Serialize};

use super::secrets::Secrets;

/// Most bytes of a request, without the rows of an ingest.
pub const REQUEST_BYTES: u64 = 16 << 20;
/// Most bytes of the rows of one ingest.
pub const INGEST_BYTES: u64 = 1 << 30;
/// Most bytes of a frame after its head.
pub const FRAME_BYTES: usize = 1 << 20;
/// The bytes of a frame's head: the number of the request, the kind, and the length of what follows.
pub const HEAD_BYTES: usize = 8 + 1 + 4;

/// A database, which a driver is asked to open. It may hold secrets, and so has no `Debug` output.
#[derive(Clone, Serialize, Deserialize)]
pub struct Database {
    /// The absolute path of the library with the driver.
    pub library: String,
    /// The name of the function that the driver begins with, unless it is the one that its name leads to.
    pub entrypoint: Option<String>,
    /// Names and values of options, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// Statements that are run once, when it is open.
    pub setup: Vec<String>,
    /// Names and values of options that the statement of each question gets.
    #[serde(default)]
    pub statement_options: Vec<(String, String)>,
    /// What is hidden in the driver's messages. The process with the driver does not get it.
    #[serde(skip)]
    pub secrets: Secrets,
}

/// A request with its number, which the frames of its answer have.
#[derive(Serialize, Deserialize)]
pub struct Call {
    pub id: u64,
    pub request: Request,
}

/// What a driver is asked to do.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Loads the library and opens the database. It comes first, once.
    Open(Database),
    /// Runs statements on the connection that ingests use, in this order.
    Execute { statements: Vec<String> },
    /// Begins or ends a transaction on that connection.
    Transaction(Step),
    /// Adds the rows that follow in so many bytes to a table, which is made for them first if that is asked.
    Ingest {
        table: String,
        #[serde(default)]
        create: bool,
        bytes: u64,
    },
    /// Asks the driver for its name and version and for those of its database.
    About,
    /// Asks a query on a connection that nothing was asked on before, at the same time as others.
    Ask { sql: String },
}

/// A step of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    Begin,
    Commit,
    Rollback,
}

/// The kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A part of the rows of an answer.
    Rows,
    /// The end of what went well.
    Done,
    /// The end of what failed, with the reason.
    Failed,
}

const KINDS: [(u8, Kind); 3] = [(1, Kind::Rows), (2, Kind::Done), (3, Kind::Failed)];

/// Returns the head of a frame. Its length has to be at most [`FRAME_BYTES`].
pub fn head(id: u64, kind: Kind, length: usize) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..8].copy_from_slice(&id.to_le_bytes());
    let byte = KINDS.iter().find(|(_, known)| *known == kind);
    head[8] = byte.map_or(0, |(byte, _)| *byte);
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    head[9..].copy_from_slice(&length.to_le_bytes());
    head
}

/// Reads the head of a frame: the number of the request, the kind, and the length of what follows. Returns
/// `None` if this is none.
pub fn read_head(head: &[u8; HEAD_BYTES]) -> Option<(u64, Kind, usize)> {
    let (id, rest) = head.split_first_chunk::<8>()?;
    let (kind, length) = rest.split_first()?;
    let (_, kind) = KINDS.iter().find(|(byte, _)| byte == kind)?;
    let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
    (length <= FRAME_BYTES).then_some((u64::from_le_bytes(*id), *kind, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        for (_, kind) in KINDS {
            for (id, length) in [(0, 0), (7, FRAME_BYTES), (u64::MAX, 5)] {
                let read = read_head(&head(id, kind, length));
                assert_eq!(read, Some((id, kind, length)));
            }
        }
    }

    #[test]
    fn what_is_no_head_of_a_bounded_frame_is_none() {
        assert_eq!(read_head(&head(1, Kind::Rows, FRAME_BYTES + 1)), None);
        assert_eq!(read_head(&head(1, Kind::Rows, usize::MAX)), None);
        let mut unknown = head(1, Kind::Rows, 1);
        unknown[8] = 4;
        assert_eq!(read_head(&unknown), None);
        assert_eq!(read_head(b"Segmentation "), None);
    }

    #[test]
    fn a_request_is_one_line() {
        let call = Call {
            id: 3,
            request: Request::Ask {
                sql: "SELECT 'a\n\"b'".to_owned(),
            },
        };
        let line = serde_json::to_string(&call).unwrap();
        assert_eq!(
            line,
            r#"{"id":3,"request":{"ask":{"sql":"SELECT 'a\n\"b'"}}}"#
        );
        let read: Call = serde_json::from_str(&line).unwrap();
        let Request::Ask { sql } = read.request else {
            panic!("another request");
        };
        assert_eq!(sql, "SELECT 'a\n\"b'");
    }
}
