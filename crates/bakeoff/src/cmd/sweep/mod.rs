//! `bakeoff sweep`: finds the batch size and the number of workers that insert fastest.

mod batch_over;
mod check;
mod execute;
mod header;
mod shards;
mod time;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Result, anyhow};
use bakeoff_driver::drive::Shard;
use bakeoff_driver::sweep::Grid;
use bakeoff_engines::{Context, EngineOptions, Replication, new_token, require};
use bakeoff_stats::DesignInfo;
use bakeoff_stats::sweep::SweepLog;
use bakeoff_workload::{Consistency, DesignId, RowSource, Workload};
use clap::Args;

use crate::cmd::completions;
use crate::cmd::measure::before::Before;
use crate::cmd::measure::follow::FollowOptions;
use crate::cmd::measure::{DryRun, folder};
use crate::cmd::on_threads;
use crate::cmd::options::choice::{
    self, parse_consistency, parse_duration_to_a_day, parse_rows, parse_time,
};
use crate::cmd::options::cluster::ClusterOptions;
use crate::cmd::options::data::DataOptions;
use crate::cmd::options::hosts::HostsOptions;
use crate::cmd::options::nodes::NodesOptions;
use crate::cmd::options::postgres::PostgresOptions;
use crate::cmd::options::rate_limit::RateLimitOptions;
use crate::cmd::options::settings_of::SettingsOfOptions;
use crate::cmd::options::wanted::WantedOptions;
use crate::exit::{Exit, Misuse};
use crate::progress::Progress;
use batch_over::{BatchOver, Batches};

/// Most rows of a batch.
const MOST_BATCH_ROWS: u32 = 100_000;
/// Most workers at a time.
const MOST_WORKERS: u32 = 4_096;
/// Most rounds.
const MOST_ROUNDS: u32 = 1_000;

/// Sweep inserts: every batch size with every number of workers, each for some seconds in each round.
///
/// Each worker inserts a batch, waits until all of its rows are acknowledged, and takes the next one.
/// The table is recreated for each setting, and its rows are counted at the end.
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

    /// Workers at a time; in PostgreSQL each has its own connection
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,8,64,256", value_parser = |t: &str| parse_number(t, MOST_WORKERS))]
    workers: Vec<u32>,

    /// What a batch holds in Cassandra: rows of one partition, of any partitions, or both next to each other
    #[arg(
        long,
        value_enum,
        value_name = "WHAT,...",
        value_delimiter = ',',
        default_value = "partition"
    )]
    batch_over: Vec<BatchOver>,

    /// Rounds, in each of which every setting is measured once; at least 5 show a difference
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_ROUNDS)))]
    rounds: u32,

    /// How long each setting inserts, after its warm-up and in each round
    #[arg(long = "for", value_name = "DURATION", default_value = "3s", value_parser = parse_duration_to_a_day)]
    length: Duration,

    /// Warm-up of each setting; ten times as long before a design's first setting
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = parse_duration_to_a_day)]
    warm_up: Duration,

    /// The longest that an insert may take
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = parse_duration_to_a_day)]
    time_out: Duration,

    /// This process's share of the rows when several sweep the same tables at the same time, for example 1/2; needs
    /// --cassandra, --keyspace and --start-at
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,

    /// When the first setting begins, RFC 3339 or seconds since 1970, so that several processes begin each setting
    /// together
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    start_at: Option<SystemTime>,

    /// With --shard: time between two settings, in which rows are counted and the table is recreated [default: 10s]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration_to_a_day)]
    pause: Option<Duration>,

    /// Keyspace that several processes share; it is kept at the end
    #[arg(long, value_name = "NAME", requires = "cassandra")]
    keyspace: Option<String>,

    /// Run folder [default: runs/WORKLOAD-sweep]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    follow: FollowOptions,

    #[command(flatten)]
    wanted: WantedOptions,

    #[command(flatten)]
    data: DataOptions,

    /// Print every statement that would be sent, and touch nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    cluster: ClusterOptions,

    #[command(flatten)]
    hosts: HostsOptions,

    #[command(flatten)]
    settings_of: SettingsOfOptions,

    #[command(flatten)]
    nodes: NodesOptions,

    /// Consistency level of inserts, and of counting the rows, in Cassandra [default: LOCAL_ONE; of
    /// columnar tables LOCAL_QUORUM]
    #[arg(long, value_name = "LEVEL", value_parser = parse_consistency)]
    consistency: Option<Consistency>,

    #[command(flatten)]
    postgres: PostgresOptions,

    #[command(flatten)]
    rate_limit: RateLimitOptions,
}

impl Sweep {
    /// Returns the option that names a server of the user's, if there is one.
    pub fn server(&self) -> Option<&'static str> {
        self.cluster.option().or_else(|| self.postgres.option())
    }

    pub fn run(self) -> Result<Exit> {
        on_threads(crate::machine::cores(), self.start())
    }

    async fn start(self) -> Result<Exit> {
        self.hosts.nodetool.check_tables(self.shard, false)?;
        self.check_rate_limit()?;
        let replication = self.replication()?;
        self.wanted.check_shard(self.shard)?;
        self.follow.check_shard(self.shard)?;
        let wanted = self.wanted.read()?;
        let progress = Progress::begin("reading the workload");
        let workload = self.data.workload_with_queries(&self.workload).await?;
        let (designs, left_out) = check::designs(&workload, &self.designs)?;
        self.check_sharing(&designs).map_err(Misuse::new)?;
        let source: Arc<dyn RowSource> = self.data.open(&workload)?.into();
        let name = format!("{}-sweep", workload.name);
        let dir = folder::choose(self.out.as_deref(), &name, folder::is_new)?;
        let before = Before {
            workload: &workload,
            source: source.clone(),
            files: self.data.files(&workload),
            progress: &progress,
        };
        if !self.dry_run {
            before.check_folder(&dir, || SweepLog::check(&dir))?;
        }
        let mut warnings = before.check_first_rows(u64::MAX)?;
        warnings.extend(left_out.iter().cloned());
        let mut context = self.context(
            &workload,
            &designs,
            dir,
            replication,
            source.may_repeat_keys(),
        )?;
        context.options.cassandra.settings_of = self.settings_of.read(&self.cluster).await?;
        self.check_use(&designs)?;
        let infos = choice::describe(&designs, &workload, &context)?;
        let batches = Batches::new(&designs, infos, &self.batch_over, &context)?;
        let grid = Grid::new(&self.batches, &self.workers);
        let rows = check::rows(&grid, source.as_ref(), self.shard)?;
        warnings.extend(before.check_ranges(&designs, &rows)?);
        warnings.extend(before.check_effects(&designs, &context));
        if self.dry_run {
            progress.finish();
            let mut before = left_out.clone();
            before.extend(self.preview(&workload, &designs, source.as_ref(), &context)?);
            return self.show(&batches.designs, &before, &grid, &context);
        }
        let infos = batches.designs.clone();
        let header = header::header(&self, &workload, source.known_rows(), &grid, infos);
        execute::execute(execute::Plan {
            options: &self,
            workload: &workload,
            designs: &designs,
            source,
            context,
            grid,
            batches,
            header,
            wanted,
            warnings,
            progress,
        })
        .await
    }

    /// Refuses to find out how many rows a server takes that others may depend on.
    fn check_rate_limit(&self) -> Result<()> {
        let limit = self.rate_limit.limit(&self.cluster, self.postgres.url())?;
        if limit.is_none() || self.dry_run {
            return Ok(());
        }
        Err(Misuse::new(anyhow!(
            "a sweep inserts as fast as the server takes rows, and others may depend on it: if nobody \
             does, say --rate-limit none"
        ))
        .into())
    }

    fn replication(&self) -> Result<Replication> {
        if self.consistency == Some(Consistency::Any) {
            return Err(Misuse::new(anyhow!(
                "--consistency any: the rows of each setting are counted, and nothing can be read with it; \
                 choose another level"
            ))
            .into());
        }
        let ours = self.cluster.cassandra.is_none();
        self.nodes.replication(ours, self.consistency)
    }

    fn context(
        &self,
        workload: &Workload,
        designs: &[DesignId],
        run_dir: PathBuf,
        replication: Replication,
        keys_repeat: bool,
    ) -> Result<Context> {
        let mut options = EngineOptions::default();
        options.cassandra.cluster = self.cluster.cluster();
        self.hosts.put_into(&mut options)?;
        options.cassandra.replication = replication;
        options.cassandra.server_per_design = self.nodes.server_per_design;
        options.cassandra.keyspace = self.keyspace.clone();
        options.cassandra.server = self.nodes.server(workload);
        self.postgres.put_into(&mut options)?;
        require(designs, &mut options);
        Ok(Context {
            run_dir,
            token: Some(new_token()),
            threads: crate::machine::cores(),
            keys_repeat,
            options,
        })
    }

    /// Prints what `--dry-run` shows.
    fn show(
        &self,
        infos: &[DesignInfo],
        further: &[String],
        grid: &Grid,
        context: &Context,
    ) -> Result<Exit> {
        let often = match self.rounds {
            1 => String::new(),
            rounds => format!(", in each of {rounds} rounds"),
        };
        let settings = format!(
            "and measure {} settings of each design, each on a new table{often}{}.",
            grid.settings().len(),
            self.part_in_words()
        );
        let before = [std::slice::from_ref(&settings), further].concat();
        DryRun {
            what: "sweep",
            dir: &context.run_dir,
            before: &before,
            designs: infos,
            after: &[],
        }
        .print()
    }
}

/// Reads a number from 1 to `most`, such as `100` or `10k`.
fn parse_number(text: &str, most: u32) -> Result<u32, String> {
    parse_rows(text.trim())
        .ok()
        .and_then(|number| u32::try_from(number).ok())
        .filter(|number| *number <= most)
        .ok_or_else(|| format!("not a number from 1 to {most}, such as 100 or 10k"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_have_a_unit_and_are_limited() {
        assert_eq!(parse_number("10k", 10_000), Ok(10_000));
        assert_eq!(parse_number(" 8", 10_000), Ok(8));
        for bad in ["", "0", "-1", "10001", "1e99", "many"] {
            assert!(parse_number(bad, 10_000).is_err(), "{bad}");
        }
    }
}
