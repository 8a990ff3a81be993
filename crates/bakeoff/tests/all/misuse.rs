//! Command lines that ask for what nothing would do: refused before anything is made, with the exit code of a wrong
//! command line.

use crate::support::{Bench, READINGS, WORKLOAD};

/// A file that names one driver.
const DRIVERS: &str =
    "[sqlite]\nlibrary = \"driver.so\"\n[sqlite.options]\nuri = \"file:${folder}/table.db\"\n";

/// A mix on the rows of a file that only the user has.
const YOUR_ROWS: &str = r#"
title = "Keys of a test"
designs = ["dry"]

[table]
name = "keyvalue"
columns = { key = "text", value = "double" }
partition_key = ["key"]

[data]
requires = "--data"

[mix]
[[mix.operations]]
name = "write"
action = "insert"
keys = "uniform"
weight = 100
"#;

/// A generator of such rows, which knows those after the ones that were loaded.
const GENERATOR: &str = r#"generator = "columns"
[data.columns]
key = { sequence = { every = 1 }, prefix = "k" }
value = { normal = { mean = 20.0, deviation = 5.0 } }"#;

#[track_caller]
fn refused(bench: &Bench, command: &[&str], words: &str) {
    bench.bakeoff(command).expect(2).says(words);
    assert!(!bench.path("runs").exists());
}

#[test]
fn an_option_that_no_design_uses_is_refused() {
    let bench = Bench::new(WORKLOAD, READINGS);
    std::fs::write(bench.path("drivers.toml"), DRIVERS).unwrap();
    let of_cassandra =
        "is for designs of cassandra, cassandra-4 or spark/cassandra, and none of them is measured";
    for (option, value, words) in [
        ("--cassandra", "db1", of_cassandra),
        ("--nodes", "1", of_cassandra),
        ("--replication", "1", of_cassandra),
        ("--heap", "1GiB", of_cassandra),
        ("--consistency", "one", of_cassandra),
        ("--spark", "sc://db1", "is for designs of spark, and none"),
        ("--adbc", "drivers.toml", "is for designs of adbc, and none"),
    ] {
        let words = format!("{option} would be ignored, since it {words}");
        refused(&bench, &["run", "w.toml", option, value], &words);
        let dry = ["run", "w.toml", option, value, "--dry-run"];
        refused(&bench, &dry, &words);
    }
    for option in ["--server-per-design", "--show-stored"] {
        let words = format!("{option} would be ignored, since it {of_cassandra}");
        refused(&bench, &["run", "w.toml", option], &words);
    }
    let no_files = "run w.toml --designs spark/cassandra --spark sc://db1 --spark-files shared";
    let no_files: Vec<&str> = no_files.split(' ').collect();
    let words = "--spark-files would be ignored, since it is for designs of spark/parquet";
    refused(&bench, &no_files, words);
    let memory = ["run", "w.toml", "--designs", "parquet", "--memory", "64"];
    let words = "--memory would be ignored, since it is for designs of memory";
    refused(&bench, &memory, words);
    for of_one_node in ["--nodes", "--replication"] {
        let words = format!("{of_one_node} would be ignored");
        let drive = [
            "drive",
            "readings",
            "--designs",
            "dry",
            of_one_node,
            "1",
            "--dry-run",
        ];
        refused(&bench, &drive, &words);
        let sweep = [
            "sweep",
            "w.toml",
            "--designs",
            "local/columnar",
            of_one_node,
            "1",
        ];
        refused(&bench, &sweep, &words);
    }
}

#[test]
#[cfg(feature = "postgres")]
fn a_postgresql_that_no_design_is_on_is_refused() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let words = "is for designs of postgres or timescale, and none of them is measured";
    let standbys = [
        "--postgres-standbys",
        "2",
        "--postgres-wait-for",
        "all",
        "--designs",
    ];
    let run = [&["run", "w.toml"], &standbys[..], &["parquet"]].concat();
    let words_of_standbys = format!("--postgres-standbys would be ignored, since it {words}");
    refused(&bench, &run, &words_of_standbys);
    let sweep = [&["sweep", "w.toml"], &standbys[..], &["local/columnar"]].concat();
    refused(&bench, &sweep, &words_of_standbys);
    let server = ["run", "w.toml", "--postgres", "postgresql://me@db1/metrics"];
    refused(
        &bench,
        &server,
        &format!("--postgres would be ignored, since it {words}"),
    );
}

#[test]
fn a_certificate_without_encryption_is_refused() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let certificate = ["run", "w.toml", "--cassandra", "db1", "--tls-ca", "ca.pem"];
    refused(&bench, &certificate, "were not provided:\n  --tls\n");
}

#[test]
fn a_workload_whose_rows_are_yours_needs_your_file() {
    let bench = Bench::new(YOUR_ROWS, READINGS);
    let drive = ["drive", "w.toml", "--rows", "2"];
    refused(&bench, &drive, "name it with --data PATH");
}

#[test]
fn rows_that_a_file_does_not_have_are_not_driven() {
    let generated = YOUR_ROWS.replace("requires = \"--data\"", GENERATOR);
    let new_rows = generated.replace("\"uniform\"", "\"new\"");
    let bench = Bench::new(&new_rows, "key,value\na,1\nb,2\n");
    let drive = |rows| ["drive", "w.toml", "--data", "readings.csv", "--rows", rows];
    refused(&bench, &drive("5"), "ask for --rows 2 or fewer");
    refused(
        &bench,
        &drive("2"),
        "the data has only 2 rows, all of them loaded",
    );
}

#[test]
fn an_option_of_another_command_is_told_with_that_command() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let words = "unexpected argument '--passes' found\n\n  tip: '--passes' is an option of 'bakeoff drive'\n";
    refused(&bench, &["run", "w.toml", "--passes", "read"], words);
    let version = bench.bakeoff(&["--version"]).expect(0);
    assert!(version.stdout.starts_with("bakeoff "), "{}", version.stdout);
}
