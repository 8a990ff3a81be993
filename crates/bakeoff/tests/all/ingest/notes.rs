//! What is said of rows and chunks beside the rows.

use super::{KEYS, with_table};
use crate::support::{Bench, READINGS, WORKLOAD};

#[test]
fn what_queries_say_of_chunks() {
    let bench = with_table();
    let sql = "SELECT value FROM t WHERE series = 'a' AND time < '2024-01-02'";
    let ended = bench.bakeoff(&["sql", sql, "--dir", "t"]).expect(0);
    ended
        .says("2 rows in ")
        .says("1 of 1 chunk read, 0 answered by statistics, ");
    let plan = bench.bakeoff(&["sql", &format!("EXPLAIN {sql}"), "--dir", "t"]);
    plan.expect(0)
        .says("ColumnarScan: dir:t, columns=[value]")
        .says("pushed down: ");
    let counted = bench
        .bakeoff(&["sql", "SELECT count(*) FROM t", "--dir", "t"])
        .expect(0);
    counted.says("0 of 2 chunks read, 2 answered by statistics");
    let least = [
        "sql",
        "EXPLAIN SELECT count(*), min(time) FROM t",
        "--dir",
        "t",
    ];
    bench
        .bakeoff(&least)
        .expect(0)
        .says("ColumnarStatistics: dir:t, chunks=2, rows=4, read=0");
    let none = "EXPLAIN SELECT * FROM t WHERE series = 'a' AND series = 'b' AND value > 1";
    let none = bench.bakeoff(&["sql", none, "--dir", "t"]).expect(0);
    assert!(!none.stdout.contains("0 of 0"), "{}", none.stdout);
    bench
        .bakeoff(&["sql", "SELECT valeu FROM t", "--dir", "t"])
        .expect(2)
        .says("there is no column `valeu`; did you mean `value`?");
}

#[test]
fn a_key_that_is_not_unique_is_told() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let by_series = [
        "ingest",
        "readings.csv",
        "--into",
        "dir:t",
        "--partition-key",
        "series",
    ];
    bench
        .bakeoff(&by_series)
        .expect(2)
        .says("the first 4 rows have only 2 different partition keys (series)")
        .says("--order-key COLUMN,..., or keep only the last row of each with --one-row-per-key");
    assert!(!bench.path("t").exists(), "a table was made");
    bench
        .bakeoff(&[&by_series[..], &["--one-row-per-key"]].concat())
        .expect(0)
        .says("partition key series without an order key: one row for each partition key")
        .says("note: 2 rows have a key (series) that later rows have, too: the last row of each key is kept");
    let unique = ["ingest", "readings.csv", "--into", "dir:u"];
    let unique = bench.bakeoff(&[&unique[..], &KEYS[..]].concat()).expect(0);
    assert!(!unique.stderr.contains("note: 2 rows"), "{}", unique.stderr);
    unique.says(
        "note: NaN is read as a number, with which sums and means are NaN, too: 1 of `value`",
    );
    let null = ["ingest", "readings.csv", "--into", "dir:n", "--null", "NaN"];
    let null = bench.bakeoff(&[&null[..], &KEYS[..]].concat()).expect(0);
    assert!(!null.stderr.contains("note"), "{}", null.stderr);
    // Half of the key that is said, half of it the source's.
    let half = [
        "ingest",
        "--from",
        "dir:u",
        "--into",
        "dir:h",
        "--partition-key",
        "value",
    ];
    bench
        .bakeoff(&half)
        .expect(1)
        .says("column `value`: no value, but it is in the key");
    let half = [
        "ingest",
        "--from",
        "dir:u",
        "--into",
        "dir:h",
        "--order-key",
        "value",
    ];
    bench.bakeoff(&half).expect(1).says("it is in the key");
    let columns = [
        "--columns",
        "series,time,value",
        "--partition-key",
        "series",
    ];
    let half = [
        &["ingest", "--from", "dir:u", "--into", "dir:h"],
        &columns[..],
    ]
    .concat();
    let half = bench.bakeoff(&half).expect(0);
    half.says("partition key series, order key time");
    let twice = [
        "ingest",
        "--from",
        "dir:u",
        "--into",
        "dir:i",
        "--partition-key",
        "time",
    ];
    bench
        .bakeoff(&twice)
        .expect(2)
        .says("`time` is in the other half of the source's key: name both halves");
    let other = [
        "--partition-key",
        "time",
        "--order-key",
        "value",
        "--columns",
        "time,value",
    ];
    std::fs::write(
        bench.path("more.csv"),
        "series,time,value\na,2024-01-01T00:00:00,1\nb,2024-01-01T00:00:00,1\n",
    )
    .unwrap();
    let more = ["ingest", "more.csv", "--into", "dir:m"];
    bench.bakeoff(&[&more[..], &KEYS[..]].concat()).expect(0);
    let from = ["ingest", "--from", "dir:m", "--into", "dir:other"];
    bench
        .bakeoff(&[&from[..], &other[..]].concat())
        .expect(0)
        .says("note: the key of the source also has series: of rows that differ only there")
        .says("note: 1 row has a key (time, value) that later rows have, too");
}

#[test]
fn what_overlaps_is_told_after_an_ingest() {
    let bench = with_table();
    let again = ["ingest", "readings.csv", "--into", "dir:t"];
    bench
        .bakeoff(&again)
        .expect(0)
        .says("note: 2 parts of the table have chunks that overlap")
        .says("`bakeoff table seal dir:t` puts them in order");
    bench.bakeoff(&["table", "seal", "dir:t"]).expect(0);
    std::fs::write(
        bench.path("later.csv"),
        "series,time,value\na,2025-01-01T00:00:00,1\n",
    )
    .unwrap();
    let later = [
        "ingest",
        "later.csv",
        "--into",
        "dir:t",
        "--consistency",
        "one",
    ];
    let later = bench.bakeoff(&later).expect(0);
    assert!(!later.stderr.contains("note"), "{}", later.stderr);
}

#[test]
fn what_a_format_cannot_hold_is_told() {
    let bench = with_table();
    let json = [
        "sql",
        "SELECT value FROM t",
        "--dir",
        "t",
        "--format",
        "json",
    ];
    let ended = bench.bakeoff(&json).expect(0);
    ended.says("note: JSON has no NaN and no infinities: they are written as null");
    let sql = "SELECT value FROM t WHERE value < 2";
    let finite = bench.bakeoff(&["sql", sql, "--dir", "t", "--format", "json"]);
    assert!(!finite.expect(0).stderr.contains("note"));
    let list = "SELECT array_agg(value) AS all_values FROM t";
    bench
        .bakeoff(&["sql", list, "--dir", "t", "--format", "csv"])
        .expect(2)
        .says("column `all_values` is List")
        .says("--format json can");
    bench
        .bakeoff(&["sql", list, "--dir", "t", "--format", "json"])
        .expect(0)
        .says("note: JSON has no NaN");
}
