//! `bakeoff run`: from a workload file to a verified, measured comparison.

mod columns;
mod concurrent;
mod context;
mod dry_run;
mod execute;
mod further;
pub(super) mod header;
mod queries;
pub(super) mod race;
mod shared;
mod time;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use bakeoff_engines::{Context, new_token, translate_queries};
use bakeoff_stats::Journal;
use bakeoff_stats::per_node::Wanted;
use bakeoff_workload::{Consistency, RowSource, Workload};
use clap::Args;

use self::concurrent::ConcurrentOptions;
use self::dry_run::dry_run;
use self::further::FurtherOptions;
use self::queries::QueriesOptions;
use crate::cmd::completions;
use crate::cmd::measure::before::{Before, RowsToHold};
use crate::cmd::measure::folder;
use crate::cmd::measure::follow::FollowOptions;
use crate::cmd::on_threads;
use crate::cmd::options::adbc::AdbcOptions;
use crate::cmd::options::choice::{
    self, Rows, parse_consistency, parse_duration, parse_percent, parse_rows_or_all,
};
use crate::cmd::options::cluster::ClusterOptions;
use crate::cmd::options::data::DataOptions;
use crate::cmd::options::hosts::HostsOptions;
use crate::cmd::options::nodes::NodesOptions;
use crate::cmd::options::postgres::{AskStandbysOptions, PostgresOptions};
use crate::cmd::options::profile::ProfileOptions;
use crate::cmd::options::rate_limit::RateLimitOptions;
use crate::cmd::options::settings_of::SettingsOfOptions;
use crate::cmd::options::spark::SparkOptions;
use crate::cmd::options::wanted::WantedOptions;
use crate::exit::{Exit, Misuse};
use crate::machine;
use crate::progress::Progress;

/// Compare the designs of a workload: create, load, settle, verify, measure, report.
///
/// The same command on the same folder goes on where it was stopped.
#[derive(Args, Debug)]
pub struct Run {
    /// Workload: a file, or a name out of `bakeoff list`
    #[arg(add = completions::workloads())]
    workload: PathBuf,

    /// Only the designs that match one of these patterns, or further designs by their whole id
    #[arg(long, value_name = "GLOB,...", value_delimiter = ',')]
    designs: Vec<String>,

    #[command(flatten)]
    queries: QueriesOptions,

    /// Take each design with so many columns of the table: the key and the first further ones; their number in
    /// the table stands for the design itself
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = columns::parse)]
    columns: Vec<u32>,

    /// Rows to load, for example 200000, 200k, 4.16M or all [default: as the workload says; with
    /// --set all that its generator makes]
    #[arg(long, value_name = "N", value_parser = parse_rows_or_all, conflicts_with = "scale", allow_negative_numbers = true)]
    rows: Option<Rows>,

    /// Rows to load as a share of the workload's full scale, for example 5%
    #[arg(long, value_name = "P%", value_parser = parse_percent)]
    scale: Option<f64>,

    /// Rounds to measure: each asks every query of every design once, in random order
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,

    /// Worker threads for loading and querying; 1 is the studies' single-core measurement
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Time for the whole run, for example 3m: chooses rows and rounds so that it fits
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    budget: Option<Duration>,

    /// Run folder [default: runs/WORKLOAD]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    data: DataOptions,

    /// Print every statement and file that would be touched, and touch nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    concurrent: ConcurrentOptions,

    /// Drop designs that another one beats in everything, first at 1/64 and 1/16 of the rows, and stop
    /// when further rounds cannot pay, after 27 at most
    #[arg(long)]
    race: bool,

    #[command(flatten)]
    further: FurtherOptions,

    #[command(flatten)]
    follow: FollowOptions,

    #[command(flatten)]
    wanted: WantedOptions,

    #[command(flatten)]
    cluster: ClusterOptions,

    #[command(flatten)]
    hosts: HostsOptions,

    #[command(flatten)]
    settings_of: SettingsOfOptions,

    /// Keyspace of --cassandra for the tables of rows of this run, which are dropped at its end; it stays. One that
    /// exists has to be marked for Bakeoff
    #[arg(long, value_name = "NAME", requires = "cassandra")]
    keyspace: Option<String>,

    #[command(flatten)]
    nodes: NodesOptions,

    /// Consistency level of reads and writes in Cassandra [default: LOCAL_ONE; of columnar tables
    /// LOCAL_QUORUM]
    #[arg(long, value_name = "LEVEL", value_parser = parse_consistency)]
    consistency: Option<Consistency>,

    #[command(flatten)]
    postgres: PostgresOptions,

    #[command(flatten)]
    ask_standbys: AskStandbysOptions,

    #[command(flatten)]
    spark: SparkOptions,

    #[command(flatten)]
    adbc: AdbcOptions,

    #[command(flatten)]
    rate_limit: RateLimitOptions,

    /// Keep on record how the first rows of each table of rows in Cassandra are stored, which `bakeoff report --stored`
    /// shows
    #[arg(long)]
    show_stored: bool,

    #[command(flatten)]
    profile: ProfileOptions,

    /// Keep the loaded tables and files when the run is complete
    #[arg(long)]
    keep: bool,

    /// MiB that a table of the `memory` engine may take [default: 320, which keep the whole process below 1 GiB]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    memory: Option<u32>,

    /// The longest that one query, compaction or slice of rows may take
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = parse_duration)]
    limit: Duration,

    /// Whether the run is a part of a decision or a calibration, which prints its own result in place of tables.
    #[arg(skip)]
    is_for_decision: bool,

    /// Whether it measures some designs of a decision only, whose servers others may use.
    #[arg(skip)]
    is_of_some: bool,

    /// Queries of which a decision has said that no row fulfils their condition.
    #[arg(skip)]
    known_unmet: BTreeSet<String>,
}

/// Servers of the user's on which designs are measured.
pub struct Servers {
    pub cluster: ClusterOptions,
    pub postgres: PostgresOptions,
    pub rate_limit: RateLimitOptions,
}

impl Run {
    /// Returns the same run for a decision, on servers of the user's.
    pub fn for_decision(self, servers: Servers) -> Run {
        Run {
            is_for_decision: true,
            cluster: servers.cluster,
            postgres: servers.postgres,
            rate_limit: servers.rate_limit,
            ..self
        }
    }

    /// Returns the same run, which prints no tables once it has ended.
    pub fn without_tables(self) -> Run {
        Run {
            is_for_decision: true,
            ..self
        }
    }

    /// Returns the same run for some designs of a decision, which need not use all servers of the user's.
    pub fn of_some(self) -> Run {
        Run {
            is_of_some: true,
            ..self
        }
    }

    /// Returns the same run after the user was told that no row fulfils the condition of these queries.
    pub fn after_telling(self, known_unmet: BTreeSet<String>) -> Run {
        Run {
            known_unmet,
            ..self
        }
    }

    /// Returns the queries of which the user knows that no row fulfils their condition. A run of some designs of a
    /// decision follows one of all of them, which has told it.
    fn known_unmet(&self, workload: &Workload) -> BTreeSet<String> {
        if !self.is_of_some {
            return self.known_unmet.clone();
        }
        let queries = workload.queries.iter();
        queries.map(|query| query.name.clone()).collect()
    }

    pub fn run(self) -> Result<Exit> {
        on_threads(self.threads(), self.start())
    }

    async fn start(self) -> Result<Exit> {
        let (began, progress) = (Instant::now(), Progress::begin("reading the workload"));
        let mut workload = self.data.workload_to_answer(&self.workload).await?;
        if workload.queries.is_empty() {
            let none = anyhow!(
                "{} has no queries to compare designs by; its [mix] is for `bakeoff drive`",
                workload.path.display()
            );
            return Err(Misuse::new(none).into());
        }
        self.choose_queries(&mut workload)?;
        self.further.check(&workload)?;
        let wanted = self.wanted(&workload)?;
        let designs = self.designs(&workload)?;
        let drivers = self.adbc.read()?;
        if let Some(drivers) = &drivers {
            drivers.put_sql_into(&mut workload, &designs);
        }
        let translated = translate_queries(&mut workload, &designs, drivers.as_deref());
        translated.map_err(|error| Misuse::new(error.into()))?;
        let replication = self.replication()?;
        self.concurrent.check(&workload, replication.nodes)?;
        let driven = drivers.as_ref().map(|file| file.fingerprint(&designs));
        // Drivers that no design has are nothing that a run rests on.
        let driven = driven.filter(|text| !text.is_empty());
        let settings_of = self.settings_of.read(&self.cluster).await?;
        let taken = settings_of.as_ref();
        let fingerprint =
            header::fingerprint(&self, &workload, &designs, replication, driven, taken);
        let is_free = |dir: &Path| folder::is_resumable(dir, &fingerprint);
        let dir = folder::choose(self.out.as_deref(), &workload.name, is_free)?;
        let source: Arc<dyn RowSource> = self.data.open(&workload)?.into();
        let before = Before {
            workload: &workload,
            source: source.clone(),
            files: self.data.files(&workload),
            progress: &progress,
        };
        let token = if self.dry_run {
            // What is wrong with the folder is said by the run.
            token_of(&dir).unwrap_or_else(|_| Some(new_token()))
        } else {
            before.check_folder(&dir, || Journal::check(&dir, &fingerprint))?;
            token_of(&dir)?
        };
        let mut context = Context {
            token,
            ..self.context(&workload, &designs, drivers, dir, source.may_repeat_keys())?
        };
        context.options.cassandra.settings_of = settings_of;
        if !self.is_of_some {
            self.check_use(&designs)?;
        }
        if !self.dry_run {
            self.profile.check().await?;
        }
        let mut infos = choice::describe(&designs, &workload, &context)?;
        self.queries.note(&workload, &mut infos);
        let rows = self.rows(&before)?;
        let mut warnings = before.check_first_rows(rows.unwrap_or(u64::MAX))?;
        let to_hold = RowsToHold::asked(rows);
        warnings.extend(before.check_ranges(&designs, &to_hold)?);
        warnings.extend(before.check_effects(&designs, &context));
        let width = workload.table.columns.len();
        warnings.extend(before.doubt(columns::without_choice(&infos, width)));
        if self.dry_run {
            progress.finish();
            let mut further = self.further.describe(&workload, &infos, rows);
            further.extend(self.race.then(race::describe));
            let of_run = (&designs[..], &infos[..], rows);
            further.extend(self.preview(&workload, of_run, source.as_ref(), &context)?);
            return dry_run(&workload, &infos, &context, further);
        }
        before.check_expectations(&to_hold, context.threads).await?;
        let header = {
            let sample = source.grown_from();
            header::header(&self, &workload, infos, fingerprint, &context, sample)
        };
        execute::execute(execute::Plan {
            options: &self,
            workload: &workload,
            designs: &designs,
            source,
            rows,
            context,
            header,
            wanted,
            warnings,
            progress,
            began,
        })
        .await
    }

    /// Reads what the report is asked for. Only several clients have a rate of answers.
    fn wanted(&self, workload: &Workload) -> Result<Wanted> {
        if self.wanted.has_need() && self.concurrent.plan(workload).is_none() {
            return Err(Misuse::new(anyhow!(
                "--need: no clients ask at the same time, so that there is no rate of answers; give \
                 --concurrent-clients, or [concurrent] in the workload"
            ))
            .into());
        }
        self.wanted.read()
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(machine::cores, usize::from)
    }

    /// Returns the rows asked for; `None` lets the budget decide.
    fn rows(&self, before: &Before<'_>) -> Result<Option<u64>> {
        let scale = &before.workload.scale;
        let share = |percent: f64| ((scale.full_rows as f64 * percent / 100.0) as u64).max(1);
        let default = self.budget.is_none().then_some(scale.default_rows);
        let asked = before.rows(self.rows)?;
        Ok(asked.or(self.scale.map(share)).or(default))
    }
}

/// Returns the token of the unfinished run in a folder, which one of an earlier version lacks, or one
/// for a new run.
fn token_of(dir: &Path) -> Result<Option<String>> {
    Ok(match Journal::begun(dir)? {
        Some(header) => header.token,
        None => Some(new_token()),
    })
}
