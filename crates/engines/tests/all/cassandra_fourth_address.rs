//! An address that a real Cassandra tells drivers and at which nobody is: a trace and a diagnosis name it, and a
//! request is answered all the same.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::time::Duration;

use bakeoff_engines::diagnose::{Request, read};
use bakeoff_engines::servers::Home;
use bakeoff_engines::servers::cassandra::{Server, ServerOptions};
use bakeoff_engines::{Cluster, TraceRequest, Traceable, TracedSelect, trace};
use bakeoff_stats::diagnose::{Diagnosis, Finding, Outcome, Urgency, diagnose};
use bakeoff_stats::trace::{ClusterFinding, Traced};
use bakeoff_workload::selected_table;
use scylla::client::session::Session;

use crate::support::has_cassandra;
use crate::support::load::session_at;

/// The address of nobody.
const NOBODY: &str = "127.0.0.4";
const TABLE: &str = "fourth_address.t";

/// One start for all of it, which is most of the time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_of_nobody_is_named() {
    if !has_cassandra().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let home = Home::from_env().unwrap();
    let mut options = ServerOptions::new(home, folder.path().join("data")).unwrap();
    options.heap_mib = 1024;
    let server = Server::start(options).await.unwrap();
    let session = session_at(&server.address().to_string()).await;
    execute(
        &session,
        "CREATE KEYSPACE fourth_address WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    )
    .await;
    let create = format!("CREATE TABLE {TABLE} (p int PRIMARY KEY, v int)");
    execute(&session, &create).await;
    let insert = format!("INSERT INTO {TABLE} (p, v) VALUES (1, 2)");
    execute(&session, &insert).await;
    let before = traced(&server).await;
    assert_eq!(before.cluster.findings(), []);

    what_is_left_of_an_old_node(&server, &session).await;
    a_node_with_a_wrong_address(&server, &session).await;
    drop(session);
    server.stop().await.unwrap();
}

/// A peer without a place in the ring, of which drivers read the address all the same.
async fn what_is_left_of_an_old_node(server: &Server, session: &Session) {
    let port = server.address().port();
    for cql in [
        format!("INSERT INTO system.peers (peer, rpc_address) VALUES ('{NOBODY}', '{NOBODY}')"),
        format!(
            "INSERT INTO system.peers_v2 (peer, peer_port, native_address, native_port) \
             VALUES ('{NOBODY}', 7000, '{NOBODY}', {port})"
        ),
    ] {
        execute(session, &cql).await;
    }
    let traced = traced(server).await;
    let findings = traced.cluster.findings();
    let [
        ClusterFinding::NotInRing {
            address,
            listed_by,
            has_tokens,
            error,
            ..
        },
    ] = &findings[..]
    else {
        panic!("{findings:?}");
    };
    assert_eq!(*address, format!("{NOBODY}:{port}"));
    assert_eq!(*listed_by, [server.address().to_string()]);
    assert!(!has_tokens);
    assert!(error.as_ref().unwrap().contains("refused"), "{error:?}");

    let diagnosis = diagnosed(server).await;
    let finding = found(&diagnosis, "ring-address");
    assert_eq!(finding.urgency, Urgency::Now);
    let says = &finding.evidence[0].figure;
    assert!(says.contains(&format!("a peer at {NOBODY}")), "{says}");
}

/// A peer that has its share of the ring, at an address where it is not.
async fn a_node_with_a_wrong_address(server: &Server, session: &Session) {
    let port = server.address().port();
    let values = "data_center, rack, host_id, schema_version, release_version, tokens";
    let of_node = "'datacenter1', 'rack1', 00000000-0000-4000-8000-000000000004, \
                   00000000-0000-4000-8000-000000000005, '5.0.0', {'7'}";
    for cql in [
        format!("INSERT INTO system.peers (peer, {values}) VALUES ('{NOBODY}', {of_node})"),
        format!(
            "INSERT INTO system.peers_v2 (peer, peer_port, {values}) VALUES ('{NOBODY}', 7000, {of_node})"
        ),
    ] {
        execute(session, &cql).await;
    }
    let traced = traced(server).await;
    let findings = traced.cluster.findings();
    let unreachable = findings.iter().any(|finding| match finding {
        ClusterFinding::Unreachable { address, .. } => *address == format!("{NOBODY}:{port}"),
        _ => false,
    });
    assert!(unreachable, "{findings:?}");

    let diagnosis = diagnosed(server).await;
    let finding = found(&diagnosis, "silent-node");
    assert_eq!(finding.urgency, Urgency::Now);
    let node = finding.evidence[0].node.as_ref().unwrap();
    assert!(node.starts_with(NOBODY), "{finding:?}");
}

async fn execute(session: &Session, cql: &str) {
    session.query_unpaged(cql, ()).await.unwrap();
}

fn cluster(server: &Server) -> Cluster {
    Cluster {
        address: server.address().to_string(),
        ..Cluster::default()
    }
}

/// Traces a read of the one row, which is answered by the one node that there is.
async fn traced(server: &Server) -> Traced {
    let cql = format!("SELECT v FROM {TABLE} WHERE p = 1");
    let table = selected_table(&cql).unwrap();
    let request = TraceRequest {
        cluster: cluster(server),
        what: Traceable::Select(TracedSelect {
            cql,
            keyspace: None,
            table,
        }),
        consistency: None,
        page_rows: None,
        times: 1,
        percentile: 100.0,
        page_time_limit: Duration::from_secs(60),
        wait: Duration::from_secs(60),
    };
    let traced = trace(&request).await.unwrap();
    assert!(traced.recorded.total_micros.is_some(), "{traced:?}");
    assert_eq!(traced.client.page().unwrap().rows, 1);
    traced
}

async fn diagnosed(server: &Server) -> Diagnosis {
    let request = Request {
        tables: vec![TABLE.parse().unwrap()],
        ..Request::default()
    };
    let read = read(&cluster(server), &request).await.unwrap();
    diagnose(&read.evidence)
}

#[track_caller]
fn found<'a>(diagnosis: &'a Diagnosis, rule: &str) -> &'a Finding {
    let check = diagnosis.checks.iter().find(|check| check.rule == rule);
    match &check.unwrap().outcome {
        Outcome::Finding(finding) => finding,
        other => panic!("{rule}: {other:?}"),
    }
}
