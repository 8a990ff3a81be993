//! Options of a Spark to be started.

use std::path::PathBuf;

/// Options of a Spark to be started.
#[derive(Debug, Clone)]
pub struct SparkOptions {
    /// The folder of its files, which is created.
    pub dir: PathBuf,
    /// The number of cores that it computes on.
    pub threads: usize,
    /// The Python that has the package `pyspark`; `None` leaves the search to [`super::find_python`].
    pub python: Option<PathBuf>,
}

impl SparkOptions {
    /// Makes options for a Spark with the Python that is found.
    pub fn new(dir: impl Into<PathBuf>, threads: usize) -> SparkOptions {
        SparkOptions {
            dir: dir.into(),
            threads,
            python: None,
        }
    }
}
