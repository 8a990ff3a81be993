//! A real Cassandra under a small load: its usage, a bound on its memory, a pause, a crash and a
//! restart at the same ports.
//!
//! The test prints why it is skipped and passes if no Cassandra can be started, or no control group can
//! be created, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use std::time::{Duration, Instant};

use bakeoff_servers::cassandra::{Server, ServerOptions, Usage};
use bakeoff_servers::{Error, Home};
use bakeoff_testing::skipped;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;

use crate::support::{ALONE, folder_with_jars};

const MIB: u64 = 1 << 20;
const HEAP_MIB: u64 = 512;
const LIMIT: u64 = 1024 * MIB;
/// More than the test waits for.
const DISK_READ: u64 = 500_000_000;
/// Number of rows that together are larger than the page cache within the limit, whatever Cassandra
/// itself takes.
const ROWS: i32 = 6400;
const ROW_BYTES: usize = 100_000;
const DATA_BYTES: u64 = ROWS as u64 * ROW_BYTES as u64;

#[tokio::test]
async fn a_server_that_is_paused_killed_and_restarted() {
    let _alone = ALONE.lock().await;
    let Some(folder) = folder_with_jars().await else {
        return;
    };
    let home = Home::new(folder.path().join("home")).unwrap();
    let mut options = ServerOptions::new(home.clone(), folder.path().join("server")).unwrap();
    options.heap_mib = HEAP_MIB;
    options.functions = true;
    let server = Server::start(options).await.unwrap();
    let session = session(&server).await;
    makes_what_workloads_need(&session).await;
    usage_grows(&server, &home, &session).await;
    a_pause_delays_an_answer(&server, &session).await;

    let (address, before) = (server.address(), server.usage());
    server.kill().await.unwrap();
    assert!(!server.is_running());
    assert_eq!(server.usage(), Usage::default());
    assert!(matches!(server.pause(), Err(Error::Gone { .. })));
    let server = server.restart().await.unwrap();
    assert_eq!(server.address(), address);
    // Counters are those of the process that runs now, which has written little.
    let after = server.usage();
    assert!(
        after.disk_written_bytes.unwrap() < before.disk_written_bytes.unwrap() / 2,
        "{before:?} {after:?}"
    );
    answers_again(&session).await;
    let server = server.restart().await.unwrap();
    assert_eq!(server.address(), address);
    answers_again(&session).await;
    server.stop().await.unwrap();
}

async fn makes_what_workloads_need(session: &Session) {
    for statement in [
        "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "CREATE TYPE k.place (city text, street text)",
        "CREATE TABLE k.t (id int PRIMARY KEY, name text, lives frozen<place>)",
        "CREATE TABLE k.garbage (id int PRIMARY KEY, value blob)",
        "CREATE INDEX ON k.t (name) USING 'sai'",
        "CREATE MATERIALIZED VIEW k.by_name AS SELECT * FROM k.t \
         WHERE name IS NOT NULL AND id IS NOT NULL PRIMARY KEY (name, id)",
        "CREATE FUNCTION k.twice (x int) CALLED ON NULL INPUT RETURNS int LANGUAGE java \
         AS 'return x * 2;'",
        "INSERT INTO k.t (id, name, lives) VALUES (1, 'a', {city: 'b', street: 'c'})",
    ] {
        session.query_unpaged(statement, ()).await.unwrap();
    }
}

async fn usage_grows(server: &Server, home: &Home, session: &Session) {
    let before = server.usage();
    assert!(
        before.resident_bytes.unwrap() > HEAP_MIB / 4 * MIB,
        "{before:?}"
    );
    assert_eq!(before.limited_bytes, None);
    let began = Instant::now();
    let insert = "INSERT INTO k.garbage (id, value) VALUES (?, ?)";
    let value = vec![1u8; MIB as usize];
    loop {
        for id in 0..20 {
            session.query_unpaged(insert, (id, &value)).await.unwrap();
        }
        // A collection frees what was allocated since the one before.
        let now = server.usage();
        if now.gc_count > before.gc_count && now.allocated_bytes > before.allocated_bytes {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(120), "no collection");
    }
    server.nodetool(&["flush"]).await.unwrap();
    let after = server.usage();
    assert!(after.cpu_seconds > before.cpu_seconds, "{after:?}");
    assert!(after.gc_seconds > before.gc_seconds, "{after:?}");
    assert!(
        after.disk_written_bytes > before.disk_written_bytes,
        "{after:?}"
    );
    server.nodetool(&["compact", "k", "garbage"]).await.unwrap();
    let compacted = server.usage();
    assert!(
        compacted.compaction_written_bytes > after.compaction_written_bytes,
        "{after:?} {compacted:?}"
    );
    assert!(
        compacted.compaction_read_bytes >= after.compaction_read_bytes,
        "{after:?} {compacted:?}"
    );
    let attached = Server::attach(home.clone(), server.id()).unwrap().usage();
    assert!(attached.gc_count >= after.gc_count, "{attached:?}");
    assert!(
        attached.disk_read_bytes >= after.disk_read_bytes,
        "{attached:?}"
    );
}

async fn a_pause_delays_an_answer(server: &Server, session: &Session) {
    const PAUSE: Duration = Duration::from_secs(1);
    let began = Instant::now();
    server.pause().unwrap();
    assert!(server.is_running());
    let (_, took) = tokio::join!(
        async {
            tokio::time::sleep(PAUSE).await;
            server.resume().unwrap();
        },
        async {
            answers(session).await;
            began.elapsed()
        }
    );
    assert!(took >= PAUSE, "{took:?}");
    answers(session).await;
}

#[tokio::test]
async fn limits_bound_the_page_cache_and_the_disk() {
    let _alone = ALONE.lock().await;
    let Some(folder) = folder_with_jars().await else {
        return;
    };
    let home = Home::new(folder.path().join("home")).unwrap();
    let mut options = ServerOptions::new(home.clone(), folder.path().join("server")).unwrap();
    options.heap_mib = HEAP_MIB;
    options.memory_limit_bytes = Some(600 * MIB);
    let refusal = Server::start(options.clone()).await.unwrap_err();
    assert!(refusal.to_string().contains("at least"), "{refusal}");
    options.memory_limit_bytes = Some(LIMIT);
    options.disk_read_bytes_per_second = Some(DISK_READ);
    let server = match Server::start(options).await {
        Err(error @ (Error::NoMemoryLimit { .. } | Error::NoDiskLimit { .. })) => {
            skipped(error);
            return;
        }
        server => server.unwrap(),
    };
    let settings = server.settings();
    assert!(settings.contains(&("memory limit".into(), "1024 MiB".into())));
    assert!(settings.contains(&("disk read limit".into(), "500 MB/s".into())));
    assert!(settings.contains(&("disk_access_mode".into(), "standard".into())));

    let session = session(&server).await;
    fill(&session).await;
    let server = reads_come_from_the_disk_again(server, &session).await;
    let groups = control_groups(&server);
    assert!(!groups.is_empty() && groups.iter().all(|group| group.is_dir()));
    let bound = { groups.iter() }.find_map(|group| {
        let files = ["blkio.throttle.read_bps_device", "io.max"].map(|file| group.join(file));
        files
            .iter()
            .find_map(|file| std::fs::read_to_string(file).ok())
    });
    assert!(bound.unwrap().contains(&DISK_READ.to_string()));
    server.stop().await.unwrap();
    assert!(!groups.iter().any(|group| group.exists()), "{groups:?}");
}

/// Writes rows into a table without compression.
async fn fill(session: &Session) {
    for statement in [
        "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "CREATE TABLE k.big (id int PRIMARY KEY, value blob) \
         WITH compression = {'enabled': false}",
    ] {
        session.query_unpaged(statement, ()).await.unwrap();
    }
    let insert = session
        .prepare("INSERT INTO k.big (id, value) VALUES (?, ?)")
        .await
        .unwrap();
    for id in 0..ROWS {
        let value = vec![id as u8; ROW_BYTES];
        session.execute_unpaged(&insert, (id, value)).await.unwrap();
    }
}

async fn read_all(session: &Session) {
    let select = session
        .prepare("SELECT value FROM k.big WHERE id = ?")
        .await
        .unwrap();
    for id in 0..ROWS {
        let rows = session
            .execute_unpaged(&select, (id,))
            .await
            .unwrap()
            .into_rows_result()
            .unwrap();
        let (value,) = rows.single_row::<(Vec<u8>,)>().unwrap();
        assert_eq!(value, vec![id as u8; ROW_BYTES]);
    }
}

/// Reads everything twice, after a restart: without a limit the second time would come from memory.
async fn reads_come_from_the_disk_again(server: Server, session: &Session) -> Server {
    server.nodetool(&["flush", "k"]).await.unwrap();
    let server = server.restart().await.unwrap();
    answers_again(session).await;
    for _ in 0..2 {
        let before = server.usage();
        read_all(session).await;
        let after = server.usage();
        let read = after.disk_read_bytes.unwrap() - before.disk_read_bytes.unwrap();
        eprintln!(
            "{} MiB of {} read from the disk: {after:?}",
            read / MIB,
            DATA_BYTES / MIB
        );
        assert!(read > DATA_BYTES / 2, "{read} of {DATA_BYTES} bytes");
        assert!(after.limited_bytes.unwrap() <= LIMIT, "{after:?}");
        let cached = after.page_cache_bytes.unwrap();
        assert!(cached > 0 && cached < LIMIT - HEAP_MIB * MIB, "{after:?}");
    }
    server
}

/// Returns the control groups of the server's process.
fn control_groups(server: &Server) -> Vec<std::path::PathBuf> {
    let groups = std::fs::read_to_string(format!("/proc/{}/cgroup", server.pid())).unwrap();
    let name = groups
        .split(['/', '\n'])
        .find(|part| part.starts_with("bakeoff-cassandra-"))
        .unwrap();
    let output = std::process::Command::new("find")
        .args(["/sys/fs/cgroup", "-type", "d", "-name", name])
        .output()
        .unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    found.lines().map(Into::into).collect()
}

async fn session(server: &Server) -> Session {
    SessionBuilder::new()
        .known_node_addr(server.address())
        .user(server.login().user(), server.login().password())
        .build()
        .await
        .unwrap()
}

async fn answers(session: &Session) {
    session
        .query_unpaged("SELECT * FROM system.local", ())
        .await
        .unwrap();
}

/// Waits until the same session has reached the server again by itself.
async fn answers_again(session: &Session) {
    let began = Instant::now();
    while let Err(error) = session
        .query_unpaged("SELECT * FROM system.local", ())
        .await
    {
        assert!(began.elapsed() < Duration::from_secs(60), "{error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
