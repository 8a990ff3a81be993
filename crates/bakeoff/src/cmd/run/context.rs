//! What engines need to know of a run: its folder and its options.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use bakeoff_engines::{Context, DriverFile, EngineOptions, Replication, require};
use bakeoff_workload::{Consistency, DesignId, Workload};

use super::Run;
use crate::exit::Misuse;

/// MiB that a table in memory may take unless told otherwise.
const MEMORY_MIB: u32 = 320;

impl Run {
    /// Returns the copies of each row in Cassandra, and the consistency level.
    ///
    /// # Errors
    /// Fails for a level with which nothing can be read, and for copies or nodes that do not fit together.
    pub fn replication(&self) -> Result<Replication> {
        let ours = self.cluster.cassandra.is_none();
        if self.consistency == Some(Consistency::Any) {
            return Err(Misuse::new(anyhow!(
                "--consistency any: nothing can be read with it; choose another level"
            ))
            .into());
        }
        self.nodes.replication(ours, self.consistency)
    }

    /// Returns what engines and designs need to know of the run, which gets its token later.
    ///
    /// # Errors
    /// Fails for options that do not fit together, or to a server.
    pub fn context(
        &self,
        workload: &Workload,
        designs: &[DesignId],
        drivers: Option<Arc<DriverFile>>,
        run_dir: PathBuf,
        keys_repeat: bool,
    ) -> Result<Context> {
        let mut options = EngineOptions::default();
        options.cassandra.cluster = self.cluster.cluster();
        self.hosts.put_into(&mut options)?;
        options.cassandra.replication = self.replication()?;
        options.cassandra.server_per_design = self.nodes.server_per_design;
        options.cassandra.keyspace = self.keyspace.clone();
        options.cassandra.owns_tables = true;
        options.cassandra.server = self.nodes.server(workload);
        options.cassandra.records_profiles = self.profile.is_given();
        options.memory.table_bytes = (self.memory.unwrap_or(MEMORY_MIB) as usize) << 20;
        self.postgres.put_into(&mut options)?;
        self.ask_standbys.put_into(&mut options)?;
        self.spark.put_into(&mut options)?;
        let driven = drivers.as_ref().and_then(|file| file.server_of(designs));
        let server = self.postgres.url().or(driven);
        options.rate_limit = self.rate_limit.limit(&self.cluster, server)?;
        options.adbc.drivers = drivers;
        options.shared_tables = self.shared_tables(workload, designs);
        require(designs, &mut options);
        Ok(Context {
            run_dir,
            token: None,
            threads: self.threads(),
            keys_repeat,
            options,
        })
    }
}
