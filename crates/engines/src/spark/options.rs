//! The command line options of Spark.

use std::path::PathBuf;

use bakeoff_servers::spark::SparkCluster;

/// The command line options of Spark.
#[derive(Debug, Clone, Default)]
pub struct SparkOptions {
    /// A Spark elsewhere, or `None` to start one.
    pub cluster: Option<SparkCluster>,
    /// The absolute path of a folder that the workers of that Spark have under the same path; `None` for the run
    /// folder.
    pub files: Option<PathBuf>,
}
