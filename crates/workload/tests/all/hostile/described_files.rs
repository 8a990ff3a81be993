//! Data files whose rows may be set aside, and those of which nothing is known.

use std::path::Path;

use bakeoff_testing::hostile::Parser;
use bakeoff_testing::times;
use bakeoff_workload::infer::{Asked, infer};
use bakeoff_workload::{Workload, source};

use super::corpus;

/// The memory for a file of at most 128 KiB.
const TEXT_BYTES: u64 = 256 << 20;

/// The number of rows of a batch.
const BATCH_ROWS: usize = 1_000;

const TABLE: &str = "title = 'x'\n[data]\nrequires = '--data'\nbad_rows = '99%'\nnull = ['NA']\n[table]\n\
    name = 't'\npartition_key = ['series']\norder_key = ['time']\n[table.columns]\nseries = 'text'\n\
    time = 'timestamp'\nvalue = 'double'\nbig = 'bigint'\nsmall = 'int'\nflag = 'boolean'\n\
    bytes = 'blob'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

/// Rows that cannot be read, and those with the key of an earlier row, are found before any is.
#[test]
fn what_is_opened_without_its_bad_rows_is_read_to_its_end() {
    let without_repeats = "bad_rows = '99%'\nrepeated_keys = 'set aside'";
    let table = TABLE.replace("bad_rows = '99%'", without_repeats);
    read_to_its_end("csv files with bad rows", &table);
}

/// Nor are rows with a part of a time that is missing or has another form.
#[test]
fn times_in_several_columns_are_read_to_their_end_without_bad_rows() {
    let joined = "bad_rows = '99%'\njoin = { time = ['time', 'flag'] }\n\
                  format = { time = '%Y-%m-%dT%H:%M:%S true' }";
    let table = TABLE.replace("bad_rows = '99%'", joined);
    read_to_its_end("csv files with times in two columns", &table);
}

fn read_to_its_end(name: &'static str, table: &str) {
    let parser = Parser {
        name,
        most_bytes: TEXT_BYTES,
        cases: times(1_000, 50_000),
    };
    let workload = Workload::parse(table, Path::new("x.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    parser.feed(&corpus("csv"), |bytes| {
        let path = folder.path().join("x.csv");
        std::fs::write(&path, bytes).unwrap();
        let Ok(source) = source::open(&workload, Some(path)) else {
            return false;
        };
        let bad = source.bad_rows().unwrap();
        let mut rows = 0;
        for batch in source.read(0, BATCH_ROWS).unwrap() {
            rows += batch.unwrap().rows.num_rows() as u64;
        }
        assert_eq!(rows + bad.count, bad.rows);
        bad.write(&mut std::io::sink()).unwrap();
        true
    });
}

/// Whatever is found of a file, the workload for it is one.
#[test]
fn workloads_are_written_for_files_or_these_are_refused() {
    let parser = Parser {
        name: "csv files of which nothing is known",
        most_bytes: TEXT_BYTES,
        cases: times(500, 50_000),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    parser.feed(&corpus("csv"), |bytes| {
        std::fs::write(&path, bytes).unwrap();
        let Ok(found) = infer(&path, &Asked::default()) else {
            return false;
        };
        let text = found.workload("x.csv", &["memory".to_owned()], &[]);
        let written = Workload::parse(&text, Path::new("x.toml"));
        assert!(written.is_ok(), "{:?}\n{text}", written.err());
        true
    });
}
