//! A real Cassandra with other settings than Bakeoff's: they are in effect, also after a restart, and one
//! that Cassandra refuses is named.
//!
//! A test prints why it is skipped and passes if no Cassandra can be started, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bakeoff_servers::cassandra::{Collector, Server, ServerOptions, Tuning};
use bakeoff_servers::{Error, Home, list};
use bakeoff_testing::times;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;

use crate::support::{ALONE, folder_with_jars};

const HEAP_MIB: u64 = 512;
const YOUNG_MIB: u64 = 128;
const MIB: usize = 1 << 20;

#[tokio::test]
async fn chosen_settings_are_in_effect() {
    let _alone = ALONE.lock().await;
    let Some(folder) = folder_with_jars().await else {
        return;
    };
    let home = Home::new(folder.path().join("home")).unwrap();
    let mut options = ServerOptions::new(home.clone(), folder.path().join("server")).unwrap();
    options.heap_mib = HEAP_MIB;
    what_cannot_be_chosen_is_refused_before_anything_starts(&options).await;
    what_cassandra_refuses_is_named(&options).await;
    assert_eq!(list(&home).unwrap(), []);

    options.tuning = Tuning {
        shipped_time_outs: true,
        young_mib: Some(YOUNG_MIB),
        processors: Some(3),
        ..with(&[
            ("row_cache_size", "64MiB"),
            ("read_request_timeout", "7s"),
            ("sstable_format", "bti"),
            ("user_defined_functions_enabled", "true"),
        ])
    };
    let server = Server::start(options).await.unwrap();
    are_in_effect(&server).await;
    row_cache_works(&server).await;
    let server = server.restart().await.unwrap();
    are_in_effect(&server).await;
    let attached = Server::attach(home, server.id()).unwrap();
    assert_eq!(attached.settings(), server.settings());
    drop(attached);
    server.stop().await.unwrap();
}

/// What the program would tell its user before a server is started.
async fn what_cannot_be_chosen_is_refused_before_anything_starts(options: &ServerOptions) {
    for (tuning, why) in [
        (
            with(&[("authenticator", "AllowAllAuthenticator")]),
            "cannot be chosen",
        ),
        (
            with(&[("row_cache_size", "1MiB\nlisten_address: 0.0.0.0")]),
            "only words and numbers",
        ),
    ] {
        let mut options = options.clone();
        options.tuning = tuning;
        let error = Server::start(options.clone()).await.unwrap_err();
        assert!(matches!(error, Error::Refused(_)), "{error}");
        assert!(error.to_string().contains(why), "{error}");
        assert!(!options.dir.exists());
    }
}

async fn what_cassandra_refuses_is_named(options: &ServerOptions) {
    let mut options = options.clone();
    options.tuning = with(&[
        ("page_size_warn_threshold", "10"),
        ("page_size_fail_threshold", "5"),
    ]);
    let error = Server::start(options).await.unwrap_err();
    assert!(matches!(error, Error::DiedWithSettings { .. }), "{error}");
    let said = error.to_string();
    for part in [
        "[server.cassandra] page_size_warn_threshold = 10, page_size_fail_threshold = 5",
        "change it or leave it out",
        "The warn threshold 10 for page_size_warn_threshold should be lower than the fail threshold 5",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

async fn are_in_effect(server: &Server) {
    let in_effect = settings_in_effect(&session(server).await).await;
    let reported = server.settings();
    for (name, value) in [
        ("row_cache_size", "64MiB"),
        ("read_request_timeout", "7s"),
        ("range_request_timeout", "10s"),
        ("native_transport_timeout", "12s"),
        ("write_request_timeout", "2s"),
        ("counter_write_request_timeout", "5s"),
        ("truncate_request_timeout", "60s"),
        ("request_timeout", "10s"),
        ("user_defined_functions_enabled", "true"),
        // Not chosen, and so Bakeoff's own.
        ("compaction_throughput", "0MiB/s"),
    ] {
        let found = in_effect.get(name).map(String::as_str);
        assert_eq!(found, Some(value), "{name}");
        let report = (name.to_owned(), value.to_owned());
        assert!(reported.contains(&report), "{name} in {reported:?}");
    }
    let format = in_effect.get("sstable.selected_format").map(String::as_str);
    assert_eq!(format, Some("bti"));
    let young = ("young generation".to_owned(), format!("{YOUNG_MIB} MiB"));
    assert!(reported.contains(&young), "{reported:?}");
    let flags = std::fs::read_to_string(format!("/proc/{}/cmdline", server.pid())).unwrap();
    let flags: Vec<&str> = flags.split('\0').collect();
    assert!(flags.contains(&"-Xmn128M"), "{flags:?}");
    assert!(flags.contains(&"-XX:+UseG1GC"), "{flags:?}");
    assert!(flags.contains(&"-XX:ActiveProcessorCount=3"), "{flags:?}");
    let processors = ("processors of the JVM".to_owned(), "3".to_owned());
    assert!(reported.contains(&processors), "{reported:?}");
}

/// A cache that Cassandra has switched off for lack of a library would have the size 0.
async fn row_cache_works(server: &Server) {
    let session = session(server).await;
    for statement in [
        "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "CREATE TABLE k.cached (id int PRIMARY KEY, value int) \
         WITH caching = {'keys': 'ALL', 'rows_per_partition': 'ALL'}",
        "INSERT INTO k.cached (id, value) VALUES (1, 2)",
    ] {
        session.query_unpaged(statement, ()).await.unwrap();
    }
    server.nodetool(&["flush", "k"]).await.unwrap();
    for _ in 0..3 {
        let select = "SELECT value FROM k.cached WHERE id = 1";
        session.query_unpaged(select, ()).await.unwrap();
    }
    let info = server.nodetool(&["info"]).await.unwrap();
    let cache = info.lines().find(|line| line.starts_with("Row Cache"));
    let cache = cache.unwrap();
    assert!(
        cache.contains("entries 1,") && cache.contains("64 MiB"),
        "{cache}"
    );
}

/// Bakeoff counts the pauses of each collector.
#[tokio::test]
async fn other_collectors_work_and_their_pauses_count() {
    let _alone = ALONE.lock().await;
    let Some(folder) = folder_with_jars().await else {
        return;
    };
    let home = Home::new(folder.path().join("home")).unwrap();
    let all = [Collector::Zgc, Collector::Parallel, Collector::Serial];
    for collector in times(&all[..1], &all[..]) {
        let dir = folder.path().join(collector.name());
        let mut options = ServerOptions::new(home.clone(), dir).unwrap();
        options.heap_mib = HEAP_MIB;
        options.tuning.collector = Some(*collector);
        let server = Server::start(options).await.unwrap();
        let before = server.usage().gc_count;
        let session = session(&server).await;
        pauses_come(&server, &session, before).await;
        server.stop().await.unwrap();
    }
}

/// Writes until the server has paused again.
async fn pauses_come(server: &Server, session: &Session, before: Option<u64>) {
    for statement in [
        "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "CREATE TABLE k.garbage (id int PRIMARY KEY, value blob)",
    ] {
        session.query_unpaged(statement, ()).await.unwrap();
    }
    let began = Instant::now();
    let insert = "INSERT INTO k.garbage (id, value) VALUES (?, ?)";
    let value = vec![1u8; MIB];
    while server.usage().gc_count <= before {
        for id in 0..20 {
            session.query_unpaged(insert, (id, &value)).await.unwrap();
        }
        assert!(began.elapsed() < Duration::from_secs(120), "no collection");
    }
}

fn with(settings: &[(&str, &str)]) -> Tuning {
    let settings = settings.iter();
    let settings = settings.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Tuning {
        settings: settings.collect(),
        ..Tuning::default()
    }
}

/// Returns the settings that Cassandra says it has.
async fn settings_in_effect(session: &Session) -> HashMap<String, String> {
    let select = "SELECT name, value FROM system_views.settings";
    let rows = session.query_unpaged(select, ()).await.unwrap();
    let rows = rows.into_rows_result().unwrap();
    let rows = rows.rows::<(String, Option<String>)>().unwrap();
    rows.filter_map(|row| {
        let (name, value) = row.unwrap();
        Some((name, value?))
    })
    .collect()
}

async fn session(server: &Server) -> Session {
    SessionBuilder::new()
        .known_node_addr(server.address())
        .user(server.login().user(), server.login().password())
        .build()
        .await
        .unwrap()
}
