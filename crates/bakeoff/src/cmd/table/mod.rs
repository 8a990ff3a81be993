//! `bakeoff table`: what a columnar table is, and its upkeep.

mod info;
mod time;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_engines::tables::{Access, Columnar, ColumnarOptions, Connection, Location};
use bakeoff_report::units;
use clap::{Args, Subcommand};

use crate::cmd::choice::parse_duration;
use crate::cmd::cluster::ClusterOptions;
use crate::cmd::told;
use crate::exit::{Exit, Misuse};
use crate::interrupt::asked_to_stop;
use crate::machine;

/// Look at a columnar table, and keep it in order.
#[derive(Args, Debug)]
pub struct Table {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Show columns, keys, rows, chunks and bytes
    Info(Target),
    /// Turn rows that came one by one into chunks, and merge chunks that overlap or are small
    Seal {
        #[command(flatten)]
        target: Target,
        /// Leave buckets alone that reach this value of the order key, for example
        /// 2026-01-31T12:00:00Z
        #[arg(long, value_name = "TIME")]
        before: Option<String>,
    },
    /// Remove all rows of buckets that end at or before a value of the order key; nothing is read
    DropBefore {
        #[command(flatten)]
        target: Target,
        /// For example 2026-01-31T12:00:00Z; a number for an order key that is one
        #[arg(value_name = "TIME", allow_negative_numbers = true)]
        time: String,
    },
    /// Remove what sealing has replaced, and what a killed ingest has left
    Sweep {
        #[command(flatten)]
        target: Target,
        /// Keep what was replaced less than this ago: queries may still read it
        #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = parse_grace)]
        grace: Duration,
    },
}

#[derive(Args, Debug)]
#[command(mut_arg("cassandra", |a| a.help("The cluster of a table that is KEYSPACE.TABLE")))]
struct Target {
    /// KEYSPACE.TABLE, or dir:FOLDER
    table: Location,

    #[command(flatten)]
    cluster: ClusterOptions,
}

impl Table {
    pub fn run(self) -> Result<Exit> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(machine::cores())
            .enable_all()
            .build()?;
        let exit = runtime.block_on(async {
            tokio::select! {
                done = self.action.carry_out() => done.map(|()| Exit::Complete),
                () = asked_to_stop() => {
                    eprintln!("interrupted: the table is as it was, or as far as it had come");
                    Ok(Exit::Interrupted)
                }
            }
        });
        runtime.shutdown_background();
        exit
    }
}

impl Action {
    async fn carry_out(self) -> Result<()> {
        let line = match self {
            Action::Info(target) => {
                let table = target.open(Access::Read).await?;
                info::of(&target.table, &table).await?
            }
            Action::Seal { target, before } => {
                let table = target.open(Access::Write).await?;
                let before = before.map(|text| time::of_order_key(&text, table.definition()));
                let before = before.transpose().map_err(Misuse::of)?;
                let sealed = table.seal(before).await.map_err(|e| told(e.into()))?;
                format!(
                    "sealed {}: {} and {} became {}",
                    units::plural(sealed.places, "place", "places"),
                    units::plural(sealed.fresh, "single row", "single rows"),
                    units::plural(sealed.chunks_retired, "chunk", "chunks"),
                    units::plural(sealed.chunks_added, "chunk", "chunks"),
                )
            }
            Action::DropBefore { target, time } => {
                let table = target.open(Access::Write).await?;
                let before = time::of_order_key(&time, table.definition()).map_err(Misuse::of)?;
                let dropped = table
                    .drop_before(before)
                    .await
                    .map_err(|e| told(e.into()))?;
                let places = units::plural(dropped, "place", "places");
                format!("dropped {places} whose buckets end at or before {time}")
            }
            Action::Sweep { target, grace } => {
                let table = target.open(Access::Write).await?;
                let swept = table.sweep(grace).await.map_err(|e| told(e.into()))?;
                format!("removed {}", units::plural(swept.chunks, "chunk", "chunks"))
            }
        };
        writeln!(std::io::stdout(), "{line}")?;
        Ok(())
    }
}

impl Target {
    async fn open(&self, access: Access) -> Result<Arc<Columnar>> {
        let connection = Connection::new(self.cluster.cluster());
        let opened = connection
            .open_columnar(&self.table, access, &ColumnarOptions::default())
            .await
            .map_err(told)?;
        opened.ok_or_else(|| {
            let none = anyhow!(
                "{} is no columnar table; `bakeoff ingest` makes one",
                self.table
            );
            Misuse::of(none).into()
        })
    }
}

/// `10m`; `0s` is allowed.
fn parse_grace(text: &str) -> Result<Duration, String> {
    match text {
        "0" | "0s" => Ok(Duration::ZERO),
        text => parse_duration(text),
    }
}
