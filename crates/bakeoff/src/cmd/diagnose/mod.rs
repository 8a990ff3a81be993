//! `bakeoff diagnose`: says what is wrong with a table or cluster of Cassandra, and measures what would help.

mod measure;
mod proposed;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_engines::Cluster;
use bakeoff_engines::diagnose::{Read, ReadError, Request, read};
use bakeoff_engines::nodes::TableName;
use bakeoff_engines::table_copy::copy;
use bakeoff_report::COLUMNS;
use bakeoff_report::diagnose::{json, render};
use bakeoff_stats::diagnose::{Diagnosis, diagnose};
use clap::Args;

use crate::cmd::on_threads;
use crate::cmd::options::choice::{parse_duration, parse_rows};
use crate::cmd::options::cluster::ClusterOptions;
use crate::cmd::options::metrics::MetricsOptions;
use crate::cmd::options::nodetool::{LEFT_BEHIND, NodetoolOptions};
use crate::exit::{Exit, Misuse};
use crate::interrupt::asked_to_stop_leaving;
use crate::terminal;
use measure::Measure;

/// Help of --metrics, of which a diagnosis needs less than `bakeoff nodes` shows.
const METRICS: &str = "Metrics of each host in the text format of Prometheus, for example \
    http://{host}:7070/metrics: those of a JVM exporter are understood (repeat for several)";
/// Longest time for which keys are sampled.
const LONGEST_SAMPLE: Duration = Duration::from_secs(60);
/// Shortest time in which designs are measured.
const SHORTEST_MEASURE: Duration = Duration::from_secs(60);
/// Rows that are copied unless others are asked for, and most of them.
const COPIED_ROWS: u64 = 100_000;
const MOST_ROWS: u64 = 1_000_000;

/// Say what is wrong with tables or nodes of a running Cassandra, and what would help; reads only
///
/// Each finding is to be dealt with now, soon or sometime, and has its figures, its threshold and who states that. What
/// could not be checked is listed with the reason and the option that would bring it. A node gets at most about a
/// hundred queries a second. With --measure, settings that may help are measured on a Cassandra that Bakeoff starts,
/// with a copy of some rows. The exit code is 3 if there is something to do now, and 0 if not.
#[derive(Args, Debug)]
#[command(mut_arg("cassandra", |a| a.required(true).help("A node of the cluster")))]
#[command(mut_arg("metrics", |a| a.help(METRICS)))]
pub struct Diagnose {
    /// Tables to look at, each as KEYSPACE.TABLE
    #[arg(
        value_name = "KEYSPACE.TABLE",
        required_unless_present = "whole",
        conflicts_with = "whole"
    )]
    tables: Vec<TableName>,

    /// Look at all tables of the cluster, or at the 20 largest ones, instead of those that are named
    #[arg(long = "cluster")]
    whole: bool,

    #[command(flatten)]
    nodetool: NodetoolOptions,

    /// Look at garbage collections by `nodetool gcstats`, which resets its counts for whoever else reads them
    #[arg(long, requires = "nodetool")]
    gc: bool,

    /// Sample for so long which keys are read most, for example 2s; this costs the nodes something
    #[arg(long, value_name = "DURATION", requires = "nodetool", value_parser = parse_sample)]
    sample_keys: Option<Duration>,

    #[command(flatten)]
    metrics: MetricsOptions,

    /// Measure for so long, for example 15m, the designs that would show what helps, on a Cassandra that is started on
    /// this machine, with some rows of the one table that is named
    #[arg(long, value_name = "DURATION", value_parser = parse_measure, conflicts_with_all = ["whole", "json"])]
    measure: Option<Duration>,

    /// Rows to copy for --measure at most, and never more than 32 MiB of them [default: 100k]
    #[arg(long, value_name = "N", value_parser = parse_copied, requires = "measure", allow_negative_numbers = true)]
    copy_rows: Option<u64>,

    /// Folder of --measure, a new one [default: runs/diagnose-TABLE]
    #[arg(long, value_name = "DIR", requires = "measure")]
    out: Option<PathBuf>,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    cluster: ClusterOptions,
}

impl Diagnose {
    pub fn run(self) -> Result<Exit> {
        // The option is required.
        let cluster = self.cluster.cluster().unwrap_or_default();
        let request = self.request()?;
        let measure = self.measure()?;
        let mut diagnosis = None;
        let exit = until_stopped(self.show(&cluster, &request, &mut diagnosis))?;
        let (Some((measure, name)), Some(diagnosis)) = (measure, diagnosis) else {
            return Ok(exit);
        };
        let Some(begun) = measure.begin(&diagnosis)? else {
            return Ok(exit);
        };
        let (rows, file) = (measure.rows, begun.rows_file());
        let mut copied = None;
        let copying = until_stopped(async {
            copied = Some(copy(&cluster, name, rows, &file).await?);
            Ok(exit)
        })?;
        let Some(copied) = copied else {
            return Ok(copying);
        };
        match begun.finish(&copied)? {
            Exit::Complete => Ok(exit),
            other => Ok(other),
        }
    }

    /// Returns what is to be measured, and of which table.
    fn measure(&self) -> Result<Option<(Measure, &TableName)>> {
        let Some(budget) = self.measure else {
            return Ok(None);
        };
        let [name] = &self.tables[..] else {
            return Err(Misuse::new(anyhow!(
                "--measure copies rows of one table: name one, not {}",
                self.tables.len()
            ))
            .into());
        };
        let rows = self.copy_rows.unwrap_or(COPIED_ROWS);
        let measure = Measure::new(budget, self.out.as_deref(), &name.table, rows)?;
        Ok(Some((measure, name)))
    }

    fn request(&self) -> Result<Request> {
        Ok(Request {
            tables: self.tables.clone(),
            nodetool: self.nodetool.command()?,
            gc: self.gc,
            metrics: self.metrics.urls()?,
            sample_keys: self.sample_keys,
            sys: None,
        })
    }

    /// Shows what is wrong, and leaves it in `found`.
    async fn show(
        &self,
        cluster: &Cluster,
        request: &Request,
        found: &mut Option<Diagnosis>,
    ) -> Result<Exit> {
        let Read { evidence, left_out } = read(cluster, request).await.map_err(in_words)?;
        let diagnosis = diagnose(&evidence);
        let mut out = terminal::stdout();
        if self.json {
            let json = json(&diagnosis, left_out)?;
            writeln!(out, "{}", terminal::json(&json))?;
        } else {
            writeln!(out, "{}", render(&diagnosis, left_out, COLUMNS))?;
        }
        let is_urgent = diagnosis.is_urgent();
        *found = Some(diagnosis);
        Ok(if is_urgent {
            Exit::Partial
        } else {
            Exit::Complete
        })
    }
}

/// Carries out what only reads a cluster, until a signal ends it.
fn until_stopped(reading: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    on_threads(1, async {
        tokio::select! {
            done = reading => done,
            () = asked_to_stop_leaving(LEFT_BEHIND) => Ok(Exit::Interrupted),
        }
    })
}

fn in_words(error: ReadError) -> anyhow::Error {
    match error {
        ReadError::NoTable(text) => Misuse::new(anyhow!(text)).into(),
        ReadError::Failed(error) => error.into(),
    }
}

fn parse_measure(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        duration if duration < SHORTEST_MEASURE => {
            Err("less than a minute, in which no design can be measured".to_owned())
        }
        duration => Ok(duration),
    }
}

fn parse_copied(text: &str) -> Result<u64, String> {
    match parse_rows(text)? {
        rows if rows > MOST_ROWS => Err("more than a million rows".to_owned()),
        rows => Ok(rows),
    }
}

fn parse_sample(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        duration if duration < Duration::from_millis(1) => {
            Err("less than a millisecond".to_owned())
        }
        duration if duration <= LONGEST_SAMPLE => Ok(duration),
        _ => Err("more than a minute".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_engines::EngineError;

    use super::*;

    #[test]
    fn keys_are_sampled_for_a_minute_at_most() {
        assert_eq!(parse_sample("2s"), Ok(Duration::from_secs(2)));
        assert_eq!(parse_sample("60s"), Ok(LONGEST_SAMPLE));
        assert!(parse_sample("61s").unwrap_err().contains("a minute"));
        assert!(parse_sample("1us").unwrap_err().contains("a millisecond"));
        assert!(parse_sample("soon").is_err());
    }

    #[test]
    fn measuring_takes_a_minute_and_copies_a_million_rows_at_most() {
        assert_eq!(parse_measure("15m"), Ok(Duration::from_secs(900)));
        assert!(parse_measure("59s").unwrap_err().contains("a minute"));
        assert_eq!(parse_copied("100k"), Ok(100_000));
        assert!(parse_copied("2M").unwrap_err().contains("a million"));
    }

    #[test]
    fn a_table_that_is_not_there_is_a_mistake_of_the_command_line() {
        let absent = in_words(ReadError::NoTable("no table a.b".to_owned()));
        assert!(absent.is::<Misuse>());
        let lost = ReadError::Failed(EngineError("gone".to_owned()));
        assert!(!in_words(lost).is::<Misuse>());
    }
}
