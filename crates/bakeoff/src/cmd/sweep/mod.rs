//! `bakeoff sweep`: which batch size with how many workers inserts fastest.

mod check;
mod execute;
mod grid;
mod header;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use bakeoff_engines::{Context, EngineOptions};
use bakeoff_stats::DesignInfo;
use bakeoff_stats::sweep::SweepLog;
use bakeoff_workload::{RowSource, Workload};
use clap::Args;

use crate::cmd::before::Before;
use crate::cmd::choice::{self, parse_duration_to_a_day};
use crate::cmd::cluster::ClusterOptions;
use crate::cmd::completions;
use crate::cmd::data::DataOptions;
use crate::cmd::on_threads;
use crate::cmd::postgres::PostgresOptions;
use crate::exit::Exit;
use crate::progress::Progress;
use grid::{Grid, parse_number};

/// Rows that a batch may have, and workers that there may be.
const MOST_BATCH_ROWS: u32 = 100_000;
const MOST_WORKERS: u32 = 4_096;

/// Sweep inserts: every batch size with every number of workers, each for some seconds.
///
/// Each worker hands over a batch, waits until all of its rows are acknowledged, and takes the next
/// one. For each setting the table is made again, and its rows are counted at the end.
#[derive(Args, Debug)]
pub struct Sweep {
    /// Workload: a file, or a name out of `bakeoff list`
    #[arg(add = completions::workloads())]
    workload: PathBuf,

    /// Only the designs that match one of these patterns, or further designs by their whole id
    #[arg(long, value_name = "GLOB,...", value_delimiter = ',')]
    designs: Vec<String>,

    /// Rows of a batch, for example 1,100,10k
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,10,100,1000,10000", value_parser = |t: &str| parse_number(t, MOST_BATCH_ROWS))]
    batches: Vec<u32>,

    /// Workers at a time; in PostgreSQL each has a connection of its own
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,8,64,256", value_parser = |t: &str| parse_number(t, MOST_WORKERS))]
    workers: Vec<u32>,

    /// Time in which inserts of a setting begin, after its warm-up
    #[arg(long = "for", value_name = "DURATION", default_value = "3s", value_parser = parse_duration_to_a_day)]
    length: Duration,

    /// Inserting before that; a design's first setting is preceded by ten times as much
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = parse_duration_to_a_day)]
    warm_up: Duration,

    /// The longest that one insert may take
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = parse_duration_to_a_day)]
    time_out: Duration,

    /// Run folder [default: runs/WORKLOAD-sweep]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    data: DataOptions,

    /// Print every statement that would be sent, and touch nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    cluster: ClusterOptions,

    #[command(flatten)]
    postgres: PostgresOptions,
}

impl Sweep {
    pub fn run(self) -> Result<Exit> {
        on_threads(crate::machine::cores(), self.start())
    }

    async fn start(self) -> Result<Exit> {
        let progress = Progress::begin("reading the workload");
        let workload = self.data.workload_with_queries(&self.workload).await?;
        let (designs, left_out) = check::designs(&workload, &self.designs)?;
        let source: Arc<dyn RowSource> = self.data.open(&workload)?.into();
        let dir = free_folder(self.out.as_deref(), &workload.name)?;
        let before = Before {
            workload: &workload,
            source: source.clone(),
            file: self.data.file(&workload),
            progress: &progress,
        };
        if !self.dry_run {
            before.check_folder(&dir, || SweepLog::check(&dir))?;
        }
        let mut warnings = before.check_first_rows(u64::MAX)?;
        warnings.extend(left_out.iter().cloned());
        let context = self.context(&workload, dir, source.may_repeat_keys())?;
        let infos = choice::describe(&designs, &workload, &context)?;
        let grid = Grid::new(&self.batches, &self.workers);
        let rows = check::rows(&grid, source.as_ref())?;
        warnings.extend(before.check_ranges(&designs, &rows)?);
        if self.dry_run {
            progress.finish();
            return dry_run(&infos, &left_out, &grid, &context);
        }
        let header = header::header(&self, &workload, source.known_rows(), &grid, infos);
        execute::execute(execute::Plan {
            options: &self,
            workload: &workload,
            designs: &designs,
            source,
            context,
            grid,
            header,
            warnings,
            progress,
        })
        .await
    }

    fn context(&self, workload: &Workload, run_dir: PathBuf, keys_repeat: bool) -> Result<Context> {
        let mut options = EngineOptions::default();
        options.cassandra.cluster = self.cluster.cluster();
        options.cassandra.server = workload.server;
        self.postgres.put_into(&mut options)?;
        Ok(Context {
            run_dir,
            threads: crate::machine::cores(),
            keys_repeat,
            options,
        })
    }
}

/// The folder asked for, or the first of `runs/WORKLOAD-sweep`, `runs/WORKLOAD-sweep-2`, ... that
/// is not there yet.
fn free_folder(out: Option<&Path>, workload: &str) -> Result<PathBuf> {
    let name = |n: u32| match n {
        1 => Path::new("runs").join(format!("{workload}-sweep")),
        n => Path::new("runs").join(format!("{workload}-sweep-{n}")),
    };
    let path = match out {
        Some(path) => path.to_owned(),
        None => (1..)
            .map(name)
            .find(|dir| !dir.exists())
            .unwrap_or_else(|| name(1)),
    };
    Ok(std::path::absolute(path)?)
}

fn dry_run(
    infos: &[DesignInfo],
    left_out: &[String],
    grid: &Grid,
    context: &Context,
) -> Result<Exit> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "Nothing is touched. The sweep would write to {}\nand measure {} settings of each design, \
         each on a new table.",
        context.run_dir.display(),
        grid.settings().len()
    )?;
    for line in left_out {
        writeln!(out, "{line}")?;
    }
    for info in infos {
        writeln!(out, "\n{}", info.id)?;
        for statement in &info.statements {
            writeln!(out, "  {statement}")?;
        }
    }
    Ok(Exit::Complete)
}
