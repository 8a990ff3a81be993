//! What `bakeoff decide` refuses before anything is made.

use crate::decide::{FILE, bench};

/// Refused with a misuse before anything is made.
#[track_caller]
fn refused(code: i32, arguments: &[&str], words: &str) {
    let bench = bench();
    for (name, text) in [
        ("bad.sql", "SELECT max(speed) AS m FROM rooms"),
        ("broken.sql", "SELECT max(time) AS t FROM rooms WHERE"),
        (
            "made.sql",
            "CREATE TABLE rooms (room text PRIMARY KEY); SELECT max(time) AS t FROM rooms",
        ),
        (
            "two.sql",
            "SELECT max(time) AS t FROM rooms; SELECT max(time) AS t FROM halls",
        ),
        ("spaced.sql", "SELECT max(time) AS t FROM ks.rooms"),
        ("empty.sql", "-- nothing\n"),
    ] {
        std::fs::write(bench.path(name), text).unwrap();
    }
    let all = [&["decide"][..], arguments].concat();
    bench.without_servers(&all).expect(code).says(words);
    assert!(!bench.path("out").exists() && !bench.path("runs").exists());
}

#[test]
fn mistakes_are_refused_before_anything_is_made() {
    let cases: &[(&[&str], &str)] = &[
        (&["nowhere.csv"], "there is no file nowhere.csv"),
        (&["formatz"], "did you mean `formats`"),
        (&["nowhere.toml"], "nowhere.toml"),
        (&["cassandra://127.0.0.1:1/ks"], "KEYSPACE.TABLE"),
        (
            &["cassandra://me:hunter2@127.0.0.1:1/ks.t"],
            "BAKEOFF_CASSANDRA_PASSWORD",
        ),
        (
            &["cassandra://127.0.0.1:1/ks.t", "--time", "at"],
            "--time says what a file is",
        ),
        (
            &["postgres://127.0.0.1:1/d"],
            "--table SCHEMA.TABLE: say which table",
        ),
        (&["mysql://db1/x"], "is no address of rows"),
        (&[FILE, "--sample", "10"], "--sample is for a table"),
        (&[FILE, "--from-ca", "ca.pem"], "--from-ca is for a table"),
        (&[FILE, "--data", FILE], "is a sample for a file of CREATE"),
        (
            &["w.toml", "--table", "t"],
            "--table is for a data file, and w.toml is a workload",
        ),
        (
            &["w.toml", "--key", "series"],
            "--key is for a data file, and w.toml is a workload",
        ),
        (
            &["w.toml", "--questions", "q.sql"],
            "--questions is for a data file",
        ),
        (
            &["w.toml", "--rate", "1k"],
            "--rate is for a workload with operations, and w.toml has none",
        ),
        (
            &["w.toml", "--rows", "10k"],
            "--rows is for a workload with operations, and w.toml has none",
        ),
        (
            &[FILE, "--in-flight", "4"],
            "--in-flight is for a workload with operations",
        ),
        (
            &["ycsb/a", "--rate", "1k", "--prices", "study-2018"],
            "cannot be used with",
        ),
        (&["ycsb/a", "--rate", "0"], "not a rate above 0"),
        (&["readings", "--rate", "9999M"], "is not possible"),
        (
            &["ycsb/a", "--cassandra", "127.0.0.1:1"],
            "without --rate the server is driven as fast as it goes",
        ),
        (&["metrics"], "does not say where its rows are"),
        (&[FILE, "--budget", "0s"], "not a duration"),
        (
            &[FILE, "--time", "tyme"],
            "--time tyme: the file has no such column",
        ),
        (
            &[FILE, "--questions", "none.sql"],
            "--questions none.sql: cannot read it",
        ),
        (
            &[FILE, "--questions", "bad.sql"],
            "--questions bad.sql: query question_1: there is no column `speed`",
        ),
        (
            &[FILE, "--questions", "broken.sql"],
            "--questions broken.sql",
        ),
        (
            &[FILE, "--questions", "made.sql"],
            "statement 1: tables are not made from statements",
        ),
        (
            &[FILE, "--questions", "two.sql"],
            "several tables, rooms, halls",
        ),
        (
            &[FILE, "--questions", "spaced.sql"],
            "call the table ks.rooms",
        ),
        (
            &[FILE, "--questions", "empty.sql"],
            "there is no question in it",
        ),
        (
            &[FILE, "--questions", "q.sql", "--question", "SELECT 1"],
            "cannot be used with",
        ),
        (&[FILE, "--prices", "nowhere"], "nowhere"),
        (
            &[FILE, "--postgres", "postgresql://me:hunter2@db1/db"],
            "BAKEOFF_POSTGRES_PASSWORD",
        ),
        (
            &[FILE, "--rate-limit", "100"],
            "--rate-limit is for servers that Bakeoff does not start",
        ),
        (
            &[FILE, "--out", "out", "--adopt", "out"],
            "--adopt out: the decision itself writes there",
        ),
        (
            &[FILE, "--dry-run", "--out", "out", "--adopt", "out"],
            "--adopt out: the decision itself writes there",
        ),
        (
            &["cassandra://127.0.0.1:1/ks.t", "--dry-run"],
            "--dry-run: the designs for a live table rest on a sample of its rows",
        ),
        (
            &[FILE, "--dry-run", "--questions", "bad.sql"],
            "--questions bad.sql: query question_1: there is no column `speed`",
        ),
    ];
    for (arguments, words) in cases {
        refused(2, arguments, words);
    }
}

#[test]
fn folders_that_cannot_be_used_are_refused_before_anything_is_made() {
    let cases: &[(&[&str], &str)] = &[
        (
            &[FILE, "--adopt", "."],
            "--adopt .: there is something in it",
        ),
        (
            &[FILE, "--dry-run", "--adopt", "."],
            "--adopt .: there is something in it",
        ),
        (
            &[FILE, "--out", "."],
            "holds other files: name a new folder with --out",
        ),
        (
            &[FILE, "--dry-run", "--out", "."],
            "holds other files: name a new folder with --out",
        ),
        (
            &[FILE, "--out", "out", "--adopt", "bad.sql/mine"],
            "bad.sql is no folder",
        ),
        (
            &[FILE, "--dry-run", "--out", "out", "--adopt", "bad.sql/mine"],
            "bad.sql is no folder",
        ),
        (
            &[FILE, "--dry-run", "--out", "bad.sql/out"],
            "bad.sql is no folder",
        ),
    ];
    for (arguments, words) in cases {
        refused(1, arguments, words);
    }
}
