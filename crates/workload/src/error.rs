//! Everything that can be wrong with a workload or its data.

use std::path::PathBuf;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A workload file that says something impossible. `line` and `column` are 1-based.
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

    /// A data file with a row that does not fit the table.
    #[error("{}, line {line}: {message}", path.display())]
    Row {
        path: PathBuf,
        line: u64,
        message: String,
    },

    /// A data file that is unusable as a whole.
    #[error("{}: {message}", path.display())]
    Data { path: PathBuf, message: String },

    #[error("{0}")]
    Usage(String),
}
