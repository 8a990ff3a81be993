//! One operation of a load, and its outcome.

use std::fmt;

use bakeoff_stats::FailureKind;

/// One operation of a mix, before it is turned into a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Number of the operation, counted over all threads, shards and loads. Everything random about an
    /// operation is a pure function of the seed and this number.
    pub number: u64,
    /// Index into `Mix::operations`.
    pub operation: usize,
    /// Number of the operation's row. A batch has the rows `row`, `row + row_step`, `row + 2 * row_step`,
    /// and so on.
    pub row: u64,
    /// Distance between the rows of a batch. New rows of one worker are not neighbours, since the
    /// workers of all threads and shards take turns.
    pub row_step: u64,
    /// Whether the row is certain to exist, since it was loaded or its insert was acknowledged.
    pub row_exists: bool,
}

/// Failure of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    /// Description for the user, with what was sent and what came back.
    pub message: String,
}

impl Failure {
    /// Makes a failure of a kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Failure {
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

/// Result of an operation that succeeded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    /// Number of rows returned or written.
    pub rows: u64,
    /// Number of bytes of values returned or written.
    pub bytes: u64,
    /// Whether this was a conditional write whose condition did not hold, which is neither an error nor a
    /// write.
    pub not_applied: bool,
}
