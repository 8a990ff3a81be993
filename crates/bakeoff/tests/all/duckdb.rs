//! Runs on DuckDB: to the end, killed and gone on with, and without its library.

use crate::support::going_on::{all_is_right, kill_while_loading};
use crate::support::{Bench, Ended, READINGS, of_kind};

const HOSTS: &str = r#"
title = "t"
designs = ["duckdb/table", "duckdb/parquet?codec=snappy", "parquet"]
[data]
generator = "devops"
hosts = 5
[concurrent]
permutations = 5
[[queries]]
name = "highest"
sql = """
SELECT date_trunc('minute', time) AS minute, max(usage_user) AS highest FROM cpu
WHERE hostname = ${host} GROUP BY date_trunc('minute', time) ORDER BY minute
"""
parameters = { host = { column = "hostname" } }
[[queries]]
name = "newest"
sql = "SELECT hostname, last_value(usage_user ORDER BY time) AS newest FROM cpu GROUP BY hostname ORDER BY hostname"
[queries.engine_sql]
duckdb = "SELECT hostname, last(usage_user ORDER BY time) AS newest FROM cpu GROUP BY hostname ORDER BY hostname"
"#;

const RUN: [&str; 8] = [
    "run", "w.toml", "--rows", "60k", "--rounds", "3", "--out", "out",
];

#[test]
fn a_run_that_is_killed_goes_on_to_its_end() {
    let Some(bench) = Bench::with_engine(HOSTS, "duckdb") else {
        return;
    };
    kill_while_loading(&bench, &RUN, "duckdb/table");
    bench.bakeoff(&RUN).expect(0).says("going on with the run");
    let records = bench.journal("out");
    all_is_right(&records, 3 * 2 * 3);
    for design in ["duckdb/table", "duckdb/parquet?codec=snappy"] {
        let footprint = of_kind(&records, "footprint").find(|r| r["design"] == design);
        let footprint = footprint.unwrap();
        assert!(footprint["file_bytes"].as_u64().unwrap() > 100_000);
        assert_eq!(footprint["files"], 1, "{design}");
    }
    assert!(!bench.path("out/duckdb").exists());
}

#[test]
fn sql_that_duckdb_refuses_is_an_error_of_that_query_and_no_other() {
    let workload = HOSTS.replace("last(usage_user", "last(nothing");
    let Some(bench) = Bench::with_engine(&workload, "duckdb") else {
        return;
    };
    let run = [
        "run", "w.toml", "--rows", "2k", "--rounds", "1", "--out", "out",
    ];
    bench
        .bakeoff(&run)
        .expect(3)
        .says("Referenced column \"nothing\" not found");
    let records = bench.journal("out");
    let right = of_kind(&records, "timed").filter(|r| r["outcome"]["outcome"] == "right");
    assert_eq!(right.count(), 4);
}

#[test]
fn a_workload_whose_sql_would_write_is_refused_before_anything_is_made() {
    let writing = HOSTS.replace(
        "duckdb = \"SELECT hostname, last(usage_user ORDER BY time) AS newest FROM cpu GROUP BY \
         hostname ORDER BY hostname\"",
        "duckdb = \"COPY cpu TO '/tmp/x'\"",
    );
    assert!(writing.contains("COPY"));
    let bench = Bench::new(&writing, READINGS);
    bench
        .bakeoff(&RUN)
        .expect(2)
        .says("its SQL for duckdb: this is not a query");
    assert!(!bench.path("out").exists());
}

#[test]
fn without_its_library_the_other_designs_are_measured() {
    let bench = Bench::new(HOSTS, READINGS);
    let without = |library: &str| {
        let run = [
            "run", "w.toml", "--rows", "2k", "--rounds", "1", "--out", "out",
        ];
        let mut command = bench.command(&run);
        command.env("BAKEOFF_DUCKDB_LIBRARY", library);
        Ended::of(command.output().unwrap()).expect(3)
    };
    without("/nowhere/libduckdb.so")
        .says("No such file or directory (os error 2) (/nowhere/libduckdb.so)")
        .says("`bakeoff show install-duckdb | bash`");
    let records = bench.journal("out");
    assert_eq!(of_kind(&records, "timed").count(), 2);
    assert!(of_kind(&records, "timed").all(|r| r["design"] == "parquet"));
}

#[test]
fn a_library_of_something_else_is_told() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mut files = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5));
    let Some(libc) = files.find(|file| file.contains("/libc.so") || file.contains("/libc-")) else {
        bakeoff_testing::skipped(
            "the C library of this system is not a file of its own, as with musl",
        );
        return;
    };
    let bench = Bench::new(HOSTS, READINGS);
    let run = [
        "run", "w.toml", "--rows", "2k", "--rounds", "1", "--out", "out",
    ];
    let mut command = bench.command(&run);
    command.env("BAKEOFF_DUCKDB_LIBRARY", libc);
    let ended = Ended::of(command.output().unwrap()).expect(3);
    ended
        .says(&format!("{libc} cannot be loaded as an ADBC driver"))
        .says("name another one in BAKEOFF_DUCKDB_LIBRARY");
}

#[test]
fn a_dry_run_tells_every_statement() {
    let bench = Bench::new(HOSTS, READINGS);
    let shown = bench.bakeoff(&["run", "w.toml", "--dry-run"]).expect(0);
    for words in [
        "into separate processes",
        "loading.duckdb",
        "CREATE TABLE main.\"cpu\"",
        "ADBC bulk ingest",
        "ORDER BY \"hostname\", \"time\"",
        "read_parquet('",
        "SET GLOBAL enable_external_access = false",
        "newest of duckdb: SELECT hostname, last(",
    ] {
        shown.says(words);
    }
    assert!(!bench.path("out").exists() && !bench.path("runs").exists());
}

#[test]
fn the_command_that_loads_drivers_is_for_bakeoff_itself() {
    let bench = Bench::new(HOSTS, READINGS);
    let ended = bench.bakeoff(&["adbc-host"]).expect(2);
    ended.says("this command is for Bakeoff itself");
    let help = bench.bakeoff(&["--help"]).expect(0).stdout;
    assert!(!help.contains("adbc-host"), "{help}");
}
