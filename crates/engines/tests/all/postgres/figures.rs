//! Figures of a primary and its standby that users see, beside those that their owner sees.

use bakeoff_engines::nodes::TableName;
use bakeoff_engines::postgres_figures::{READ_ONLY, ServerFigures, read};
use bakeoff_engines::servers::Listed;
use bakeoff_engines::{PostgresServer, WaitFor};
use tokio_postgres::Client;

use super::standbys::{connect, connect_to, nothing_is_left, number, server_in, started, until};

const PASSWORD: &str = "of a test";
const ROWS: i64 = 20_000;
const DELETED: i64 = 5_000;
/// The share by which a figure may differ from what the owner reads a moment later.
const TOLERANCE: f64 = 0.05;

/// One start for all of it, which is most of the time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_of_a_primary_and_its_standby_are_those_of_their_owner() {
    let folder = tempfile::tempdir().unwrap();
    let run_dir = folder.path().join("run");
    let Some(postgres) = started(&run_dir, 1, WaitFor::All).await else {
        return;
    };
    let servers =
        ["primary", "standby1"].map(|name| server_in(&run_dir.join("postgres").join(name)));
    // The database of the run lets nobody else connect.
    let of_run = connect(&servers[0]).await;
    let create = "CREATE DATABASE shop TEMPLATE template0";
    of_run.batch_execute(create).await.unwrap();
    let owner = connect_to(&servers[0], "shop").await;
    make(&owner).await;
    let of_standby = connect(&servers[1]).await;
    let last = "SELECT count(*) FROM pg_roles WHERE rolname = 'stranger'";
    until(&of_standby, last).await;

    who_may_see_all_sees_what_the_owner_does(&owner, &servers).await;
    named_tables_are_the_only_ones(&servers).await;
    what_a_stranger_may_not_see_is_named(&servers).await;
    a_host_that_does_not_answer_is_one_of_several(&servers).await;
    nothing_can_be_written(&servers).await;
    drop((of_run, owner, of_standby));
    postgres.running.finish(false).await.unwrap();
    nothing_is_left(&run_dir);
}

/// Makes a table with dead rows, a user who may see all statistics, and one who may not.
async fn make(owner: &Client) {
    for statement in [
        format!(
            "CREATE TABLE public.figures WITH (autovacuum_enabled = off) AS \
             SELECT n, repeat('x', 200) AS filler FROM generate_series(1, {ROWS}) AS n"
        ),
        "ALTER TABLE public.figures ADD PRIMARY KEY (n)".to_owned(),
        format!("DELETE FROM public.figures WHERE n <= {DELETED}"),
        "CHECKPOINT".to_owned(),
        "CREATE DATABASE closed TEMPLATE template0".to_owned(),
        "REVOKE CONNECT ON DATABASE closed FROM PUBLIC".to_owned(),
        format!("CREATE ROLE watcher LOGIN PASSWORD '{PASSWORD}'"),
        "GRANT pg_monitor TO watcher".to_owned(),
        format!("CREATE ROLE stranger LOGIN PASSWORD '{PASSWORD}'"),
    ] {
        owner.batch_execute(&statement).await.unwrap();
    }
    let counted = format!(
        "SELECT count(*) FROM pg_stat_user_tables WHERE relname = 'figures' AND n_dead_tup = {DELETED}"
    );
    until(owner, &counted).await;
}

fn server(user: &str, hosts: &[String]) -> PostgresServer {
    let url = format!("postgresql://{user}@{}/shop", hosts.join(","));
    PostgresServer::new(&url, Some(PASSWORD), None).unwrap()
}

fn hosts(servers: &[Listed; 2]) -> Vec<String> {
    servers
        .iter()
        .map(|server| server.address.to_string())
        .collect()
}

async fn figures(user: &str, servers: &[Listed; 2], tables: &[&str]) -> [ServerFigures; 2] {
    let tables: Vec<TableName> = tables.iter().map(|name| name.parse().unwrap()).collect();
    let read = read(&server(user, &hosts(servers)), &tables).await.unwrap();
    read.try_into().unwrap()
}

#[track_caller]
fn near(shown: Option<u64>, owners: i64) {
    within(TOLERANCE, shown, owners);
}

#[track_caller]
fn within(tolerance: f64, shown: Option<u64>, owners: i64) {
    let shown = shown.unwrap() as f64;
    let owners = owners as f64;
    let difference = (shown - owners).abs();
    assert!(
        difference <= tolerance * owners,
        "{shown} instead of {owners}"
    );
}

async fn who_may_see_all_sees_what_the_owner_does(owner: &Client, servers: &[Listed; 2]) {
    const WRITTEN: &str = "SELECT wal_bytes::bigint FROM pg_stat_wal";
    let before = number(owner, WRITTEN).await;
    let [primary, standby] = figures("watcher", servers, &[]).await;
    let written = before..=number(owner, WRITTEN).await;
    let version = "SELECT current_setting('server_version')";
    let version: String = owner.query_one(version, &[]).await.unwrap().get(0);
    let own = async |sql: &str| number(owner, sql).await;
    // A standby lacks maps of free space, which are several pages for each table of a small database.
    for (server, tolerance) in [(&primary, TOLERANCE), (&standby, 0.15)] {
        assert!(
            version.starts_with(server.version.as_deref().unwrap()),
            "{version}"
        );
        let databases = server.databases.as_ref().unwrap();
        for name in ["shop", "closed"] {
            let shown = databases.iter().find(|database| database.name == name);
            let size = format!("SELECT pg_database_size('{name}')");
            within(tolerance, shown.unwrap().bytes, own(&size).await);
        }
        let tables = server.tables.as_ref().unwrap();
        let table = tables.iter().find(|table| table.name == "figures").unwrap();
        let size = "SELECT pg_total_relation_size('public.figures')";
        within(tolerance, table.bytes, own(size).await);
        near(
            table.index_bytes,
            own("SELECT pg_indexes_size('public.figures')").await,
        );
        let index = &server.indexes.as_ref().unwrap()[0];
        assert_eq!(index.name, "figures_pkey");
        assert!(server.up_seconds.unwrap() > 0.0);
        let limit = own("SELECT current_setting('max_connections')::bigint").await;
        assert_eq!(server.sessions.unwrap().limit, u64::try_from(limit).ok());
        assert!(server.long_transactions.is_some());
        assert!(server.wal.unwrap().folder_bytes.unwrap() >= 16 << 20);
        // Both depend on the version and on a setting, and are named.
        let other = { server.missing.iter() }.find(|m| !m.figure.contains("reads and writes"));
        assert_eq!(other, None);
    }
    assert_eq!(primary.is_standby, Some(false));
    let tables = primary.tables.as_ref().unwrap();
    let table = tables.iter().find(|table| table.name == "figures").unwrap();
    near(table.dead_tuples, DELETED);
    assert_eq!(table.vacuumed_seconds_ago, None);
    let shown = primary.wal.unwrap().bytes.unwrap();
    assert!(written.contains(&i64::try_from(shown).unwrap()), "{shown}");
    let databases = primary.databases.as_ref().unwrap();
    let database = databases
        .iter()
        .find(|database| database.name == "shop")
        .unwrap();
    assert!(
        database.tuples_written.unwrap() >= (ROWS + DELETED) as u64,
        "{database:?}"
    );
    assert!(database.hit_ratio().unwrap() > 0.0);
    assert!(primary.checkpoints.unwrap().requested.unwrap() >= 1);
    let [replica] = &primary.replicas.as_ref().unwrap()[..] else {
        panic!("{primary:?}");
    };
    assert_eq!(replica.name, "standby1");
    assert_eq!(replica.state.as_deref(), Some("streaming"));
    assert_eq!(replica.sync_state.as_deref(), Some("sync"));
    assert!(replica.lag_bytes.unwrap() < 16 << 20, "{replica:?}");
    let [slot] = &primary.slots.as_ref().unwrap()[..] else {
        panic!("{primary:?}");
    };
    assert_eq!((slot.name.as_str(), slot.active), ("standby1", Some(true)));
    assert_eq!(primary.following, None);

    assert_eq!(standby.is_standby, Some(true));
    let following = standby.following.as_ref().unwrap();
    assert_eq!(following.status.as_deref(), Some("streaming"));
    let port = format!(":{}", servers[0].address.port());
    assert!(
        following.primary.as_ref().unwrap().ends_with(&port),
        "{following:?}"
    );
    assert!(following.behind_bytes.unwrap() < 16 << 20, "{following:?}");
}

async fn named_tables_are_the_only_ones(servers: &[Listed; 2]) {
    let named = ["public.figures", "public.absent"];
    let [primary, _] = figures("watcher", servers, &named).await;
    let tables = primary.tables.as_ref().unwrap();
    assert_eq!(tables.len(), 1);
    assert!(
        primary
            .why("public.absent")
            .contains("no table of that schema")
    );
}

async fn what_a_stranger_may_not_see_is_named(servers: &[Listed; 2]) {
    let [primary, standby] = figures("stranger", servers, &[]).await;
    let databases = primary.databases.as_ref().unwrap();
    let closed = databases.iter().find(|database| database.name == "closed");
    assert_eq!(closed.unwrap().bytes, None);
    let sessions = primary.sessions.unwrap();
    assert!(
        sessions.open.is_some() && sessions.active.is_none(),
        "{sessions:?}"
    );
    assert_eq!(primary.long_transactions, None);
    assert_eq!(primary.wal.unwrap().folder_bytes, None);
    assert!(primary.wal.unwrap().bytes.is_some());
    let replica = &primary.replicas.as_ref().unwrap()[0];
    assert_eq!(
        (&replica.state, replica.lag_bytes, replica.lag_seconds),
        (&None, None, None)
    );
    for figure in [
        "bytes of closed, postgres",
        "active sessions",
        "long transactions",
        "bytes of the log's files",
        "state and lag of replicas",
    ] {
        let why = primary.why(figure);
        assert!(why.contains("GRANT pg_monitor"), "{figure}: {why}");
    }
    assert!(primary.tables.unwrap()[0].bytes.is_some());
    assert_eq!(standby.following.as_ref().unwrap().status, None);
    let why = standby.why("status of the standby");
    assert!(why.contains("GRANT pg_monitor"), "{why}");
}

async fn a_host_that_does_not_answer_is_one_of_several(servers: &[Listed; 2]) {
    let silent = "127.0.0.1:1".to_owned();
    let both = [hosts(servers)[0].clone(), silent.clone()];
    let read_both = read(&server("watcher", &both), &[]).await.unwrap();
    assert!(read_both[0].version.is_some());
    assert_eq!(
        (&read_both[1].address, &read_both[1].version),
        (&silent, &None)
    );
    let why = read_both[1].why("all figures");
    assert!(why.contains("cannot connect to PostgreSQL"), "{why}");
    let alone = read(&server("watcher", &[silent]), &[]).await.unwrap_err();
    assert!(alone.to_string().contains("127.0.0.1:1"), "{alone}");
}

/// A statement for figures can do nothing else, whatever its user may do, and leaves nothing in the session.
async fn nothing_can_be_written(servers: &[Listed; 2]) {
    let server = server("watcher", &hosts(servers)[..1]);
    let client = server.connect("").await.unwrap();
    let made = format!("{READ_ONLY}CREATE TEMPORARY TABLE t (n int)");
    let error = client.simple_query(&made).await.unwrap_err();
    let said = error.as_db_error().unwrap().message();
    assert!(said.contains("read-only transaction"), "{said}");
    let slow = format!("{READ_ONLY}SELECT pg_sleep(60)");
    let error = client.simple_query(&slow).await.unwrap_err();
    let said = error.as_db_error().unwrap().message();
    assert!(said.contains("statement timeout"), "{said}");
    let kept = "SELECT count(*) FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout') AND setting = '0'";
    assert_eq!(number(&client, kept).await, 2);
}

/// Hypertables of a server that runs already, which a user without rights asks for.
pub(super) async fn of_hypertables(owner: &Client, user: &PostgresServer, bare: &PostgresServer) {
    for sql in [
        "CREATE TABLE public.hourly (time timestamptz NOT NULL, value int)",
        "SELECT create_hypertable('public.hourly', 'time', chunk_time_interval => INTERVAL '1 day')",
        "INSERT INTO public.hourly SELECT time, 1 FROM generate_series(TIMESTAMPTZ '2026-01-01 00:00:00+00', \
         TIMESTAMPTZ '2026-01-03 23:00:00+00', INTERVAL '1 hour') AS time",
    ] {
        owner.batch_execute(sql).await.unwrap();
    }
    let [shown]: [ServerFigures; 1] = read(user, &[]).await.unwrap().try_into().unwrap();
    assert!(shown.timescale.is_some(), "{shown:?}");
    let hypertables = shown.hypertables.as_ref().unwrap();
    let hourly = hypertables
        .iter()
        .find(|table| table.name == "hourly")
        .unwrap();
    assert_eq!(hourly.schema, "public");
    assert_eq!(
        (hourly.chunks, hourly.compressed_chunks),
        (Some(3), Some(0))
    );
    let size = "SELECT hypertable_size('public.hourly')";
    near(hourly.bytes, number(owner, size).await);

    let [shown]: [ServerFigures; 1] = read(bare, &[]).await.unwrap().try_into().unwrap();
    assert_eq!((&shown.timescale, &shown.hypertables), (&None, &None));
    let drop = "DROP TABLE public.hourly";
    owner.batch_execute(drop).await.unwrap();
}
