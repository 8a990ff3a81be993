//! Asking each server of a URL for its figures.

use futures::future::join_all;

use super::activity::sessions;
use super::asking::Asking;
use super::hypertables::hypertables;
use super::model::ServerFigures;
use super::replicas::{following, replicas, slots};
use super::tables::{databases, indexes, tables};
use super::work::{checkpoints, io, wal};
use crate::EngineError;
use crate::nodes::{Missing, TableName};
use crate::postgres::connect::PostgresServer;

pub(super) const VERSION: &str = "SELECT current_setting('server_version') AS version, \
     current_setting('server_version_num') AS number";
const STATE: &str = "SELECT pg_is_in_recovery() AS is_standby, \
     extract(epoch FROM now() - pg_postmaster_start_time()) AS up";

/// Reads the figures of each host of a URL, in its order; of the tables of these names, or the largest ones.
///
/// # Errors
/// Fails if none of them can be connected to, with what the first one says.
pub async fn read(
    server: &PostgresServer,
    named: &[TableName],
) -> Result<Vec<ServerFigures>, EngineError> {
    let servers = server.each();
    let read = join_all(servers.iter().map(|server| read_one(server, named))).await;
    let is_there = read.iter().any(Result::is_ok);
    let mut figures = Vec::new();
    for (server, read) in servers.iter().zip(read) {
        match read {
            Ok(known) => figures.push(known),
            Err(error) if !is_there => return Err(error),
            Err(error) => figures.push(silent(server, error)),
        }
    }
    Ok(figures)
}

/// Returns a server of which only its place is known.
fn named_only(server: &PostgresServer) -> ServerFigures {
    let place = server.places().into_iter().next();
    let (host, port) = place.unwrap_or_default();
    ServerFigures {
        address: format!("{host}:{port}"),
        host: if host.starts_with('/') {
            "localhost".to_owned()
        } else {
            host
        },
        ..ServerFigures::default()
    }
}

fn silent(server: &PostgresServer, error: EngineError) -> ServerFigures {
    ServerFigures {
        missing: vec![Missing {
            figure: "all figures".to_owned(),
            reason: error.0,
        }],
        ..named_only(server)
    }
}

async fn read_one(
    server: &PostgresServer,
    named: &[TableName],
) -> Result<ServerFigures, EngineError> {
    let mut asking = Asking::new(server.connect_setting_nothing().await?);
    let asking = &mut asking;
    let about = asking.row("version", VERSION).await.unwrap_or_default();
    let version = about.count("number").unwrap_or_default();
    let state = asking.row("state", STATE).await.unwrap_or_default();
    let is_standby = state.truth("is_standby");
    let databases = databases(asking).await;
    let tables = tables(asking, named).await;
    let indexes = indexes(asking, named).await;
    let (timescale, hypertables) = hypertables(asking).await;
    let (sessions, long_transactions) = sessions(asking).await;
    let checkpoints = checkpoints(asking, version).await;
    let wal = wal(asking, version).await;
    let io = io(asking, version).await;
    let replicas = replicas(asking).await;
    let slots = slots(asking).await;
    let following = match is_standby {
        Some(true) => following(asking).await,
        _ => None,
    };
    Ok(ServerFigures {
        // What follows is the distribution's own.
        version: { about.text("version") }
            .and_then(|text| text.split_whitespace().next().map(str::to_owned)),
        is_standby,
        up_seconds: state.number("up"),
        timescale,
        databases,
        tables,
        indexes,
        hypertables,
        sessions,
        long_transactions,
        checkpoints,
        wal,
        io,
        replicas,
        slots,
        following,
        missing: asking.take_missing(),
        ..named_only(server)
    })
}
