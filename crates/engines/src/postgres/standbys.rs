//! Standbys of a server that is started: the role that they log in as, and how far they have come.

use std::time::{Duration, Instant};

use bakeoff_driver::DesignError;
use bakeoff_servers::postgres::{STANDBY_ROLE, Servers, random_password};
use futures::future::try_join_all;
use tokio_postgres::Client;

use super::connect::PostgresServer;
use super::layout::text;
use super::replication::Standbys;
use super::schema::{execute, failed};
use crate::EngineError;

/// The time limit for standbys that accept connections to stream what their primary writes.
const STREAM_LIMIT: Duration = Duration::from_secs(300);
const POLL: Duration = Duration::from_millis(50);

/// Counts the standbys that have caught up with their primary.
const STREAMING: &str = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
/// Counts the standbys that a commit may wait for.
const SYNCHRONOUS: &str =
    "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')";
/// What brings each standby to rest when it has replayed what its primary has written.
pub const AT_REST: &str =
    "CHECKPOINT -- on each standby, when it has replayed the log of the primary";

/// Returns the statements on the primary that let standbys stream, and the setting that says which of them a commit
/// waits for.
pub fn statements(standbys: Standbys, password: &str) -> Vec<String> {
    let names = Servers::standby_names(standbys.count);
    if names.is_empty() {
        return Vec::new();
    }
    let mut statements = vec![role_statement("CREATE", password)];
    statements.extend(names.iter().map(|name| slot_statement(name)));
    let synchronous = standbys.synchronous(&names).unwrap_or_default();
    statements.push(format!(
        "-- in postgresql.conf, when all of them stream: synchronous_standby_names = {}",
        text(&synchronous)
    ));
    statements
}

fn role_statement(verb: &str, password: &str) -> String {
    format!(
        "{verb} ROLE {STANDBY_ROLE} LOGIN REPLICATION PASSWORD {}",
        text(password)
    )
}

/// Returns the statement that lets the primary keep its log until a standby has it.
fn slot_statement(name: &str) -> String {
    format!(
        "SELECT pg_create_physical_replication_slot({}, true)",
        text(name)
    )
}

/// Starts the standbys of a server, waits until all of them stream, and lets commits wait for those that were asked
/// for. Before that commits wait for none, since nothing could be committed.
///
/// # Errors
/// Fails if a standby cannot be started, or does not catch up with its primary within 300 s.
pub async fn start(
    client: &Client,
    servers: &mut Servers,
    standbys: Standbys,
) -> Result<(), EngineError> {
    let names = Servers::standby_names(standbys.count);
    if names.is_empty() {
        return Ok(());
    }
    let password = random_password()?;
    make_role(client, &password).await?;
    for name in &names {
        make_slot(client, name).await?;
    }
    servers.start_standbys(&password).await?;
    wait_until_all(client, servers, STREAMING).await?;
    if let Some(synchronous) = standbys.synchronous(&names) {
        servers.set_synchronous(&synchronous)?;
        wait_until_all(client, servers, SYNCHRONOUS).await?;
    }
    Ok(())
}

/// Makes the role that standbys log in as, or gives the one of an earlier start another password.
async fn make_role(client: &Client, password: &str) -> Result<(), EngineError> {
    let sql = "SELECT 1 FROM pg_roles WHERE rolname = $1";
    let found = client.query_opt(sql, &[&STANDBY_ROLE]).await;
    let verb = match found.map_err(|e| failed(sql, &e))? {
        Some(_) => "ALTER",
        None => "CREATE",
    };
    let made = client.batch_execute(&role_statement(verb, password)).await;
    // The error must not name the password.
    made.map_err(|e| failed(&format!("{verb} ROLE {STANDBY_ROLE}"), &e))
}

async fn make_slot(client: &Client, name: &str) -> Result<(), EngineError> {
    let sql = "SELECT 1 FROM pg_replication_slots WHERE slot_name = $1";
    let found = client.query_opt(sql, &[&name]).await;
    match found.map_err(|e| failed(sql, &e))? {
        Some(_) => Ok(()),
        None => execute(client, &slot_statement(name)).await,
    }
}

/// Waits until a query counts all standbys.
async fn wait_until_all(client: &Client, servers: &Servers, sql: &str) -> Result<(), EngineError> {
    let all = servers.standbys().len();
    let deadline = Instant::now() + STREAM_LIMIT;
    loop {
        let row = client.query_one(sql, &[]).await;
        let count: i64 = row.map_err(|e| failed(sql, &e))?.get(0);
        if usize::try_from(count).is_ok_and(|count| count >= all) {
            return Ok(());
        }
        if !servers.is_running() {
            let why = servers.why_stopped();
            return Err(EngineError(format!(
                "PostgreSQL ended while its standbys were starting: {why}"
            )));
        }
        if Instant::now() >= deadline {
            return Err(EngineError(format!(
                "{count} of {all} standbys stream from their primary after {} s: look for errors in their logs, \
                 postgresql.log in {}",
                STREAM_LIMIT.as_secs(),
                folders(servers)
            )));
        }
        tokio::time::sleep(POLL).await;
    }
}

fn folders(servers: &Servers) -> String {
    let folders = servers.standbys().iter();
    let folders: Vec<String> = folders.map(|s| s.dir().display().to_string()).collect();
    folders.join(" and ")
}

/// Waits until each standby has replayed all that the primary has written to its log, and lets it write its buffers
/// out, so that its bytes are those of the primary and nothing of it is left to do.
pub async fn bring_to_rest(
    client: &Client,
    standbys: &[PostgresServer],
) -> Result<(), DesignError> {
    let sql = "SELECT pg_current_wal_flush_lsn()::text";
    let row = client.query_one(sql, &[]).await;
    let written: String = row.map_err(|e| failed(sql, &e))?.get(0);
    try_join_all(standbys.iter().map(|standby| rest(standby, &written))).await?;
    Ok(())
}

async fn rest(standby: &PostgresServer, written: &str) -> Result<(), EngineError> {
    let client = standby.connect("").await?;
    let sql = "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn";
    loop {
        let row = client.query_one(sql, &[&written]).await;
        let has_replayed: Option<bool> = row.map_err(|e| failed(sql, &e))?.get(0);
        if has_replayed == Some(true) {
            break;
        }
        tokio::time::sleep(POLL).await;
    }
    execute(&client, "CHECKPOINT").await
}

#[cfg(test)]
mod tests {
    use super::super::replication::WaitFor;
    use super::*;

    #[test]
    fn a_dry_run_shows_what_lets_standbys_stream() {
        let standbys = Standbys {
            count: 2,
            wait_for: WaitFor::All,
        };
        let shown = statements(standbys, "...").join("\n");
        for words in [
            "CREATE ROLE bakeoff_standby LOGIN REPLICATION PASSWORD '...'",
            "pg_create_physical_replication_slot('standby2', true)",
            "synchronous_standby_names = '2 (standby1, standby2)'",
        ] {
            assert!(shown.contains(words), "{shown}");
        }
        assert!(statements(Standbys::default(), "...").is_empty());
    }
}
