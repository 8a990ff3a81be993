//! Scans of tables on three real nodes of Cassandra: each request for a token range is answered by a node
//! that has all of its rows, and by others if that one is gone. The traces of the nodes say who answered. A traced
//! request tells which of them were asked, and which cannot be reached. The figures of each node are those that its
//! owner reads. Faults of such a cluster are named, and a load goes on without a node that clients do not reach.
//!
//! Where they cannot be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

mod cut_off;
mod faults;
mod figures;
mod traced;

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::AsArray;
use arrow::datatypes::Int32Type;
use bakeoff_engines::nodes::{self, NodeFigures, TableName};
use bakeoff_engines::servers::cassandra::{Nodes, ServerOptions};
use bakeoff_engines::servers::{Error, Home};
use bakeoff_engines::tables::{Connection, Options, Tables};
use bakeoff_engines::{Cluster, EngineOptions};
use bakeoff_stats::ServerSample;
use bakeoff_testing::skipped;
use scylla::client::session::Session;
use tokio::time::sleep;
use uuid::Uuid;

use crate::support::load::session_at;
use crate::support::{Started, THREADS, events, has_cassandra};

const ROWS: i32 = 300;
/// The longest time to wait for memory that other tests have.
const MEMORY_WITHIN: Duration = Duration::from_secs(300);
/// The longest time that traces take to be written.
const TRACED_WITHIN: Duration = Duration::from_secs(120);
/// The longest time of a call of nodetool, in seconds.
const NODETOOL_LIMIT_SECONDS: u64 = 120;
const POLL: Duration = Duration::from_millis(200);

/// One start of the nodes for all of it, which is most of the time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn token_ranges_are_read_from_nodes_that_have_them() {
    if !has_cassandra().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let Some(nodes) = start(&folder.path().join("cluster")).await else {
        return;
    };
    let address = nodes.address().to_string();
    let session = session_at(&address).await;
    make_tables(&session).await;
    let cluster = Cluster {
        address,
        ..Cluster::default()
    };
    let connection = Arc::new(Connection::new(Some(cluster.clone())));
    let options = Options {
        consistency: None,
        page_time_limit: None,
        threads: THREADS,
        memory_bytes: 64 << 20,
        cache_bytes: 0,
    };
    let mut tables = Tables::new(connection, options).unwrap();
    requests_are_answered_alone(&nodes, &session, &mut tables).await;
    plans_tell_how_many_nodes_own_what_is_read(&mut tables).await;
    each_node_has_figures_of_its_own(&session).await;
    traced::all_copies_are_asked_by_a_cluster_that_is_well(&cluster).await;
    all_nodes_are_sampled_together(&cluster, &session, folder.path()).await;

    let mut servers = nodes.into_servers();
    let agree = figures::agree_with_those_of_the_owner(&servers, &session, &cluster, folder.path());
    Box::pin(agree).await;
    Box::pin(faults::are_named(&servers, &session, &cluster)).await;
    let run_dir = folder.path().join("cut-off");
    let cut_off = cut_off::a_node_fails_no_more_operations_than_those_of_the_driver(
        servers[1].address(),
        &cluster.address,
        &run_dir,
    );
    Box::pin(cut_off).await;
    servers.remove(1).stop().await.unwrap();
    a_node_that_is_gone_hides_no_other(&session).await;
    Box::pin(faults::a_node_that_is_gone_is_named(&cluster)).await;
    for _ in 0..3 {
        let (rows, _) = scan(&mut tables, "SELECT k FROM twice.readings").await;
        assert_eq!(rows, all_rows());
    }
    traced::a_node_that_is_gone_is_told(&cluster).await;
    for server in servers {
        server.stop().await.unwrap();
    }
}

/// Reads the figures of the table with one copy on every node.
async fn figures(session: &Session) -> Vec<NodeFigures> {
    nodes::read(session, &["once.readings".parse().unwrap()]).await
}

async fn each_node_has_figures_of_its_own(session: &Session) {
    let nodes = figures(session).await;
    let hosts: Vec<&str> = nodes.iter().map(|node| node.host.as_str()).collect();
    assert_eq!(hosts, ["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
    let writes = nodes
        .iter()
        .map(|node| node.tables[0].local_writes.unwrap().count.unwrap());
    let writes: Vec<u64> = writes.collect();
    // Each row was written once, by the one node that has it.
    assert_eq!(writes.iter().sum::<u64>(), ROWS as u64, "{writes:?}");
    assert!(writes.iter().all(|count| *count > 0), "{writes:?}");
    assert!(nodes::all_bytes(&nodes).is_ok());
    for node in &nodes {
        assert!(node.sent_to_nodes_bytes.unwrap() > 0, "{node:?}");
        assert!(node.received_from_nodes_bytes.unwrap() > 0, "{node:?}");
    }
}

/// Samples that are asked for before one has to hold everything: nodes that are kept busy may not answer in time.
const MOST_SAMPLES: u32 = 60;

async fn all_nodes_are_sampled_together(cluster: &Cluster, session: &Session, folder: &Path) {
    let mut options = EngineOptions::default();
    options.cassandra.cluster = Some(cluster.clone());
    let started = Started::with("cassandra", folder.join("sampled"), options).await;
    let table = events();
    let design = started.loaded("cassandra/narrow", &table).await;
    let own = [own_table(session).await];
    // Copies may be written after the write is acknowledged.
    let (mut sample, mut writes) = (ServerSample::default(), Vec::new());
    for _ in 0..MOST_SAMPLES {
        let figures = nodes::read(session, &own).await;
        let of_nodes = figures
            .iter()
            .filter_map(|node| node.tables[0].local_writes?.count);
        writes = of_nodes.collect();
        sample = design.server_sample().await.unwrap();
        let is_whole = sample.local_writes == Some(writes.iter().sum());
        let tells_all = sample.sent_to_nodes_bytes.is_some() && sample.generations.is_some();
        if writes.len() == 3 && is_whole && tells_all {
            break;
        }
        sleep(POLL).await;
    }
    assert_eq!(sample.local_writes, Some(writes.iter().sum()), "{writes:?}");
    let with_rows = writes.iter().filter(|count| **count > 0).count();
    assert!(with_rows > 1, "{writes:?}");
    assert_eq!(sample.nodes, Some(3), "{sample:?}");
    assert!(sample.sent_to_nodes_bytes.unwrap() > 0, "{sample:?}");
    // The seconds since 1970 at which each of the three was started.
    assert!(sample.generations > Some(3 * 1_600_000_000), "{sample:?}");
    // The operating system of a cluster that was there tells nothing.
    assert_eq!(sample.cpu_seconds, None);
    // Nodetool of a cluster that was there is not known.
    assert_eq!(design.read_repairs().await, None);
    drop(design);
    started.running.finish(false).await.unwrap();
}

/// Returns the only table of a design on the cluster.
async fn own_table(session: &Session) -> TableName {
    let cql = "SELECT keyspace_name, table_name FROM system_schema.tables";
    let rows = session.query_unpaged(cql, ()).await.unwrap();
    let rows = rows.into_rows_result().unwrap();
    let mut tables = rows.rows::<(String, String)>().unwrap().map(Result::unwrap);
    let is_own = |(keyspace, table): &(String, String)| {
        keyspace.starts_with("bakeoff_") && table != "bakeoff_marker"
    };
    let (keyspace, table) = tables.find(is_own).unwrap();
    TableName { keyspace, table }
}

async fn a_node_that_is_gone_hides_no_other(session: &Session) {
    let nodes = figures(session).await;
    let known: Vec<bool> = nodes.iter().map(|node| node.version.is_some()).collect();
    assert_eq!(known, [true, false, true]);
    let why = nodes[1].why("disk_usage");
    assert!(why.contains("the node"), "{why}");
    let error = nodes::all_bytes(&nodes).unwrap_err();
    assert!(
        error.starts_with("node 127.0.0.2:") && error.contains(why),
        "{error}"
    );
}

/// Starts three nodes, or says why they cannot be started here.
async fn start(folder: &Path) -> Option<Nodes> {
    let mut options = ServerOptions::new(Home::from_env().unwrap(), folder).unwrap();
    options.heap_mib = 512;
    options.name = "replicas, tests of engines".to_owned();
    let began = Instant::now();
    loop {
        let reason = match Nodes::start(options.clone(), 3).await {
            Ok(nodes) => return Some(nodes),
            Err(Error::Refused(reason)) if reason.contains("memory") => reason,
            Err(error) => panic!("{error}"),
        };
        let may_be_free_later = reason.contains("are free");
        if !may_be_free_later || began.elapsed() > MEMORY_WITHIN {
            skipped(reason);
            return None;
        }
        sleep(Duration::from_secs(1)).await;
    }
}

/// Makes a table with one copy of each row, and one with two.
async fn make_tables(session: &Session) {
    for (keyspace, copies) in [("once", 1), ("twice", 2)] {
        for cql in [
            format!(
                "CREATE KEYSPACE {keyspace} WITH replication = {{'class': 'SimpleStrategy', \
                 'replication_factor': {copies}}}"
            ),
            format!("CREATE TABLE {keyspace}.readings (k int PRIMARY KEY, v int)"),
        ] {
            session.query_unpaged(cql, ()).await.unwrap();
        }
        let insert = format!("INSERT INTO {keyspace}.readings (k, v) VALUES (?, ?)");
        let insert = session.prepare(insert).await.unwrap();
        for k in 0..ROWS {
            session.execute_unpaged(&insert, (k, k)).await.unwrap();
        }
    }
}

/// Of one copy of each row: a node that asks no other one has all rows that it answers with.
async fn requests_are_answered_alone(nodes: &Nodes, session: &Session, tables: &mut Tables) {
    // The statement is prepared and the tables are known before anything is traced.
    let whole = session.prepare("SELECT v FROM once.readings").await;
    let whole = whole.unwrap();
    let (rows, _) = scan(tables, "SELECT k FROM once.readings").await;
    assert_eq!(rows, all_rows());
    trace(nodes, "1").await;
    let (rows, requests) = scan(tables, "SELECT k FROM once.readings").await;
    session.execute_unpaged(&whole, ()).await.unwrap();
    trace(nodes, "0").await;

    assert_eq!(rows, all_rows());
    let by_token = |execution: &Execution| execution.cql.contains("token(");
    let (began, executions) = (Instant::now(), || executions(session));
    let executions = loop {
        let found = executions().await;
        let ranges = found.iter().filter(|found| by_token(found)).count() as u64;
        let is_whole = ranges >= requests && found.len() as u64 > ranges;
        if is_whole && found.iter().all(|execution| execution.is_over) {
            assert_eq!(ranges, requests);
            break found;
        }
        assert!(began.elapsed() < TRACED_WITHIN, "{found:?}");
        sleep(POLL).await;
    };
    let mut coordinators = BTreeSet::new();
    for execution in &executions {
        let asked = nodes_asked(session, execution).await;
        if by_token(execution) {
            let alone = BTreeSet::from([execution.coordinator]);
            assert_eq!(asked, alone, "{execution:?}");
            coordinators.insert(execution.coordinator);
        } else {
            // Without this, traces would not show that a node asks others.
            assert_eq!(asked.len(), 3, "{execution:?}");
        }
    }
    assert_eq!(coordinators.len(), 3, "{coordinators:?}");
}

async fn plans_tell_how_many_nodes_own_what_is_read(tables: &mut Tables) {
    // So many partitions are on all nodes.
    let keys: Vec<String> = (0..40).map(|k| k.to_string()).collect();
    let several = format!("WHERE k IN ({})", keys.join(", "));
    for (condition, told) in [
        ("", ", nodes=3 of 3"),
        ("WHERE k = 7", ", partitions=1, nodes=1 of 3"),
        (&several, ", partitions=40, nodes=3 of 3"),
    ] {
        let sql = format!("EXPLAIN SELECT v FROM once.readings {condition}");
        let mut query = tables.query(&sql, None).await.unwrap().unwrap();
        let mut plan = String::new();
        while let Some(batch) = query.next().await.unwrap() {
            plan.extend(batch.column(1).as_string::<i32>().iter().flatten());
        }
        assert!(plan.contains(told), "{sql}: {plan}");
    }
}

fn all_rows() -> Vec<i32> {
    (0..ROWS).collect()
}

/// Returns the first column of all rows in their order, and the number of requests.
async fn scan(tables: &mut Tables, sql: &str) -> (Vec<i32>, u64) {
    let mut query = tables.query(sql, None).await.unwrap().unwrap();
    let progress = query.watch();
    let mut values = Vec::new();
    while let Some(batch) = query.next().await.unwrap() {
        let column = batch.column(0).as_primitive::<Int32Type>();
        values.extend_from_slice(column.values());
    }
    values.sort_unstable();
    (values, progress().parts)
}

/// Makes each node trace this share of its requests.
async fn trace(nodes: &Nodes, share: &str) {
    let arguments = ["settraceprobability", share];
    let set = nodes.nodetool_within(&arguments, NODETOOL_LIMIT_SECONDS);
    set.await.unwrap();
}

/// An execution of a statement that reads the table with one copy.
#[derive(Debug)]
struct Execution {
    trace: Uuid,
    cql: String,
    coordinator: IpAddr,
    is_over: bool,
}

/// A session of a trace: its id, coordinator, duration in microseconds when it is over, kind and parameters.
type TraceSession = (
    Uuid,
    Option<IpAddr>,
    Option<i32>,
    Option<String>,
    Option<HashMap<String, String>>,
);

async fn executions(session: &Session) -> Vec<Execution> {
    let cql =
        "SELECT session_id, coordinator, duration, request, parameters FROM system_traces.sessions";
    let rows = session.query_unpaged(cql, ()).await.unwrap();
    let rows = rows.into_rows_result().unwrap();
    let execution = |(trace, coordinator, duration, kind, parameters): TraceSession| {
        let cql = parameters?.remove("query")?;
        let reads_table = cql.contains("readings") && cql.contains("once");
        let is_execution = kind?.starts_with("Execute CQL3 prepared");
        (reads_table && is_execution).then_some(Execution {
            trace,
            cql,
            coordinator: coordinator?,
            is_over: duration.is_some(),
        })
    };
    let rows = rows.rows::<TraceSession>().unwrap().map(Result::unwrap);
    rows.filter_map(execution).collect()
}

/// Returns the nodes that took part in an execution.
async fn nodes_asked(session: &Session, execution: &Execution) -> BTreeSet<IpAddr> {
    let cql = "SELECT source FROM system_traces.events WHERE session_id = ?";
    let began = Instant::now();
    loop {
        let rows = session.query_unpaged(cql, (execution.trace,)).await;
        let rows = rows.unwrap().into_rows_result().unwrap();
        let sources = rows.rows::<(IpAddr,)>().unwrap().map(Result::unwrap);
        let asked: BTreeSet<IpAddr> = sources.map(|(source,)| source).collect();
        // Other nodes write their part of a trace later than the one that asked them.
        let is_whole = execution.cql.contains("token(") || asked.len() == 3;
        if !asked.is_empty() && (is_whole || began.elapsed() > TRACED_WITHIN) {
            return asked;
        }
        assert!(began.elapsed() < 2 * TRACED_WITHIN, "{execution:?}");
        sleep(POLL).await;
    }
}
