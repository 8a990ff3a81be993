//! `bakeoff diagnose`: says what is wrong with a table or cluster of Cassandra.

use std::io::Write;
use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_engines::diagnose::{Calls, Read, ReadError, Request, read};
use bakeoff_engines::nodes::{Metrics, TableName};
use bakeoff_engines::{Cluster, EngineError};
use bakeoff_report::diagnose::{json, render};
use bakeoff_stats::diagnose::diagnose;
use clap::Args;

use crate::cmd::on_threads;
use crate::cmd::options::choice::parse_duration;
use crate::cmd::options::cluster::ClusterOptions;
use crate::exit::{Exit, Misuse};
use crate::interrupt::asked_to_stop_leaving;
use crate::terminal;

/// Message about what a second Ctrl-C leaves behind.
const LEFT_BEHIND: &str = "interrupted again: a call of --nodetool may still run";
/// Columns of a line of text.
const COLUMNS: usize = 100;
/// Longest time for which keys are sampled.
const LONGEST_SAMPLE: Duration = Duration::from_secs(60);

/// Say what is wrong with tables or nodes of a running Cassandra, and what would help; reads only
///
/// Each finding is to be dealt with now, soon or sometime, and has its figures, its threshold and who states that. What
/// could not be checked is listed with the reason and the option that would bring it. A node gets at most about a
/// hundred queries a second. The exit code is 3 if there is something to do now, and 0 if not.
#[derive(Args, Debug)]
#[command(mut_arg("cassandra", |a| a.required(true).help("A node of the cluster")))]
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

    /// Nodetool on the hosts of --cassandra: a command with {host} in it, for example 'ssh {host} nodetool',
    /// split into words as a shell does
    #[arg(long, value_name = "COMMAND")]
    nodetool: Option<String>,

    /// Look at garbage collections by `nodetool gcstats`, which resets its counts for whoever else reads them
    #[arg(long, requires = "nodetool")]
    gc: bool,

    /// Sample for so long which keys are read most, for example 2s; this costs the nodes something
    #[arg(long, value_name = "DURATION", requires = "nodetool", value_parser = parse_sample)]
    sample_keys: Option<Duration>,

    /// Metrics of each host in the text format of Prometheus, for example http://{host}:7070/metrics: those of a
    /// JVM exporter are understood (repeat for several)
    #[arg(long, value_name = "URL")]
    metrics: Vec<String>,

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
        on_threads(1, async {
            tokio::select! {
                done = self.show(&cluster, &request) => done,
                () = asked_to_stop_leaving(LEFT_BEHIND) => Ok(Exit::Interrupted),
            }
        })
    }

    /// Reads what is asked for. A message about a command or a URL that clap refuses would show it, and it may have a
    /// password in it.
    fn request(&self) -> Result<Request> {
        let nodetool = self.nodetool.as_ref().map(|text| text.parse::<Calls>());
        let nodetool = nodetool.transpose();
        let metrics = self.metrics.iter().map(|url| url.parse::<Metrics>());
        let metrics: Result<Vec<Metrics>, EngineError> = metrics.collect();
        Ok(Request {
            tables: self.tables.clone(),
            nodetool: nodetool.map_err(|e| Misuse::new(anyhow!("--nodetool: {e}")))?,
            gc: self.gc,
            metrics: metrics.map_err(|e| Misuse::new(anyhow!("--metrics: {e}")))?,
            sample_keys: self.sample_keys,
        })
    }

    async fn show(&self, cluster: &Cluster, request: &Request) -> Result<Exit> {
        let Read { evidence, left_out } = read(cluster, request).await.map_err(in_words)?;
        let diagnosis = diagnose(&evidence);
        let mut out = terminal::stdout();
        if self.json {
            let json = json(&diagnosis, left_out)?;
            writeln!(out, "{}", terminal::json(&json))?;
        } else {
            writeln!(out, "{}", render(&diagnosis, left_out, COLUMNS))?;
        }
        Ok(if diagnosis.is_urgent() {
            Exit::Partial
        } else {
            Exit::Complete
        })
    }
}

fn in_words(error: ReadError) -> anyhow::Error {
    match error {
        ReadError::NoTable(text) => Misuse::new(anyhow!(text)).into(),
        ReadError::Failed(error) => error.into(),
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
    fn a_table_that_is_not_there_is_a_mistake_of_the_command_line() {
        let absent = in_words(ReadError::NoTable("no table a.b".to_owned()));
        assert!(absent.is::<Misuse>());
        let lost = ReadError::Failed(EngineError("gone".to_owned()));
        assert!(!in_words(lost).is::<Misuse>());
    }
}
