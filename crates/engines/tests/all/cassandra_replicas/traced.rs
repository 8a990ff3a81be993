//! Requests to three nodes that are traced: which nodes were asked, and which cannot be reached.

use bakeoff_engines::{Cluster, TraceRequest, Traceable, TracedSelect, trace};
use bakeoff_stats::trace::{ClusterFinding, Traced};
use bakeoff_workload::{Consistency, selected_table};

use super::TRACED_WITHIN;

/// Makes a read of one partition of the table with two copies, which is traced.
pub fn read_of(cluster: &Cluster, key: i32, consistency: Consistency) -> TraceRequest {
    let cql = format!("SELECT v FROM twice.readings WHERE k = {key}");
    TraceRequest {
        cluster: cluster.clone(),
        what: Traceable::Select(TracedSelect {
            keyspace: None,
            table: selected_table(&cql).unwrap(),
            cql,
        }),
        consistency: Some(consistency),
        page_rows: None,
        times: 3,
        percentile: 50.0,
        page_time_limit: TRACED_WITHIN,
        wait: TRACED_WITHIN,
    }
}

/// Traces a read of one partition of the table with two copies.
async fn traced_read(cluster: &Cluster, consistency: Consistency) -> Traced {
    trace(&read_of(cluster, 7, consistency)).await.unwrap()
}

pub async fn all_copies_are_asked_by_a_cluster_that_is_well(cluster: &Cluster) {
    let traced = traced_read(cluster, Consistency::All).await;
    let findings = traced.cluster.findings();
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(traced.cluster.attempts.len(), 3);
    let summary = traced.summary();
    assert!(summary.complete, "{summary:?}");
    assert_eq!(summary.replicas.len(), 2, "{summary:?}");
    assert_eq!(traced.client.page().unwrap().rows, 1);
    // At the lowest level one copy is enough.
    let one = traced_read(cluster, Consistency::LocalOne).await.summary();
    let at_first = one.replicas.iter().filter(|replica| !replica.speculative);
    assert_eq!(at_first.count(), 1, "{one:?}");
}

pub async fn a_node_that_is_gone_is_told(cluster: &Cluster) {
    let traced = traced_read(cluster, Consistency::LocalOne).await;
    let findings = traced.cluster.findings();
    let [ClusterFinding::Unreachable { address, .. }] = findings.as_slice() else {
        panic!("{findings:?}");
    };
    assert!(address.starts_with("127.0.0.2:"), "{address}");
    assert_eq!(traced.client.page().unwrap().rows, 1);
}
