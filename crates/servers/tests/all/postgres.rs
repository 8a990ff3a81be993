//! A real PostgreSQL, started, queried, killed, restarted on its data, orphaned and stopped.
//!
//! A test prints why it is skipped and passes if PostgreSQL or TimescaleDB is missing, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bakeoff_servers::postgres::{Server, ServerOptions, find_postgres, find_timescale};
use bakeoff_servers::{Engine, Error, Home, Result, list, stop_orphans};
use bakeoff_testing::skipped;
use tempfile::TempDir;
use tokio_postgres::{Client, Config, NoTls};

use crate::support::ALONE;

/// The variable with the folder in which the process that is to be killed starts its server.
const OWNER: &str = "BAKEOFF_TEST_OWNER_OF_POSTGRES";
/// A time that is much shorter than the patience with a server, but enough for a busy machine.
const SOON: Duration = Duration::from_secs(120);

#[tokio::test]
async fn a_server_from_start_to_end() {
    if is_missing(find_postgres(None)) {
        return;
    }
    let _alone = ALONE.lock().await;
    let (_folder, options) = reachable();
    let server = Server::start(options.clone()).await.unwrap();
    eprintln!("started in {:.1} s", server.start_seconds());
    runs_unprivileged_and_tells_its_settings(&server);
    let client = connect(&server).await.unwrap();
    let rows = "CREATE TABLE t AS SELECT sum(i) s FROM generate_series(1, 1000000) i";
    client.batch_execute(rows).await.unwrap();
    assert!(server.cpu_seconds().unwrap() > 0.0);
    assert!(server.resident_bytes().unwrap() > 1 << 20);
    what_is_written_to_the_disk_is_counted(&server).await;
    an_end_shows_and_loses_no_cpu_time(&server).await;
    let error = Server::start(options.clone()).await.unwrap_err();
    let in_use = "in use by the server 'postgresql-1'";
    assert!(error.to_string().contains(in_use), "{error}");

    let began = Instant::now();
    server.stop().await.unwrap();
    assert!(began.elapsed() < SOON, "a client was connected");
    assert_eq!(list(&options.home).unwrap(), []);
    // What a start that was killed did not complete goes, also where there are data.
    let incomplete = options.dir.join("data.new.0123abcd");
    fs::create_dir_all(incomplete.join("base")).unwrap();
    let server = Server::start(options.clone()).await.unwrap();
    assert!(!incomplete.exists());
    let client = connect(&server).await.unwrap();
    assert_eq!(ask(&client, "SELECT s::text FROM t").await, "500000500000");
    drop(server);
    assert_eq!(
        list(&options.home).unwrap(),
        [],
        "a dropped server is forgotten"
    );
    Server::remove_files(&options.dir).unwrap();
    assert!(!options.dir.exists());
}

/// A table of some megabytes is written by the process of a session, or the one of checkpoints.
async fn what_is_written_to_the_disk_is_counted(server: &Server) {
    let before = server.usage();
    assert!(before.cpu_seconds > Some(0.0), "{before:?}");
    assert!(before.resident_bytes > Some(1 << 20), "{before:?}");
    let client = connect(server).await.unwrap();
    let table = "CREATE TABLE filled AS \
                 SELECT i, repeat('x', 500) AS x FROM generate_series(1, 20000) AS i";
    client.batch_execute(table).await.unwrap();
    client.batch_execute("CHECKPOINT").await.unwrap();
    let after = server.usage();
    assert!(after.disk_read_bytes >= before.disk_read_bytes);
    let Some((then, now)) = before.disk_written_bytes.zip(after.disk_written_bytes) else {
        skipped("bytes of the disk of another user's processes, which may not be read here");
        return;
    };
    // Of files that are kept in memory nothing is written to a disk.
    if !is_in_memory(&server.data_dir()) {
        assert!(now > then + (8 << 20), "{then} {now}");
    }
}

/// Whether the system keeps the files of a folder in memory.
fn is_in_memory(folder: &Path) -> bool {
    let mut stat = Command::new("stat");
    let shown = stat.args(["-f", "-c", "%T"]).arg(folder).output().unwrap();
    String::from_utf8_lossy(&shown.stdout).trim() == "tmpfs"
}

/// What a process has used is counted on when it has ended, but for the last ticks of 10 ms.
async fn an_end_shows_and_loses_no_cpu_time(server: &Server) {
    let before = server.ended_processes();
    let client = connect(server).await.unwrap();
    let sum = "SELECT sum(i) FROM generate_series(1, 1000000) i";
    client.batch_execute(sum).await.unwrap();
    let used = server.cpu_seconds().unwrap();
    drop(client);
    let began = Instant::now();
    while server.ended_processes() == before {
        assert!(began.elapsed() < SOON, "no process has ended");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(server.cpu_seconds().unwrap() > used - 0.05);
}

fn runs_unprivileged_and_tells_its_settings(server: &Server) {
    let user = fs::metadata(format!("/proc/{}", server.pid()))
        .unwrap()
        .uid();
    let expected = fs::metadata(server.data_dir()).unwrap().uid();
    assert!(user != 0 && user == expected, "{user}, {expected}");
    assert!(server.data_dir().starts_with(server.dir()));
    let settings = server.settings();
    assert!(settings.contains(&("postgresql".into(), server.version().into())));
    assert!(settings.contains(&("timezone".into(), "UTC".into())));
    let shown = format!("{server:?} {settings:?}");
    assert!(!shown.contains(server.password()), "the password is shown");
}

#[tokio::test]
async fn a_wrong_password_does_not_open_it_and_a_crash_ends_all_its_processes() {
    if is_missing(find_postgres(None)) {
        return;
    }
    let _alone = ALONE.lock().await;
    let (_folder, options) = reachable();
    let server = Server::start(options).await.unwrap();
    assert!(connect_with(&server, "wrong").await.is_err());
    let client = connect(&server).await.unwrap();
    let backend = ask(&client, "SELECT pg_backend_pid()::text").await;
    let busy = tokio::spawn(async move {
        let endless = "SELECT count(*) FROM generate_series(1, 1000000000000)";
        client.batch_execute(endless).await
    });
    server.kill().await.unwrap();
    assert!(!is_left(&backend));
    assert!(busy.await.unwrap().is_err());
    assert!(!server.is_running());
    let reason = server.why_stopped();
    assert!(reason.contains("SIGKILL"), "{reason}");
    assert!(matches!(server.cpu_seconds(), Err(Error::Gone { .. })));
}

#[tokio::test]
async fn a_folder_that_the_account_cannot_reach_has_a_substitute() {
    if is_missing(find_postgres(None)) {
        return;
    }
    let _alone = ALONE.lock().await;
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
    let options = options(&folder);
    let server = Server::start(options.clone()).await.unwrap();
    let data = server.data_dir();
    let dir = server.dir().to_owned();
    let is_root = fs::metadata(folder.path()).unwrap().uid() == 0;
    assert_eq!(data.starts_with(&dir), !is_root);
    let settings = format!("{:?}", server.settings());
    assert_eq!(
        settings.contains(data.parent().unwrap().to_str().unwrap()),
        is_root
    );
    connect(&server).await.unwrap();
    server.stop().await.unwrap();
    assert!(data.exists());
    Server::remove_files(&dir).unwrap();
    assert!(!data.exists() && !dir.exists());
}

#[tokio::test]
async fn what_is_wrong_is_said_in_the_servers_words() {
    if is_missing(find_postgres(None)) {
        return;
    }
    let _alone = ALONE.lock().await;
    let (folder, options) = reachable();
    let broken = ServerOptions {
        settings: vec![("no_such_setting".into(), "1".into())],
        ..options.clone()
    };
    let error = Server::start(broken).await.unwrap_err();
    assert!(matches!(error, Error::Died { .. }), "{error}");
    assert!(error.to_string().contains("\"no_such_setting\""), "{error}");
    assert_eq!(list(&options.home).unwrap(), []);

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let taken = ServerOptions {
        port: Some(port),
        ..options.clone()
    };
    let error = Server::start(taken).await.unwrap_err().to_string();
    assert!(
        error.contains(&format!("port {port} of 127.0.0.1")),
        "{error}"
    );

    let nowhere = ServerOptions {
        bin_dir: Some(folder.path().to_owned()),
        ..options.clone()
    };
    let error = Server::start(nowhere).await.unwrap_err();
    assert!(matches!(error, Error::NoPostgres { .. }), "{error}");

    fs::write(options.dir.join("data/PG_VERSION"), "9.6\n").unwrap();
    let error = Server::start(options).await.unwrap_err().to_string();
    assert!(error.contains("holds data of PostgreSQL 9.6"), "{error}");
}

#[tokio::test]
async fn a_server_whose_owner_was_killed_is_found_and_stopped() {
    if is_missing(find_postgres(None)) {
        return;
    }
    let _alone = ALONE.lock().await;
    let (folder, options) = reachable();
    let mut owner = owner_in(&folder);
    let printed = BufReader::new(owner.stdout.take().unwrap()).lines();
    let backend = printed
        .map(|line| line.unwrap())
        .find_map(|line| Some(line.strip_prefix("backend ")?.to_owned()))
        .unwrap();
    owner.kill().unwrap();
    owner.wait().unwrap();
    let listed = list(&options.home).unwrap();
    assert!(listed[0].alive && listed[0].owner_alive == Some(false));
    assert_eq!(listed[0].engine, Engine::Postgres);
    assert!(
        fs::read_to_string(&listed[0].log)
            .unwrap()
            .contains("ready to accept")
    );
    let done = stop_orphans(&options.home).await.unwrap();
    assert!(
        done[0].starts_with("stopped PostgreSQL 'postgres'"),
        "{done:?}"
    );
    assert_eq!(list(&options.home).unwrap(), []);
    for pid in [&listed[0].pid.to_string(), &backend] {
        assert!(!is_left(pid), "{pid} is left");
    }
}

#[tokio::test]
async fn a_start_that_was_killed_does_not_disturb_the_next_one() {
    if is_missing(find_postgres(None)) {
        return;
    }
    let _alone = ALONE.lock().await;
    for file in ["PG_VERSION", "postgresql.conf", "global/pg_control"] {
        let (folder, options) = reachable();
        let mut owner = owner_in(&folder);
        // The programs of that start go on, and remove what they wrote when they fail.
        wait_until_new_data_have(&options.dir, file);
        owner.kill().unwrap();
        owner.wait().unwrap();
        let server = Server::start(options).await.unwrap();
        let client = connect(&server).await.unwrap();
        assert_eq!(ask(&client, "SELECT '1'").await, "1");
        server.stop().await.unwrap();
    }
}

fn wait_until_new_data_have(dir: &Path, file: &str) {
    let deadline = Instant::now() + SOON;
    let is_new = |name: &Path| name.to_string_lossy().contains("data.new");
    while Instant::now() < deadline {
        let mut entries = fs::read_dir(dir).into_iter().flatten().flatten();
        if entries.any(|entry| is_new(&entry.path()) && entry.path().join(file).exists()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("no new data with {file}");
}

/// Starts the process of the function below, which starts a server in that folder.
fn owner_in(folder: &TempDir) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "postgres::owns_a_server_until_it_is_killed",
            "--exact",
            "--nocapture",
        ])
        .env(OWNER, folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs as the process that two tests above start and kill; it is not a test by itself.
#[tokio::test]
async fn owns_a_server_until_it_is_killed() {
    let Some(folder) = std::env::var_os(OWNER) else {
        return;
    };
    let server = Server::start(options_in(Path::new(&folder))).await.unwrap();
    let client = connect(&server).await.unwrap();
    println!(
        "backend {}",
        ask(&client, "SELECT pg_backend_pid()::text").await
    );
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn timescaledb_is_there_where_it_is_asked_for() {
    if is_missing(find_timescale(None)) {
        return;
    }
    let _alone = ALONE.lock().await;
    let (_folder, mut options) = reachable();
    options.timescale = true;
    let server = Server::start(options).await.unwrap();
    let client = connect(&server).await.unwrap();
    client
        .batch_execute("CREATE EXTENSION timescaledb")
        .await
        .unwrap();
    let version = "SELECT extversion FROM pg_extension WHERE extname = 'timescaledb'";
    assert_eq!(
        Some(&*ask(&client, version).await),
        server.timescale_version()
    );
    let telemetry = ask(&client, "SHOW timescaledb.telemetry_level").await;
    assert_eq!(telemetry, "off");
    server.stop().await.unwrap();
}

/// Makes a folder that every account can reach, with a home and options for a server in it.
fn reachable() -> (TempDir, ServerOptions) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let options = options(&folder);
    (folder, options)
}

fn options(folder: &TempDir) -> ServerOptions {
    options_in(folder.path())
}

fn options_in(folder: &Path) -> ServerOptions {
    ServerOptions::new(
        Home::new(folder.join("home")).unwrap(),
        folder.join("server 1"),
    )
}

fn is_missing<T>(found: Result<T>) -> bool {
    let Err(reason) = found else { return false };
    skipped(reason);
    true
}

async fn connect(server: &Server) -> std::result::Result<Client, tokio_postgres::Error> {
    connect_with(server, server.password()).await
}

async fn connect_with(
    server: &Server,
    password: &str,
) -> std::result::Result<Client, tokio_postgres::Error> {
    let (client, connection) = Config::new()
        .host(server.address().ip().to_string())
        .port(server.address().port())
        .user(server.user())
        .password(password)
        .dbname("postgres")
        .connect(NoTls)
        .await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Returns whether that process runs; one that has ended may not have been waited for.
fn is_left(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

async fn ask(client: &Client, sql: &str) -> String {
    client.query_one(sql, &[]).await.unwrap().get(0)
}
