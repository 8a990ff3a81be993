//! Where engines run, and what was asked of them.

use std::path::PathBuf;

use bakeoff_workload::DesignId;

use crate::cassandra::CassandraOptions;
use crate::memory::MemoryOptions;
#[cfg(feature = "postgres")]
use crate::postgres::PostgresOptions;

/// Where and how engines run.
#[derive(Debug, Clone)]
pub struct Context {
    /// Absolute path of the run folder.
    pub run_dir: PathBuf,
    /// Worker threads of Bakeoff, and partitions of each query in DataFusion.
    pub threads: usize,
    /// Whether two rows of the source may have the same key.
    pub keys_repeat: bool,
    pub options: EngineOptions,
}

impl Context {
    /// Where the files of an engine's designs are.
    pub fn folder_of(&self, engine: &str) -> PathBuf {
        self.run_dir.join(engine)
    }

    /// Where the files of a design are.
    pub fn folder_of_design(&self, id: &DesignId) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = id.to_string().chars().map(plain).collect();
        self.folder_of(&id.engine).join(name)
    }
}

/// Options that only one engine knows, by engine.
#[derive(Debug, Clone, Default)]
pub struct EngineOptions {
    pub cassandra: CassandraOptions,
    #[cfg(feature = "postgres")]
    pub postgres: PostgresOptions,
    pub memory: MemoryOptions,
}
