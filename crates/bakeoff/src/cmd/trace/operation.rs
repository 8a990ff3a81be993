//! Options of an operation of a mix, or a question of a workload, that is traced.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_engines::{
    Cluster, Context, EngineOptions, TargetOptions, TraceError, Traceable, TracedQuestion,
    TracedRead, require,
};
use bakeoff_workload::source::RowSource;
use bakeoff_workload::{DesignId, Query, Workload, source, suggestion};
use clap::Args;

use crate::cmd::options::choice::{Rows, parse_rows_or_all};
use crate::cmd::options::data::DataOptions;
use crate::cmd::small_runtime;
use crate::exit::Misuse;
use crate::machine;

#[derive(Args, Debug)]
pub struct OperationOptions {
    /// Trace this operation of the [mix] of a workload, which is named in place of the statement
    #[arg(long, value_name = "NAME", group = "of_workload", requires_all = ["design", "keyspace"])]
    operation: Option<String>,

    /// Trace this query of a workload, which is named in place of the statement: the first statement
    /// with which the design reads rows for it
    #[arg(long, value_name = "NAME", group = "of_workload", requires_all = ["design", "keyspace"])]
    query: Option<String>,

    /// The design whose statement is sent, by its id
    #[arg(long, value_name = "DESIGN", requires = "of_workload")]
    design: Option<String>,

    /// The keyspace that has its table, from `bakeoff drive --keyspace` or `bakeoff run --keep` with the
    /// same workload
    #[arg(long, value_name = "NAME", requires = "of_workload")]
    keyspace: Option<String>,

    /// Rows that the table has, as they were given to `drive` or `run` [default: as the workload says]
    #[arg(long, value_name = "N", value_parser = parse_rows_or_all, requires = "of_workload")]
    rows: Option<Rows>,

    #[command(flatten)]
    data: DataOptions,
}

/// A workload with the rows that its table has.
struct Loaded {
    workload: Workload,
    source: Arc<dyn RowSource>,
    rows: u64,
    design: DesignId,
    context: Context,
}

impl OperationOptions {
    /// Returns whether an operation or a query of a workload is traced.
    pub fn is_asked(&self) -> bool {
        self.operation.is_some() || self.is_query()
    }

    /// Returns whether it is a query.
    pub fn is_query(&self) -> bool {
        self.query.is_some()
    }

    /// Reads the workload, and plans its operation; of a query so many times, with other parameters each time.
    ///
    /// # Errors
    /// Fails with a misuse if the workload is invalid, or has no such read in this design.
    pub fn read(
        &self,
        workload: &str,
        cluster: &Cluster,
        time_limit: Duration,
        times: u32,
    ) -> Result<Traceable> {
        let loaded = self.loaded(workload, cluster)?;
        match &self.query {
            Some(query) => question(&loaded, query, times),
            None => self.operation(loaded, time_limit),
        }
    }

    fn loaded(&self, workload: &str, cluster: &Cluster) -> Result<Loaded> {
        let read = self.data.workload_with_queries(Path::new(workload));
        let workload = small_runtime()?.block_on(read)?;
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
        Ok(Loaded {
            workload,
            source,
            rows,
            design,
            context,
        })
    }

    fn operation(&self, loaded: Loaded, time_limit: Duration) -> Result<Traceable> {
        let Loaded {
            workload,
            source,
            rows,
            design,
            context,
        } = loaded;
        let no_mix = || {
            Misuse::new(anyhow!(
                "{} has no [mix] of operations; trace a SELECT instead",
                workload.path.display()
            ))
        };
        let mix = workload.mix.clone().ok_or_else(no_mix)?;
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
        Ok(Traceable::Read(Arc::new(read.map_err(to_misuse)?)))
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
            // As many as `run` uses, by which scans are divided.
            threads: machine::cores(),
            keys_repeat,
            options,
        })
    }
}

/// Plans a query with the parameters of so many rounds of a run.
fn question(loaded: &Loaded, name: &str, times: u32) -> Result<Traceable> {
    let query = query_of(&loaded.workload, name).map_err(Misuse::new)?;
    let rounds = if query.parameters.is_empty() {
        1
    } else {
        u64::from(times)
    };
    let (source, rows) = (loaded.source.as_ref(), loaded.rows);
    let drawn = loaded.workload.draw_all(query, 0..rounds, rows, source)?;
    let (design, workload) = (&loaded.design, &loaded.workload);
    let question = TracedQuestion::new(design, workload, &loaded.context, query, &drawn);
    Ok(Traceable::Question(Arc::new(question.map_err(to_misuse)?)))
}

fn query_of<'a>(workload: &'a Workload, name: &str) -> Result<&'a Query> {
    let mut queries = workload.queries.iter();
    queries.find(|query| query.name == name).ok_or_else(|| {
        let known = workload.queries.iter().map(|query| query.name.as_str());
        let hint = suggestion(name, known);
        anyhow!("{} has no query `{name}`{hint}", workload.path.display())
    })
}

fn to_misuse(error: TraceError) -> Misuse {
    let (TraceError::Asked(why) | TraceError::Failed(why)) = error;
    Misuse::new(anyhow!(why))
}
