//! Result of this crate's functions.

use std::path::PathBuf;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Reason why a workload or its rows cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A workload file contains something impossible; `line` and `column` count from 1.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Workload {
        path: PathBuf,
        line: usize,
        column: usize,
        message: String,
    },

    #[error("cannot read {what} {}: {source}", path.display())]
    Read {
        what: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },

    /// A row of a data file does not fit the table.
    #[error("{}, line {line}: {message}", path.display())]
    Row {
        path: PathBuf,
        line: u64,
        message: String,
    },

    /// A data file is unusable as a whole.
    #[error("{}: {message}", path.display())]
    Data { path: PathBuf, message: String },

    #[error("{0}")]
    Usage(String),
}
