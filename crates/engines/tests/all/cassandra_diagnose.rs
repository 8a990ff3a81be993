//! Faults that are made in a real Cassandra are named by a diagnosis, and tables in good order are not.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

mod faults;
mod four;
mod full_heap;
mod healthy;

use std::fs;
use std::os::unix::fs::MetadataExt;

use bakeoff_engines::Cluster;
use bakeoff_engines::diagnose::{ReadError, Request, read};
use bakeoff_engines::nodes::Nodetool;
use bakeoff_engines::servers::cassandra::Server;
use bakeoff_stats::diagnose::{Diagnosis, Finding, Outcome, Urgency, diagnose};
use scylla::client::session::Session;
use tempfile::TempDir;
use tokio::sync::Mutex;

use crate::support::load::session_at;
use crate::support::shared;

/// More reads than a rule about reads asks for.
const READS: usize = 120;
/// Rules about times, which depend on what else the machine does.
const OF_TIMES: [&str; 3] = ["coordinator-latency", "tail-latency", "slow-replica"];
/// Held by a test that makes a fault of the shared node itself, and by one that judges the node.
static NODE: Mutex<()> = Mutex::const_new(());

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_huge_partition_is_named() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    let columns =
        "(p int, c int, v blob, PRIMARY KEY (p, c)) WITH compression = {'enabled': false}";
    make(&session, "diagnose_huge", columns).await;
    let insert = "INSERT INTO diagnose_huge.t (p, c, v) VALUES (1, ?, ?)";
    let insert = session.prepare(insert).await.unwrap();
    for c in 0..104 {
        let values = (c, vec![7_u8; 1 << 20]);
        session.execute_unpaged(&insert, values).await.unwrap();
    }
    // Memtables may have been flushed before, each with a part of it.
    for command in ["flush", "compact"] {
        server.nodetool(&[command, "diagnose_huge"]).await.unwrap();
    }
    let diagnosis = diagnosed(&server, "diagnose_huge.t", false).await;
    let finding = found(&diagnosis, "partition-size");
    assert_eq!(finding.urgency, Urgency::Now);
    let address = server.address().to_string();
    assert_eq!(finding.evidence[0].node.as_ref(), Some(&address));
    assert!(finding.evidence[0].value >= 104.0 * (1 << 20) as f64);
    assert!(
        finding
            .designs
            .contains(&"cassandra/wide?bucket=1d".to_owned())
    );
    let reads = outcome(&diagnosis, "tombstones");
    let Outcome::NotChecked(not) = reads else {
        panic!("{reads:?}");
    };
    assert_eq!(not.reason, "no reads since the nodes started");
    drop_keyspace(&session, "diagnose_huge").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tombstones_are_named() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    delete_and_read(&session, "diagnose_deleted").await;
    let diagnosis = diagnosed(&server, "diagnose_deleted.t", false).await;
    let finding = found(&diagnosis, "tombstones");
    assert_eq!(finding.urgency, Urgency::Now);
    assert!(finding.evidence[0].value >= 1500.0, "{finding:?}");
    drop_keyspace(&session, "diagnose_deleted").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_sstables_are_named() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    let columns = "(p int, c int, PRIMARY KEY (p, c)) WITH compaction = \
                   {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}";
    make(&session, "diagnose_sstables", columns).await;
    for c in 0..12 {
        let insert = "INSERT INTO diagnose_sstables.t (p, c) VALUES (1, ?)";
        session.query_unpaged(insert, (c,)).await.unwrap();
        let flush = ["flush", "diagnose_sstables"];
        server.nodetool(&flush).await.unwrap();
    }
    read_often(&session, "SELECT * FROM diagnose_sstables.t WHERE p = 1").await;
    let diagnosis = diagnosed(&server, "diagnose_sstables.t", true).await;
    let finding = found(&diagnosis, "sstables-per-read");
    assert_eq!(finding.urgency, Urgency::Now, "{finding:?}");
    found(&diagnosis, "compaction-off");
    // Only nodetool knows how many SSTables a read takes.
    let diagnosis = diagnosed(&server, "diagnose_sstables.t", false).await;
    let without = outcome(&diagnosis, "sstables-per-read");
    let Outcome::NotChecked(not) = without else {
        panic!("{without:?}");
    };
    assert!(not.brings.unwrap().starts_with("--nodetool"));
    drop_keyspace(&session, "diagnose_sstables").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_chunks_under_small_partitions_are_named() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    let columns = "(p int PRIMARY KEY, v text) WITH compression = \
                   {'class': 'LZ4Compressor', 'chunk_length_in_kb': 64}";
    make(&session, "diagnose_chunks", columns).await;
    fill(
        &session,
        "INSERT INTO diagnose_chunks.t (p, v) VALUES (?, ?)",
        |_| "green",
    )
    .await;
    server
        .nodetool(&["flush", "diagnose_chunks"])
        .await
        .unwrap();
    read_often(&session, "SELECT * FROM diagnose_chunks.t WHERE p = 1").await;
    let diagnosis = diagnosed(&server, "diagnose_chunks.t", true).await;
    let finding = found(&diagnosis, "chunk-length");
    let proposed = [
        "cassandra/narrow?chunk=4KiB",
        "cassandra/narrow?chunk=16KiB",
        "cassandra/narrow?chunk=64KiB",
    ];
    assert_eq!(finding.designs, proposed);
    drop_keyspace(&session, "diagnose_chunks").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_that_finds_half_of_the_table_is_named() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    make(&session, "diagnose_index", "(p int PRIMARY KEY, v text)").await;
    let index = "CREATE INDEX ON diagnose_index.t (v)";
    session.query_unpaged(index, ()).await.unwrap();
    let halves = |p: i32| if p % 2 == 0 { "even" } else { "odd" };
    fill(
        &session,
        "INSERT INTO diagnose_index.t (p, v) VALUES (?, ?)",
        halves,
    )
    .await;
    let diagnosis = diagnosed(&server, "diagnose_index.t", false).await;
    let finding = found(&diagnosis, "index-selectivity");
    assert_eq!(finding.urgency, Urgency::Soon);
    assert!(
        (finding.evidence[0].value - 0.5).abs() < 0.01,
        "{finding:?}"
    );
    drop_keyspace(&session, "diagnose_index").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_in_good_order_gives_no_alarm() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    make(&session, "diagnose_healthy", "(p int PRIMARY KEY, v text)").await;
    fill(
        &session,
        "INSERT INTO diagnose_healthy.t (p, v) VALUES (?, ?)",
        |_| "green",
    )
    .await;
    server
        .nodetool(&["flush", "diagnose_healthy"])
        .await
        .unwrap();
    read_often(&session, "SELECT * FROM diagnose_healthy.t WHERE p = 1").await;
    let diagnosis = diagnosed(&server, "diagnose_healthy.t", true).await;
    let of_table = { diagnosis.checks.iter() }.filter(|check| check.about == "diagnose_healthy.t");
    let checks: Vec<_> = of_table
        .filter(|check| !OF_TIMES.contains(&check.rule))
        .collect();
    assert!(checks.len() > 5, "{:?}", diagnosis.checks);
    for check in checks {
        let is_finding = matches!(check.outcome, Outcome::Finding(_));
        assert!(!is_finding, "{check:?}");
    }
    let is_healthy = |rule| *outcome(&diagnosis, rule) == Outcome::Healthy;
    for rule in [
        "partition-size",
        "tombstones",
        "sstables-per-read",
        "chunk-length",
        "silent-node",
    ] {
        assert!(is_healthy(rule), "{rule}: {:?}", outcome(&diagnosis, rule));
    }
    drop_keyspace(&session, "diagnose_healthy").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_is_not_there_is_named() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let error = read(&cluster(&server), &request("absent_keyspace.t"))
        .await
        .unwrap_err();
    assert!(matches!(error, ReadError::NoTable(_)), "{error:?}");
    assert!(
        error
            .to_string()
            .starts_with("the cluster has no table absent_keyspace.t")
    );
}

fn cluster(server: &Server) -> Cluster {
    Cluster {
        address: server.address().to_string(),
        ..Cluster::default()
    }
}

fn request(table: &str) -> Request {
    Request {
        tables: vec![table.parse().unwrap()],
        ..Request::default()
    }
}

async fn diagnosed(server: &Server, table: &str, with_nodetool: bool) -> Diagnosis {
    let nodetool = || -> Nodetool { server.nodetool_line().unwrap().parse().unwrap() };
    let request = Request {
        nodetool: with_nodetool.then(nodetool),
        gc: with_nodetool,
        ..request(table)
    };
    let read = read(&cluster(server), &request).await.unwrap();
    diagnose(&read.evidence)
}

/// Makes a folder that describes the disk of a server's data as the system does, with another read-ahead.
fn sys_with_read_ahead(server: &Server, kib: u64) -> TempDir {
    let device = fs::metadata(server.data_dir()).unwrap().dev();
    // As Linux puts both numbers of a device into one.
    let major = ((device >> 8) & 0xfff) | ((device >> 32) & !0xfff);
    let minor = (device & 0xff) | ((device >> 12) & !0xff);
    let sys = tempfile::tempdir().unwrap();
    let queue = format!("dev/block/{major}:{minor}/queue");
    let queue = sys.path().join(queue);
    fs::create_dir_all(&queue).unwrap();
    fs::write(queue.join("read_ahead_kb"), format!("{kib}\n")).unwrap();
    sys
}

#[track_caller]
fn outcome<'a>(diagnosis: &'a Diagnosis, rule: &str) -> &'a Outcome {
    let check = diagnosis.checks.iter().find(|check| check.rule == rule);
    &check.unwrap().outcome
}

#[track_caller]
fn found<'a>(diagnosis: &'a Diagnosis, rule: &str) -> &'a Finding {
    match outcome(diagnosis, rule) {
        Outcome::Finding(finding) => finding,
        other => panic!("{rule}: {other:?}"),
    }
}

async fn make(session: &Session, keyspace: &str, columns: &str) {
    for cql in [
        format!(
            "CREATE KEYSPACE {keyspace} WITH replication = {{'class': 'SimpleStrategy', \
             'replication_factor': 1}}"
        ),
        format!("CREATE TABLE {keyspace}.t {columns}"),
    ] {
        session.query_unpaged(cql, ()).await.unwrap();
    }
}

/// Makes a partition of nothing but tombstones, and reads it.
async fn delete_and_read(session: &Session, keyspace: &str) {
    let columns = "(p int, c int, v int, PRIMARY KEY (p, c))";
    make(session, keyspace, columns).await;
    let delete = format!("DELETE FROM {keyspace}.t WHERE p = 1 AND c = ?");
    let delete = session.prepare(delete).await.unwrap();
    for c in 0..1500 {
        session.execute_unpaged(&delete, (c,)).await.unwrap();
    }
    let select = format!("SELECT * FROM {keyspace}.t WHERE p = 1");
    read_often(session, &select).await;
}

/// Writes as many partitions as a sample needs.
async fn fill(session: &Session, insert: &str, value: impl Fn(i32) -> &'static str) {
    let insert = session.prepare(insert).await.unwrap();
    for p in 0..700 {
        let values = (p, value(p));
        session.execute_unpaged(&insert, values).await.unwrap();
    }
}

async fn read_often(session: &Session, select: &str) {
    for _ in 0..READS {
        session.query_unpaged(select, ()).await.unwrap();
    }
}

async fn drop_keyspace(session: &Session, keyspace: &str) {
    let cql = format!("DROP KEYSPACE {keyspace}");
    session.query_unpaged(cql, ()).await.unwrap();
}
