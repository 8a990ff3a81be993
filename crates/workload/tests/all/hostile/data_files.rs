//! Data files: CSV and TSV, packed or not, and Parquet.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Float32Array, Float64Array,
    Int32Array, Int64Array, StringArray, StringViewArray, TimestampMicrosecondArray,
    TimestampNanosecondArray,
};
use arrow::datatypes::{DataType, Int32Type};
use bakeoff_testing::hostile::{Corpus, Parser, bytes_taken};
use bakeoff_testing::times;
use bakeoff_workload::source::{self, FIRST_ROWS};
use bakeoff_workload::{DuplicateKeys, Workload};
use flate2::Compression;
use flate2::write::GzEncoder;
use zip::CompressionMethod;

use super::corpus;
use crate::zip_files::packed;

mod parquet_files;

const MIB: u64 = 1 << 20;

/// The memory for a text of at most 128 KiB, or what a small one unpacks to.
pub const TEXT_BYTES: u64 = 256 * MIB;

/// The memory in which repeated keys are searched.
const KEYS_BYTES: usize = 1 << 20;

/// The number of rows of a batch.
const BATCH_ROWS: usize = 1_000;

const TABLE: &str = "title = 'x'\n[data]\nrequires = '--data'\n[table]\nname = 't'\n\
    partition_key = ['series']\norder_key = ['time']\n[table.columns]\nseries = 'text'\n\
    time = 'timestamp'\nvalue = 'double'\nbig = 'bigint'\nsmall = 'int'\nflag = 'boolean'\n\
    bytes = 'blob'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

/// Writes files under one name, and reads them.
pub struct Files {
    folder: tempfile::TempDir,
    workload: Workload,
}

impl Files {
    pub fn new() -> Files {
        Files::of(TABLE)
    }

    /// Returns files without a header, whose fields are separated by tabs.
    pub fn raw() -> Files {
        Files::of(&TABLE.replace("[data]", "[data]\nheader = false\ndelimiter = 'tab'"))
    }

    fn of(workload: &str) -> Files {
        Files {
            folder: tempfile::tempdir().unwrap(),
            workload: Workload::parse(workload, Path::new("x.toml")).unwrap(),
        }
    }

    /// Returns whether all rows of a file can be read. All that is read has to be sound.
    pub fn is_readable(&self, name: &str, bytes: &[u8]) -> bool {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        self.reads(&path)
    }

    fn reads(&self, path: &Path) -> bool {
        let Ok(source) = source::open(&self.workload, Some(path.to_owned())) else {
            return false;
        };
        let table = &self.workload.table;
        let first = source::check_first_rows(&*source, table, FIRST_ROWS);
        let counted = source.count_rows(u64::MAX);
        let mut rows = 0;
        let Ok(batches) = source.read(0, BATCH_ROWS) else {
            return false;
        };
        for batch in batches {
            let Ok(batch) = batch else { return false };
            assert_eq!(batch.first_row, rows);
            batch.rows.columns().iter().for_each(is_sound);
            rows += batch.rows.num_rows() as u64;
        }
        assert!(first.is_ok());
        // What a Parquet file says of its rows may be another number than it has.
        if source.known_rows().is_none() {
            assert_eq!(counted.unwrap(), Some(rows));
        }
        DuplicateKeys::find(&*source, table, None, KEYS_BYTES).is_ok()
    }
}

/// Arrow reads texts unchecked, so that they have to be UTF-8 whatever the file holds.
fn is_sound(array: &ArrayRef) {
    // This check is wrong for arrays whose bits begin within a byte.
    if *array.data_type() != DataType::Boolean {
        array.to_data().validate_full().unwrap();
    }
}

#[test]
fn csv_is_read_or_refused() {
    let parser = Parser {
        name: "csv files",
        most_bytes: TEXT_BYTES,
        cases: times(2_000, 700_000),
    };
    let files = Files::new();
    parser.feed(&corpus("csv"), |bytes| files.is_readable("x.csv", bytes));
}

#[test]
fn tsv_is_read_or_refused() {
    let parser = Parser {
        name: "tsv files",
        most_bytes: TEXT_BYTES,
        cases: times(1_000, 920_000),
    };
    let files = Files::new();
    parser.feed(&corpus("tsv"), |bytes| files.is_readable("x.tsv", bytes));
}

#[test]
fn compressed_text_is_read_or_refused() {
    let parser = Parser {
        name: "csv.gz files",
        most_bytes: TEXT_BYTES,
        cases: times(1_000, 50_000),
    };
    let mut zipped = Corpus::default();
    for text in corpus("csv").iter() {
        let mut file = GzEncoder::new(Vec::new(), Compression::default());
        file.write_all(text).unwrap();
        zipped.add(file.finish().unwrap());
    }
    let files = Files::new();
    parser.feed(&zipped, |bytes| files.is_readable("x.csv.gz", bytes));
}

#[test]
fn text_without_a_header_is_read_or_refused() {
    let parser = Parser {
        name: "tsv files without a header",
        most_bytes: TEXT_BYTES,
        cases: times(1_000, 50_000),
    };
    let mut raw = Corpus::default();
    for text in corpus("tsv").iter() {
        let heading = text.iter().position(|byte| *byte == b'\n').unwrap();
        raw.add(&text[heading + 1..]);
    }
    let files = Files::raw();
    parser.feed(&raw, |bytes| files.is_readable("x.csv", bytes));
}

#[test]
fn zip_files_are_read_or_refused() {
    let parser = Parser {
        name: "zip files",
        most_bytes: TEXT_BYTES,
        cases: times(1_500, 80_000),
    };
    let row: &[u8] = b"a\t1\t2.5\t3\t4\ttrue\t0x01\n";
    let rows = row.repeat(40);
    let several: [(&str, &[u8]); 4] = [
        ("a/", b""),
        ("a/1.csv", b"b\t2\t\t\t\t\t"),
        ("../2.csv", row),
        ("3.csv", b""),
    ];
    let mut corpus = Corpus::default();
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        corpus.add(packed(method, &[("1979.csv", rows.as_slice())]));
        corpus.add(packed(method, &several));
    }
    let files = Files::raw();
    parser.feed(&corpus, |bytes| files.is_readable("x.zip", bytes));
}

/// A small file unpacks to a thousand times its size, one member after the other, and no line ends.
#[test]
fn a_zip_bomb_takes_little_memory() {
    let endless = vec![b'x'; 20 << 20];
    let members = [("1.csv", &endless[..]), ("2.csv", &endless[..])];
    let bomb = packed(CompressionMethod::Deflated, &members);
    assert!(bomb.len() < 1 << 20, "{}", bomb.len());
    let files = Files::raw();
    let taken = bytes_taken(|| assert!(!files.is_readable("x.zip", &bomb)));
    assert!(taken < TEXT_BYTES, "{taken}");
}

/// Returns the error of a file that cannot be read.
pub fn refusal(bytes: &[u8], name: &str) -> String {
    let files = Files::new();
    let path = files.folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let opened = source::open(&files.workload, Some(path));
    let read = opened.and_then(|source| source.read(0, BATCH_ROWS)?.try_for_each(|b| b.map(drop)));
    read.unwrap_err().to_string()
}

/// The decoder takes the bytes of all cells for one text.
#[test]
fn halves_of_a_character_in_two_cells_are_no_text() {
    let heading = "series,time,value,big,small,flag,bytes,extra";
    let halves = [heading.as_bytes(), b"\na,1,,,,,,\nb\xc3,2,,,,,,\xa9\n"].concat();
    let said = refusal(&halves, "x.csv");
    let expected = "x.csv, line 3: not UTF-8 text; write the file in UTF-8";
    assert!(said.ends_with(expected), "{said}");
    let in_header = heading.replace("extra", "\u{e9}\n").into_bytes();
    let split = [
        &in_header[..in_header.len() - 2],
        b",",
        &in_header[in_header.len() - 2..],
    ]
    .concat();
    assert!(refusal(&split, "x.csv").contains("not UTF-8"));
}

/// Returns a file with so many columns in addition to those of the table, and 100 rows.
pub fn wide(columns: usize) -> String {
    let more = ",".repeat(columns);
    let rows = format!("a,1,2,3,4,1,0x{more}\n").repeat(100);
    format!("series,time,value,big,small,flag,bytes{more}\n{rows}")
}

#[test]
fn many_columns_take_little_memory_or_are_refused() {
    let files = Files::new();
    let text = wide(50_000);
    let taken = bytes_taken(|| assert!(files.is_readable("x.csv", text.as_bytes())));
    assert!(taken < TEXT_BYTES, "{taken}");
    let said = refusal(wide(70_000).as_bytes(), "x.csv");
    assert!(
        said.contains("names 70007 columns, and 65536 are possible"),
        "{said}"
    );
    let said = refusal("series,\"x".repeat(1 << 20).as_bytes(), "x.csv");
    assert!(
        said.contains("the first line takes more than 1 MiB"),
        "{said}"
    );
}

/// Rows that are not too long each may be together: a small file unpacks to a thousand times its size.
#[test]
fn long_rows_are_read_a_few_at_a_time() {
    let mut file = GzEncoder::new(Vec::new(), Compression::fast());
    file.write_all(b"series,time,value,big,small,flag,bytes\n")
        .unwrap();
    let long = vec![b'x'; 15 << 20];
    for time in 0..20 {
        file.write_all(&long).unwrap();
        file.write_all(format!(",{time},,,,,\n").as_bytes())
            .unwrap();
    }
    let zipped = file.finish().unwrap();
    assert!(zipped.len() < 4 << 20, "{}", zipped.len());
    let files = Files::new();
    let path = files.folder.path().join("x.csv.gz");
    std::fs::write(&path, zipped).unwrap();
    let source = source::open(&files.workload, Some(path)).unwrap();
    let mut rows = 0;
    let taken = bytes_taken(|| {
        for batch in source.read(0, BATCH_ROWS).unwrap() {
            rows += batch.unwrap().rows.num_rows();
        }
    });
    assert_eq!(rows, 20);
    assert!(taken < 600 * MIB, "{taken}");
}

/// Returns the columns of the table, in the types that are stored most, and in others.
fn columns(others: bool) -> Vec<(&'static str, ArrayRef)> {
    let rows = 40;
    let numbers = || 0..rows;
    let texts = || numbers().map(|i| format!("series {}", i / 8));
    let odd = |i: &i64| i % 7 != 3;
    let maybe = || numbers().map(move |i| odd(&i).then_some(i * 1_000_003));
    let time = |i: i64| 1_700_000_000_000_000 + i * 60_000_000;
    let series: ArrayRef = if others {
        Arc::new(
            texts()
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str)
                .collect::<DictionaryArray<Int32Type>>(),
        )
    } else {
        Arc::new(StringArray::from_iter_values(texts()))
    };
    let times: ArrayRef = if others {
        Arc::new(TimestampNanosecondArray::from_iter_values(
            numbers().map(|i| time(i) * 1_000),
        ))
    } else {
        Arc::new(
            TimestampMicrosecondArray::from_iter_values(numbers().map(time)).with_timezone("UTC"),
        )
    };
    let value: ArrayRef = if others {
        Arc::new(Float32Array::from_iter(
            maybe().map(|v| v.map(|v| v as f32)),
        ))
    } else {
        Arc::new(Float64Array::from_iter(
            maybe().map(|v| v.map(|v| v as f64 / 7.0)),
        ))
    };
    let flags = BooleanArray::from_iter(numbers().map(|i| odd(&i).then_some(i % 2 == 0)));
    let bytes = numbers().map(|i| odd(&i).then(|| vec![i as u8; i as usize % 5]));
    vec![
        ("series", series),
        ("time", times),
        ("value", value),
        ("big", Arc::new(Int64Array::from_iter(maybe()))),
        (
            "small",
            Arc::new(Int32Array::from_iter_values(0..rows as i32)),
        ),
        ("flag", Arc::new(flags)),
        ("bytes", Arc::new(BinaryArray::from_iter(bytes))),
        (
            "other",
            Arc::new(StringViewArray::from_iter_values(texts())),
        ),
    ]
}
