//! Cassandra 4.1, whose users have only the rights that they are granted: its figures, what a diagnosis says of it, and
//! what a user without rights is told.

use std::time::{Duration, Instant};

use bakeoff_engines::diagnose::{ReadError, read};
use bakeoff_engines::live::SampleRequest;
use bakeoff_engines::nodes::{Missing, Nodetool, Reader, TableName};
use bakeoff_engines::servers::Home;
use bakeoff_engines::servers::cassandra::{Release, Server, ServerOptions};
use bakeoff_engines::tables::Location;
use bakeoff_engines::{Cluster, TraceRequest, Traceable, TracedSelect, sample_cassandra, trace};
use bakeoff_stats::diagnose::{Outcome, diagnose};
use bakeoff_workload::selected_table;
use scylla::client::session::Session;
use tokio::time::sleep;

use super::{READS, cluster, delete_and_read, diagnosed, found, outcome, request};
use crate::support::has_cassandra_4;
use crate::support::load::session_at;

const TABLE: &str = "diagnose_four.t";
/// A user who may log in and nothing else.
const USER: &str = "reader";
const PASSWORD: &str = "of reader";
const NO_RIGHT: &str = "--username has no right to read it: ";
/// The longest time until a right that was granted is known, and the longest time of a request.
const WITHIN: Duration = Duration::from_secs(60);

/// It has most of the views, and its designs are of its own engine.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tombstones_of_cassandra_4_are_named_until_it_is_gone() {
    if !has_cassandra_4().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let home = Home::from_env().unwrap();
    let mut options = ServerOptions::of(Release::Four, home, folder.path().join("data")).unwrap();
    options.heap_mib = 1024;
    options.tuning.checks_rights = true;
    let server = Server::start(options).await.unwrap();
    let session = session_at(&server.address().to_string()).await;
    delete_and_read(&session, "diagnose_four").await;
    let diagnosis = diagnosed(&server, TABLE, true).await;
    let finding = found(&diagnosis, "tombstones");
    assert_eq!(finding.designs[0], "cassandra-4/wide");
    for rule in ["compaction-behind", "silent-node", "dropped-messages"] {
        assert_eq!(*outcome(&diagnosis, rule), Outcome::Healthy, "{rule}");
    }

    its_figures_are_read(&server).await;
    rights_that_are_lacking_are_named(&server, &session).await;

    let gone = cluster(&server);
    drop(session);
    server.stop().await.unwrap();
    let error = read(&gone, &request(TABLE)).await.unwrap_err();
    assert!(matches!(error, ReadError::Failed(_)), "{error:?}");
}

async fn its_figures_are_read(server: &Server) {
    let reader = Reader::connect(&cluster(server)).await.unwrap();
    let mut nodes = reader.read(&[TABLE.parse().unwrap()]).await;
    let nodetool: Nodetool = server.nodetool_line().unwrap().parse().unwrap();
    nodetool.add_to(&mut nodes, true).await;
    let [node] = &nodes[..] else {
        panic!("{nodes:?}");
    };
    assert_eq!(node.version.as_deref(), Some(server.version()));
    let is_other = |missing: &&Missing| missing.figure != "sstables_per_read";
    assert_eq!(node.missing.iter().find(is_other), None);
    let lacking = "this version of Cassandra has no such view";
    assert_eq!(node.why("sstables_per_read"), lacking);
    let table = &node.tables[0];
    assert!(table.disk_usage_bytes.is_some(), "{table:?}");
    let reads = table.local_reads.unwrap();
    assert!(reads.count >= Some(READS as u64), "{reads:?}");
    assert!(table.tombstones_per_read.unwrap().max >= Some(1500.0));
    let caches = node.caches.as_ref().unwrap();
    assert!(caches.iter().any(|cache| cache.name == "keys"));
    let pools = node.thread_pools.as_ref().unwrap();
    assert!(pools.iter().any(|pool| pool.name == "ReadStage"));
    let printed = node.nodetool.as_ref().unwrap();
    assert!(printed.tables[0].statistics.is_some(), "{printed:?}");
    assert!(printed.tables[0].histograms.is_some(), "{printed:?}");
    assert!(printed.gc.is_some() && printed.read_repairs.is_some());
    let info = printed.info.unwrap();
    assert!(info.heap_used_mib < info.heap_max_mib, "{info:?}");
}

async fn rights_that_are_lacking_are_named(server: &Server, session: &Session) {
    let role = format!("CREATE ROLE {USER} WITH LOGIN = true AND PASSWORD = '{PASSWORD}'");
    session.query_unpaged(role, ()).await.unwrap();
    let cluster = Cluster {
        username: Some(USER.to_owned()),
        password: Some(PASSWORD.to_owned()),
        ..cluster(server)
    };
    let name: TableName = TABLE.parse().unwrap();
    let reader = Reader::connect(&cluster).await.unwrap();
    let nodes = reader.read(&[name]).await;
    let [node] = &nodes[..] else {
        panic!("{nodes:?}");
    };
    // Everybody may read that.
    assert_eq!(node.version.as_deref(), Some(server.version()));
    assert_eq!(node.tables[0].disk_usage_bytes, None);
    for figure in ["disk_usage", "local_read_latency", "caches", "thread_pools"] {
        let why = node.why(figure);
        let is_said = why.starts_with(NO_RIGHT) && why.contains(USER);
        assert!(is_said, "{figure}: {why}");
    }

    let read = read(&cluster, &request(TABLE)).await.unwrap();
    let diagnosis = diagnose(&read.evidence);
    assert_eq!(*outcome(&diagnosis, "silent-node"), Outcome::Healthy);
    for (rule, view) in [
        ("tombstones", "local_read_latency"),
        ("thread-pools", "thread_pools"),
    ] {
        let Outcome::NotChecked(not) = outcome(&diagnosis, rule) else {
            panic!("{rule}: {:?}", outcome(&diagnosis, rule));
        };
        let begin = format!("{view}: {NO_RIGHT}");
        assert!(not.reason.starts_with(&begin), "{rule}: {not:?}");
    }

    let request = traced_read(&cluster);
    let why = trace(&request).await.unwrap_err().to_string();
    let lacking = "no SELECT permission on <table diagnose_four.t>";
    assert!(why.contains(lacking), "{why}");
    let asked = SampleRequest {
        rows: 10,
        rate_limit: None,
    };
    let location: Location = TABLE.parse().unwrap();
    let sampled = sample_cassandra(&cluster, &location, &asked).await;
    let why = sampled.unwrap_err().to_string();
    let begin = format!("cannot read {TABLE}: ");
    assert!(why.starts_with(&begin) && why.contains(lacking), "{why}");
    let right = format!("have somebody who may run GRANT SELECT ON {TABLE} TO this user");
    assert!(why.contains(&right), "{why}");
    let grant = format!("GRANT SELECT ON {TABLE} TO {USER}");
    session.query_unpaged(grant, ()).await.unwrap();
    // The server asks for rights again after some seconds. Everybody may read the traces themselves.
    let began = Instant::now();
    while let Err(error) = trace(&request).await {
        let why = error.to_string();
        assert!(why.contains(lacking) && began.elapsed() < WITHIN, "{why}");
        sleep(Duration::from_millis(200)).await;
    }
}

fn traced_read(cluster: &Cluster) -> TraceRequest {
    let cql = format!("SELECT * FROM {TABLE} WHERE p = 1");
    TraceRequest {
        cluster: cluster.clone(),
        what: Traceable::Select(TracedSelect {
            keyspace: None,
            table: selected_table(&cql).unwrap(),
            cql,
        }),
        consistency: None,
        page_rows: None,
        times: 1,
        percentile: 50.0,
        page_time_limit: WITHIN,
        wait: WITHIN,
    }
}
