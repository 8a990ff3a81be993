//! Faults of reads, of compaction, of the ring and of the machine, as a real server shows them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bakeoff_engines::diagnose::{Request, read};
use bakeoff_stats::diagnose::{Outcome, Urgency, diagnose};

use super::{
    NODE, cluster, diagnosed, drop_keyspace, fill, found, make, outcome, request,
    sys_with_read_ahead,
};
use crate::support::load::session_at;
use crate::support::shared;

/// Address that no node has.
const NOBODY: &str = "127.0.0.99";
/// The longest read-ahead that suits reads of single rows.
const SHORT_READ_AHEAD_KIB: u64 = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_has_most_of_the_reads_is_named() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    make(&session, "diagnose_hot", "(p int PRIMARY KEY, v text)").await;
    let insert = "INSERT INTO diagnose_hot.t (p, v) VALUES (?, ?)";
    fill(&session, insert, |_| "green").await;
    let select = session.prepare("SELECT * FROM diagnose_hot.t WHERE p = ?");
    let select = select.await.unwrap();
    let request = Request {
        nodetool: Some(server.nodetool_line().unwrap().parse().unwrap()),
        sample_keys: Some(Duration::from_secs(3)),
        ..request("diagnose_hot.t")
    };
    let is_done = AtomicBool::new(false);
    let reading = async {
        let mut n = 0;
        while !is_done.load(Ordering::Relaxed) {
            // Nine of ten reads are of one key.
            let p = if n % 10 == 0 { n % 700 } else { 7 };
            session.execute_unpaged(&select, (p,)).await.unwrap();
            n += 1;
        }
    };
    let cluster = cluster(&server);
    let diagnosing = async {
        let read = read(&cluster, &request).await;
        is_done.store(true, Ordering::Relaxed);
        read
    };
    let ((), read) = tokio::join!(reading, diagnosing);
    let diagnosis = diagnose(&read.unwrap().evidence);
    let finding = found(&diagnosis, "hot-key");
    assert_eq!(finding.urgency, Urgency::Soon);
    let seen = &finding.evidence[0];
    assert!(seen.figure.ends_with("go to 7"), "{seen:?}");
    assert!(seen.value > 0.5, "{seen:?}");
    drop_keyspace(&session, "diagnose_hot").await;
}

/// A peer that a node still knows although it has left, without tokens, as the driver leaves it out as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_that_is_not_in_the_ring_is_named() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    make(&session, "diagnose_ring", "(p int PRIMARY KEY)").await;
    let _alone = NODE.lock().await;
    let peer =
        format!("INSERT INTO system.peers (peer, rpc_address) VALUES ('{NOBODY}', '{NOBODY}')");
    session.query_unpaged(peer, ()).await.unwrap();
    let diagnosis = diagnosed(&server, "diagnose_ring.t", false).await;
    let delete = format!("DELETE FROM system.peers WHERE peer = '{NOBODY}'");
    session.query_unpaged(delete, ()).await.unwrap();
    let finding = found(&diagnosis, "ring-address");
    assert_eq!(finding.urgency, Urgency::Now);
    let seen = &finding.evidence[0];
    assert!(seen.figure.contains(NOBODY), "{seen:?}");

    let diagnosis = diagnosed(&server, "diagnose_ring.t", false).await;
    assert_eq!(*outcome(&diagnosis, "ring-address"), Outcome::Healthy);
    drop_keyspace(&session, "diagnose_ring").await;
}

/// What a disk of this machine reads ahead is as it is, so that the system's description of it is another one here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_read_ahead_is_named_with_its_bytes() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    make(&session, "diagnose_disk", "(p int PRIMARY KEY)").await;
    for (kib, is_long) in [(4096, true), (SHORT_READ_AHEAD_KIB, false)] {
        let sys = sys_with_read_ahead(&server, kib);
        let request = Request {
            sys: Some(sys.path().to_owned()),
            ..request("diagnose_disk.t")
        };
        let read = read(&cluster(&server), &request).await.unwrap();
        let diagnosis = diagnose(&read.evidence);
        if is_long {
            let finding = found(&diagnosis, "read-ahead");
            assert_eq!(finding.urgency, Urgency::Sometime);
            let [seen] = &finding.evidence[..] else {
                panic!("{finding:?}");
            };
            assert_eq!(seen.node, Some(server.address().to_string()));
            assert_eq!(seen.value, (kib << 10) as f64);
        } else {
            assert_eq!(*outcome(&diagnosis, "read-ahead"), Outcome::Healthy);
        }
    }
    drop_keyspace(&session, "diagnose_disk").await;
}

/// What lies in the lowest level beyond its size has still to be compacted, also while compaction is switched off.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compaction_that_is_behind_is_named() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    let columns = "(p int PRIMARY KEY, v blob) WITH compression = {'enabled': false} AND compaction = \
                   {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '1', 'enabled': 'false'}";
    make(&session, "diagnose_behind", columns).await;
    let _alone = NODE.lock().await;
    let insert = "INSERT INTO diagnose_behind.t (p, v) VALUES (?, ?)";
    let insert = session.prepare(insert).await.unwrap();
    for p in 0..40 {
        let values = (p, vec![7_u8; 1 << 20]);
        session.execute_unpaged(&insert, values).await.unwrap();
    }
    let flush = ["flush", "diagnose_behind"];
    server.nodetool(&flush).await.unwrap();
    let diagnosis = diagnosed(&server, "diagnose_behind.t", true).await;
    let finding = found(&diagnosis, "compaction-behind");
    // Four SSTables may lie in the lowest level.
    assert!(finding.evidence[0].value >= 35.0, "{finding:?}");
    drop_keyspace(&session, "diagnose_behind").await;
}
