//! Designs on a PostgreSQL with standbys: what is loaded is on each of them, and a run notices at once that one is
//! gone.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use bakeoff_driver::Design;
use bakeoff_engines::servers::postgres::{ServerOptions, Servers};
use bakeoff_engines::servers::{Home, Listed, list};
use bakeoff_engines::{EngineOptions, PostgresOptions, Standbys, WaitFor};
use bakeoff_testing::skipped;
use tokio_postgres::{Client, Config, NoTls};

use super::{NOTICED_WITHIN, count, many_places, storable};
use crate::support::{Started, Table, events, has_timescale};

const POLL: Duration = Duration::from_millis(20);

fn options(count: u8, wait_for: WaitFor) -> EngineOptions {
    EngineOptions {
        postgres: PostgresOptions {
            standbys: Standbys { count, wait_for },
            ..PostgresOptions::default()
        },
        ..EngineOptions::default()
    }
}

/// The same, with standbys that answer the questions.
fn asking(count: u8, wait_for: WaitFor) -> EngineOptions {
    let mut options = options(count, wait_for);
    options.postgres.asks_standbys = true;
    options
}

/// Starts a server with standbys; `None` where it is not installed, or nothing copies it.
pub(super) async fn started(run_dir: &Path, count: u8, wait_for: WaitFor) -> Option<Started> {
    started_with(run_dir, options(count, wait_for)).await
}

async fn started_with(run_dir: &Path, options: EngineOptions) -> Option<Started> {
    if !has_timescale() {
        return None;
    }
    let home = Home::from_env().unwrap();
    let mut needed = ServerOptions::new(home, run_dir.join("postgres"));
    needed.standbys = options.postgres.standbys.count;
    if let Err(reason) = Servers::check(&needed) {
        skipped(reason);
        return None;
    }
    Some(Started::with("postgres", run_dir.to_owned(), options).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_loaded_is_on_each_of_them_and_counts_as_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let run_dir = folder.path().join("run");
    let Some(postgres) = started_with(&run_dir, asking(2, WaitFor::Any)).await else {
        return;
    };
    let events = storable(events());
    let settings = postgres.running.info().settings;
    for (name, value) in [
        ("standbys", "2; a commit waits for any one of them"),
        ("synchronous_standby_names", "ANY 1 (standby1, standby2)"),
        (
            "questions",
            "asked of the standbys, each of the one with the fewest under way",
        ),
        ("hot_standby_feedback", "on"),
    ] {
        let shown = (name.to_owned(), value.to_owned());
        assert!(settings.contains(&shown), "{settings:?}");
    }
    for id in ["postgres/plain", "postgres/partitioned?width=5h"] {
        let design = postgres.loaded(id, &events).await;
        let how = design.settle().await.unwrap();
        assert!(how.contains("its 2 standbys have replayed it all"), "{how}");
        each_standby_has(&run_dir, &events, 2).await;
        both_answer(design.as_ref(), &run_dir, &events).await;
        let footprint = design.footprint().await.unwrap();
        let note = footprint.note.unwrap();
        assert!(
            note.ends_with("of all 3 servers together, with every copy"),
            "{note}"
        );
        // A standby may have less of a map of free space, which it keeps for itself.
        let (own, files) = (
            footprint.engine_bytes.unwrap(),
            footprint.file_bytes.unwrap(),
        );
        assert!(
            own % 3 == 0 && files <= own && files > own / 2,
            "{own}, {files}"
        );
        assert!(design.server_cpu_seconds().unwrap() > 0.0);
        design.create().await.unwrap();
    }
    postgres.running.finish(false).await.unwrap();
    nothing_is_left(&run_dir);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_on_all_of_them_when_the_primary_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let run_dir = folder.path().join("run");
    let Some(postgres) = started(&run_dir, 2, WaitFor::All).await else {
        return;
    };
    let events = storable(events());
    let design = postgres.loaded("postgres/plain", &events).await;
    kill(&server_in(&run_dir.join("postgres/primary")));
    for name in ["standby1", "standby2"] {
        let standby = connect(&server_in(&run_dir.join("postgres").join(name))).await;
        let replayed =
            "SELECT (pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn())::int::bigint";
        until(&standby, replayed).await;
        let rows = number(&standby, &rows_in(&standby).await).await;
        assert_eq!(rows, events.rows.num_rows() as i64, "{name}");
    }
    let why = design.dead().unwrap();
    assert!(why.starts_with("the primary is gone: "), "{why}");
    drop(design);
    postgres.running.finish(false).await.unwrap();
    nothing_is_left(&run_dir);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_killed_while_rows_are_loaded_ends_the_load() {
    for wait_for in [WaitFor::All, WaitFor::Any, WaitFor::None] {
        let folder = tempfile::tempdir().unwrap();
        let run_dir = folder.path().join("run");
        let Some(postgres) = started(&run_dir, 2, wait_for).await else {
            return;
        };
        let (table, many) = many_places();
        let design = postgres.design("postgres/plain", &table).await;
        design.create().await.unwrap();
        assert_eq!(design.dead(), None);
        let standby = server_in(&run_dir.join("postgres/standby2"));
        let primary = server_in(&run_dir.join("postgres/primary"));
        let (holder, primary) = (connect(&primary).await, connect(&primary).await);
        // The load cannot end, however fast it is.
        lock(&holder, "places").await;
        let killing = async {
            let waiting = "SELECT (count(*) > 0)::int::bigint FROM pg_stat_activity \
                           WHERE query LIKE 'COPY%' AND wait_event_type = 'Lock'";
            until(&primary, waiting).await;
            kill(&standby);
        };
        let loading = tokio::time::timeout(NOTICED_WITHIN, design.load(0, &many));
        let (loaded, ()) = tokio::join!(loading, killing);
        let error = loaded.expect("a load waits for a standby that is gone");
        let error = error.unwrap_err().to_string();
        assert!(error.contains("no longer whole"), "{wait_for:?}: {error}");
        let why = design.dead().unwrap();
        assert!(
            why.starts_with("standby 2 of 2 is gone: ") && why.contains("SIGKILL"),
            "{why}"
        );
        // Nor does what comes after wait for it.
        let created = tokio::time::timeout(NOTICED_WITHIN, design.create()).await;
        created
            .expect("creating waits for a standby that is gone")
            .unwrap_err();
        drop(design);
        postgres.running.finish(false).await.unwrap();
        nothing_is_left(&run_dir);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_runs_and_does_not_stream_is_noticed_after_a_slice() {
    let folder = tempfile::tempdir().unwrap();
    let run_dir = folder.path().join("run");
    let Some(postgres) = started(&run_dir, 2, WaitFor::Any).await else {
        return;
    };
    let events = storable(events());
    let design = postgres.loaded("postgres/plain", &events).await;
    design.look().await;
    assert_eq!(design.dead(), None);
    let primary = connect(&server_in(&run_dir.join("postgres/primary"))).await;
    // It cannot log in again, which is committed before it has to.
    let locked_out = "ALTER ROLE bakeoff_standby NOLOGIN";
    primary.batch_execute(locked_out).await.unwrap();
    let sent_away = "SELECT pg_terminate_backend(pid) FROM pg_stat_replication
        WHERE application_name = 'standby2'";
    primary.batch_execute(sent_away).await.unwrap();
    let is_gone = "SELECT (count(*) = 0)::int::bigint FROM pg_stat_replication
        WHERE application_name = 'standby2'";
    until(&primary, is_gone).await;
    design.load(2, &events.rows).await.unwrap();
    assert_eq!(design.dead(), None, "only the primary tells");
    design.look().await;
    let why = design.dead().unwrap();
    assert!(why.starts_with("standby 2 of 2 no longer streams"), "{why}");
    drop(design);
    postgres.running.finish(false).await.unwrap();
    nothing_is_left(&run_dir);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_resumed_has_the_same_ones_again() {
    let folder = tempfile::tempdir().unwrap();
    let run_dir = folder.path().join("run");
    let Some(postgres) = started_with(&run_dir, asking(1, WaitFor::All)).await else {
        return;
    };
    let events = storable(events());
    let design = postgres.loaded("postgres/plain", &events).await;
    drop(design);
    postgres.running.finish(true).await.unwrap();
    assert_eq!(servers_in(&run_dir).len(), 0);

    let postgres = started_with(&run_dir, asking(1, WaitFor::All))
        .await
        .unwrap();
    assert_eq!(servers_in(&run_dir).len(), 2);
    let design = postgres.design("postgres/plain", &events).await;
    assert!(design.survives().await);
    // The standby answers, which has replayed all by then.
    let rows = events.rows.num_rows() as i64;
    assert_eq!(count(design.as_ref(), "events").await, rows);
    design.settle().await.unwrap();
    each_standby_has(&run_dir, &events, 1).await;
    drop(design);
    postgres.running.finish(false).await.unwrap();
    nothing_is_left(&run_dir);
}

/// Two questions at the same time are asked of both standbys, and find all rows there.
async fn both_answer(design: &dyn Design, run_dir: &Path, table: &Table) {
    assert_eq!(design.nodes(), 2);
    let port = "SELECT CAST(inet_server_port() AS BIGINT) AS n FROM events LIMIT 1";
    let ask = || super::number(design, port);
    let (first, second) = tokio::join!(ask(), ask());
    let ports = ["standby1", "standby2"].map(|name| {
        let standby = server_in(&run_dir.join("postgres").join(name));
        i64::from(standby.address.port())
    });
    assert_eq!([first, second], ports);
    let rows = table.rows.num_rows() as i64;
    let (first, second) = tokio::join!(count(design, "events"), count(design, "events"));
    assert_eq!([first, second], [rows, rows]);
    // One client alone asks the first of them.
    assert_eq!(ask().await, ports[0]);
    design.after_answer().await;
}

/// When a table has settled, each standby has replayed it.
async fn each_standby_has(run_dir: &Path, table: &Table, standbys: usize) {
    let servers = servers_in(run_dir);
    assert_eq!(servers.len(), standbys + 1);
    for number_of_standby in 1..=standbys {
        let dir = run_dir.join(format!("postgres/standby{number_of_standby}"));
        let standby = connect(&server_in(&dir)).await;
        let rows = number(&standby, &rows_in(&standby).await).await;
        assert_eq!(rows, table.rows.num_rows() as i64);
    }
}

/// The statement that counts the rows of the one table `events` that has some, whatever its schema is called.
async fn rows_in(client: &Client) -> String {
    let sql = "SELECT string_agg(format('SELECT count(*) AS n FROM %I.events', schemaname), ' UNION ALL ') \
               FROM pg_tables WHERE tablename = 'events'";
    let tables: String = client.query_one(sql, &[]).await.unwrap().get(0);
    format!("SELECT sum(n)::bigint FROM ({tables}) AS tables")
}

fn servers_in(run_dir: &Path) -> Vec<Listed> {
    let mut servers = list(&Home::from_env().unwrap()).unwrap();
    servers.retain(|server| server.dir.starts_with(run_dir));
    servers
}

#[track_caller]
pub(super) fn server_in(dir: &Path) -> Listed {
    let servers = list(&Home::from_env().unwrap()).unwrap();
    let mut servers = servers.into_iter();
    servers.find(|server| server.dir == dir).unwrap()
}

fn kill(server: &Listed) {
    let mut kill = Command::new("kill");
    let killed = kill.args(["-9", &server.pid.to_string()]).status();
    assert!(killed.unwrap().success());
}

#[track_caller]
pub(super) fn nothing_is_left(run_dir: &Path) {
    assert_eq!(servers_in(run_dir), []);
    let dir: PathBuf = run_dir.join("postgres");
    assert!(!dir.exists());
}

/// A connection of the superuser, whose password is next to the data.
pub(super) async fn connect(server: &Listed) -> Client {
    connect_to(server, "postgres").await
}

pub(super) async fn connect_to(server: &Listed, database: &str) -> Client {
    let password = std::fs::read_to_string(server.dir.join("password")).unwrap();
    let (client, connection) = Config::new()
        .host(server.address.ip().to_string())
        .port(server.address.port())
        .user("bakeoff")
        .password(password.trim())
        .dbname(database)
        .connect(NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}

/// Begins a transaction in which nobody else can write to the one table of that name.
async fn lock(client: &Client, table: &str) {
    let sql = "SELECT format('BEGIN; LOCK TABLE %I.%I IN SHARE MODE', schemaname, tablename) \
               FROM pg_tables WHERE tablename = $1";
    let row = client.query_one(sql, &[&table]).await.unwrap();
    client.batch_execute(row.get(0)).await.unwrap();
}

/// Waits until a query returns 1.
pub(super) async fn until(client: &Client, sql: &str) {
    let began = Instant::now();
    while number(client, sql).await != 1 {
        assert!(began.elapsed() < NOTICED_WITHIN, "{sql}");
        tokio::time::sleep(POLL).await;
    }
}

pub(super) async fn number(client: &Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.unwrap().get(0)
}
