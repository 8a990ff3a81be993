//! `bakeoff trace`: sends a SELECT to a Cassandra with tracing on, and shows where its time went.

mod execute;
mod operation;

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::tables::Location;
use bakeoff_engines::{TraceRequest, Traceable, TracedSelect};
use bakeoff_stats::trace::Traced;
use bakeoff_workload::{Consistency, SelectedTable, parse_percentile, selected_table};
use clap::{Arg, Args};

use crate::cmd::on_threads;
use crate::cmd::options::choice::{parse_consistency, parse_duration_to_a_day};
use crate::cmd::options::cluster::ClusterOptions;
use crate::exit::{Exit, Misuse};
use operation::OperationOptions;

/// Worker threads; most of the time is spent waiting.
const THREADS: usize = 2;
/// How often an operation is performed unless the command line says so.
const OPERATION_TIMES: u32 = 100;

/// Trace a SELECT in Cassandra: where its time went, on which nodes, and in the client.
///
/// The statement is sent as it is, with tracing on: the nodes that answer write each of their steps into
/// system_traces, where it stays for a day. Before that every address that the cluster names is connected to;
/// those that do not answer, are another node, or are not in the ring come first. Rows are read and not shown:
/// `bakeoff sql` shows them.
///
/// With --operation it traces a read of a workload's [mix] as a design sends it, of rows that `bakeoff drive
/// --keyspace` has loaded; with --query a query of the workload, by the first statement that the design needs for it.
#[derive(Args, Debug)]
#[command(mut_arg("cassandra", |a| a.help("A node of the cluster").required(true)))]
#[command(mut_args(|a| if is_about_rows(&a) { a.requires("of_workload") } else { a }))]
pub struct Trace {
    /// One SELECT of CQL, with values instead of markers; `-` reads it from the standard input. With
    /// --operation or --query a workload: a file, or a name out of `bakeoff list`
    #[arg(value_name = "SELECT|WORKLOAD")]
    what: String,

    /// The table, if the statement does not name its keyspace
    #[arg(long, value_name = "KEYSPACE.TABLE", conflicts_with = "of_workload")]
    table: Option<Location>,

    #[command(flatten)]
    operation: OperationOptions,

    /// Consistency level [default: LOCAL_ONE; of an operation what the workload says, of a query what the
    /// design says]
    #[arg(long, value_name = "LEVEL", value_parser = parse_consistency)]
    consistency: Option<Consistency>,

    /// Rows of a page; each page is a request with a trace of its own, and the slowest one is shown
    /// [default: 5000; of an operation or a query what the design says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    page: Option<u32>,

    /// How often the statement is sent; the trace of one of the times is shown. An operation has other rows each
    /// time, a query other parameters and requests [default: 1; of an operation 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    times: Option<u32>,

    /// Which of the times is shown, by how long they took: p99 for example, p100 for the longest
    #[arg(long, value_name = "PERCENTILE", default_value = "p50", value_parser = percentile)]
    at: f64,

    /// The longest that a page may take; the servers' own limits hold as well
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = parse_duration_to_a_day)]
    time_out: Duration,

    /// The longest to wait until the nodes have written the trace
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = parse_duration_to_a_day)]
    wait: Duration,

    /// Keep the trace in a file, to be shown beside another one
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Say how this trace differs from one that --save kept
    #[arg(long, value_name = "FILE")]
    beside: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    cluster: ClusterOptions,
}

impl Trace {
    pub fn run(self) -> Result<Exit> {
        let plan = execute::Plan {
            request: self.request()?,
            beside: self.other().map_err(Misuse::new)?,
            save: self.save.clone(),
            json: self.json,
        };
        on_threads(THREADS, execute::execute(plan))
    }

    /// Checks what is asked for.
    fn request(&self) -> Result<TraceRequest> {
        if self.consistency == Some(Consistency::Any) {
            let error =
                anyhow!("nothing can be read at ANY: give --consistency ONE or a higher level");
            return Err(Misuse::new(error).into());
        }
        let none = || Misuse::new(anyhow!("name the cluster with --cassandra HOST[:PORT]"));
        let cluster = self.cluster.cluster().ok_or_else(none)?;
        let (what, times) = if self.operation.is_asked() {
            let usual = if self.operation.is_query() {
                1
            } else {
                OPERATION_TIMES
            };
            let times = self.times.unwrap_or(usual);
            let limit = self.time_out;
            (
                self.operation.read(&self.what, &cluster, limit, times)?,
                times,
            )
        } else {
            let select = self.select().map_err(Misuse::new)?;
            (Traceable::Select(select), self.times.unwrap_or(1))
        };
        Ok(TraceRequest {
            cluster,
            what,
            consistency: self.consistency,
            page_rows: self.page,
            times,
            percentile: self.at,
            page_time_limit: self.time_out,
            wait: self.wait,
        })
    }

    fn select(&self) -> Result<TracedSelect> {
        let cql = self.text()?;
        let table =
            selected_table(&cql).map_err(|why| anyhow!("cannot trace the statement: {why}"))?;
        let keyspace = keyspace(self.table.as_ref(), &table)?;
        let select = TracedSelect {
            cql,
            keyspace,
            table,
        };
        select.table_keyspace()?;
        Ok(select)
    }

    fn text(&self) -> Result<String> {
        if self.what != "-" {
            return Ok(self.what.clone());
        }
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.context("cannot read the statement from the standard input")?;
        Ok(text)
    }

    /// Reads the trace to compare with.
    fn other(&self) -> Result<Option<Traced>> {
        let Some(path) = &self.beside else {
            return Ok(None);
        };
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read --beside {}", path.display()))?;
        let traced = Traced::from_json(&text)
            .map_err(|why| anyhow!("--beside {}: {why}", path.display()))?;
        Ok(Some(traced))
    }
}

/// Reads a percentile: `p99`, `p99.9`, `p0` for the least.
fn percentile(text: &str) -> Result<f64, String> {
    parse_percentile(text).ok_or_else(|| "not a percentile such as p50, p99 or p100".to_owned())
}

/// Returns whether an option says which rows a workload has.
fn is_about_rows(option: &Arg) -> bool {
    ["data", "no_header", "delimiter", "set"].contains(&option.get_id().as_str())
}

/// Returns the keyspace in which a statement's table is, if only the command line says it.
fn keyspace(named: Option<&Location>, table: &SelectedTable) -> Result<Option<String>> {
    match (named, &table.keyspace) {
        (None, _) => Ok(None),
        (Some(Location::Directory(_)), _) => Err(anyhow!(
            "--table names a folder, and only statements of Cassandra are traced: give KEYSPACE.TABLE"
        )),
        (
            Some(Location::Cassandra {
                keyspace,
                table: name,
            }),
            own,
        ) => {
            let is_it = *name == table.name && own.as_ref().is_none_or(|own| own == keyspace);
            if !is_it {
                let own = own
                    .as_ref()
                    .map_or_else(String::new, |own| format!("{own}."));
                return Err(anyhow!(
                    "--table is {keyspace}.{name}, but the statement reads {own}{}; Cassandra takes names without \
                     double quotes for lower case",
                    table.name
                ));
            }
            Ok(Some(keyspace.clone()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(named: Option<&str>, statement: &str) -> Result<Option<String>, String> {
        let named: Option<Location> = named.map(|named| named.parse().unwrap());
        let table = selected_table(statement).unwrap();
        keyspace(named.as_ref(), &table).map_err(|error| error.to_string())
    }

    #[test]
    fn the_keyspace_is_that_of_the_statement_or_of_the_option() {
        assert_eq!(of(None, "SELECT * FROM ks.t"), Ok(None));
        let ks = Ok(Some("ks".to_owned()));
        assert_eq!(of(Some("ks.t"), "SELECT * FROM t"), ks);
        assert_eq!(of(Some("ks.t"), "SELECT * FROM ks.T"), ks);
    }

    #[test]
    fn another_table_than_the_one_named_is_refused() {
        for (named, statement, words) in [
            (Some("ks.t"), "SELECT * FROM u", "reads u"),
            (Some("ks.t"), "SELECT * FROM other.t", "reads other.t"),
            (Some("ks.T"), "SELECT * FROM T", "lower case"),
            (Some("dir:t"), "SELECT * FROM t", "folder"),
        ] {
            let error = of(named, statement).unwrap_err();
            assert!(error.contains(words), "{statement}: {error}");
        }
    }
}
