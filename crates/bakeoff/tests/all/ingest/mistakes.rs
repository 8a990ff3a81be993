//! What does not fit, and what is said of it.

use super::{KEYS, with_table};
use crate::support::{Bench, READINGS, WORKLOAD};

#[test]
fn mistakes_of_new_tables() {
    let bench = Bench::new(WORKLOAD, READINGS);
    std::fs::write(bench.path("twice.csv"), "a,A\n1,2\n").unwrap();
    std::fs::write(bench.path("empty.csv"), "").unwrap();
    std::fs::write(bench.path("not.parquet"), "x").unwrap();
    std::fs::write(bench.path("not.arrow"), "ARROW1 and no more").unwrap();
    let into = ["--into", "dir:t"];
    for (arguments, code, message) in [
        (
            &["readings.csv"][..],
            2,
            "dir:t does not exist yet: name the columns whose rows belong together with --partition-key",
        ),
        (
            &["readings.csv", "--order-key", "time"],
            2,
            "--partition-key COLUMN,...",
        ),
        (
            &["readings.csv", "--partition-key", "sereis"],
            2,
            "--partition-key sereis: there is no such column; did you mean `series`?",
        ),
        (
            &[
                "readings.csv",
                "--partition-key",
                "series",
                "--order-key",
                "tiem",
            ],
            2,
            "--order-key tiem: there is no such column; did you mean `time`?",
        ),
        (
            &["readings.csv", "--partition-key", "series,series"],
            2,
            "key column `series` appears twice",
        ),
        (
            &[
                "readings.csv",
                "--partition-key",
                "series",
                "--bucket",
                "1d",
            ],
            2,
            "--bucket needs an order key",
        ),
        (
            &[
                "readings.csv",
                "--partition-key",
                "series",
                "--order-key",
                "time",
                "--bucket",
                "soon",
            ],
            2,
            "--bucket soon: it is not a duration such as 1d or 6h, as the order key `time` requires",
        ),
        (
            &[
                "readings.csv",
                "--partition-key",
                "time",
                "--order-key",
                "series",
                "--bucket",
                "1d",
            ],
            2,
            "buckets need an order key of integers, dates or times",
        ),
        (
            &["readings.csv", "--types", "value=money"],
            2,
            "`money` is not a type of a columnar table; there are boolean, int,",
        ),
        (
            &[
                "readings.csv",
                "--partition-key",
                "series",
                "--types",
                "vlaue=text",
            ],
            2,
            "--types vlaue: there is no such column; did you mean `value`?",
        ),
        (
            &[
                "readings.csv",
                "--partition-key",
                "series",
                "--columns",
                "vlaue",
            ],
            2,
            "--columns vlaue: there is no such column",
        ),
        (
            &[
                "readings.csv",
                "--partition-key",
                "series",
                "--columns",
                "value",
            ],
            2,
            "--partition-key series: there is no such column",
        ),
        (
            &["readings.csv", "--partition-key", "series", "--shards", "0"],
            2,
            "0 is not in 1..=4096",
        ),
        (
            &["twice.csv", "--partition-key", "a"],
            2,
            "twice.csv: two columns are called `a` (case does not count)",
        ),
        (
            &["readings.doc", "--partition-key", "a"],
            2,
            "readings.doc: the name does not say the format",
        ),
        (
            &["readings.jsonl", "--partition-key", "a"],
            2,
            "readings.jsonl: lines of JSON are not ingested",
        ),
        (
            &["none.csv", "--partition-key", "a"],
            1,
            "cannot read none.csv: No such file",
        ),
        (
            &["empty.csv", "--partition-key", "a"],
            1,
            "cannot read empty.csv: the file is empty",
        ),
        (
            &["not.parquet", "--partition-key", "a"],
            1,
            "cannot read not.parquet: not a Parquet file",
        ),
        (
            &["not.arrow", "--partition-key", "a"],
            1,
            "cannot read not.arrow: not an Arrow file",
        ),
        (
            &["--from", "dir:t"],
            2,
            "--from and --into are the same table, dir:t",
        ),
        (
            &["readings.csv", "--create-keyspace", "1"],
            2,
            "dir:t is a folder, which has no keyspace",
        ),
        (
            &["--from", "dir:none"],
            2,
            "there is no columnar table in none",
        ),
        (
            &["--from", "ks.t"],
            2,
            "ks.t is a table of a Cassandra cluster: name the cluster with --cassandra",
        ),
        (
            &["readings.csv", "--from", "ks.t"],
            2,
            "cannot be used with",
        ),
        (&[], 2, "required arguments were not provided"),
    ] {
        bench
            .bakeoff(&[&["ingest"], arguments, &into[..]].concat())
            .expect(code)
            .says(message);
        assert!(!bench.path("t").exists(), "{arguments:?} made a table");
    }
    std::fs::create_dir(bench.path("t")).unwrap();
    std::fs::write(bench.path("t/mine.txt"), "x").unwrap();
    bench
        .bakeoff(&[&["ingest", "readings.csv"], &into[..], &KEYS[..]].concat())
        .expect(2)
        .says("t is not empty (it has `mine.txt`)");
}

#[test]
fn mistakes_of_tables_that_are_there() {
    let bench = with_table();
    std::fs::write(
        bench.path("other.csv"),
        "series,time,valeu\na,2024-01-01T00:00:00,1\n",
    )
    .unwrap();
    std::fs::write(bench.path("keyless.csv"), "series,value\na,1\n").unwrap();
    for (arguments, message) in [
        (
            &["readings.csv", "--partition-key", "time"][..],
            "dir:t already exists, and its partition key is series: leave the option out",
        ),
        (
            &["readings.csv", "--order-key", "series"],
            "its order key is time",
        ),
        (
            &["readings.csv", "--shards", "2"],
            "its number of shards is 1",
        ),
        (
            &["readings.csv", "--profile", "compact"],
            "its profile is fast",
        ),
        (&["readings.csv", "--bucket", "2d"], "its bucket is 1d"),
        (
            &["readings.csv", "--types", "value=int"],
            "its column `value` is double",
        ),
        (
            &["other.csv"],
            "dir:t has no column `valeu`; did you mean `value`?; --columns names those to take",
        ),
        (
            &["keyless.csv"],
            "`time` is in the key of dir:t, and the source has no such column",
        ),
    ] {
        bench
            .bakeoff(&[&["ingest"], arguments, &["--into", "dir:t"][..]].concat())
            .expect(2)
            .says(message);
    }
    bench
        .bakeoff(&[
            "ingest",
            "readings.csv",
            "--into",
            "dir:t",
            "--types",
            "value=int",
        ])
        .expect(2)
        .says("or remove the table with `bakeoff table drop dir:t`");
    // What says the same is no mistake.
    let same = [
        "ingest",
        "readings.csv",
        "--into",
        "dir:t",
        "--bucket",
        "1d",
        "--shards",
        "1",
    ];
    bench.bakeoff(&[&same[..], &KEYS[..]].concat()).expect(0);
    for (arguments, code, message) in [
        (
            &["info", "dir:none"][..],
            2,
            "dir:none is not a columnar table; `bakeoff ingest` makes one",
        ),
        (
            &["drop-before", "dir:t", "soon"],
            2,
            "`soon` is not a time such as 2026-01-31T12:00:00Z",
        ),
        (&["drop-before", "dir:t"], 2, "<TIME>"),
        (
            &["seal", "dir:t", "--before", "7 o'clock"],
            2,
            "which the order key `time` is",
        ),
        (
            &["seal", "dir:t", "--rate-limit", "100"],
            2,
            "--rate-limit is for servers that Bakeoff does not start",
        ),
        (&["sweep", "dir:t", "--grace", "long"], 2, "not a duration"),
        (&["info", "t"], 2, "a table is KEYSPACE.TABLE or dir:FOLDER"),
        (
            &["drop-before", "dir:t", "20260131"],
            2,
            "`20260131` is not a time such as 2026-01-31T12:00:00Z",
        ),
        (
            &["seal", "dir:t", "--before", "1700000000"],
            2,
            "`1700000000` is not a time",
        ),
        (
            &["drop", "dir:t"],
            2,
            "this removes dir:t with all its rows: confirm with --yes",
        ),
        (
            &["drop", "dir:none", "--yes"],
            2,
            "dir:none is not a columnar table",
        ),
        (
            &["info", "dir:t", "--consistency", "most"],
            2,
            "not one of ",
        ),
    ] {
        bench
            .bakeoff(&[&["table"], arguments].concat())
            .expect(code)
            .says(message);
    }
    // A quote that is opened and never closed, in front of more than a row may take.
    let endless = format!(
        "series,time,value\na,2024-01-01,\"1\n{}",
        "x".repeat(17 << 20)
    );
    std::fs::write(bench.path("endless.csv"), endless).unwrap();
    bench
        .bakeoff(&[&["ingest", "endless.csv", "--into", "dir:e"], &KEYS[..]].concat())
        .expect(1)
        .says("endless.csv, line 2: the row that begins here takes more than 16 MiB; is a quote opened and never closed?");
    let unbucketed = ["ingest", "readings.csv", "--into", "dir:u"];
    bench
        .bakeoff(&[&unbucketed[..], &KEYS[..]].concat())
        .expect(0);
    bench
        .bakeoff(&["table", "drop-before", "dir:u", "2024-01-02"])
        .expect(2)
        .says("the table has no buckets that could be dropped");
}

#[test]
fn a_row_that_does_not_fit_is_named() {
    let bench = with_table();
    let csv = |rows: &str| format!("series,time,value\n{rows}");
    for (text, message) in [
        (
            csv("a,2024-01-01T00:00:00,1\nb,2024-01-01T00:00:00,two\n"),
            "bad.csv, line 3: column `value`: `two` is not a double",
        ),
        (
            csv("a,2024-01-01T00:00:00,1\n,2024-01-01T00:00:00,2\n"),
            "bad.csv, line 3: column `series`: no value, but it is in the key",
        ),
        (csv("a,2024-01-01T00:00:00,1,4\n"), "bad.csv"),
    ] {
        std::fs::write(bench.path("bad.csv"), text).unwrap();
        bench
            .bakeoff(&["ingest", "bad.csv", "--into", "dir:t"])
            .expect(1)
            .says(message);
    }
    let sql = "SELECT series, time, 0.1 + CASE WHEN series = 'b' THEN NULL ELSE 1 END AS value, \
               CASE WHEN time > '2024-01-01T12:00:00' THEN NULL ELSE time END AS time2 FROM t ORDER BY time";
    bench
        .bakeoff(&["sql", sql, "--dir", "t", "--out", "odd.parquet"])
        .expect(0);
    let odd = [
        "ingest",
        "odd.parquet",
        "--into",
        "dir:u",
        "--partition-key",
        "series",
        "--order-key",
    ];
    bench
        .bakeoff(&[&odd[..], &["time2"]].concat())
        .expect(1)
        .says("odd.parquet, row 4, column `time2`: no value, but it is in the key");
    assert!(
        !bench.path("u").exists(),
        "a table that nothing fits was made"
    );
    bench
        .bakeoff(&[&odd[..], &["time", "--types", "value=int"]].concat())
        .expect(1)
        .says("odd.parquet, row 1, column `value`: `1.1` does not fit an int (a whole number of 32 bits) without a loss");
}

#[test]
fn digits_that_would_be_lost_are_refused() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let text = "id,at,ratio\n1,2024-01-01T00:00:00.123456,1e300\n";
    std::fs::write(bench.path("fine.csv"), text).unwrap();
    let into = ["--into", "dir:t", "--partition-key", "id"];
    for (types, message) in [
        (
            "at=timestamp",
            "column `at`: `2024-01-01T00:00:00.123456` is not a timestamp",
        ),
        ("ratio=float", "`1e300` does not fit a float without a loss"),
    ] {
        let csv = [&["ingest", "fine.csv", "--types", types], &into[..]].concat();
        bench.bakeoff(&csv).expect(1).says(message);
    }
    let made = [
        "ingest", "fine.csv", "--types", "at=text", "--into", "dir:text",
    ];
    bench
        .bakeoff(&[&made[..], &["--partition-key", "id"]].concat())
        .expect(0);
    let copy = [
        "ingest",
        "--from",
        "dir:text",
        "--into",
        "dir:t",
        "--types",
        "at=timestamp",
    ];
    bench
        .bakeoff(&copy)
        .expect(1)
        .says("`2024-01-01T00:00:00.123456` does not fit a timestamp");
}
