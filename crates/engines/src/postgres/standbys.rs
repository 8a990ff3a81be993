//! Standbys of a server that is started: the role that they log in as, how far they have come, and whether commits wait
//! for them.

use std::time::{Duration, Instant};

use bakeoff_driver::DesignError;
use bakeoff_servers::postgres::{STANDBY_ROLE, Server, Servers, random_password};
use futures::future::{join_all, try_join_all};
use tokio_postgres::Client;

use super::connect::PostgresServer;
use super::layout::text;
use super::replication::{Standbys, WaitFor};
use super::schema::{execute, failed};
use crate::EngineError;

/// The time limit for standbys that accept connections to stream what their primary writes.
const STREAM_LIMIT: Duration = Duration::from_secs(300);
/// The longest time in which a standby that is to replay all of its primary's log replays nothing more of it.
const REPLAY_LIMIT: Duration = Duration::from_secs(300);
/// The time limit for the primary to say which standbys stream.
const LOOK_LIMIT: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(50);

/// Counts the standbys of these names that have caught up with their primary.
const STREAMING: &str = "SELECT count(*) FROM pg_stat_replication \
     WHERE application_name = ANY($1) AND state = 'streaming'";
/// Counts the standbys of these names that a commit may wait for.
const SYNCHRONOUS: &str = "SELECT count(*) FROM pg_stat_replication \
     WHERE application_name = ANY($1) AND sync_state IN ('sync', 'quorum')";
/// Names those of these standbys that get their primary's log, be it a while after it was written.
const CONNECTED: &str = "SELECT application_name FROM pg_stat_replication \
     WHERE application_name = ANY($1) AND state IN ('catchup', 'streaming')";
/// What makes commits wait: they do when the checkpointer has read the setting, and it reads its configuration before
/// each checkpoint that is asked for.
const IN_FORCE: &str = "CHECKPOINT";
/// The table that a commit is tried with.
const TRIAL: &str = "public.bakeoff_trial";
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
    if standbys.wait_for != WaitFor::None {
        statements.push(IN_FORCE.to_owned());
    }
    if standbys.wait_for == WaitFor::All {
        statements.push(drop_trial_statement());
        statements.push(trial_statement());
        statements.push(drop_trial_statement());
    }
    statements
}

/// Returns the statement whose commit waits until standbys have replayed it, and not only have it on disk.
fn trial_statement() -> String {
    format!(
        "BEGIN; SET LOCAL synchronous_commit TO remote_apply; CREATE TABLE {TRIAL} AS SELECT 1 AS n; COMMIT"
    )
}

fn drop_trial_statement() -> String {
    format!("DROP TABLE IF EXISTS {TRIAL}")
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
/// Fails if a standby cannot be started, does not catch up with its primary within 300 s, or lacks what was committed
/// when all were to be waited for.
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
    wait_until_all(client, servers, &names, STREAMING).await?;
    if let Some(synchronous) = standbys.synchronous(&names) {
        servers.set_synchronous(&synchronous)?;
        wait_until_all(client, servers, &names, SYNCHRONOUS).await?;
        let making_sure = make_sure(client, servers, standbys.wait_for);
        let is_sure = tokio::time::timeout(STREAM_LIMIT, making_sure).await;
        is_sure.unwrap_or_else(|_| {
            Err(EngineError(format!(
                "a checkpoint and a commit that waits for standbys have not ended after {} s: look for errors in \
                 their logs, postgresql.log in {}",
                STREAM_LIMIT.as_secs(),
                folders(servers)
            )))
        })?;
    }
    Ok(())
}

/// Makes sure that commits wait for standbys from now on.
async fn make_sure(
    client: &Client,
    servers: &Servers,
    wait_for: WaitFor,
) -> Result<(), EngineError> {
    execute(client, IN_FORCE).await?;
    if wait_for == WaitFor::All {
        try_commit(client, servers).await?;
    }
    Ok(())
}

/// Commits something of our own, and looks on each standby whether it is there as soon as that is acknowledged.
async fn try_commit(client: &Client, servers: &Servers) -> Result<(), EngineError> {
    let addresses: Vec<PostgresServer> = servers.standbys().iter().map(address_of).collect();
    // Before the commit, so that no standby gets more time than the commit has waited.
    let standbys = try_join_all(addresses.iter().map(|standby| standby.connect(""))).await?;
    // One is there after a start that was killed.
    execute(client, &drop_trial_statement()).await?;
    execute(client, &trial_statement()).await?;
    let sql = format!("SELECT count(*) FROM {TRIAL}");
    let found = standbys.iter().map(|standby| standby.query_one(&sql, &[]));
    for (number, found) in (1..).zip(join_all(found).await) {
        found.map_err(|e| {
            EngineError(format!(
                "standby {number} of {} lacks what was committed, although commits are to wait for all of them: {}",
                standbys.len(),
                failed(&sql, &e)
            ))
        })?;
    }
    execute(client, &drop_trial_statement()).await
}

/// Returns the address of a server that was started, with the rights of its superuser.
pub fn address_of(server: &Server) -> PostgresServer {
    PostgresServer::local(server.address(), server.user(), server.password())
}

/// Asks the primary which of its standbys stream, and returns what is wrong if one of them does not any more: it may
/// run and yet have lost its primary.
pub async fn lost(client: &Client, standbys: usize) -> Option<String> {
    let names = Servers::standby_names(u8::try_from(standbys).unwrap_or(u8::MAX));
    let names = names.as_slice();
    let asked = tokio::time::timeout(LOOK_LIMIT, client.query(CONNECTED, &[&names])).await;
    match asked {
        Ok(Ok(rows)) => {
            let connected: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            missing(names, &connected)
        }
        Ok(Err(error)) => Some(format!(
            "whether its standbys still stream is not known: {}",
            failed(CONNECTED, &error)
        )),
        Err(_) => Some(format!(
            "whether its standbys still stream is not known: the primary has not said so within {LOOK_LIMIT:?}"
        )),
    }
}

/// Says which of the standbys is not among those that are connected to their primary.
fn missing(names: &[String], connected: &[String]) -> Option<String> {
    let place = names.iter().position(|name| !connected.contains(name))?;
    Some(format!(
        "standby {} of {} no longer streams from the primary: look for errors in postgresql.log in its folder {}",
        place + 1,
        names.len(),
        names[place]
    ))
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

/// Waits until a query counts all standbys of these names.
async fn wait_until_all(
    client: &Client,
    servers: &Servers,
    names: &[String],
    sql: &str,
) -> Result<(), EngineError> {
    let all = names.len();
    let deadline = Instant::now() + STREAM_LIMIT;
    loop {
        let row = client.query_one(sql, &[&names]).await;
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
    let caught_up = catch_up(client, standbys).await?;
    let checkpoints = caught_up
        .iter()
        .map(|standby| execute(standby, "CHECKPOINT"));
    try_join_all(checkpoints).await?;
    Ok(())
}

/// Waits until each standby has replayed all that the primary has written to its log, so that questions find it there.
/// Returns a connection to each of them.
///
/// # Errors
/// Fails if one does not answer, or replays nothing for 300 s.
pub async fn catch_up(
    client: &Client,
    standbys: &[PostgresServer],
) -> Result<Vec<Client>, EngineError> {
    let sql = "SELECT pg_current_wal_flush_lsn()::text";
    let row = client.query_one(sql, &[]).await;
    let written: String = row.map_err(|e| failed(sql, &e))?.get(0);
    let numbered = (1..).zip(standbys);
    try_join_all(numbered.map(|(number, standby)| {
        let place = format!("standby {number} of {}", standbys.len());
        replay(place, standby, &written)
    }))
    .await
}

/// Waits until a standby has replayed the log up to this place, and returns a connection to it.
async fn replay(
    place: String,
    standby: &PostgresServer,
    written: &str,
) -> Result<Client, EngineError> {
    let client = standby.connect("").await?;
    let sql = "SELECT lsn >= $1::text::pg_lsn, lsn::text FROM pg_last_wal_replay_lsn() AS lsn";
    let mut replayed: Option<String> = None;
    let mut deadline = Instant::now() + REPLAY_LIMIT;
    loop {
        let row = client.query_one(sql, &[&written]).await;
        let row = row.map_err(|e| failed(sql, &e))?;
        let has_replayed: Option<bool> = row.get(0);
        if has_replayed == Some(true) {
            return Ok(client);
        }
        let at: Option<String> = row.get(1);
        if at != replayed {
            replayed = at;
            deadline = Instant::now() + REPLAY_LIMIT;
        }
        if Instant::now() >= deadline {
            return Err(EngineError(format!(
                "{place} has replayed nothing for {} s and is at {}, while its primary has written {written}: look \
                 for errors in its log",
                REPLAY_LIMIT.as_secs(),
                replayed.as_deref().unwrap_or("no place of the log")
            )));
        }
        tokio::time::sleep(POLL).await;
    }
}

#[cfg(test)]
mod tests {
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
            "synchronous_standby_names = '2 (standby1, standby2)'\nCHECKPOINT\n",
            "SET LOCAL synchronous_commit TO remote_apply; CREATE TABLE public.bakeoff_trial",
        ] {
            assert!(shown.contains(words), "{shown}");
        }
        let any = Standbys {
            wait_for: WaitFor::Any,
            ..standbys
        };
        assert!(statements(any, "...").join("\n").ends_with("\nCHECKPOINT"));
        let none = Standbys {
            wait_for: WaitFor::None,
            ..standbys
        };
        assert!(!statements(none, "...").join("\n").contains("CHECKPOINT"));
        assert!(statements(Standbys::default(), "...").is_empty());
    }

    #[test]
    fn a_standby_that_does_not_stream_is_named() {
        let names = Servers::standby_names(3);
        assert_eq!(missing(&names, &names), None);
        let others = ["standby3".to_owned(), "standby1".to_owned()];
        let why = missing(&names, &others).unwrap();
        let begin = "standby 2 of 3 no longer streams from the primary";
        assert!(why.starts_with(begin), "{why}");
        let other = ["of somebody else".to_owned()];
        let why = missing(&names[..1], &other).unwrap();
        assert!(why.starts_with("standby 1 of 1 no longer streams"), "{why}");
    }
}
