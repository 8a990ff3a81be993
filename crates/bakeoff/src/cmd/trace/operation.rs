//! Options of an operation of a mix that is traced.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_engines::{
    Cluster, Context, EngineOptions, TargetOptions, TraceError, TracedRead, require,
};
use bakeoff_workload::source::RowSource;
use bakeoff_workload::{DesignId, Workload, source};
use clap::Args;

use crate::cmd::options::choice::{Rows, parse_rows_or_all};
use crate::cmd::options::data::DataOptions;
use crate::exit::Misuse;

#[derive(Args, Debug)]
pub struct OperationOptions {
    /// Trace this operation of the [mix] of a workload, which is named in place of the statement
    #[arg(long, value_name = "NAME", requires_all = ["design", "keyspace"])]
    operation: Option<String>,

    /// The design whose statement is sent, by its id
    #[arg(long, value_name = "DESIGN", requires = "operation")]
    design: Option<String>,

    /// The keyspace that has its table, from `bakeoff drive --keyspace` with the same workload
    #[arg(long, value_name = "NAME", requires = "operation")]
    keyspace: Option<String>,

    /// Rows that the table has, as they were given to `drive` [default: as the workload says]
    #[arg(long, value_name = "N", value_parser = parse_rows_or_all, requires = "operation")]
    rows: Option<Rows>,

    #[command(flatten)]
    data: DataOptions,
}

impl OperationOptions {
    /// Returns whether an operation is traced.
    pub fn is_asked(&self) -> bool {
        self.operation.is_some()
    }

    /// Reads the workload, and plans its operation.
    ///
    /// # Errors
    /// Fails with a misuse if the workload is invalid, or has no such read in this design.
    pub fn read(
        &self,
        workload: &str,
        cluster: &Cluster,
        time_limit: Duration,
    ) -> Result<Arc<TracedRead>> {
        let workload = self.data.workload(Path::new(workload))?;
        let no_mix = || {
            Misuse::new(anyhow!(
                "{} has no [mix] of operations; trace a SELECT instead",
                workload.path.display()
            ))
        };
        let mix = workload.mix.clone().ok_or_else(no_mix)?;
        let design = self.design.as_deref().unwrap_or_default();
        let design: DesignId = design
            .parse()
            .map_err(|why: String| Misuse::new(anyhow!("--design: {why}")))?;
        let source: Arc<dyn RowSource> = self.data.open(&workload)?.into();
        let rows = match self.rows {
            Some(rows) => rows.number(&workload, source.as_ref())?,
            None => workload.scale.default_rows,
        };
        let context = self.context(&design, &workload, cluster, source.may_repeat_keys())?;
        let values = source::row_values(&workload, source, rows)?;
        let options = TargetOptions {
            mix: Arc::new(mix),
            loaded: 0..rows,
            keys_repeat: source::keys_repeat(&workload, &*values, rows, 1),
            values,
            in_flight_per_worker: 1,
            request_time_limit: time_limit,
            consistency: None,
        };
        let operation = self.operation.as_deref().unwrap_or_default();
        let read = TracedRead::new(&design, &workload, &context, &options, operation);
        let read = read.map_err(|error| match error {
            TraceError::Asked(why) | TraceError::Failed(why) => Misuse::new(anyhow!(why)),
        })?;
        Ok(Arc::new(read))
    }

    fn context(
        &self,
        design: &DesignId,
        workload: &Workload,
        cluster: &Cluster,
        keys_repeat: bool,
    ) -> Result<Context> {
        let mut options = EngineOptions::default();
        options.cassandra.cluster = Some(cluster.clone());
        options.cassandra.keyspace = self.keyspace.clone();
        options.cassandra.functions = workload.makes_functions();
        require(std::slice::from_ref(design), &mut options);
        Ok(Context {
            run_dir: std::env::current_dir()?,
            token: None,
            threads: 1,
            keys_repeat,
            options,
        })
    }
}
