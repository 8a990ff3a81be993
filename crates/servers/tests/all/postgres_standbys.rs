//! A real PostgreSQL with standbys: they copy it, stream what it writes, are found as orphans, started again on their
//! data, and leave nothing behind.
//!
//! A test prints why it is skipped and passes if PostgreSQL is missing, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bakeoff_servers::postgres::{STANDBY_ROLE, Server, ServerOptions, Servers, find_postgres};
use bakeoff_servers::{Home, list, stop_orphans};
use bakeoff_testing::skipped;
use tempfile::TempDir;
use tokio_postgres::{Client, Config, NoTls};

use crate::support::ALONE;

/// Password of the role that standbys log in as.
const PASSWORD: &str = "5e0c9a1f5e0c9a1f";
const POLL: Duration = Duration::from_millis(20);
/// What no test waits for.
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::test]
async fn standbys_from_start_to_end() {
    let Some((folder, options)) = options(2) else {
        return;
    };
    let _alone = ALONE.lock().await;
    let mut servers = start(options.clone()).await;
    let primary = connect(servers.primary()).await;
    each_has_its_own_record_and_folder(&servers, &options);
    nobody_is_shown_the_passwords(&servers);
    what_is_written_is_streamed(&servers, &primary).await;
    servers.set_synchronous("2 (standby1, standby2)").unwrap();
    let synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
    until(&primary, synchronous, 2).await;
    let settings = servers.primary().settings();
    let told = ("synchronous_standby_names", "2 (standby1, standby2)");
    assert!(settings.contains(&(told.0.to_owned(), told.1.to_owned())));

    a_killed_one_is_noticed(&servers).await;
    a_commit_waits_for_it(&servers, &primary).await;
    give_to_an_owner_that_ended(&options.home);
    let done = stop_orphans(&options.home).await.unwrap();
    let all = done.concat();
    assert!(done.len() == 2, "{done:?}");
    for name in ["'postgres, primary'", "'postgres, standby 1 of 2'"] {
        assert!(all.contains(name), "{done:?}");
    }
    assert_eq!(list(&options.home).unwrap(), []);
    assert_eq!(processes_of(folder.path()), [""; 0], "one still runs");
}

#[tokio::test]
async fn standbys_go_on_from_their_data() {
    let Some((_folder, options)) = options(1) else {
        return;
    };
    let _alone = ALONE.lock().await;
    let servers = start(options.clone()).await;
    let client = connect(servers.primary()).await;
    let rows = "CREATE TABLE t AS SELECT i FROM generate_series(1, 1000) i";
    client.batch_execute(rows).await.unwrap();
    let data = servers.data_dirs();
    fs::write(data[1].join("kept"), "").unwrap();
    servers.stop().await.unwrap();
    assert_eq!(list(&options.home).unwrap(), []);

    let servers = start(options.clone()).await;
    assert!(data[1].join("kept").exists(), "it was copied anew");
    let standby = connect(&servers.standbys()[0]).await;
    until_it_has(&standby, 1_000).await;
    let client = connect(servers.primary()).await;
    client
        .batch_execute("INSERT INTO t VALUES (0)")
        .await
        .unwrap();
    until_it_has(&standby, 1_001).await;
    let written = standby.batch_execute("DELETE FROM t").await.unwrap_err();
    let written = written.as_db_error().unwrap().message().to_owned();
    assert!(written.contains("read-only transaction"), "{written}");
    servers.stop_and_remove_files().await.unwrap();
    assert!(!options.dir.exists());
    assert_eq!(list(&options.home).unwrap(), []);
}

#[tokio::test]
async fn a_standby_that_may_not_log_in_does_not_start() {
    let Some((folder, options)) = options(1) else {
        return;
    };
    let _alone = ALONE.lock().await;
    let mut servers = Servers::start(options.clone()).await.unwrap();
    let error = servers.start_standbys(PASSWORD).await.unwrap_err();
    let error = error.to_string();
    for words in ["pg_basebackup", "password authentication failed"] {
        assert!(error.contains(words), "{error}");
    }
    assert!(!error.contains(PASSWORD), "{error}");
    servers.stop_and_remove_files().await.unwrap();
    assert!(!options.dir.exists());
    assert_eq!(processes_of(folder.path()), [""; 0]);
}

#[test]
fn what_standbys_need_is_checked_before_anything_is_made() {
    let Some((folder, options)) = options(1) else {
        return;
    };
    Servers::check(&options).unwrap();
    let many = ServerOptions {
        standbys: u8::MAX,
        dir: "/proc/run".into(),
        ..options
    };
    let error = Servers::check(&many).unwrap_err().to_string();
    assert!(
        error.contains("MiB of memory") || error.contains("PostgreSQL as 256 servers"),
        "{error}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

fn each_has_its_own_record_and_folder(servers: &Servers, options: &ServerOptions) {
    assert_eq!(servers.standbys().len(), 2);
    let listed = list(&options.home).unwrap();
    let names: Vec<&str> = listed.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names.len(), 3);
    for name in [
        "postgres, primary",
        "postgres, standby 1 of 2",
        "postgres, standby 2 of 2",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    let mut addresses: Vec<_> = listed.iter().map(|server| server.address).collect();
    addresses.sort();
    addresses.dedup();
    assert_eq!(addresses.len(), 3);
    assert!(addresses.iter().all(|address| address.ip().is_loopback()));
    let dirs = servers.data_dirs();
    let places = ["primary/data", "standby1/data", "standby2/data"];
    let above = fs::canonicalize(&options.dir).unwrap();
    assert_eq!(dirs, places.map(|place| above.join(place)));
    assert!(dirs[1].join("standby.signal").exists());
    assert!(!dirs[0].join("standby.signal").exists());
}

/// In files that only the account of the servers and root can read they are, and nowhere else.
fn nobody_is_shown_the_passwords(servers: &Servers) {
    let superuser = servers.primary().password();
    for standby in servers.standbys() {
        assert_eq!(standby.password(), superuser);
        for name in ["password", "primary.pgpass", "data/postgresql.conf"] {
            let mode = fs::metadata(standby.dir().join(name))
                .unwrap()
                .permissions();
            assert_eq!(mode.mode() & 0o777, 0o600, "{name}");
        }
        let conf = fs::read_to_string(standby.dir().join("data/postgresql.conf")).unwrap();
        assert!(
            conf.contains("passfile=") && !conf.contains(PASSWORD),
            "{conf}"
        );
    }
    let shown = format!(
        "{servers:?}{}",
        processes_of(servers.primary().dir()).concat()
    );
    let all = processes_of(Path::new("bakeoff-")).concat();
    for secret in [superuser, PASSWORD] {
        assert!(!shown.contains(secret) && !all.contains(secret));
    }
    for server in [servers.primary()].into_iter().chain(servers.standbys()) {
        let environment = fs::read(format!("/proc/{}/environ", server.pid())).unwrap();
        let environment = String::from_utf8_lossy(&environment).into_owned();
        for secret in [superuser, PASSWORD] {
            assert!(!environment.contains(secret), "{environment}");
        }
    }
}

async fn what_is_written_is_streamed(servers: &Servers, primary: &Client) {
    let rows = "CREATE TABLE t AS SELECT i FROM generate_series(1, 100000) i";
    primary.batch_execute(rows).await.unwrap();
    for standby in servers.standbys() {
        let standby = connect(standby).await;
        until_it_has(&standby, 100_000).await;
    }
    let cpu_of_all = servers.cpu_seconds().unwrap();
    assert!(cpu_of_all > servers.primary().cpu_seconds().unwrap() / 2.0);
}

async fn a_killed_one_is_noticed(servers: &Servers) {
    assert!(servers.is_running());
    servers.standbys()[1].kill().await.unwrap();
    assert!(!servers.is_running());
    let why = servers.why_stopped();
    let begin = "standby 2 of 2 is gone: ";
    assert!(why.starts_with(begin) && why.contains("SIGKILL"), "{why}");
}

/// It would wait for ever, so nobody may wait for it without looking at the standbys.
async fn a_commit_waits_for_it(servers: &Servers, primary: &Client) {
    let other = connect(servers.primary()).await;
    let writing =
        tokio::spawn(async move { other.batch_execute("INSERT INTO t VALUES (0)").await });
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    until(primary, waiting, 1).await;
    assert!(!writing.is_finished());
    writing.abort();
}

fn give_to_an_owner_that_ended(home: &Home) {
    for entry in fs::read_dir(home.folder().join("engines"))
        .unwrap()
        .flatten()
    {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let mut record: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        record["owner"] = serde_json::json!({ "pid": std::process::id(), "start_ticks": 1 });
        fs::write(&path, record.to_string()).unwrap();
    }
}

/// The command lines of processes that name a folder.
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.display().to_string();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains("postgres") && line.contains(&folder))
        .collect()
}

/// Starts a primary with its standbys, whose role and slots are made as runs make them.
async fn start(options: ServerOptions) -> Servers {
    let mut servers = Servers::start(options.clone()).await.unwrap();
    let client = connect(servers.primary()).await;
    let role = format!("SELECT count(*) FROM pg_roles WHERE rolname = '{STANDBY_ROLE}'");
    if number(&client, &role).await == 0 {
        let make = format!("CREATE ROLE {STANDBY_ROLE} LOGIN REPLICATION PASSWORD '{PASSWORD}'");
        client.batch_execute(&make).await.unwrap();
        for name in Servers::standby_names(options.standbys) {
            let make = format!("SELECT pg_create_physical_replication_slot('{name}', true)");
            client.batch_execute(&make).await.unwrap();
        }
    }
    servers.start_standbys(PASSWORD).await.unwrap();
    eprintln!("started in {:.1} s", servers.start_seconds());
    let streaming = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
    until(&client, streaming, i64::from(options.standbys)).await;
    servers
}

/// Options for a server in a folder that every account can reach; `None` where PostgreSQL or what copies it is not
/// installed.
fn options(standbys: u8) -> Option<(TempDir, ServerOptions)> {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let home = Home::new(folder.path().join("home")).unwrap();
    let dir: PathBuf = folder.path().join("it's a run");
    let options = ServerOptions {
        standbys,
        ..ServerOptions::new(home, dir)
    };
    let found = find_postgres(None).and_then(|_| Servers::check(&options));
    match found {
        Ok(()) => Some((folder, options)),
        Err(reason) => {
            skipped(reason);
            None
        }
    }
}

async fn connect(server: &Server) -> Client {
    let (client, connection) = Config::new()
        .host(server.address().ip().to_string())
        .port(server.address().port())
        .user(server.user())
        .password(server.password())
        .dbname("postgres")
        .connect(NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}

async fn number(client: &Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.unwrap().get(0)
}

/// Waits until a query counts so many.
async fn until(client: &Client, sql: &str, count: i64) {
    let began = Instant::now();
    loop {
        let counted = number(client, sql).await;
        if counted == count {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{sql}: {counted} for {count}");
        tokio::time::sleep(POLL).await;
    }
}

/// Waits until a standby has so many rows. Their table is there when its transaction has been replayed.
async fn until_it_has(standby: &Client, rows: i64) {
    let tables = "SELECT count(*) FROM pg_tables WHERE tablename = 't'";
    until(standby, tables, 1).await;
    until(standby, "SELECT count(*) FROM t", rows).await;
}
