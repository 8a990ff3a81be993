//! Tables of rows take over the settings of a table of a cluster.

use crate::support::server::Server;
use crate::support::{Bench, READINGS, WORKLOAD};

const BASE: [&str; 7] = [
    "run",
    "w.toml",
    "--rounds",
    "2",
    "--scales",
    "1",
    "--no-twins",
];

#[test]
fn a_run_takes_over_the_settings_of_an_existing_table_and_only_reads_it() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(
        "CREATE KEYSPACE settings_of_test WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};\n\
         CREATE TABLE settings_of_test.readings (id int PRIMARY KEY) WITH compaction = \
         {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '32'} AND compression = \
         {'class': 'DeflateCompressor', 'chunk_length_in_kb': 8} AND gc_grace_seconds = 3600 AND \
         speculative_retry = 'NEVER' AND default_time_to_live = 60;\n",
    );
    let run = |further: &[&str]| server.bakeoff(&[&BASE[..], further].concat());
    let designs = [
        "--designs",
        "cassandra/wide,cassandra/narrow?compaction=STCS",
    ];
    let taken = ["--settings-of", "settings_of_test.readings"];
    let dry = run(&[&designs[..], &taken, &["--dry-run"]].concat()).expect(0);
    dry.says("'sstable_size_in_mb': '32'")
        .says("What the server of --cassandra gets:");

    run(&[&designs[..], &taken, &["--out", "out"]].concat()).expect(0);
    let journal = std::fs::read_to_string(server.bench.path("out/journal.jsonl")).unwrap();
    let header = journal.lines().next().unwrap();
    let header: serde_json::Value = serde_json::from_str(header).unwrap();
    let designs_of = header["designs"].as_array().unwrap();
    let settings = |id: &str| {
        let design = designs_of.iter().find(|design| design["id"] == id).unwrap();
        design["settings"].to_string()
    };
    let (open, stated) = (
        settings("cassandra/wide"),
        settings("cassandra/narrow?compaction=STCS"),
    );
    for words in [
        "settings_of_test.readings",
        "'sstable_size_in_mb': '32'",
        "DeflateCompressor",
        "3600",
        "'NEVER'",
    ] {
        assert!(open.contains(words), "{words}: {open}");
    }
    assert!(stated.contains("SizeTieredCompactionStrategy"), "{stated}");
    assert!(!stated.contains("LeveledCompactionStrategy"), "{stated}");
    // Rows would be gone before the run is over.
    assert!(!open.contains("default_time_to_live"), "{open}");
    let page = std::fs::read_to_string(server.bench.path("out/report.html")).unwrap();
    assert!(page.contains("settings_of_test.readings"));
    let kept = [
        "--designs",
        "cassandra/columnar",
        "--settings-of",
        "settings_of_test.readings",
        "--dry-run",
    ];
    run(&kept).expect(0).says("it keeps its own settings");
    let missing = [&designs[..], &["--settings-of", "settings_of_test.nothing"]].concat();
    run(&missing).expect(2).says("there is no such table");
    server.cql("DROP KEYSPACE settings_of_test;\n");
}

#[test]
fn settings_are_taken_from_a_cluster_only_and_a_table_has_a_keyspace() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run = |further: &[&str]| bench.bakeoff(&[&BASE[..], further].concat()).expect(2);
    run(&["--settings-of", "ks.t"]).says("--cassandra");
    let cluster = ["--cassandra", "192.0.2.1", "--settings-of"];
    run(&[&cluster[..], &["readings"]].concat()).says("write KEYSPACE.TABLE");
}
