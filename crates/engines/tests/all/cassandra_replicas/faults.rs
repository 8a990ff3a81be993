//! Faults of three nodes: a client of one coordinator, which a diagnosis names, and a replica that stands still again and
//! again, which a trace names. Later one of them is gone. The cluster is reached as one of a user is, by an address.

use std::future::ready;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bakeoff_engines::diagnose::{Request, read};
use bakeoff_engines::servers::cassandra::Server;
use bakeoff_engines::{Cluster, TraceRequest, trace};
use bakeoff_stats::diagnose::{Diagnosis, Finding, Outcome, diagnose};
use bakeoff_stats::trace::Hint;
use bakeoff_workload::Consistency;
use futures::{StreamExt, stream};
use scylla::client::session::Session;
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::statement::prepared::PreparedStatement;
use tokio::time::sleep;

use super::traced::read_of;

const FIRST: &str = "127.0.0.1";
/// The node that stands still.
const SECOND: &str = "127.0.0.2";
/// Keys that are read.
const KEYS: i32 = 30;
/// Rows of a partition whose reads take a while.
const ROWS_OF_A_KEY: i32 = 100;
/// More reads than show where clients send them.
const READS: i32 = 1_500;
/// Reads at the same time.
const IN_FLIGHT: usize = 64;
/// For how long the slow replica stands still, and runs before it does so again.
const STANDS: Duration = Duration::from_millis(150);
const RUNS: Duration = Duration::from_millis(25);
/// The longest time until a fault is named, next to other tests.
const NAMED_WITHIN: Duration = Duration::from_secs(180);
/// The longest to wait for a trace, which a slow node may write late or not at all.
const WRITTEN_WITHIN: Duration = Duration::from_secs(10);

/// Makes the faults one after the other.
pub async fn are_named(servers: &[Server], session: &Session, cluster: &Cluster) {
    make_tables(session).await;
    a_client_of_one_coordinator_is_named(session, cluster).await;
    a_replica_that_stands_still_is_named(&servers[1], session, cluster).await;
}

/// Checks what is said of the cluster when the second node has ended.
pub async fn a_node_that_is_gone_is_named(cluster: &Cluster) {
    let diagnosis = diagnosed(cluster, &["once.readings"]).await;
    let finding = found(outcome(&diagnosis, "silent-node", "the cluster"));
    let [seen] = &finding.evidence[..] else {
        panic!("{finding:?}");
    };
    assert!(is_of(seen.node.as_ref(), SECOND), "{seen:?}");
    assert!(seen.figure.starts_with("does not answer: "), "{seen:?}");
}

/// Makes tables with one copy of each row, so that no other node can answer for a slow one.
async fn make_tables(session: &Session) {
    for cql in [
        "CREATE KEYSPACE faults WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "CREATE TABLE faults.asked_of_one (k int PRIMARY KEY, v int)",
        "CREATE TABLE faults.asked_by_token (k int PRIMARY KEY, v int)",
        "CREATE TABLE faults.slow (k int, c int, PRIMARY KEY (k, c))",
    ] {
        session.query_unpaged(cql, ()).await.unwrap();
    }
    let insert = "INSERT INTO faults.slow (k, c) VALUES (?, ?)";
    let insert = &session.prepare(insert).await.unwrap();
    let rows = stream::iter(0..KEYS * ROWS_OF_A_KEY);
    rows.for_each_concurrent(IN_FLIGHT, |n| async move {
        let row = (n % KEYS, n / KEYS);
        session.execute_unpaged(insert, row).await.unwrap();
    })
    .await;
}

async fn a_client_of_one_coordinator_is_named(session: &Session, cluster: &Cluster) {
    let select = "SELECT v FROM faults.asked_by_token WHERE k = ?";
    read_all(session, &session.prepare(select).await.unwrap()).await;
    let select = "SELECT v FROM faults.asked_of_one WHERE k = ?";
    let mut to_one = session.prepare(select).await.unwrap();
    let state = session.get_cluster_state();
    let mut nodes = state.get_nodes_info().iter();
    let first = nodes.find(|node| node.address.ip().to_string() == FIRST);
    let first = NodeIdentifier::HostId(first.unwrap().host_id);
    let policy = SingleTargetLoadBalancingPolicy::new(first, None);
    to_one.set_load_balancing_policy(Some(policy));
    read_all(session, &to_one).await;

    let tables = ["faults.asked_of_one", "faults.asked_by_token"];
    let diagnosis = diagnosed(cluster, &tables).await;
    let finding = found(outcome(&diagnosis, "token-awareness", tables[0]));
    assert_eq!(finding.says, "one node coordinates nearly all reads");
    let mut seen = finding.evidence.iter();
    let of_first = seen.find(|seen| is_of(seen.node.as_ref(), FIRST));
    let of_first = of_first.unwrap();
    assert_eq!(of_first.figure, "of the reads that it coordinates");
    assert!(of_first.value > 0.99, "{finding:?}");
    // Each node got what it has, which the views alone do not show.
    match outcome(&diagnosis, "token-awareness", tables[1]) {
        Outcome::Healthy => {}
        Outcome::NotChecked(not) => {
            assert!(not.reason.contains("no view tells them apart"), "{not:?}");
        }
        Outcome::Finding(finding) => panic!("{finding:?}"),
    }
}

/// Reads each of some keys often.
async fn read_all(session: &Session, select: &PreparedStatement) {
    let reads = stream::iter(0..READS);
    reads
        .for_each_concurrent(IN_FLIGHT, |n| async move {
            session.execute_unpaged(select, (n % KEYS,)).await.unwrap();
        })
        .await;
}

async fn a_replica_that_stands_still_is_named(
    second: &Server,
    session: &Session,
    cluster: &Cluster,
) {
    let select = "SELECT c FROM faults.slow WHERE k = ?";
    let select = &session.prepare(select).await.unwrap();
    let of_twice = session.prepare("SELECT v FROM twice.readings WHERE k = ?");
    let of_twice = of_twice.await.unwrap();
    let copied = keys_on(session, &of_twice, SECOND).next().unwrap();
    let is_done = &AtomicBool::new(false);
    let standing_still = async {
        while !is_done.load(Ordering::Relaxed) {
            second.pause().unwrap();
            sleep(STANDS).await;
            second.resume().unwrap();
            sleep(RUNS).await;
        }
    };
    let reading = stream::iter((0..KEYS).cycle())
        .take_while(|_| ready(!is_done.load(Ordering::Relaxed)))
        .for_each_concurrent(IN_FLIGHT, |k| async move {
            // Some may take too long, which is what is to be named.
            session.execute_unpaged(select, (k,)).await.ok();
        });
    let naming = async {
        a_trace_names_it(cluster, copied).await;
        is_done.store(true, Ordering::Relaxed);
    };
    tokio::join!(standing_still, reading, naming);
}

/// Traces reads of a row with two copies, both of which have to answer; one is on the slow node.
async fn a_trace_names_it(cluster: &Cluster, key: i32) {
    let request = TraceRequest {
        times: 5,
        percentile: 100.0,
        wait: WRITTEN_WITHIN,
        ..read_of(cluster, key, Consistency::All)
    };
    let began = Instant::now();
    loop {
        let hints = trace(&request).await.unwrap().summary().hints(1);
        // If it coordinates the read itself, the others' answers are late.
        let is_second =
            |hint: &Hint| matches!(hint, Hint::LateAnswer { node, .. } if node == SECOND);
        if hints.iter().any(is_second) {
            return;
        }
        assert!(began.elapsed() < NAMED_WITHIN, "{hints:?}");
    }
}

/// Returns keys of a table of whose rows a node has a copy.
pub fn keys_on(
    session: &Session,
    select: &PreparedStatement,
    host: &str,
) -> impl Iterator<Item = i32> {
    let cluster = session.get_cluster_state();
    let table = select.get_table_spec().unwrap();
    let is_there = move |key: &i32| {
        let token = select.calculate_token(&(*key,)).unwrap().unwrap();
        let copies = cluster.get_token_endpoints(table.ks_name(), table.table_name(), token);
        let mut copies = copies.iter();
        copies.any(|(node, _)| node.address.ip().to_string() == host)
    };
    (0..1_000_000).filter(is_there)
}

async fn diagnosed(cluster: &Cluster, tables: &[&str]) -> Diagnosis {
    let request = Request {
        tables: { tables.iter() }
            .map(|name| name.parse().unwrap())
            .collect(),
        ..Request::default()
    };
    diagnose(&read(cluster, &request).await.unwrap().evidence)
}

#[track_caller]
fn outcome<'a>(diagnosis: &'a Diagnosis, rule: &str, about: &str) -> &'a Outcome {
    let mut checks = diagnosis.checks.iter();
    let check = checks.find(|check| check.rule == rule && check.about == about);
    &check.unwrap().outcome
}

#[track_caller]
fn found(outcome: &Outcome) -> &Finding {
    match outcome {
        Outcome::Finding(finding) => finding,
        other => panic!("{other:?}"),
    }
}

/// Returns whether an address is of a host.
fn is_of(address: Option<&String>, host: &str) -> bool {
    let of_host = address.and_then(|address| address.strip_prefix(host));
    of_host.is_some_and(|rest| rest.starts_with(':'))
}
