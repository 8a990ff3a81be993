//! A heap that is full of what no collection frees, as a real server has it.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use bakeoff_engines::servers::Home;
use bakeoff_engines::servers::cassandra::{Collector, Server, ServerOptions};
use bakeoff_stats::diagnose::{Outcome, Urgency};
use futures::future::join_all;
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;

use super::{diagnosed, found, outcome};
use crate::support::has_cassandra;
use crate::support::load::session_at;

const TABLE: &str = "diagnose_heap.t";
const HEAP_MIB: u64 = 1024;
/// Small, so that hardly a part of the heap in use is what is not collected yet.
const YOUNG_MIB: u64 = 64;
/// More than the heap, so that no memtable is flushed for want of room.
const MEMTABLES: (&str, &str) = ("memtable_heap_space", "4096MiB");
const MIB: f64 = (1 << 20) as f64;
const VALUE_BYTES: usize = 256 << 10;
/// Share of the heap that is filled before it is looked how much is in use: Cassandra itself has less than the rest.
const FIRST_SHARE: f64 = 0.8;
/// Rows of each further step, 16 MiB.
const STEP: i32 = 64;
/// Most further steps: all of them together are more than what is left.
const MOST_STEPS: i32 = 20;
/// Share of the heap that a collection of all of it leaves in use at the end. The rule asks for 90%.
const ENOUGH: f64 = 0.92;
/// Writes at the same time.
const AT_ONCE: usize = 8;
/// Reads whose garbage is several times the young generation: one of a value leaves some copies of it.
const READS: i32 = 200;

/// The rows stay in a memtable, so that no collection frees them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_heap_that_collections_leave_full_is_named() {
    if !has_cassandra().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = started(folder.path().join("data")).await;
    let session = session_at(&server.address().to_string()).await;
    // The rows are in no commit log, and so cost no disk.
    for cql in [
        "CREATE KEYSPACE diagnose_heap WITH replication = \
         {'class': 'SimpleStrategy', 'replication_factor': 1} AND durable_writes = false",
        "CREATE TABLE diagnose_heap.t (p int PRIMARY KEY, v blob)",
    ] {
        session.query_unpaged(cql, ()).await.unwrap();
    }
    // Nobody else asks this server.
    let diagnosis = diagnosed(&server, TABLE, true).await;
    for rule in ["heap", "thread-pools", "dropped-messages"] {
        assert_eq!(*outcome(&diagnosis, rule), Outcome::Healthy, "{rule}");
    }

    fill_the_heap(&server, &session).await;
    for _ in 0..2 {
        let diagnosis = diagnosed(&server, TABLE, true).await;
        let finding = found(&diagnosis, "heap");
        assert_eq!(finding.urgency, Urgency::Now);
        let [seen] = &finding.evidence[..] else {
            panic!("{finding:?}");
        };
        assert_eq!(seen.node, Some(server.address().to_string()));
        assert!(seen.value > 0.9 && seen.value <= 1.0, "{seen:?}");
        // What was collected meanwhile was not what fills the heap.
        read(&session).await;
    }
    drop(session);
    // At an orderly end it would write all rows to the disk.
    server.kill().await.unwrap();
    server.stop().await.unwrap();
}

/// A server whose collector collects the whole heap whenever it is full, and gives up only if nothing is free then.
async fn started(dir: PathBuf) -> Server {
    let mut options = ServerOptions::new(Home::from_env().unwrap(), dir).unwrap();
    options.heap_mib = HEAP_MIB;
    options.tuning.collector = Some(Collector::Serial);
    options.tuning.young_mib = Some(YOUNG_MIB);
    let (key, value) = MEMTABLES;
    options.tuning.settings = vec![(key.to_owned(), value.to_owned())];
    Server::start(options).await.unwrap()
}

/// Writes rows until a collection of the whole heap leaves enough of it in use.
async fn fill_the_heap(server: &Server, session: &Session) {
    let insert = "INSERT INTO diagnose_heap.t (p, v) VALUES (?, ?)";
    let insert = session.prepare(insert).await.unwrap();
    let heap = collections(server).last().unwrap().heap_mib;
    let first = (FIRST_SHARE * heap * MIB / VALUE_BYTES as f64) as i32;
    write(session, &insert, 0..first).await;
    for step in 0..MOST_STEPS {
        read(session).await;
        let all = collections(server);
        let last = all.iter().rev().find(|collection| collection.is_full);
        if last.is_some_and(|last| last.left_mib > ENOUGH * last.heap_mib) {
            return;
        }
        let from = first + step * STEP;
        write(session, &insert, from..from + STEP).await;
    }
    let all = collections(server);
    panic!("the heap is not full: {:?}", all.last());
}

async fn write(session: &Session, insert: &PreparedStatement, rows: Range<i32>) {
    let rows: Vec<i32> = rows.collect();
    for some in rows.chunks(AT_ONCE) {
        let writes = some.iter().map(|p| {
            let values = (*p, vec![7_u8; VALUE_BYTES]);
            session.execute_unpaged(insert, values)
        });
        for written in join_all(writes).await {
            written.unwrap();
        }
    }
}

/// Reads rows one by one, which lets the server make and collect garbage.
async fn read(session: &Session) {
    let select = "SELECT v FROM diagnose_heap.t WHERE p = ?";
    let select = session.prepare(select).await.unwrap();
    for p in 0..READS {
        session.execute_unpaged(&select, (p,)).await.unwrap();
    }
}

/// A collection in the log of a server's collector.
#[derive(Debug)]
struct Collection {
    /// Whether it was one of the whole heap.
    is_full: bool,
    /// MiB that it left in use.
    left_mib: f64,
    /// MiB of the whole heap.
    heap_mib: f64,
}

/// Reads all collections since the server started.
fn collections(server: &Server) -> Vec<Collection> {
    let log = fs::read_to_string(server.dir().join("logs/gc.log")).unwrap();
    log.lines().filter_map(collection).collect()
}

/// Parses the line of a collection that is over, as `GC(5) Pause Full (Allocation Failure) 955M->940M(1017M) 98.1ms`.
fn collection(line: &str) -> Option<Collection> {
    let (_, told) = line.split_once("Pause ")?;
    let (what, _) = told.strip_suffix("ms")?.rsplit_once(' ')?;
    let (_, sizes) = what.rsplit(' ').next()?.split_once("->")?;
    let (left, heap) = sizes.strip_suffix("M)")?.split_once("M(")?;
    Some(Collection {
        is_full: what.starts_with("Full"),
        left_mib: left.parse().ok()?,
        heap_mib: heap.parse().ok()?,
    })
}
