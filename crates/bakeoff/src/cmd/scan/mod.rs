//! `bakeoff scan`: reads a columnar table in parts, each by a separate process.

mod choice;
mod execute;
mod output;

use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use bakeoff_engines::tables::{Connection, Location, Options, ScanRequest};
use bakeoff_workload::Consistency;
use clap::{Args, ValueEnum};

use crate::cmd::on_threads;
use crate::cmd::options::choice::parse_consistency;
use crate::cmd::options::cluster::ClusterOptions;
use crate::exit::{Exit, Misuse};
use crate::machine;
use choice::{Names, Which, parse_columns, parse_which};

/// The most parts of a plan.
const PARTS_AT_MOST: i64 = 100_000;

/// Read a columnar table in parts, each by a separate process, as an Arrow IPC stream.
///
/// `--plan 8` looks at the table once and prints 8 parts of about equal bytes, a line for each: its
/// number, the snapshot, bytes, and a token. `--part TOKEN` reads one of them. Together they have each row
/// of the snapshot once, whatever is written or sealed meanwhile; a part of which a chunk was dropped or
/// swept away since fails and says so.
#[derive(Args, Debug)]
#[command(mut_arg("cassandra", |a| a.help("The cluster of a table that is KEYSPACE.TABLE")))]
pub struct Scan {
    /// KEYSPACE.TABLE, or dir:FOLDER
    table: Location,

    /// Print this many parts, which may be read anywhere
    #[arg(long, value_name = "N", conflicts_with = "part",
        value_parser = clap::value_parser!(u32).range(1..=PARTS_AT_MOST))]
    plan: Option<u32>,

    /// Read a part: a TOKEN of a plan, `-` for one on the standard input, or I/N for part I of N of the
    /// table as it is now. Other calls with I/N fit only if all name the same snapshot
    #[arg(long, value_name = "TOKEN|-|I/N", value_parser = parse_which)]
    part: Option<Which>,

    /// Only these columns, in this order; a name with a comma is written in double quotes. With a
    /// plan they are given with --plan
    #[arg(long, value_name = "COLUMN,...", value_parser = parse_columns)]
    columns: Option<Names>,

    /// Only rows for which this SQL condition on the columns holds, for example "value > 3". With a plan
    /// it is given with --plan
    #[arg(long = "where", value_name = "CONDITION")]
    condition: Option<String>,

    /// How rows are written
    #[arg(long, value_enum, default_value_t = Format::Arrow)]
    format: Format,

    /// File for the rows or the plan, instead of the standard output; replaced when it is complete
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Consistency level of reads in Cassandra [default: LOCAL_QUORUM]
    #[arg(long, value_name = "LEVEL", value_parser = parse_consistency)]
    consistency: Option<Consistency>,

    /// Worker threads, and chunks that are read at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    #[command(flatten)]
    cluster: ClusterOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// An Arrow IPC stream
    Arrow,
}

/// The memory for operators, in bytes. A scan has none that hold rows.
const MEMORY_BYTES: usize = 64 << 20;

impl Scan {
    pub fn run(self) -> Result<Exit> {
        // The only one so far.
        let Format::Arrow = self.format;
        let threads = self.threads.map_or_else(machine::cores, usize::from);
        let task = self.task().map_err(Misuse::new)?;
        let plan = execute::Plan {
            connection: Connection::new(self.cluster.cluster()),
            options: Options {
                consistency: self.consistency,
                page_time_limit: None,
                threads,
                memory_bytes: MEMORY_BYTES,
                cache_bytes: 0,
            },
            table: self.table,
            task,
            out: self.out,
        };
        on_threads(threads, execute::execute(plan))
    }

    /// Checks which options go together, and reads a token from the standard input.
    fn task(&self) -> Result<execute::Task> {
        let request = || ScanRequest {
            columns: self.columns.clone().map_or_else(Vec::new, |names| names.0),
            condition: self.condition.clone(),
        };
        let Some(part) = &self.part else {
            let parts = self.plan.context(
                "say what to do with the table: --plan <N> prints N parts of it, and --part <TOKEN|-|I/N> reads \
                 one: --part 1/1 reads all rows",
            )?;
            return Ok(execute::Task::Plan(request(), parts));
        };
        if self.out.is_none() && std::io::stdout().is_terminal() {
            bail!(
                "--part writes an Arrow stream, which is not for a terminal: give --out FILE, or a pipe"
            );
        }
        let token = match part {
            Which::Now { number, of } => {
                return Ok(execute::Task::Now(request(), *number, *of));
            }
            Which::Token(token) => token.clone(),
            Which::Input => read_token()?,
        };
        if self.columns.is_some() || self.condition.is_some() {
            bail!(
                "--columns and --where are part of a plan: give them with --plan, which makes its tokens"
            );
        }
        Ok(execute::Task::Token(token))
    }
}

fn read_token() -> Result<String> {
    let mut token = String::new();
    let read = std::io::stdin().read_to_string(&mut token);
    read.context("cannot read the token of --part from the standard input")?;
    if token.trim().is_empty() {
        return Err(anyhow!("--part -: there is no token on the standard input"));
    }
    Ok(token)
}
