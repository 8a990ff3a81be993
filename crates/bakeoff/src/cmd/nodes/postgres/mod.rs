//! `bakeoff nodes --postgres`: shows what every server of a PostgreSQL knows of itself.

mod table;

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use bakeoff_engines::nodes::{Looks, Metrics, TableName};
use bakeoff_engines::postgres_figures::{ServerFigures, read, to_json};
use bakeoff_engines::{EngineError, PostgresServer};

use super::prometheus;
use crate::cmd::on_threads;
use crate::exit::Exit;
use crate::interrupt::asked_to_stop_leaving;
use crate::terminal::{json, stdout};

/// Help of the option that names the server, which this command does not start.
pub const HELP: &str = "A running PostgreSQL, for example postgresql://me@db1:5432,db2:5432/metrics; each of its \
    hosts has a column. Its password comes from BAKEOFF_POSTGRES_PASSWORD";
/// Message about what a second Ctrl-C leaves behind.
const LEFT_BEHIND: &str =
    "interrupted again: a statement may still run in the server for up to 5 s";

/// What is asked for.
pub struct Asked<'a> {
    /// The tables to show; the largest ones if there are none.
    pub tables: &'a [TableName],
    pub metrics: &'a [Metrics],
    pub json: bool,
    /// File for all figures as metrics, if one is named.
    pub prometheus: Option<&'a Path>,
}

/// Reads the figures of each host of a URL, and shows them.
pub fn run(server: &PostgresServer, asked: &Asked) -> Result<Exit> {
    on_threads(1, async {
        tokio::select! {
            done = show(server, asked) => done,
            () = asked_to_stop_leaving(LEFT_BEHIND) => Ok(Exit::Interrupted),
        }
    })
}

async fn show(server: &PostgresServer, asked: &Asked<'_>) -> Result<Exit> {
    let servers = all_figures(server, asked).await?;
    let mut out = stdout();
    if asked.json {
        writeln!(out, "{}", json(&to_json(&servers)?))?;
    } else {
        write!(
            out,
            "{}",
            table::render(&servers, !asked.metrics.is_empty())
        )?;
    }
    // What was read is shown in any case: `nodetool gcstats` tells it once.
    if let Some(path) = asked.prometheus {
        prometheus::write(path, &to_json(&servers)?)?;
    }
    let all_answer = servers.iter().all(|server| server.version.is_some());
    Ok(if all_answer {
        Exit::Complete
    } else {
        Exit::Partial
    })
}

async fn all_figures(
    server: &PostgresServer,
    asked: &Asked<'_>,
) -> Result<Vec<ServerFigures>, EngineError> {
    let mut servers = read(server, asked.tables).await?;
    if asked.metrics.is_empty() {
        return Ok(servers);
    }
    let hosts: Vec<String> = servers.iter().map(|server| server.host.clone()).collect();
    let seen = Metrics::of_hosts(asked.metrics, &hosts, Looks::Twice).await;
    for (server, (exposed, missing)) in servers.iter_mut().zip(seen) {
        server.metrics = Some(exposed);
        server.missing.extend(missing);
    }
    Ok(servers)
}
