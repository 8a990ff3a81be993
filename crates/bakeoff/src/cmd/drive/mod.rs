//! `bakeoff drive`: performs many operations at once, timed from the moment they were due.

mod added_node;
mod beside;
mod check;
mod execute;
mod header;
mod limits;
mod live;
mod load;
mod passes;
mod time;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_driver::drive::Shard;
use bakeoff_engines::{Context, EngineOptions, RateLimit, new_token, require};
use bakeoff_stats::drive::DriveLog;
use bakeoff_workload::{Consistency, DesignId, Mix, Workload, source};
use clap::Args;

use crate::cmd::completions;
use crate::cmd::measure::before::{Before, RowsToHold};
use crate::cmd::measure::follow::FollowOptions;
use crate::cmd::measure::{DryRun, folder};
use crate::cmd::on_threads;
use crate::cmd::options::choice::{
    self, Rows, parse_consistency, parse_duration, parse_operations, parse_rows_or_all, parse_time,
};
use crate::cmd::options::cluster::ClusterOptions;
use crate::cmd::options::data::{DataOptions, to_cli_error};
use crate::cmd::options::hosts::HostsOptions;
use crate::cmd::options::nodes::NodesOptions;
use crate::cmd::options::postgres::PostgresLoadOptions;
use crate::cmd::options::profile::ProfileOptions;
use crate::cmd::options::rate_limit::RateLimitOptions;
use crate::cmd::options::settings_of::SettingsOfOptions;
use crate::cmd::options::wanted::WantedOptions;
use crate::exit::{Exit, Misuse};
use crate::progress::Progress;
use added_node::AddedNodeOptions;
use beside::BesideOptions;
pub use check::{check_new_rows, keys_repeat};
use limits::LimitOptions;
use load::{Arrivals, Load};

/// Drive a workload's [mix] on Cassandra or PostgreSQL: many operations at once, at a rate or as fast as they go.
///
/// Response times count from the moment an operation was due, so that a server that stalls cannot
/// hide it. Several designs take turns, in random order in every round.
#[derive(Args, Debug)]
pub struct Drive {
    /// Workload with a [mix]: a file, or a name out of `bakeoff list`
    #[arg(add = completions::workloads())]
    workload: PathBuf,

    /// Only the designs that match one of these patterns, or further designs by their whole id
    #[arg(
        long,
        visible_alias = "design",
        value_name = "GLOB,...",
        value_delimiter = ','
    )]
    designs: Vec<String>,

    /// Operations due in each second: a rate (5k), a ramp over the whole time (1k..10k), or steps
    /// (1k,2k,4k)
    #[arg(
        long,
        value_name = "R",
        allow_negative_numbers = true,
        conflicts_with_all = ["within", "need", "prices"]
    )]
    rate: Option<String>,

    /// Operations in flight: without --rate, the next one begins when one ends
    /// [default: 32; with --rate 1024; with --passes 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    in_flight: Option<u32>,

    /// Instead of loads: goes through the rows once with each of these operations of the [mix], one after the
    /// other, and times each pass as a whole. OPERATION=ROWS takes the first rows only, and `all` every
    /// operation
    #[arg(
        long,
        value_name = "OPERATION,...",
        value_delimiter = ',',
        conflicts_with_all = ["rate", "within", "duration", "start_at", "arrivals", "need", "prices"]
    )]
    passes: Vec<String>,

    /// Begins each round of passes with recreated, empty tables, which the passes write
    #[arg(long, requires = "passes", conflicts_with_all = ["keyspace", "no_load"])]
    empty: bool,

    /// How operations of a rate arrive: at equal intervals, or at random like those of independent
    /// users
    #[arg(long, value_enum, default_value_t = Arrivals::Constant)]
    arrivals: Arrivals,

    /// How long each load lasts, its warm-up included [default: 60s; with --within 10s a probe]
    #[arg(long = "for", value_name = "DURATION", value_parser = parse_duration)]
    duration: Option<Duration>,

    /// Operations of the [mix] after which each load ends, in place of a time, as fast as they go: 20000, 200k
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_operations,
        conflicts_with_all = ["duration", "rate", "within", "passes"]
    )]
    operations: Option<u64>,

    /// Search for the highest rate within an objective: 'p99<10ms', 'read.p99.9<50ms,errors<0.1%'
    #[arg(long, value_name = "OBJECTIVE", conflicts_with_all = ["in_flight", "profile"])]
    within: Option<String>,

    /// Rounds: each drives every design once, in random order [default: 1; with questions beside the load 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rounds: Option<u32>,

    #[command(flatten)]
    beside: BesideOptions,

    /// Worker threads, each with its own connections
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Rows to load before the mix begins, for example 200000, 200k, 4.16M or all [default: as the
    /// workload says; with --set all that its generator makes]
    #[arg(long, value_name = "N", value_parser = parse_rows_or_all, allow_negative_numbers = true)]
    rows: Option<Rows>,

    /// This process's share of rows and rate when several drive one table, for example 1/4; needs
    /// --cassandra, --keyspace and, unless --no-load is given, --start-at
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,

    /// When the first load begins, RFC 3339 or seconds since 1970, so that several processes begin
    /// together; further rounds and designs begin when they are ready
    #[arg(long, value_name = "TIME", value_parser = parse_time, conflicts_with = "within")]
    start_at: Option<std::time::SystemTime>,

    /// Keyspace that several processes share; it is kept at the end
    #[arg(long, value_name = "NAME", requires = "cassandra")]
    keyspace: Option<String>,

    /// The rows are in the keyspace already, loaded by an earlier command with the same workload
    #[arg(long, requires = "keyspace")]
    no_load: bool,

    /// How often an operation is retried after a time-out, a broken connection or a conflict of transactions, or when
    /// the server is unavailable or overloaded
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    retries: u32,

    #[command(flatten)]
    limits: LimitOptions,

    /// Consistency level of all operations, instead of the workload's
    #[arg(long, value_name = "LEVEL", value_parser = parse_consistency)]
    consistency: Option<Consistency>,

    /// Run folder [default: runs/WORKLOAD-drive]
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

    #[command(flatten)]
    added_node: AddedNodeOptions,

    #[command(flatten)]
    postgres: PostgresLoadOptions,

    #[command(flatten)]
    rate_limit: RateLimitOptions,

    #[command(flatten)]
    profile: ProfileOptions,

    /// Keep the tables when the load is over
    #[arg(long)]
    keep: bool,

    /// Whether the loads are a part of a decision, which ends with a recommendation.
    #[arg(skip)]
    is_for_decision: bool,
}

impl Drive {
    pub fn run(self) -> Result<Exit> {
        // Workers have their own threads; this runtime loads, samples and writes.
        on_threads(crate::machine::cores(), self.start())
    }

    async fn start(self) -> Result<Exit> {
        self.wanted.check_shard(self.shard)?;
        self.follow.check_shard(self.shard)?;
        self.hosts.nodetool.check_tables(self.shard, self.empty)?;
        let wanted = self.wanted.read()?;
        let progress = Progress::begin("reading the workload");
        let workload = self.data.workload_with_queries(&self.workload).await?;
        let Some(mix) = workload.mix.clone().map(Arc::new) else {
            let no_mix = anyhow!(
                "{} has no [mix] of operations to drive; add one, or compare its queries with \
                 `bakeoff run`",
                workload.path.display()
            );
            return Err(Misuse::new(no_mix).into());
        };
        let (load, designs) = self.check(&workload, &mix).map_err(Misuse::new)?;
        let asked = self.beside.read(&workload, &designs).await;
        let asked = asked.map_err(Misuse::new)?;
        let others = asked.as_ref().map_or_else(Vec::new, |a| a.designs.clone());
        let all: Vec<DesignId> = [&designs[..], &others].concat();
        let source: Arc<dyn source::RowSource> = self.data.open(&workload)?.into();
        let name = format!("{}-drive", workload.name);
        let dir = folder::choose(self.out.as_deref(), &name, folder::is_new)?;
        let before = Before {
            workload: &workload,
            source: source.clone(),
            files: self.data.files(&workload),
            progress: &progress,
        };
        if !self.dry_run {
            before.check_folder(&dir, || DriveLog::check(&dir))?;
        }
        let rows = before
            .rows(self.rows)?
            .unwrap_or(workload.scale.default_rows);
        let mut warnings = before.check_first_rows(rows)?;
        warnings.extend(before.doubt(self.left_out(&workload, &designs)));
        progress.step("reading rows");
        let values = source::row_values(&workload, source.clone(), rows).map_err(to_cli_error)?;
        if load.passes.is_none() {
            check_new_rows(&mix, values.as_ref(), rows).map_err(Misuse::new)?;
        }
        let keys_repeat = keys_repeat(&mix, values.as_ref(), rows);
        self.check_operations(&workload, &mix, &designs, keys_repeat)
            .map_err(Misuse::new)?;
        let mut context = self.context(&workload, &all, dir, source.may_repeat_keys())?;
        let slots = (u32::from(self.threads), load.in_flight);
        self.postgres
            .put_into(&mut context.options, &designs, slots)?;
        context.options.cassandra.settings_of = self.settings_of.read(&self.cluster).await?;
        self.check_use(&all)?;
        if !self.dry_run {
            self.profile.check().await?;
        }
        let infos = choice::describe(&designs, &workload, &context)?;
        let other_infos = choice::describe(&others, &workload, &context)?;
        if let Some(asked) = &asked {
            let answering = asked.answering(&infos, &other_infos);
            asked.check_asked(&answering).map_err(Misuse::new)?;
        }
        let to_hold = RowsToHold::asked(Some(rows));
        warnings.extend(before.check_ranges(&all, &to_hold)?);
        warnings.extend(before.check_effects(&all, &context));
        let mut settings = load.settings(&self, mix.clone(), workload.seed, rows);
        if let Some(asked) = &asked {
            let of = (source.as_ref(), rows);
            settings.beside = Some(asked.plan(&workload, &mix, of, settings.rounds)?);
        }
        if let Some(passes) = &settings.passes {
            let possible = passes.check(&settings.load);
            possible.map_err(|error| Misuse::new(error.into()))?;
        }
        if self.dry_run {
            progress.finish();
            let preview = self.preview(&workload, (&all, rows), source.as_ref(), &context)?;
            let designs = [infos, other_infos].concat();
            let mut after = asked.map_or_else(Vec::new, |asked| asked.lines());
            let nodes = context.options.cassandra.replication.nodes;
            after.extend(self.added_node.lines(nodes));
            let dry_run = DryRun {
                what: "load",
                dir: &context.run_dir,
                before: &preview,
                designs: &designs,
                after: &after,
            };
            return dry_run.print();
        }
        let mut header = header::header(
            &self,
            &workload,
            &mix,
            &load,
            &settings,
            infos,
            context.options.cassandra.replication,
        );
        header.beside = asked.map(|asked| asked.described(&mix, other_infos));
        // A warm-up goes as fast as the server does.
        settings.warms_up = context.options.rate_limit.is_none();
        execute::execute(execute::Plan {
            options: &self,
            workload: &workload,
            designs: &designs,
            beside: &others,
            all: &all,
            source,
            values,
            context,
            settings,
            header,
            wanted,
            warnings,
            progress,
        })
        .await
    }

    /// Reads and checks what the options ask for.
    fn check(&self, workload: &Workload, mix: &Mix) -> Result<(Load, Vec<DesignId>)> {
        let load = Load::new(self, mix)?;
        self.check_whole(&load)?;
        let designs = self.chosen_designs(workload)?;
        // Whether keys repeat is known once rows are read.
        self.check_operations(workload, mix, &designs, false)?;
        self.check_sharing(&designs)?;
        self.check_start()?;
        self.check_rate()?;
        self.check_added_node(&load, &designs, self.nodes.count())?;
        Ok((load, designs))
    }

    /// Returns how often each design is driven.
    fn rounds(&self) -> u32 {
        let default = if self.beside.is_given() {
            beside::ROUNDS
        } else {
            1
        };
        self.rounds.unwrap_or(default)
    }

    fn limit(&self) -> Result<Option<Arc<RateLimit>>> {
        let postgres = self.postgres.servers.url();
        self.rate_limit.limit(&self.cluster, postgres)
    }

    fn context(
        &self,
        workload: &Workload,
        designs: &[DesignId],
        run_dir: PathBuf,
        keys_repeat: bool,
    ) -> Result<Context> {
        let ours = self.cluster.cassandra.is_none();
        let mut options = EngineOptions::default();
        options.cassandra.cluster = self.cluster.cluster();
        self.hosts.put_into(&mut options)?;
        options.cassandra.replication = self.nodes.replication(ours, self.consistency)?;
        options.cassandra.later_nodes = self.added_node.nodes();
        options.cassandra.server_per_design = self.nodes.server_per_design;
        options.cassandra.keyspace = self.keyspace.clone();
        options.cassandra.server = self.nodes.server(workload);
        options.cassandra.records_profiles = self.profile.is_given();
        options.rate_limit = self.limit()?;
        options.cassandra.functions = workload.makes_functions();
        require(designs, &mut options);
        Ok(Context {
            run_dir,
            token: Some(new_token()),
            threads: crate::machine::cores(),
            keys_repeat,
            options,
        })
    }
}
