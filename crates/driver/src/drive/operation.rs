//! One operation of a load, and how it ended.

use std::fmt;

use bakeoff_stats::FailureKind;

/// One operation of a mix, before it is turned into a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Counts over all threads, shards and loads. What is drawn for an operation is a pure function
    /// of the seed and this number.
    pub number: u64,
    /// Its place in `Mix::operations`.
    pub operation: usize,
    /// The row it is for. A batch has the rows `row`, `row + row_step`, `row + 2 * row_step`, ...
    pub row: u64,
    /// Distance of the rows of a batch: new rows of one worker are not neighbours, since the
    /// workers of all threads and shards take turns.
    pub row_step: u64,
    /// Whether the row is certain to be there: it was loaded, or its insert was acknowledged.
    pub row_exists: bool,
}

/// Why an operation did not do what it should.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    /// In words for the user, with what was asked and what came.
    pub message: String,
}

impl Failure {
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

/// What an operation that succeeded brought back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    /// Rows returned or written.
    pub rows: u64,
    /// Bytes of values returned or written.
    pub bytes: u64,
    /// A conditional write whose condition did not hold: neither an error nor a write.
    pub not_applied: bool,
}
