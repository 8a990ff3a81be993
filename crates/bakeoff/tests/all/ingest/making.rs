//! Tables made of files, and more added to them.

use std::io::Write;

use super::{ALL, KEYS, rows, with_table};
use crate::support::processes::{Going, interrupt_while_it_computes};
use crate::support::{Bench, READINGS, WORKLOAD};
use flate2::Compression;
use flate2::write::GzEncoder;

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
    added.says("note: the source has no value: its rows get null there, even if they replace rows of dir:t");
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
fn spaces_around_quotes_are_no_part_of_fields_where_all_quotes_have_them() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let text = "id, note, \"size\"\n1, \"x, y\", \"5\"\n2, \"z\" , \"7\"\n";
    std::fs::write(bench.path("notes.csv"), text).unwrap();
    let ingest = ["ingest", "notes.csv", "--into", "dir:t"];
    let key = ["--partition-key", "id", "--one-row-per-key"];
    let made = bench.bakeoff(&[&ingest[..], &key].concat()).expect(0);
    made.says("id bigint, note text, size bigint");
    let expected = ["1,\"x, y\",5", "2,z,7"];
    assert_eq!(rows(&bench, "SELECT * FROM t ORDER BY id"), expected);
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
        "id=int,ratio=float",
        "--columns",
        "id,day,at,ratio,code",
        "--profile",
        "compact",
        "--shards",
        "4",
    ];
    let made = bench.bakeoff(&arguments).expect(0);
    made.says("id int, day date, at nanotime, ratio float, code text; partition key id, order key day, buckets of 7d");
    let expected = ["1,2024-02-29,2024-02-29T00:00:00.000000001,0.1,007"];
    assert_eq!(rows(&bench, "SELECT * FROM t"), expected);
    let info = bench.bakeoff(&["table", "info", "dir:t"]).expect(0);
    info.says("bucket         7d")
        .says("shards         4")
        .says("profile        compact");
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

/// Many rows, in one file.
pub fn many_rows(bench: &Bench, rows: u32) {
    let mut text = String::from("series,time,value\n");
    for i in 0..rows {
        text.push_str(&format!("s{},{},{}.5\n", i % 10, i, i));
    }
    std::fs::write(bench.path("many.csv"), text).unwrap();
}

/// A query that never waits for anything keeps nobody from stopping it.
#[test]
fn a_query_that_computes_is_interrupted() {
    let bench = Bench::new(WORKLOAD, READINGS);
    many_rows(&bench, 200_000);
    let made = ["ingest", "many.csv", "--into", "dir:t"];
    bench.bakeoff(&[&made[..], &KEYS[..]].concat()).expect(0);
    let pairs = "SELECT count(*) FROM t a JOIN t b ON a.value < b.value";
    let mut command = bench.command(&["sql", pairs, "--dir", "t"]);
    interrupt_while_it_computes(Going::start(&mut command))
        .expect(130)
        .says("interrupted");
}

#[test]
fn an_ingest_that_is_interrupted_can_be_given_again() {
    let bench = Bench::new(WORKLOAD, READINGS);
    many_rows(&bench, 400_000);
    let arguments = [&["ingest", "many.csv", "--into", "dir:t"], &KEYS[..]].concat();
    let mut command = bench.command(&arguments);
    let mut going = Going::start(&mut command);
    going.wait_for_words("made dir:t");
    // While it goes on no other process can write, and any can read.
    bench
        .bakeoff(&["table", "seal", "dir:t"])
        .expect(2)
        .says("another process");
    going.interrupt();
    let ended = going.end().expect(130);
    assert_eq!(ended.stdout, "");
    ended
        .says("interrupted: some of the rows may be in the table")
        .says("`bakeoff table sweep dir:t` removes them");
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
fn numbers_with_words_for_null_do_not_become_text_unasked() {
    let marked = format!("{READINGS}b,2024-01-03T00:00:00,NA\n");
    let bench = Bench::new(WORKLOAD, &marked);
    let ingest = [
        &["ingest", "readings.csv", "--into", "dir:t"][..],
        &KEYS[..],
    ]
    .concat();
    let refused = bench.bakeoff(&ingest).expect(2);
    refused
        .says("column `value` has numbers and 1 `NA`")
        .says("--null 'NA,NaN'")
        .says("--types value=text");
    assert!(!bench.path("t").exists());
    let read = [&ingest[..], &["--null", "NA"]].concat();
    bench.bakeoff(&read).expect(0);
    let counted = "SELECT count(value) AS known, count(*) AS n FROM t WHERE series = 'b'";
    assert_eq!(rows(&bench, counted), ["1,3"]);
    std::fs::remove_dir_all(bench.path("t")).unwrap();
    let kept = [&ingest[..], &["--types", "value=text"]].concat();
    bench.bakeoff(&kept).expect(0);
    let texts = "SELECT value FROM t WHERE value = 'NA'";
    assert_eq!(rows(&bench, texts), ["NA"]);
}

#[test]
fn decimal_commas_are_ingested_where_they_are_said() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let lines = "series\ttime\tvalue\tcount\na\t2024-01-01T00:00:00\t1,5\t1.200\n\
                 a\t2024-01-02T00:00:00\t1.234,25\t7\n";
    std::fs::write(bench.path("commas.tsv"), lines).unwrap();
    let ingest = [&["ingest", "commas.tsv", "--into", "dir:t"][..], &KEYS[..]].concat();
    let said = [&ingest[..], &["--decimal", ","]].concat();
    bench.bakeoff(&said).expect(0);
    let sums = "SELECT sum(value) AS v, sum(count) AS c FROM t";
    assert_eq!(rows(&bench, sums), ["1235.75,1207"]);
    std::fs::remove_dir_all(bench.path("t")).unwrap();
    // Without it they are texts.
    bench.bakeoff(&ingest).expect(0);
    let text = "SELECT value FROM t WHERE value = '1,5'";
    assert_eq!(rows(&bench, text), ["\"1,5\""]);
    std::fs::write(bench.path("x.parquet"), "PAR1").unwrap();
    let typed = ["ingest", "x.parquet", "--into", "dir:p", "--decimal", ","];
    let typed = [&typed[..], &KEYS[..]].concat();
    bench
        .bakeoff(&typed)
        .expect(2)
        .says("--decimal: x.parquet has numbers");
    let other = [&ingest[..], &["--decimal", ";"]].concat();
    bench
        .bakeoff(&other)
        .expect(2)
        .says("`;` is before no decimals");
}

#[test]
fn a_time_is_put_together_from_two_columns() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let text = "Date,Time,series,value\n13/03/2004,18.00.00,a,1\n13/03/2004,24.00.00,a,2\n14/03/2004,NA,b,3\n";
    let (good, last) = text.split_at(text.len() - "14/03/2004,NA,b,3\n".len());
    std::fs::write(bench.path("air.csv"), good).unwrap();
    let ingest = |join: &str, more: &[&str]| {
        let join = ["--join", join];
        let key = ["--partition-key", "series", "--order-key", "at"];
        let all = ["ingest", "air.csv", "--into", "dir:t", "--null", "NA"];
        bench.bakeoff(&[&all[..], &key, &join, more].concat())
    };
    let join = "At=Date,Time=%d/%m/%Y %H.%M.%S";
    ingest(join, &[])
        .expect(0)
        .says("made dir:t: series text, value bigint, at timestamp; partition key series");
    let all = "SELECT series, at, value FROM t ORDER BY at";
    let expected = ["a,2004-03-13T18:00:00,1", "a,2004-03-14T00:00:00,2"];
    assert_eq!(rows(&bench, all), expected);
    // A row without its time has no key.
    std::fs::write(bench.path("air.csv"), format!("{good}{last}")).unwrap();
    ingest(join, &[])
        .expect(1)
        .says("column `at`: no value, but it is in the key");
    std::fs::remove_dir_all(bench.path("t")).unwrap();
    std::fs::write(bench.path("air.csv"), good).unwrap();
    ingest(join, &["--columns", "series,at,Time"])
        .expect(0)
        .says("made dir:t: time text, series text, at timestamp;");
    for (join, words) in [
        ("at=Date,Hour", "--join: the file has no column `hour`"),
        (
            "at=Date",
            "it is a new column, the different columns that its parts are in",
        ),
        (
            "at=Date,date",
            "it is a new column, the different columns that its parts are in",
        ),
        (
            "at=Date,Time=s",
            "several columns are no single number since 1970",
        ),
        ("at=Date,Time=%H", "does not say a year"),
        ("time=Date,Time", "two columns are called `time`"),
    ] {
        ingest(join, &[]).expect(2).says(words);
    }
    let typed = ["ingest", "r.parquet", "--into", "dir:u", "--join", "at=a,b"];
    let made = ["sql", "SELECT * FROM t", "--dir", "t", "--out", "r.parquet"];
    bench.bakeoff(&made).expect(0);
    bench
        .bakeoff(&typed)
        .expect(2)
        .says("--join: it puts times together from columns of text");
}
