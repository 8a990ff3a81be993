//! Tests of the table options that designs choose, on a real Cassandra: its tables have them, settle to the
//! SSTables that their compaction strategy leaves, and answer as the rows do, under load, too.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use bakeoff_driver::Design;
use scylla::client::session::Session;

use crate::support::load::{Loads, workload};
use crate::support::{Started, events, shared, wrong_answers};

/// A design, and what Cassandra then tells of its table.
struct Case {
    id: &'static str,
    /// End of the name of the CQL table that is looked at.
    table: &'static str,
    compression: &'static [(&'static str, &'static str)],
    compaction: &'static [(&'static str, &'static str)],
    caching: [(&'static str, &'static str); 2],
    ttl_seconds: i32,
    /// Seconds for which tombstones are kept, where the design says so.
    gc_grace_seconds: Option<i32>,
    /// Number of SSTables when the design has settled.
    sstables: RangeInclusive<u64>,
}

const KEYS: [(&str, &str); 2] = [("keys", "ALL"), ("rows_per_partition", "NONE")];

const CASES: &[Case] = &[
    Case {
        id: "cassandra/wide?bucket=1d&caching=rows:100&chunk=4KiB&compaction=UCS:T4+T8\
             &compressor=Zstd&gc_grace=2h&level=19&ttl=30d",
        table: "",
        compression: &[
            ("class", "ZstdCompressor"),
            ("chunk_length_in_kb", "4"),
            ("compression_level", "19"),
        ],
        compaction: &[
            ("class", "UnifiedCompactionStrategy"),
            ("scaling_parameters", "T4, T8"),
        ],
        caching: [("keys", "ALL"), ("rows_per_partition", "100")],
        ttl_seconds: 2_592_000,
        gc_grace_seconds: Some(7_200),
        sstables: 1..=1,
    },
    // The rows take more than 1 MiB.
    Case {
        id: "cassandra/narrow?caching=none&compaction=LCS:1MiB&compressor=none",
        table: "",
        compression: &[("enabled", "false")],
        compaction: &[
            ("class", "LeveledCompactionStrategy"),
            ("sstable_size_in_mb", "1"),
        ],
        caching: [("keys", "NONE"), ("rows_per_partition", "NONE")],
        ttl_seconds: 0,
        gc_grace_seconds: None,
        sstables: 2..=3,
    },
    Case {
        id: "cassandra/blob?caching=rows:all&compaction=TWCS:12h&order=desc&ttl=365d",
        table: "",
        compression: &[("class", "LZ4Compressor"), ("chunk_length_in_kb", "16")],
        compaction: &[
            ("class", "TimeWindowCompactionStrategy"),
            ("compaction_window_unit", "HOURS"),
            ("compaction_window_size", "12"),
        ],
        caching: [("keys", "ALL"), ("rows_per_partition", "ALL")],
        ttl_seconds: 31_536_000,
        gc_grace_seconds: None,
        sstables: 1..=1,
    },
    Case {
        id: "cassandra/compact?caching=keys&compaction=STCS&compressor=Snappy&ttl=1d",
        table: "",
        compression: &[("class", "SnappyCompressor"), ("chunk_length_in_kb", "16")],
        compaction: &[("class", "SizeTieredCompactionStrategy")],
        caching: KEYS,
        ttl_seconds: 86_400,
        gc_grace_seconds: None,
        sstables: 1..=1,
    },
    // Five CQL tables, of which that with fresh rows is empty.
    Case {
        id: "cassandra/columnar?compressor=Deflate",
        table: "_chunks",
        compression: &[("class", "DeflateCompressor"), ("chunk_length_in_kb", "16")],
        compaction: &[("class", "SizeTieredCompactionStrategy")],
        caching: KEYS,
        ttl_seconds: 0,
        gc_grace_seconds: None,
        sstables: 1..=5,
    },
];

const QUERIES: &[&str] = &[
    "SELECT * FROM events",
    "SELECT count(*) AS n, count(label) AS labels, max(large) AS most FROM events",
    "SELECT * FROM events WHERE series = 'a' AND time >= TIMESTAMP '1970-01-01T00:00:00'",
];

/// Runs the tests that need a server of their own, with nodetool, on that of the other layouts.
pub async fn table_options_on_a_real_cassandra(cassandra: &Started, session: &Session) {
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    for case in CASES {
        let design = cassandra.loaded(case.id, &table).await;
        has_the_options(session, design.as_ref(), case).await;
        let settled = design.settle().await.unwrap();
        assert!(settled.ends_with("compacted by nodetool"), "{settled}");
        let note = design.footprint().await.unwrap().note.unwrap();
        let sstables = note.split(' ').nth(1).unwrap().parse::<u64>().unwrap();
        assert!(case.sstables.contains(&sstables), "{}: {note}", case.id);
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, QUERIES).await,
            [""; 0]
        );
    }
    a_flushed_table_keeps_its_sstables(cassandra).await;
    an_altered_table_is_written_anew(cassandra, session).await;
}

/// It has its first options until it is loaded.
async fn an_altered_table_is_written_anew(cassandra: &Started, session: &Session) {
    let with = |compression| Case {
        id: "cassandra/wide?alter=chunk:4KiB&chunk=64KiB",
        table: "",
        compression,
        compaction: &[],
        caching: KEYS,
        ttl_seconds: 0,
        gc_grace_seconds: None,
        sstables: 1..=1,
    };
    let (long, short) = (
        with(&[("class", "LZ4Compressor"), ("chunk_length_in_kb", "64")]),
        with(&[("class", "LZ4Compressor"), ("chunk_length_in_kb", "4")]),
    );
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    let design = cassandra.loaded(long.id, &table).await;
    has_the_options(session, design.as_ref(), &long).await;
    let settled = design.settle().await.unwrap();
    let how =
        "compacted by nodetool, then altered and written anew by nodetool upgradesstables in ";
    assert!(settled.contains(how), "{settled}");
    has_the_options(session, design.as_ref(), &short).await;
    let note = design.footprint().await.unwrap().note.unwrap();
    assert!(note.starts_with("in 1 SSTable"), "{note}");
    assert!(note.contains("; altered and written anew by"), "{note}");
    assert_eq!(
        wrong_answers(design.as_ref(), &oracle, QUERIES).await,
        [""; 0]
    );
}

/// Each flush leaves an SSTable, which compaction by size begins to join at four.
async fn a_flushed_table_keeps_its_sstables(cassandra: &Started) {
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    let design = cassandra
        .loaded("cassandra/wide?compaction=STCS&settle=flush", &table)
        .await;
    for sstables in 1..=2 {
        let settled = design.settle().await.unwrap();
        assert_eq!(
            settled,
            "flushed by nodetool; not compacted, as settle=flush says"
        );
        let note = design.footprint().await.unwrap().note.unwrap();
        assert!(
            note.starts_with(&format!("in {sstables} SSTable")),
            "{note}"
        );
        // The same rows once more, which replace themselves.
        design.load(2, &table.rows).await.unwrap();
    }
    assert_eq!(
        wrong_answers(design.as_ref(), &oracle, QUERIES).await,
        [""; 0]
    );
}

async fn has_the_options(session: &Session, design: &dyn Design, case: &Case) {
    let (keyspace, table) = table_of(design, case.table);
    let cql = "SELECT compression, compaction, caching, default_time_to_live, gc_grace_seconds \
               FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?";
    let found = session.query_unpaged(cql, (keyspace, table)).await.unwrap();
    let found = found.into_rows_result().unwrap();
    type Options = HashMap<String, String>;
    let (compression, compaction, caching, ttl, grace) = found
        .first_row::<(Options, Options, Options, i32, i32)>()
        .unwrap();
    for (found, expected) in [
        (&compression, case.compression),
        (&compaction, case.compaction),
        (&caching, &case.caching[..]),
    ] {
        for (name, value) in expected {
            // Classes have their package before them.
            let told = found.get(*name).map(|told| match *name {
                "class" => told.rsplit('.').next().unwrap_or_default(),
                _ => told.as_str(),
            });
            assert_eq!(told, Some(*value), "{}: {name} of {found:?}", case.id);
        }
    }
    assert_eq!(ttl, case.ttl_seconds, "{}", case.id);
    if let Some(expected) = case.gc_grace_seconds {
        assert_eq!(grace, expected, "{}", case.id);
    }
}

/// Returns the keyspace and the name of the design's CQL table whose name ends so.
fn table_of(design: &dyn Design, end: &str) -> (String, String) {
    let made = design.info().statements.iter();
    let mut made = made.filter(|s| s.starts_with("CREATE TABLE") && !s.contains("bakeoff_marker"));
    made.find_map(|statement| {
        let name = statement.split(' ').find(|word| word.contains('.'))?;
        let (keyspace, table) = name.split_once('.')?;
        table
            .ends_with(end)
            .then(|| (keyspace.replace('"', ""), table.to_owned()))
    })
    .unwrap()
}

const EXPIRING: &str = r#"
title = "Readings that expire"
seed = 3
[table]
name = "readings"
columns = { sensor = "text", time = "timestamp", value = "double" }
partition_key = ["sensor"]
order_key = ["time"]
[data]
generator = "columns"
[data.columns]
sensor = { sequence = { cycle = 20 }, prefix = "s" }
time = { sequence = { start = "2024-01-01T00:00:00Z", step = "10s", every = 20 } }
value = { normal = { mean = 100, deviation = 5 } }
[scale]
rows = 500
"#;

const MIX: &str = r#"
[mix]
[[mix.operations]]
action = "insert"
weight = 30
keys = "new"
[[mix.operations]]
action = "update"
weight = 20
columns = ["value"]
[[mix.operations]]
action = "read-row"
weight = 30
[[mix.operations]]
action = "read-partition"
weight = 20
limit = 15
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_load_writes_lives_as_long_as_the_design_says() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let address = server.address().to_string();
    let run_dir = folder.path().join("run");
    let loads = Loads::new(&address, &run_dir, Some("table_options_test")).await;
    let id = "cassandra/wide?caching=rows:10&compaction=TWCS:1h&compressor=Zstd&level=1&ttl=30d";
    let loaded = loads.target(id, &workload(EXPIRING, MIX)).await;
    loaded.fill().await;
    let came = loaded.drive().await;
    came.assert_right(id);

    let statements = &loaded.target.info().statements;
    let made = "CREATE TABLE table_options_test.";
    let create = statements.iter().find(|s| s.starts_with(made)).unwrap();
    let table = create.split(' ').nth(2).unwrap();
    let cql = format!("SELECT TTL(value) FROM {table}");
    let found = loads.session.query_unpaged(cql, ()).await.unwrap();
    let found = found.into_rows_result().unwrap();
    let seconds = found.rows::<(Option<i32>,)>().unwrap();
    let seconds: Vec<Option<i32>> = seconds.map(|row| row.unwrap().0).collect();
    assert!(seconds.len() as u64 > loaded.rows(), "no row was inserted");
    let lives_on = |left: &Option<i32>| left.is_some_and(|s| (2_500_000..=2_592_000).contains(&s));
    assert!(seconds.iter().all(lives_on), "{seconds:?}");
    drop(loaded);
    loads.running.finish(false).await.unwrap();
}
