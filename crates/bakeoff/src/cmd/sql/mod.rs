//! `bakeoff sql`: queries tables with SQL, wherever they are.

mod execute;
mod output;
mod progress;
mod snippet;

use std::io::Read;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::tables::{Connection, Location, Options};
use bakeoff_workload::Consistency;
use clap::Args;

use crate::cmd::on_threads;
use crate::cmd::options::choice::{parse_consistency, parse_duration_to_a_day, parse_rows};
use crate::cmd::options::cluster::ClusterOptions;
use crate::exit::{Exit, Misuse};
use crate::machine;
use output::{Destination, Format};

/// Query tables with SQL: any table of a Cassandra cluster, or columnar tables in folders.
///
/// Nothing is ever written to a table. The result goes to the standard output, notes about it to the
/// standard error. Text in double quotes is a name and keeps its case.
#[derive(Args, Debug)]
#[command(mut_arg("cassandra", |a| a.help("The cluster whose tables are queried")))]
pub struct Sql {
    /// The query: SELECT, EXPLAIN SELECT, DESCRIBE or SHOW TABLES; `-` reads it from the standard
    /// input. Several, with semicolons between them, are answered in order. A table of --cassandra may
    /// be written KEYSPACE.TABLE in it without --table
    query: String,

    /// A table: KEYSPACE.TABLE or dir:FOLDER; queries call it TABLE, or NAME (repeat for several)
    #[arg(long = "table", value_name = "[NAME=]TABLE")]
    tables: Vec<NamedTable>,

    /// A columnar table in a folder, like --table dir:FOLDER
    #[arg(long = "dir", value_name = "FOLDER")]
    folders: Vec<PathBuf>,

    /// How rows are written; json is one object per line, with null for NaN and infinities [default:
    /// by the extension of --out; without it, table on a terminal, else csv]
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// File for the result, instead of the standard output; replaced when the query is done
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Rows that a table shows, or `all`
    #[arg(long, value_name = "N", default_value = "100", value_parser = parse_shown)]
    rows: Shown,

    /// Consistency level of reads in Cassandra [default: LOCAL_ONE; LOCAL_QUORUM for columnar
    /// tables]
    #[arg(long, value_name = "LEVEL", value_parser = parse_consistency)]
    consistency: Option<Consistency>,

    /// The longest that Cassandra may take for one page of a CQL table; its own limits hold as well
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = parse_duration_to_a_day)]
    time_out: Duration,

    /// Worker threads, and parts of a table that are read at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// MiB that grouping, sorting and joining may take before they use the disk
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u32).range(16..=1_000_000))]
    memory: u32,

    /// MiB of encoded columns of each columnar table that are kept in memory while the query runs
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    cache: u32,

    #[command(flatten)]
    cluster: ClusterOptions,
}

/// A table of the command line, with the name that queries use if it is not its own.
#[derive(Debug, Clone)]
struct NamedTable {
    name: Option<String>,
    location: Location,
}

/// Rows that a table shows; `None` stands for all.
#[derive(Debug, Clone, Copy)]
struct Shown(Option<u64>);

impl Sql {
    pub fn run(self) -> Result<Exit> {
        let sql = self.text()?;
        let destination =
            Destination::new(self.format, self.out.as_deref(), self.rows.0).map_err(Misuse::new)?;
        let plan = execute::Plan {
            sql,
            tables: self.named_tables(),
            connection: Arc::new(Connection::new(self.cluster.cluster())),
            options: self.options(),
            destination,
        };
        on_threads(self.threads(), execute::execute(plan))
    }

    fn text(&self) -> Result<String> {
        if self.query != "-" {
            return Ok(self.query.clone());
        }
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.context("cannot read the query from the standard input")?;
        Ok(text)
    }

    fn named_tables(&self) -> Vec<(Option<String>, Location)> {
        let named = self.tables.iter().cloned().map(|t| (t.name, t.location));
        let folders = self.folders.iter().cloned().map(Location::Directory);
        named
            .chain(folders.map(|location| (None, location)))
            .collect()
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(machine::cores, usize::from)
    }

    fn options(&self) -> Options {
        Options {
            consistency: self.consistency,
            page_time_limit: Some(self.time_out),
            threads: self.threads(),
            memory_bytes: (self.memory as usize) << 20,
            cache_bytes: u64::from(self.cache) << 20,
        }
    }
}

impl FromStr for NamedTable {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, location) = match text.split_once('=') {
            Some((name, location)) if !name.contains([':', '.', '"']) => (Some(name), location),
            _ => (None, text),
        };
        if name.is_some_and(str::is_empty) {
            return Err(anyhow!("there is no name before `=`"));
        }
        Ok(NamedTable {
            name: name.map(str::to_owned),
            location: location.parse().map_err(|e: String| anyhow!(e))?,
        })
    }
}

fn parse_shown(text: &str) -> Result<Shown, String> {
    match text {
        "all" => Ok(Shown(None)),
        text => parse_rows(text).map(|rows| Shown(Some(rows))),
    }
}
