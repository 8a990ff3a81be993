//! `bakeoff ingest` and `bakeoff table`: columnar tables made of files and of other tables, in
//! folders and in a real Cassandra, and what is said of mistakes.
#![expect(clippy::unwrap_used, reason = "tests")]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use support::server::Server;
use support::{Bench, Ended, READINGS, WORKLOAD};

const KEYS: [&str; 4] = ["--partition-key", "series", "--order-key", "time"];

/// A folder with `readings.csv`, and its rows in the columnar table `t`.
fn with_table() -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    bench
        .bakeoff(
            &[
                &[
                    "ingest",
                    "readings.csv",
                    "--into",
                    "dir:t",
                    "--bucket",
                    "1d",
                ],
                &KEYS[..],
            ]
            .concat(),
        )
        .expect(0);
    bench
}

/// The rows of a query over `t`, as CSV without a header.
#[track_caller]
fn rows(bench: &Bench, sql: &str) -> Vec<String> {
    let ended = bench.bakeoff(&["sql", sql, "--dir", "t"]).expect(0);
    ended.stdout.lines().skip(1).map(str::to_owned).collect()
}

const ALL: &str = "SELECT * FROM t ORDER BY series, time";

#[test]
fn a_table_is_made_of_a_file_and_more_is_added() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let arguments = [&["ingest", "readings.csv", "--into", "dir:t"], &KEYS[..]].concat();
    let made = bench.bakeoff(&arguments).expect(0);
    made.says("made dir:t: series text, time timestamp, value double; partition key series, order key time");
    made.says("its types are guessed from all 4 rows");
    made.says("4 rows into dir:t in ")
        .says(" rows/s: 1 chunk, ")
        .says(" B a row, ");
    let expected = [
        "a,2024-01-01T00:00:00,1.5",
        "a,2024-01-01T00:01:00,2.5",
        "b,2024-01-01T00:00:00,",
        "b,2024-01-02T00:00:00,NaN",
    ];
    assert_eq!(rows(&bench, ALL), expected);
    // Of a key that is there the new row is kept; a column that is not there is null.
    let more = "TIME,Series\n2024-01-01T00:01:00Z,a\n2024-01-05T00:00:00Z,c\n";
    std::fs::write(bench.path("more.csv"), more).unwrap();
    let added = bench
        .bakeoff(&["ingest", "more.csv", "--into", "dir:t"])
        .expect(0);
    assert!(!added.stderr.contains("made"), "{}", added.stderr);
    let expected = [
        "a,2024-01-01T00:00:00,1.5",
        "a,2024-01-01T00:01:00,",
        "c,2024-01-05T00:00:00,",
    ];
    assert_eq!(
        rows(
            &bench,
            "SELECT * FROM t WHERE series <> 'b' ORDER BY series, time"
        ),
        expected
    );
    // The same again changes nothing.
    bench
        .bakeoff(&["ingest", "more.csv", "--into", "dir:t"])
        .expect(0);
    assert_eq!(rows(&bench, "SELECT count(*) FROM t"), ["5"]);
}

#[test]
fn every_format_brings_the_same_rows() {
    let bench = with_table();
    let all = rows(&bench, ALL);
    bench
        .bakeoff(&["sql", "SELECT * FROM t", "--dir", "t", "--out", "r.parquet"])
        .expect(0);
    let mut gzip = GzEncoder::new(
        std::fs::File::create(bench.path("r.tsv.gz")).unwrap(),
        Compression::default(),
    );
    gzip.write_all(READINGS.replace(',', "\t").as_bytes())
        .unwrap();
    gzip.finish().unwrap();
    arrow_files(&bench);
    for file in ["r.parquet", "r.tsv.gz", "r.arrow", "r.arrows"] {
        let folder = format!("dir:of-{file}/t");
        bench
            .bakeoff(&[&["ingest", file, "--into", &folder], &KEYS[..]].concat())
            .expect(0);
        let sql = ["sql", ALL, "--table", &folder];
        let ended = bench.bakeoff(&sql).expect(0);
        let found: Vec<&str> = ended.stdout.lines().skip(1).collect();
        assert_eq!(found, all, "{file}");
    }
    // Another table's key is that of the copy.
    let copied = bench
        .bakeoff(&["ingest", "--from", "dir:t", "--into", "dir:copy/t"])
        .expect(0);
    copied.says("partition key series, order key time");
    let ended = bench
        .bakeoff(&["sql", ALL, "--table", "dir:copy/t"])
        .expect(0);
    assert_eq!(ended.stdout.lines().skip(1).collect::<Vec<_>>(), all);
}

/// The rows of `r.parquet` as an Arrow file and as a stream.
fn arrow_files(bench: &Bench) {
    use arrow::ipc::writer::{FileWriter, StreamWriter};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
    let file = std::fs::File::open(bench.path("r.parquet")).unwrap();
    let batches: Vec<_> = ParquetRecordBatchReader::try_new(file, 1024)
        .unwrap()
        .collect();
    let first = batches[0].as_ref().unwrap();
    let create = |name: &str| std::fs::File::create(bench.path(name)).unwrap();
    let mut whole = FileWriter::try_new(create("r.arrow"), &first.schema()).unwrap();
    let mut stream = StreamWriter::try_new(create("r.arrows"), &first.schema()).unwrap();
    for batch in &batches {
        whole.write(batch.as_ref().unwrap()).unwrap();
        stream.write(batch.as_ref().unwrap()).unwrap();
    }
    whole.finish().unwrap();
    stream.finish().unwrap();
}

#[test]
fn types_can_be_said_and_columns_chosen() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let text = "id,day,at,ratio,code,extra\n1,2024-02-29,2024-02-29T00:00:00.000000001,0.1,007,x\n";
    std::fs::write(bench.path("kinds.csv"), text).unwrap();
    let arguments = [
        "ingest",
        "kinds.csv",
        "--into",
        "dir:t",
        "--partition-key",
        "id",
        "--order-key",
        "day",
        "--bucket",
        "7d",
        "--types",
        "id=int,ratio=float,code=text",
        "--columns",
        "id,day,at,ratio,code",
        "--profile",
        "compact",
        "--shards",
        "4",
    ];
    let made = bench.bakeoff(&arguments).expect(0);
    made.says("id int, day date, at nanotime, ratio float, code text; partition key id");
    let expected = ["1,2024-02-29,2024-02-29T00:00:00.000000001,0.1,007"];
    assert_eq!(rows(&bench, "SELECT * FROM t"), expected);
    let info = bench.bakeoff(&["table", "info", "dir:t"]).expect(0);
    info.says("bucket         7 days")
        .says("shards         4")
        .says("profile        compact");
}

#[test]
fn a_table_is_kept_in_order() {
    let bench = with_table();
    let info = bench.bakeoff(&["table", "info", "dir:t"]).expect(0);
    info.says("partition key  series")
        .says("order key      time")
        .says("bucket         1day");
    info.says("rows           4 in 2 chunks of 2 places")
        .says("value   double");
    bench
        .bakeoff(&["ingest", "readings.csv", "--into", "dir:t"])
        .expect(0);
    bench
        .bakeoff(&["table", "info", "dir:t"])
        .expect(0)
        .says("to be sealed   2 parts: their keys overlap");
    bench
        .bakeoff(&["table", "seal", "dir:t", "--before", "2024-01-02"])
        .expect(0)
        .says("sealed 1 place: 0 single rows and 2 chunks became 1 chunk");
    bench
        .bakeoff(&["table", "seal", "dir:t"])
        .expect(0)
        .says("sealed 1 place: 0 single rows and 2 chunks became 1 chunk");
    bench
        .bakeoff(&["table", "sweep", "dir:t"])
        .expect(0)
        .says("removed 0 chunks");
    bench
        .bakeoff(&["table", "sweep", "dir:t", "--grace", "0s"])
        .expect(0)
        .says("removed 4 chunks");
    assert_eq!(rows(&bench, "SELECT count(*) FROM t"), ["4"]);
    bench
        .bakeoff(&["table", "drop-before", "dir:t", "2024-01-01T23:59:59Z"])
        .expect(0)
        .says("dropped 0 places");
    bench
        .bakeoff(&["table", "drop-before", "dir:t", "2024-01-02"])
        .expect(0)
        .says("dropped 1 place whose buckets end at or before 2024-01-02");
    assert_eq!(rows(&bench, ALL), ["b,2024-01-02T00:00:00,NaN"]);
}

#[test]
fn what_queries_say_of_chunks() {
    let bench = with_table();
    let sql = "SELECT value FROM t WHERE series = 'a' AND time < '2024-01-02'";
    let ended = bench.bakeoff(&["sql", sql, "--dir", "t"]).expect(0);
    ended
        .says("2 rows in ")
        .says("1 of 1 chunk read, 0 answered by statistics, ");
    let plan = bench.bakeoff(&[
        "sql",
        &format!("EXPLAIN {sql}"),
        "--dir",
        "t",
        "--format",
        "table",
    ]);
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
            "dir:t is not there yet: say which rows belong together with --partition-key",
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
            "key column `series` is there twice",
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
            "--bucket soon: it is not a duration such as 1d or 6h, as the order key `time` asks for",
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
            "there are buckets only of integers, dates and times",
        ),
        (
            &["readings.csv", "--types", "value=money"],
            2,
            "`money` is no type of a columnar table; there are boolean, int,",
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
            "dir:t is there already, and its partition key is series: leave the option out",
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
        (
            &["readings.csv", "--bucket", "2d"],
            "its bucket is 86400000",
        ),
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
            "dir:none is no columnar table; `bakeoff ingest` makes one",
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
            "this removes dir:t with all its rows: say --yes",
        ),
        (
            &["drop", "dir:none", "--yes"],
            2,
            "dir:none is no columnar table",
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
fn a_table_of_wrong_types_can_be_removed_and_made_anew() {
    let bench = with_table();
    std::fs::write(
        bench.path("more.csv"),
        "series,time,value\na,2024-02-01T00:00:00,n/a\n",
    )
    .unwrap();
    let ingest = ["ingest", "more.csv", "--into", "dir:t"];
    bench
        .bakeoff(&ingest)
        .expect(1)
        .says("column `value`: `n/a` is not a double")
        .says("`bakeoff table drop dir:t` removes it");
    std::fs::write(bench.path("t/mine.txt"), "x").unwrap();
    let drop = ["table", "drop", "dir:t", "--yes"];
    bench
        .bakeoff(&drop)
        .expect(2)
        .says("t has `mine.txt`, which is no part of a columnar table; nothing was removed");
    assert_eq!(rows(&bench, "SELECT count(*) FROM t"), ["4"]);
    std::fs::remove_file(bench.path("t/mine.txt")).unwrap();
    // As after a drop that was interrupted.
    std::fs::remove_file(bench.path("t/table.json")).unwrap();
    bench
        .bakeoff(&["table", "info", "dir:t"])
        .expect(2)
        .says("of the columnar table dir:t there is only ")
        .says("`bakeoff table drop dir:t` removes that");
    bench
        .bakeoff(&[&ingest[..], &KEYS[..]].concat())
        .expect(2)
        .says("`bakeoff table drop dir:t` removes what is there of it");
    bench.bakeoff(&drop).expect(0).says("removed dir:t");
    assert!(!bench.path("t").exists());
    let made = [&ingest[..], &KEYS[..], &["--types", "value=text"]].concat();
    bench.bakeoff(&made).expect(0);
    assert_eq!(rows(&bench, ALL), ["a,2024-02-01T00:00:00,n/a"]);
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
        .expect(0)
        .says("partition key series without an order key: one row for each partition key")
        .says("note: 2 rows have a key (series) that others have, too: the last one of each key is kept");
    let unique = ["ingest", "readings.csv", "--into", "dir:u"];
    let unique = bench.bakeoff(&[&unique[..], &KEYS[..]].concat()).expect(0);
    assert!(!unique.stderr.contains("note"), "{}", unique.stderr);
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
        .says("`time` is in the other half of the key of the source: say both halves");
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
    let from = ["ingest", "--from", "dir:m", "--into", "dir:n"];
    bench
        .bakeoff(&[&from[..], &other[..]].concat())
        .expect(0)
        .says("note: the key of the source has series, too: of rows that differ only there")
        .says("note: 1 row has a key (time, value) that others have, too");
}

#[test]
fn what_overlaps_is_told_after_an_ingest() {
    let bench = with_table();
    let again = ["ingest", "readings.csv", "--into", "dir:t"];
    bench
        .bakeoff(&again)
        .expect(0)
        .says("note: 2 parts of the table overlap")
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
fn chunks_have_as_many_rows_as_is_said() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let small = [
        "ingest",
        "readings.csv",
        "--into",
        "dir:t",
        "--chunk-rows",
        "2",
    ];
    bench
        .bakeoff(&[&small[..], &KEYS[..]].concat())
        .expect(0)
        .says(": 2 chunks, ");
    bench
        .bakeoff(&[
            "ingest",
            "readings.csv",
            "--into",
            "dir:t",
            "--chunk-rows",
            "3",
        ])
        .expect(2)
        .says("its number of rows of a chunk is 2");
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

/// Many rows, in one file.
fn many_rows(bench: &Bench, rows: u32) {
    let mut text = String::from("series,time,value\n");
    for i in 0..rows {
        text.push_str(&format!("s{},{},{}.5\n", i % 10, i, i));
    }
    std::fs::write(bench.path("many.csv"), text).unwrap();
}

#[test]
fn an_ingest_that_is_interrupted_can_be_given_again() {
    let bench = Bench::new(WORKLOAD, READINGS);
    many_rows(&bench, 400_000);
    let arguments = [&["ingest", "many.csv", "--into", "dir:t"], &KEYS[..]].concat();
    let mut command = bench.command(&arguments);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    stderr.read_line(&mut said).unwrap();
    assert!(said.starts_with("made dir:t"), "{said}");
    // While it goes on no other process can write, and any can read.
    bench
        .bakeoff(&["table", "seal", "dir:t"])
        .expect(2)
        .says("another process");
    let id = child.id().to_string();
    std::process::Command::new("kill")
        .args(["-INT", &id])
        .status()
        .unwrap();
    stderr.read_to_string(&mut said).unwrap();
    let ended = Ended::of(child.wait_with_output().unwrap()).expect(130);
    assert_eq!(ended.stdout, "");
    assert!(
        said.contains("interrupted: some of the rows may be in the table"),
        "{said}"
    );
    assert!(
        said.contains("`bakeoff table sweep dir:t` removes it"),
        "{said}"
    );
    bench
        .bakeoff(&arguments)
        .expect(0)
        .says("400,000 rows into dir:t");
    assert_eq!(
        rows(&bench, "SELECT count(*), sum(value) FROM t"),
        ["400000,80000000000.0"]
    );
}

#[test]
fn in_a_real_cassandra() {
    let Some(server) = Server::start() else {
        return;
    };
    let into = ["ingest", "readings.csv", "--into", "ks.t"];
    server
        .bakeoff(&[&into[..], &KEYS[..]].concat())
        .expect(2)
        .says("there is no keyspace `ks`; make it, with the replication that its rows need, for example CREATE KEYSPACE ks WITH");
    server.cql(
        "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
         CREATE TABLE ks.rows (\"Series\" text, time timestamp, n smallint, tags set<text>, PRIMARY KEY (\"Series\", time));
         INSERT INTO ks.rows (\"Series\", time, n, tags) VALUES ('a', '2024-01-01', 7, {'x'});
         INSERT INTO ks.rows (\"Series\", time, n) VALUES ('b', '2024-01-02', -7);\n",
    );
    server
        .bakeoff(&[&into[..], &KEYS[..], &["--bucket", "1d", "--shards", "2"]].concat())
        .expect(0)
        .says("4 rows into ks.t");
    let sql = [
        "sql",
        "SELECT series, count(*), max(time) FROM ks.t GROUP BY series ORDER BY series",
    ];
    let ended = server.bakeoff(&sql).expect(0);
    let expected =
        "series,count(*),max(ks.t.time)\na,2,2024-01-01T00:01:00\nb,2,2024-01-02T00:00:00\n";
    assert_eq!(ended.stdout, expected);
    ended.says(" chunks read");
    // A columnar table and an ordinary one in one query.
    let join = "SELECT r.n, t.value FROM ks.rows r JOIN ks.t t ON r.\"Series\" = t.series AND \
                r.time = t.time ORDER BY n";
    let ended = server.bakeoff(&["sql", join]).expect(0);
    assert_eq!(ended.stdout, "n,value\n-7,NaN\n7,1.5\n");
    // Of an ordinary table: its key, names in lower case, a type that is text here.
    server
        .bakeoff(&["ingest", "--from", "ks.rows", "--into", "ks.copy"])
        .expect(0)
        .says("made ks.copy: series text, time timestamp, n int, tags text; partition key series, order key time")
        .says("note: read as text, as CQL writes it: tags")
        .says("2 rows into ks.copy");
    // A column that is not wanted is not read.
    let some = [
        "ingest",
        "--from",
        "ks.rows",
        "--into",
        "ks.some",
        "--columns",
        "n,Series,time",
    ];
    let some = server.bakeoff(&some).expect(0);
    some.says("2 rows into ks.some");
    assert!(!some.stderr.contains("note"), "{}", some.stderr);
    dropped(&server);
    // A keyspace may have any name.
    server.cql(
        "CREATE KEYSPACE public WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
         CREATE TABLE public.t (k int PRIMARY KEY, v int);
         INSERT INTO public.t (k, v) VALUES (1, 2);\n",
    );
    let ended = server
        .bakeoff(&["sql", "SELECT v FROM public.t JOIN ks.some ON v > n"])
        .expect(0);
    assert_eq!(ended.stdout, "v\n2\n");
    let named = [
        "sql",
        "SELECT t.v FROM t JOIN public.t u ON t.k = u.k",
        "--table",
        "public.t",
    ];
    assert_eq!(server.bakeoff(&named).expect(0).stdout, "v\n2\n");
    let ended = server
        .bakeoff(&["sql", "SELECT series, n, tags FROM ks.copy ORDER BY n"])
        .expect(0);
    assert_eq!(ended.stdout, "series,n,tags\nb,-7,\na,7,{'x'}\n");
    server
        .bakeoff(&["ingest", "--from", "ks.rows", "--into", "ks.rows"])
        .expect(2)
        .says("ks.rows is an ordinary table: choose another name");
    server
        .bakeoff(&["table", "drop-before", "ks.t", "2024-01-02"])
        .expect(0)
        .says("dropped ");
    let ended = server
        .bakeoff(&["sql", "SELECT count(*) FROM ks.t"])
        .expect(0);
    assert_eq!(ended.stdout, "count(*)\n1\n");
    server
        .bakeoff(&["table", "info", "ks.t"])
        .expect(0)
        .says("rows           1 in 1 chunk of");
    server
        .bakeoff(&["table", "info", "ks.rows"])
        .expect(2)
        .says("ks.rows is no columnar table");
}

/// Tables that are removed, in parts and as a whole, and those that are not.
fn dropped(server: &Server) {
    server
        .bakeoff(&["table", "drop", "ks.rows", "--yes"])
        .expect(2)
        .says("ks.rows is no columnar table");
    server
        .bakeoff(&["ingest", "--from", "ks.rows", "--into", "ks.gone"])
        .expect(0);
    server.cql("DROP TABLE ks.gone_chunks;\n");
    server
        .bakeoff(&["table", "info", "ks.gone"])
        .expect(2)
        .says("of the columnar table ks.gone there is only gone_columnar, gone_places, gone_index, gone_fresh")
        .says("`bakeoff table drop ks.gone` removes that");
    let drop = ["table", "drop", "ks.gone", "--yes"];
    server.bakeoff(&drop).expect(0).says("removed ks.gone");
    server
        .bakeoff(&drop)
        .expect(2)
        .says("ks.gone is no columnar table");
    server
        .bakeoff(&[
            "ingest",
            "--from",
            "ks.rows",
            "--into",
            "ks.gone",
            "--consistency",
            "one",
        ])
        .expect(0);
    server.cql("UPDATE ks.gone_columnar SET dropping = true WHERE id = 'table';\n");
    server
        .bakeoff(&["table", "info", "ks.gone", "--consistency", "one"])
        .expect(2)
        .says("was about to be dropped when that was interrupted")
        .says("`bakeoff table drop ks.gone` removes what is there of it");
    server.bakeoff(&drop).expect(0);
    // Somebody else's table of such a name.
    server.cql("CREATE TABLE ks.gone_fresh (k int PRIMARY KEY);\n");
    server
        .bakeoff(&drop)
        .expect(2)
        .says("ks.gone_fresh is there already and is no part of a columnar table");
}
