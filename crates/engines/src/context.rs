//! The folder, the threads and the options that engines run with.

use std::path::PathBuf;
use std::sync::Arc;

use bakeoff_stats::StandbysInfo;
use bakeoff_workload::DesignId;

use crate::adbc::AdbcOptions;
use crate::cassandra::CassandraOptions;
use crate::memory::MemoryOptions;
#[cfg(feature = "postgres")]
use crate::postgres::PostgresOptions;
use crate::rate_limit::RateLimit;
use crate::shared_tables::SharedTables;
use crate::spark::SparkOptions;

/// The folder, the threads and the options that engines run with.
#[derive(Debug, Clone)]
pub struct Context {
    /// The absolute path of the run folder.
    pub run_dir: PathBuf,
    /// The random token of the run, which the marks of its tables hold; `None` for a run of an earlier
    /// version.
    pub token: Option<String>,
    /// The number of Bakeoff's worker threads, and of DataFusion partitions of each query.
    pub threads: usize,
    /// Whether two rows of the source may have the same key.
    pub keys_repeat: bool,
    pub options: EngineOptions,
}

impl Context {
    /// Returns the folder with the files of an engine's designs.
    pub fn folder_of(&self, engine: &str) -> PathBuf {
        self.run_dir.join(engine)
    }

    /// Returns the limit on rows that are written to a server, which one that Bakeoff started does not have.
    pub fn rate_limit(&self, ours: bool) -> Option<Arc<RateLimit>> {
        let limit = self.options.rate_limit.as_ref();
        limit.filter(|_| !ours).cloned()
    }

    /// Returns the folder with the files of a design.
    pub fn folder_of_design(&self, id: &DesignId) -> PathBuf {
        self.folder_of(&id.engine).join(folder_name(id))
    }

    /// Returns the folder of the server that only this design has.
    pub fn folder_of_server(&self, id: &DesignId) -> PathBuf {
        self.run_dir.join(folder_name(id))
    }
}

/// Returns the name of a design's folder.
fn folder_name(id: &DesignId) -> String {
    // Names of columns have underscores, and with another character instead two designs may have one folder.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let plain = |c: char| if is_plain(c) { c } else { '-' };
    id.to_string().chars().map(plain).collect()
}

/// The options of single engines, one field for each engine that has some.
#[derive(Debug, Clone, Default)]
pub struct EngineOptions {
    pub cassandra: CassandraOptions,
    #[cfg(feature = "postgres")]
    pub postgres: PostgresOptions,
    pub memory: MemoryOptions,
    pub adbc: AdbcOptions,
    pub spark: SparkOptions,
    /// The designs that read the table of another one.
    pub shared_tables: SharedTables,
    /// The limit on the rows that are written to servers which Bakeoff did not start, all of them together.
    pub rate_limit: Option<Arc<RateLimit>>,
}

impl EngineOptions {
    /// Describes the standbys of servers that are started, for the records of a run; `None` if there are none.
    #[cfg(feature = "postgres")]
    pub fn standbys_info(&self) -> Option<StandbysInfo> {
        self.postgres.standbys.info()
    }

    /// Returns `None`, since a build without PostgreSQL starts no server that has standbys.
    #[cfg(not(feature = "postgres"))]
    pub fn standbys_info(&self) -> Option<StandbysInfo> {
        None
    }
}

#[cfg(test)]
impl Context {
    /// Makes a context with default options.
    pub(crate) fn of_test(run_dir: &str) -> Context {
        Context {
            run_dir: run_dir.into(),
            token: None,
            threads: 1,
            keys_repeat: false,
            options: EngineOptions::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn designs_have_folders_of_their_own() {
        let context = Context::of_test("/runs/a");
        let folder = |id: &str| context.folder_of_design(&id.parse().unwrap());
        let one = folder("parquet?partition=a&sort=b");
        assert_eq!(
            one,
            PathBuf::from("/runs/a/parquet/parquet-partition-a-sort-b")
        );
        assert_ne!(one, folder("parquet?partition=a_sort_b"));
    }
}
