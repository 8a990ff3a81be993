//! Figures of a node of a cluster that Bakeoff did not start, beside those that its owner sees: over CQL alone, and
//! with nodetool.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use bakeoff_engines::nodes::{NodeFigures, Nodetool, ReadRepairs, Reader, TableName};
use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::cassandra::Server;
use bakeoff_engines::{Cluster, Context, EngineOptions};
use scylla::client::session::Session;
use serde_json::Value;

use crate::support::load::{on_cluster, session_at};
use crate::support::{Started, THREADS, places, shared};

const MIB: u64 = 1 << 20;
const ROWS: i32 = 96;
/// Bytes of a row, which are not compressed.
const ROW_BYTES: usize = 64 << 10;
const READS: u64 = 5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_is_known_over_cql_alone() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    make_table(&session, "figures_of_cql").await;
    server.nodetool(&["flush", "figures_of_cql"]).await.unwrap();
    for _ in 0..READS {
        let cql = "SELECT c FROM figures_of_cql.t WHERE p = 1";
        session.query_unpaged(cql, ()).await.unwrap();
    }
    let node = read(&server, &["figures_of_cql.t", "figures_of_cql.absent"]).await;
    assert_eq!(node.version.as_deref(), Some(server.version()));
    assert_eq!(node.host, "127.0.0.1");
    let [table, absent] = &node.tables[..] else {
        panic!("{node:?}");
    };
    let shown = table.disk_usage_bytes.unwrap();
    let owners = owners_bytes(&server, "figures_of_cql").await;
    assert!(owners > 5 * MIB, "{owners}");
    assert!(shown.abs_diff(owners) <= MIB, "{shown} {owners}");
    assert!(node.all_tables_bytes.unwrap() >= shown);
    assert!(table.max_partition_bytes.unwrap() >= 5 * MIB, "{table:?}");
    for reads in [table.coordinator_reads, table.local_reads] {
        assert!(reads.unwrap().count.unwrap() >= READS, "{reads:?}");
    }
    assert_eq!(table.local_writes.unwrap().count, Some(ROWS as u64));
    assert!(
        table.tombstones_per_read.unwrap().max.unwrap() <= 1.0,
        "{table:?}"
    );
    assert!(table.rows_per_read.unwrap().max.unwrap() >= f64::from(ROWS));
    let caches = node.caches.as_ref().unwrap();
    assert!(
        caches.iter().any(|cache| cache.name == "keys"),
        "{caches:?}"
    );
    let pools = node.thread_pools.as_ref().unwrap();
    assert!(
        pools.iter().any(|pool| pool.name == "ReadStage"),
        "{pools:?}"
    );
    assert!(node.sstable_tasks.is_some());

    assert_eq!(table.sstables_per_read, None);
    let lacking = "this version of Cassandra has no such view";
    assert_eq!(node.why("sstables_per_read"), lacking);
    assert_eq!(absent.disk_usage_bytes, None);
    let why = node.why("disk_usage");
    assert_eq!(why, "the node has no table figures_of_cql.absent");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodetool_adds_what_only_it_knows() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let session = session_at(&server.address().to_string()).await;
    make_table(&session, "figures_of_tool").await;
    server
        .nodetool(&["flush", "figures_of_tool"])
        .await
        .unwrap();
    let mut nodes = [read(&server, &["figures_of_tool.t"]).await];
    nodetool(&server).add_to(&mut nodes, true).await;
    let [node] = nodes;
    let of_nodetool = |figure: &str| figure.starts_with("nodetool");
    let missing = { node.missing.iter() }.find(|missing| of_nodetool(&missing.figure));
    assert_eq!(missing, None);
    let printed = node.nodetool.unwrap();
    let statistics = printed.tables[0].statistics.unwrap();
    let owners = owners_bytes(&server, "figures_of_tool").await;
    assert_eq!(statistics.live_bytes, Some(owners));
    // Others make the shared server flush, too.
    assert!(statistics.sstables.is_some_and(|sstables| sstables >= 1));
    assert_eq!(statistics.compression_ratio, None, "it is switched off");
    let histograms = printed.tables[0].histograms.unwrap();
    let bytes = histograms.partition_bytes.max.unwrap();
    assert!(bytes >= (5 * MIB) as f64, "{bytes}");
    assert!(histograms.write_micros.p50.unwrap() > 0.0);
    let info = printed.info.unwrap();
    assert!(info.heap_used_mib.unwrap() < info.heap_max_mib.unwrap());
    assert!(info.uptime_seconds.is_some());
    assert!(printed.gc.unwrap().interval_ms > 0.0);
    // Its rows have one copy each, with which no other one can disagree.
    assert_eq!(printed.read_repairs, Some(ReadRepairs::default()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_design_is_compacted_and_measured_with_nodetool() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut options = on_cluster(&server.address().to_string(), None);
    for with_nodetool in [false, true] {
        options.cassandra.nodetool = with_nodetool.then(|| nodetool(&server));
        let run_dir = folder.path().join(format!("run-{with_nodetool}"));
        let started = Started::with("cassandra", run_dir, options.clone()).await;
        let table = places();
        let design = started.design("cassandra/wide", &table).await;
        design.create().await.unwrap();
        for slice in 0..2 {
            design.load(slice, &table.rows).await.unwrap();
        }
        let how = design.settle().await.unwrap();
        let footprint = design.footprint().await.unwrap();
        let note = footprint.note.unwrap();
        if with_nodetool {
            assert_eq!(how, "flushed, then compacted by nodetool");
            assert_eq!(note, "in 1 SSTable");
            assert!(footprint.engine_bytes.unwrap() > 0);
            assert!(footprint.compression_ratio.unwrap() > 0.0);
            assert!(footprint.compression_metadata_bytes.unwrap() > 0);
        } else {
            assert!(how.ends_with("that needs --nodetool"), "{how}");
            assert!(note.ends_with("--nodetool brings both"), "{note}");
            assert!(footprint.engine_bytes.is_some());
            assert_eq!(footprint.compression_ratio, None);
        }
        drop(design);
        started.running.finish(false).await.unwrap();
    }
}

/// What does not work is said before anything is made on the cluster.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_nodetool_that_does_not_work_is_refused_first() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    for (command, why) in [
        (
            "false {host}",
            "`false 127.0.0.1 info` failed: exit status: 1",
        ),
        ("echo {host}", "not understood: it printed `127.0.0.1 info`"),
    ] {
        let mut options = on_cluster(&server.address().to_string(), None);
        options.cassandra.nodetool = Some(command.parse().unwrap());
        let error = check(options).await.unwrap_err();
        let begin = format!("--nodetool '{command}' does not work for every node");
        assert!(error.starts_with(&begin) && error.contains(why), "{error}");
    }
    let mut options = on_cluster(&server.address().to_string(), None);
    options.cassandra.nodetool = Some(nodetool(&server));
    check(options).await.unwrap();
}

async fn check(options: EngineOptions) -> Result<(), String> {
    let context = Context {
        run_dir: "/nowhere".into(),
        token: None,
        threads: THREADS,
        keys_repeat: true,
        options,
    };
    let id = "cassandra".parse().unwrap();
    let checked = engine(&id).unwrap().check(&context).await;
    checked.map_err(|error| error.to_string())
}

/// Makes a table of one partition without compression.
async fn make_table(session: &Session, keyspace: &str) {
    for cql in [
        format!(
            "CREATE KEYSPACE {keyspace} WITH replication = {{'class': 'SimpleStrategy', \
             'replication_factor': 1}}"
        ),
        format!(
            "CREATE TABLE {keyspace}.t (p int, c int, v blob, PRIMARY KEY (p, c)) \
             WITH compression = {{'enabled': false}}"
        ),
    ] {
        session.query_unpaged(cql, ()).await.unwrap();
    }
    let insert = format!("INSERT INTO {keyspace}.t (p, c, v) VALUES (1, ?, ?)");
    let insert = session.prepare(insert).await.unwrap();
    for c in 0..ROWS {
        let values = (c, vec![7_u8; ROW_BYTES]);
        session.execute_unpaged(&insert, values).await.unwrap();
    }
}

/// Reads the only node.
async fn read(server: &Server, tables: &[&str]) -> NodeFigures {
    let cluster = Cluster {
        address: server.address().to_string(),
        ..Cluster::default()
    };
    let tables: Vec<TableName> = tables.iter().map(|name| name.parse().unwrap()).collect();
    let reader = Reader::connect(&cluster).await.unwrap();
    let mut nodes = reader.read(&tables).await;
    assert_eq!(nodes.len(), 1);
    nodes.remove(0)
}

/// Nodetool as a user would name it.
fn nodetool(server: &Server) -> Nodetool {
    server.nodetool_line().unwrap().parse().unwrap()
}

/// The bytes of a keyspace's table as the owner of the server sees them.
async fn owners_bytes(server: &Server, keyspace: &str) -> u64 {
    let arguments = ["tablestats", "-F", "json", keyspace];
    let printed = server.nodetool(&arguments).await.unwrap();
    let printed: Value = serde_json::from_str(&printed).unwrap();
    let bytes = &printed[keyspace]["tables"]["t"]["space_used_live"];
    let as_text = || bytes.as_str().and_then(|text| text.parse().ok());
    bytes.as_u64().or_else(as_text).unwrap()
}
