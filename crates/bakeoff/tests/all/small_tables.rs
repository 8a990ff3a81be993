//! Questions that join the rows with a small table: every engine gives the same answers. Engines that are not installed
//! are left out, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use crate::support::going_on::all_is_right;
use crate::support::{Bench, READINGS, of_kind};

/// Its texts have what ends or escapes a text in the SQL of one of the engines.
const SHELVES: &str = r"hostname,shelf,spare,note
host_0,1,true,it's \' a\
host_1,1,false,$$ -- /* ; E'\n `x`
host_2,,true,
host_3,-9223372036854775808,true,\
host_9,3,,x
";

/// Two questions: one of all rows and one with a clause of its own and a condition.
const QUESTIONS: &str = r#"
[data]
generator = "devops"
hosts = 5
[[small_tables]]
name = "shelves"
file = "shelves.csv"
key = "hostname"
columns = { hostname = "text", shelf = "bigint", spare = "boolean", note = "text" }
[[queries]]
name = "by_shelf"
sql = """
SELECT shelf, spare, note, count(*) AS number, max(usage_user) AS highest FROM cpu JOIN shelves USING (hostname)
WHERE shelf IS NOT NULL GROUP BY shelf, spare, note ORDER BY shelf, spare
"""
[[queries]]
name = "by_minute"
sql = """
WITH hot AS (SELECT hostname, time, usage_user FROM cpu WHERE hostname = ${host})
SELECT date_trunc('minute', time) AS minute, min(shelf) AS shelf, max(usage_user) AS highest
FROM hot LEFT JOIN shelves ON hot.hostname = shelves.hostname
GROUP BY date_trunc('minute', time) ORDER BY minute
"""
parameters = { host = { column = "hostname" } }
"#;

fn workload(designs: &[&str]) -> String {
    format!("title = \"t\"\ndesigns = {designs:?}\n{QUESTIONS}")
}

/// Runs both questions, and checks that each design has given right answers only.
#[track_caller]
fn all_agree(bench: &Bench, designs: &[&str]) {
    std::fs::write(bench.path("shelves.csv"), SHELVES).unwrap();
    let run = [
        "run", "w.toml", "--rows", "3k", "--rounds", "2", "--out", "out",
    ];
    let ended = bench.bakeoff(&run).expect(0);
    ended.says("by_shelf");
    let records = bench.journal("out");
    all_is_right(&records, designs.len() * 2 * 2);
    for design in designs {
        let answers = of_kind(&records, "answered").filter(|record| record["design"] == *design);
        assert_eq!(answers.count(), 2, "{design}");
    }
}

#[test]
fn designs_without_a_server_agree() {
    let designs = ["memory", "parquet?codec=zstd", "local/columnar"];
    let bench = Bench::new(&workload(&designs), READINGS);
    all_agree(&bench, &designs);
}

#[test]
fn designs_of_cassandra_agree() {
    let designs = [
        "cassandra/wide",
        "cassandra/wide?aggregate=server",
        "cassandra/columnar",
        "cassandra/columnar?cache=8",
        "parquet",
    ];
    let Some(bench) = Bench::with_cassandra(&workload(&designs), READINGS) else {
        return;
    };
    all_agree(&bench, &designs);
    a_table_is_loaded_once(&bench, &designs[..2]);
    a_table_is_loaded_once(&bench, &designs[2..4]);
}

/// Checks that the second of two designs has read the table of the first one, and has its figures of loading and
/// storage.
#[track_caller]
fn a_table_is_loaded_once(bench: &Bench, designs: &[&str]) {
    let records = bench.journal("out");
    let of_table = |design: &str| {
        ["loaded", "settled", "footprint"].map(|kind| {
            of_kind(&records, kind)
                .filter(|r| r["design"] == design)
                .count()
        })
    };
    assert!(of_table(designs[0]).iter().all(|count| *count > 0));
    assert_eq!(of_table(designs[1]), [0, 0, 0]);
    let text = std::fs::read_to_string(bench.path("out/run.json")).unwrap();
    let run: serde_json::Value = serde_json::from_str(&text).unwrap();
    let summaries = run["summary"]["designs"].as_array().unwrap();
    let summary = |design: &str| {
        summaries
            .iter()
            .find(|s| s["info"]["id"] == design)
            .unwrap()
    };
    let [own, reader] = [designs[0], designs[1]].map(summary);
    assert_eq!(reader["info"]["table_of"], own["info"]["id"]);
    for figure in ["rows_loaded", "load_seconds", "bytes_per_row"] {
        assert!(own[figure].is_number(), "{figure}");
        assert_eq!(reader[figure], own[figure], "{figure}");
    }
    let note = format!(
        "{} reads the table of {}, which was loaded once",
        designs[1], designs[0]
    );
    assert!(text.contains(&note), "{note}");
}

#[test]
fn designs_of_postgres_and_timescale_agree() {
    let designs = ["postgres/plain", "timescale/hypertable?chunk=1h", "parquet"];
    if let Some(bench) = Bench::with_engine(&workload(&designs), "timescale") {
        all_agree(&bench, &designs);
    }
}

#[test]
fn designs_of_duckdb_agree() {
    let designs = ["duckdb/table", "duckdb/parquet?codec=snappy", "parquet"];
    if let Some(bench) = Bench::with_engine(&workload(&designs), "duckdb") {
        all_agree(&bench, &designs);
    }
}

#[test]
fn designs_of_spark_agree() {
    let designs = ["spark/parquet", "parquet"];
    if let Some(bench) = Bench::with_engine(&workload(&designs), "spark") {
        all_agree(&bench, &designs);
    }
}

#[test]
fn a_table_that_cannot_be_read_is_an_error_before_anything_starts() {
    let bench = Bench::new(&workload(&["memory"]), READINGS);
    bench
        .bakeoff(&["run", "w.toml"])
        .expect(2)
        .says("shelves.csv");
    assert!(!bench.path("runs").exists());
}

#[test]
fn proposals_know_such_questions() {
    let bench = Bench::new(&workload(&["memory"]), READINGS);
    std::fs::write(bench.path("shelves.csv"), SHELVES).unwrap();
    let proposed = bench.bakeoff(&["propose", "w.toml", "--out", "proposed.toml"]);
    proposed.expect(0).says("by_shelf");
    let dry = bench.bakeoff(&["run", "proposed.toml", "--dry-run", "--designs", "memory"]);
    dry.expect(0).says(
        "WITH shelves(hostname, shelf, spare, note) AS (VALUES ('host_0', CAST(1 AS BIGINT), true, 'it''s",
    );
}
