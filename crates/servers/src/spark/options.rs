//! Options of a Spark to be started or reached.

use std::path::PathBuf;

use super::cluster::SparkCluster;

/// Options of a Spark to be started or reached.
#[derive(Debug, Clone)]
pub struct SparkOptions {
    /// The folder of its files, which is created.
    pub dir: PathBuf,
    /// The number of cores that it computes on, on this machine.
    pub threads: usize,
    /// The Python that has the package `pyspark`; `None` leaves the search to [`super::find_python`].
    pub python: Option<PathBuf>,
    /// The Spark elsewhere that is asked; `None` starts one that computes on this machine.
    pub cluster: Option<SparkCluster>,
}

impl SparkOptions {
    /// Makes options for a Spark with the Python that is found.
    pub fn new(dir: impl Into<PathBuf>, threads: usize) -> SparkOptions {
        SparkOptions {
            dir: dir.into(),
            threads,
            python: None,
            cluster: None,
        }
    }
}
