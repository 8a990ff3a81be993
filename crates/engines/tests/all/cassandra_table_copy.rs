//! Some rows of a table on a real server are copied to a file and a workload that other commands read.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::collections::BTreeSet;
use std::path::Path;

use arrow::array::AsArray;
use bakeoff_engines::table_copy::{TableCopy, copy};
use bakeoff_engines::{Cluster, EngineError, check_designs, check_queries};
use bakeoff_workload::{Workload, source};
use scylla::client::session::Session;
use scylla::value::CqlTimestamp;
use uuid::Uuid;

use crate::support::load::session_at;
use crate::support::shared;

const PARTITIONS: u128 = 60;
const ROWS: i64 = 50;
/// Fewer than there are.
const COPIED: u64 = 1_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn some_rows_of_all_parts_of_the_ring_are_copied_with_the_settings_of_the_table() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let address = server.address().to_string();
    let session = session_at(&address).await;
    make(&session, "copied").await;
    let table = "CREATE TABLE copied.events (p uuid, c timestamp, place text static, tags set<text>, v float, \
                 note text, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC) AND compression = \
                 {'class': 'ZstdCompressor', 'chunk_length_in_kb': 64} AND compaction = \
                 {'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'L4'}";
    let index = "CREATE INDEX ON copied.events (note) USING 'sai'";
    for cql in [table, index] {
        session.query_unpaged(cql, ()).await.unwrap();
    }
    let insert = "INSERT INTO copied.events (p, c, v, note) VALUES (?, ?, ?, ?)";
    let insert = session.prepare(insert).await.unwrap();
    for p in 0..PARTITIONS {
        for c in 0..ROWS {
            let values = (Uuid::from_u128(p), CqlTimestamp(c * 1000), c as f32, "seen");
            session.execute_unpaged(&insert, values).await.unwrap();
        }
    }
    // A partition that has no row.
    let empty = "INSERT INTO copied.events (p, place) VALUES (?, 'nowhere')";
    let empty_key = Uuid::from_u128(PARTITIONS);
    session.query_unpaged(empty, (empty_key,)).await.unwrap();

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.parquet");
    let copied = copied(&address, "copied.events", &file).await.unwrap();
    assert!(!copied.is_whole);
    assert!(
        (COPIED..COPIED + 100).contains(&copied.rows),
        "{}",
        copied.rows
    );
    let present = copied.present("cassandra").to_string();
    let expected = "cassandra/wide?chunk=64KiB&compaction=UCS:L4&compressor=Zstd&gc_grace=10d&index=note\
                    &order=desc";
    assert_eq!(present, expected);
    let notes = copied.notes.join("; ");
    for note in [
        "`place` (text): it is static",
        "`tags` (set<text>): a collection",
    ] {
        assert!(notes.contains(note), "`{note}` is not in {notes}");
    }
    for unchanged in ["v as", "p as"] {
        assert!(!notes.contains(unchanged), "{notes}");
    }

    let text = copied.workload(&[present], &["note".to_owned()], "rows.parquet");
    let workload = Workload::parse(&text, &folder.path().join("copy.toml")).unwrap();
    for (column, kind) in [("v", "float"), ("p", "uuid")] {
        let column = workload.table.column(column).unwrap();
        assert_eq!(column.kind.name(), kind);
    }
    check_designs(&workload).unwrap();
    check_queries(&workload).await.unwrap();
    let rows = source::open(&workload, None).unwrap();
    let mut partitions = BTreeSet::new();
    for batch in rows.read(0, 10_000).unwrap() {
        let batch = batch.unwrap().rows;
        let keys = batch.column(0).as_string::<i32>();
        partitions.extend(keys.iter().map(|key| key.unwrap().to_owned()));
    }
    // Each part of the ring has its share, be it of one partition or the first of several.
    assert!(partitions.len() > 25, "{partitions:?}");
    assert!(!partitions.contains(&empty_key.to_string()));
    session
        .query_unpaged("DROP KEYSPACE copied", ())
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_copied_is_said() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let address = server.address().to_string();
    let session = session_at(&address).await;
    make(&session, "copied_not").await;
    for cql in [
        "CREATE TABLE copied_not.listed (parts frozen<list<int>> PRIMARY KEY, v int)",
        "CREATE TABLE copied_not.empty (p int PRIMARY KEY, v int)",
    ] {
        session.query_unpaged(cql, ()).await.unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.parquet");
    for (table, why) in [
        (
            "copied_not.listed",
            "`parts` is in the key, and its type is",
        ),
        (
            "copied_not.empty",
            "copied_not.empty is empty, and a workload needs rows",
        ),
        ("copied_not.absent", "has no table `absent`"),
    ] {
        let error = copied(&address, table, &file)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(why), "{error}");
        assert!(!file.exists(), "{table}");
    }
    session
        .query_unpaged("DROP KEYSPACE copied_not", ())
        .await
        .unwrap();
}

async fn make(session: &Session, keyspace: &str) {
    let cql = format!(
        "CREATE KEYSPACE {keyspace} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
    );
    session.query_unpaged(cql, ()).await.unwrap();
}

async fn copied(address: &str, table: &str, to: &Path) -> Result<TableCopy, EngineError> {
    let cluster = Cluster {
        address: address.to_owned(),
        ..Cluster::default()
    };
    copy(&cluster, &table.parse().unwrap(), COPIED, to).await
}
