//! `bakeoff table`: describes and maintains a columnar table.

mod check;
mod drop_before;
mod info;
mod places;
mod time;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_engines::RateLimit;
use bakeoff_engines::tables::{Access, Check, Columnar, ColumnarOptions, Connection, Location};
use bakeoff_report::units;
use bakeoff_workload::Consistency;
use clap::{Args, Subcommand};

use crate::cmd::options::choice::{parse_consistency, parse_duration};
use crate::cmd::options::cluster::ClusterOptions;
use crate::cmd::options::confirm::{can_ask, is_confirmed};
use crate::cmd::options::rate_limit::{self, RateLimitOptions};
use crate::cmd::{on_threads, small_runtime, to_cli_error};
use crate::exit::{Exit, Misuse};
use crate::interrupt::asked_to_stop_leaving;
use crate::machine;
use crate::progress::Progress;
use crate::stderr::print_line;
use crate::terminal::stdout;
use drop_before::DropBefore;

/// Message about what a second Ctrl-C leaves behind.
const LEFT_BEHIND: &str = "interrupted again: the same command continues where this one ended";

/// Inspect, maintain or remove a columnar table.
#[derive(Args, Debug)]
pub struct Table {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Show columns, keys, rows, chunks and bytes
    Info(Target),
    /// Turn rows that were inserted one by one into chunks, merge chunks that overlap or are small,
    /// and sort chunks that share most partition keys together
    Seal {
        #[command(flatten)]
        target: Target,
        /// Leave out buckets that reach this value of the order key, for example
        /// 2026-01-31T12:00:00Z
        #[arg(long, value_name = "TIME")]
        before: Option<String>,
        #[command(flatten)]
        rate_limit: RateLimitOptions,
    },
    /// Remove all rows of buckets that end at or before a value of the order key, after saying how many
    /// these are and asking; no row is read
    DropBefore(DropBefore),
    /// Remove chunks that were replaced by a seal, or left behind by a killed ingest
    Sweep {
        #[command(flatten)]
        target: Target,
        /// Keep chunks that were replaced, or written and not committed, less than this ago: queries
        /// may still read them, and a running ingest or seal may need them
        #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = parse_grace)]
        grace: Duration,
    },
    /// Read everything and say what is damaged: exit code 3, or 0 if nothing is
    Check {
        #[command(flatten)]
        target: Target,
        /// Repair what can be repaired, in a folder: write files anew without what cannot be read of them,
        /// and take out chunks that are not what was written; what is taken out is kept in DIR/damaged-N
        #[arg(long)]
        repair: bool,
    },
    /// Remove the table with all its rows, or what is left of one that was half made or half removed,
    /// and nothing else
    Drop {
        #[command(flatten)]
        target: Target,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args, Debug)]
#[command(mut_arg("cassandra", |a| a.help("The cluster of a table that is KEYSPACE.TABLE")))]
struct Target {
    /// KEYSPACE.TABLE, or dir:FOLDER
    table: Location,

    /// Consistency level of requests to Cassandra [default: LOCAL_QUORUM]
    #[arg(long, value_name = "LEVEL", value_parser = parse_consistency)]
    consistency: Option<Consistency>,

    #[command(flatten)]
    cluster: ClusterOptions,
}

impl Table {
    pub fn run(self) -> Result<Exit> {
        if let Some(exit) = self.action.ask()? {
            return Ok(exit);
        }
        let interrupted = self.action.interrupted();
        on_threads(machine::cores(), async {
            tokio::select! {
                done = self.action.carry_out() => done,
                () = asked_to_stop_leaving(LEFT_BEHIND) => {
                    print_line(&interrupted);
                    Ok(Exit::Interrupted)
                }
            }
        })
    }
}

impl Action {
    /// Asks before rows are removed. Returns the exit code if nothing is to be done.
    fn ask(&self) -> Result<Option<Exit>> {
        let what = match self {
            Action::Drop { target, yes: false } => {
                small_runtime()?.block_on(target.check_there())?;
                format!("{} with all its rows", target.table)
            }
            Action::DropBefore(action) if action.dry_run || !action.yes => {
                let removal = small_runtime()?.block_on(action.look())?;
                let words = action.in_words(&removal);
                if action.dry_run {
                    writeln!(stdout(), "would drop {words}")?;
                    return Ok(Some(Exit::Complete));
                }
                if removal.is_nothing() {
                    return Ok(None);
                }
                format!("{words}, of {}", action.target.table)
            }
            _ => return Ok(None),
        };
        if !can_ask() {
            return Err(Misuse::new(anyhow!(
                "this removes {what}: confirm with --yes, since there is no terminal to ask on"
            ))
            .into());
        }
        if is_confirmed(&what)? {
            return Ok(None);
        }
        print_line("nothing was removed");
        Ok(Some(Exit::Failed))
    }

    async fn carry_out(self) -> Result<Exit> {
        let progress = Progress::begin("opening the table");
        let mut exit = Exit::Complete;
        let line = match self {
            Action::Info(target) => {
                let table = target.open(Access::Read, &progress).await?;
                info::describe(&target.table, &table).await?
            }
            Action::Seal {
                target,
                before,
                rate_limit,
            } => {
                let limit = rate_limit.limit_of(&target.cluster, &target.table)?;
                let opened = target.open_within(limit.clone(), Access::Write, &progress);
                let table = opened.await?;
                let before = before.map(|text| time::parse_order_key(&text, table.definition()));
                let before = before.transpose().map_err(Misuse::new)?;
                if let Some(limit) = &limit {
                    progress.aside(|| print_line(rate_limit::describe(limit)));
                }
                progress.step("sealing");
                let sealed = table
                    .seal(before)
                    .await
                    .map_err(|e| to_cli_error(e.into()))?;
                format!(
                    "sealed {}: {} and {} became {}",
                    places::in_words(sealed.places, table.definition()),
                    units::plural(sealed.fresh, "single row", "single rows"),
                    units::plural(sealed.chunks_retired, "chunk", "chunks"),
                    units::plural(sealed.chunks_added, "chunk", "chunks"),
                )
            }
            Action::DropBefore(action) => {
                progress.step("dropping buckets");
                action.carry_out(&progress).await?
            }
            Action::Sweep { target, grace } => {
                let table = target.open(Access::Write, &progress).await?;
                progress.step("sweeping");
                let swept = table
                    .sweep(grace)
                    .await
                    .map_err(|e| to_cli_error(e.into()))?;
                format!("removed {}", units::plural(swept.chunks, "chunk", "chunks"))
            }
            Action::Check { target, repair } => {
                progress.step(if repair { "repairing" } else { "checking" });
                let check = target.check(repair).await?;
                exit = check::exit(&check);
                check::describe(&target.table, &check)
            }
            Action::Drop { target, .. } => {
                progress.step("removing");
                target.remove().await?;
                format!("removed {}", target.table)
            }
        };
        progress.finish();
        writeln!(stdout(), "{line}")?;
        Ok(exit)
    }

    /// Returns the message about an interruption.
    fn interrupted(&self) -> String {
        match self {
            Action::Info(_) | Action::Check { repair: false, .. } => "interrupted".to_owned(),
            Action::Check { target, .. } => format!(
                "interrupted: some of the table may be repaired; `bakeoff table check {} --repair` \
                 repairs the rest",
                target.table
            ),
            Action::Seal { target, .. } => format!(
                "interrupted: what is sealed stays sealed, and the same command continues; chunks that \
                 were replaced, or written and not used, stay until `bakeoff table sweep {}`",
                target.table
            ),
            Action::DropBefore(_) => "interrupted: some of the buckets may be dropped; the same \
                 command again drops the others"
                .to_owned(),
            Action::Sweep { .. } => {
                "interrupted: some of the chunks are removed; the same command \
                 again removes the others"
                    .to_owned()
            }
            Action::Drop { target, .. } => format!(
                "interrupted: some of the table may be removed; `bakeoff table drop {}` removes the \
                 rest",
                target.table
            ),
        }
    }
}

impl Target {
    fn options(&self) -> ColumnarOptions {
        ColumnarOptions {
            consistency: self.consistency,
            cache_bytes: 0,
            rate_limit: None,
        }
    }

    async fn open(&self, access: Access, progress: &Progress) -> Result<Arc<Columnar>> {
        self.open_within(None, access, progress).await
    }

    /// Opens the table to write rows within a limit, if there is one.
    async fn open_within(
        &self,
        rate_limit: Option<Arc<RateLimit>>,
        access: Access,
        progress: &Progress,
    ) -> Result<Arc<Columnar>> {
        let connection = Connection::new(self.cluster.cluster());
        let options = ColumnarOptions {
            rate_limit,
            ..self.options()
        };
        let opened = connection.open_columnar(&self.table, access, &options);
        match opened.await.map_err(to_cli_error)? {
            Some(table) => {
                let say = |note: &String| print_line(format_args!("note: {note}"));
                progress.aside(|| table.notes().iter().for_each(say));
                Ok(table)
            }
            None => Err(self.missing(&connection).await?.into()),
        }
    }

    async fn check(&self, repair: bool) -> Result<Check> {
        if let (true, Location::Cassandra { .. }) = (repair, &self.table) {
            return Err(Misuse::new(anyhow!(
                "--repair repairs tables in folders; in Cassandra, `nodetool repair` brings back what \
                 other replicas still have"
            ))
            .into());
        }
        let connection = Connection::new(self.cluster.cluster());
        let options = self.options();
        let checked = connection.check_columnar(&self.table, repair, &options);
        match checked.await.map_err(to_cli_error)? {
            Some(check) => Ok(check),
            None => Err(self.missing(&connection).await?.into()),
        }
    }

    /// Explains why there is no table.
    async fn missing(&self, connection: &Connection) -> Result<Misuse> {
        let table = &self.table;
        let remains = connection.remains(table).await.map_err(to_cli_error)?;
        if remains.is_empty() {
            let why = connection.not_columnar(table).await.map_err(to_cli_error)?;
            return Ok(Misuse::new(to_cli_error(why)));
        }
        Ok(Misuse::new(anyhow!(
            "of the columnar table {table} there is only {}: it is being made or dropped, or that \
             was interrupted; if so, `bakeoff table drop {table}` removes what is left",
            remains.join(", ")
        )))
    }

    /// Checks that there is something to remove.
    async fn check_there(&self) -> Result<()> {
        let connection = Connection::new(self.cluster.cluster());
        let there = connection.is_columnar(&self.table);
        if there.await.map_err(to_cli_error)? {
            Ok(())
        } else {
            Err(self.missing(&connection).await?.into())
        }
    }

    async fn remove(&self) -> Result<()> {
        let connection = Connection::new(self.cluster.cluster());
        let removed = connection.drop_columnar(&self.table);
        if removed.await.map_err(to_cli_error)? {
            Ok(())
        } else {
            Err(self.missing(&connection).await?.into())
        }
    }
}

/// Reads a duration such as `10m`; `0s` is allowed.
fn parse_grace(text: &str) -> Result<Duration, String> {
    match text {
        "0" | "0s" => Ok(Duration::ZERO),
        text => parse_duration(text),
    }
}
