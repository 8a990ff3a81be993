//! Tests data files, good and bad.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array, StringArray};
use arrow::array::{TimestampMicrosecondArray, TimestampNanosecondArray};
use arrow::datatypes::{Float64Type, TimestampMillisecondType};
use arrow::record_batch::RecordBatch;
use bakeoff_workload::{RowSource, Workload, source};
use parquet::arrow::ArrowWriter;

const WORKLOAD: &str = "title = 'x'\n[data]\nrequires = '--data'\n[table]\nname = 't'\n\
    partition_key = ['series']\norder_key = ['time']\n[table.columns]\nseries = 'text'\n\
    time = 'timestamp'\nvalue = 'double'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

struct TestFile {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn file(name: &str, bytes: &[u8]) -> TestFile {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    TestFile {
        _folder: folder,
        path,
    }
}

fn open(path: &Path) -> Result<Box<dyn RowSource>, String> {
    let workload = Workload::parse(WORKLOAD, Path::new("x.toml")).unwrap();
    source::open(&workload, Some(path.to_owned())).map_err(|error| shorten(path, &error))
}

/// Returns the message without the folder.
fn shorten(path: &Path, error: &bakeoff_workload::Error) -> String {
    let folder = format!("{}/", path.parent().unwrap().display());
    error.to_string().replace(&folder, "")
}

fn read(path: &Path, from: u64, batch_rows: usize) -> Result<RecordBatch, String> {
    let source = open(path)?;
    let mut next_row = from;
    let mut batches = Vec::new();
    for batch in source
        .read(from, batch_rows)
        .map_err(|error| shorten(path, &error))?
    {
        let batch = batch.map_err(|error| shorten(path, &error))?;
        assert_eq!(batch.first_row, next_row);
        assert!(batch.rows.num_rows() <= batch_rows);
        next_row += batch.rows.num_rows() as u64;
        batches.push(batch.rows);
    }
    Ok(arrow::compute::concat_batches(&source.schema(), &batches).unwrap())
}

fn read_text(name: &str, text: impl AsRef<[u8]>) -> Result<RecordBatch, String> {
    read(&file(name, text.as_ref()).path, 0, 2)
}

fn csv_error(text: impl AsRef<[u8]>) -> String {
    read_text("x.csv", text).unwrap_err()
}

fn times(batch: &RecordBatch) -> Vec<i64> {
    batch
        .column(1)
        .as_primitive::<TimestampMillisecondType>()
        .values()
        .to_vec()
}

const CSV: &str =
    "time,SERIES,extra,value\n5,a,x,1.5\n6,a,,\n7,\"b\nb\",\"x\n\ny\",NaN\n8,c,x,-2\n";

#[test]
fn columns_are_found_by_name_and_empty_cells_are_null() {
    let batch = read_text("x.csv", CSV).unwrap();
    let series: Vec<_> = batch
        .column(0)
        .as_string::<i32>()
        .iter()
        .flatten()
        .collect();
    assert_eq!(series, ["a", "a", "b\nb", "c"]);
    assert_eq!(times(&batch), [5, 6, 7, 8]);
    let values = batch.column(2).as_primitive::<Float64Type>();
    assert_eq!(
        (values.value(0), values.is_null(1), values.value(3)),
        (1.5, true, -2.0)
    );
    assert!(values.value(2).is_nan());
}

#[test]
fn windows_line_ends_a_byte_order_mark_and_gzip_change_nothing() {
    let expected = format!("{:?}", read_text("x.csv", CSV).unwrap());
    let windows = CSV
        .replace("\n7", "\r\n7")
        .replace("\n8", "\r\n8")
        .replace("value\n", "value\r\n");
    let marked = format!("\u{feff}{windows}");
    assert_eq!(
        format!("{:?}", read_text("x.csv", &marked).unwrap()),
        expected
    );
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    gzip.write_all(CSV.as_bytes()).unwrap();
    let compressed = gzip.finish().unwrap();
    assert_eq!(
        format!("{:?}", read_text("X.CSV.GZ", &compressed).unwrap()),
        expected
    );
    let cut = &compressed[..compressed.len() / 2];
    assert!(
        read_text("x.csv.gz", cut)
            .unwrap_err()
            .starts_with("cannot read data file x.csv.gz: ")
    );
    assert!(
        read_text("x.csv.gz", CSV)
            .unwrap_err()
            .starts_with("cannot read data file x.csv.gz: ")
    );
}

#[test]
fn reading_may_start_anywhere() {
    let file = file("x.csv", CSV.as_bytes());
    let whole = read(&file.path, 0, 100).unwrap();
    for from in 0..4 {
        assert_eq!(
            times(&read(&file.path, from, 3).unwrap()),
            times(&whole)[from as usize..]
        );
    }
    assert_eq!(read(&file.path, 9, 3).unwrap().num_rows(), 0);
}

#[test]
fn quotes_mean_nothing_in_tsv() {
    let batch = read_text("x.tsv", "series\ttime\tvalue\n\"a\t1\t2\nb\"\t2\t3").unwrap();
    let series: Vec<_> = batch
        .column(0)
        .as_string::<i32>()
        .iter()
        .flatten()
        .collect();
    assert_eq!(series, ["\"a", "b\""]);
}

#[test]
fn faults_of_a_whole_file() {
    let missing = open(Path::new("/no/such.csv")).err().unwrap();
    assert!(
        missing.starts_with("cannot read data file such.csv: "),
        "{missing}"
    );
    assert!(
        read_text("x.xml", "")
            .unwrap_err()
            .contains("the name does not say the format")
    );
    assert_eq!(
        csv_error(""),
        "x.csv: the file is empty; its first line has to name the columns"
    );
    assert_eq!(
        csv_error("series,time,value\n"),
        "x.csv: the file names its columns, but has no rows"
    );
    assert_eq!(
        csv_error("sereis,time,value\na,1,2\n"),
        "x.csv: the file has no column `series`; did you mean `sereis`?"
    );
    assert_eq!(
        csv_error("place,time,value\na,1,2\n"),
        "x.csv: the file has no column `series`; it has `place`, `time`, `value`"
    );
    assert_eq!(
        csv_error("series;time;value\na;1;2\n"),
        "x.csv: the first line names no column of the table: its fields seem to be separated by `;`, so \
         say `delimiter = \";\"` in [data], or --delimiter ';'"
    );
    assert_eq!(
        csv_error("series,time,value,Time\na,1,2,3\n"),
        "x.csv: column `time` appears twice, as number 2 and 4"
    );
}

#[test]
fn a_ragged_row_is_named_by_its_line() {
    let head = "series,time,value\na,1,2\n\"b\n\n\",2,3\r\n\r\n";
    assert_eq!(
        csv_error(format!("{head}c,3\nd,4,5\n")),
        "x.csv, line 7: 2 fields instead of the 3 that the first line names"
    );
    assert_eq!(
        csv_error(format!("{head}c,3,4,5,6")),
        "x.csv, line 7: 5 fields instead of the 3 that the first line names"
    );
    assert_eq!(
        csv_error("series,time,value\na,1\n"),
        "x.csv, line 2: 2 fields instead of the 3 that the first line names"
    );
    let file = file("x.csv", format!("{head}c,3\nd,4,5\n").as_bytes());
    assert!(
        read(&file.path, 3, 1)
            .unwrap_err()
            .starts_with("x.csv, line 7: 2 fields")
    );
}

#[test]
fn a_column_that_changes_type_is_named_by_line_column_and_value() {
    let head = "series,time,value\na,1,2\n\"b\n\",2,3\n";
    assert_eq!(
        csv_error(format!("{head}c,3,high\n")),
        "x.csv, line 5: column `value`: `high` is not a double; correct the cell, or make the column `text`"
    );
    let error = csv_error(format!("{head}c,3,4\nd,soon,high"));
    assert!(
        error.starts_with("x.csv, line 6: column `time`: `soon` is not a timestamp"),
        "{error}"
    );
}

#[test]
fn the_key_needs_values() {
    let message = "column `series`: no value, but it is in the key, where every row needs one: \
                   fill it in, leave the row out, or choose another key";
    assert_eq!(
        csv_error("series,time,value\na,1,2\n,2,3\n"),
        format!("x.csv, line 3: {message}")
    );
}

#[test]
fn bytes_that_are_not_utf8_are_named_by_their_line() {
    let error = csv_error(b"series,time,value\na,1,2\n\xff,2,3\n");
    assert_eq!(
        error,
        "x.csv, line 3: not UTF-8 text; write the file in UTF-8"
    );
}

#[test]
fn a_quote_that_is_never_closed_does_not_fill_the_memory() {
    let mut text = "series,time,value\na,1,2\n\"b,2,3\n".to_owned();
    text.push_str(&"c,3,4\n".repeat(3 << 20));
    let file = file("x.csv", text.as_bytes());
    assert!(
        read(&file.path, 5, 9)
            .unwrap_err()
            .starts_with("x.csv, line 3: ")
    );
    assert_eq!(
        read(&file.path, 0, 9).unwrap_err(),
        "x.csv, line 3: the row that begins here takes more than 16 MiB; is a quote opened and never closed?"
    );
}

fn parquet(columns: Vec<(&str, ArrayRef)>) -> TestFile {
    let file = file("x.parquet", b"");
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
            .unwrap();
    let output = std::fs::File::create(&file.path).unwrap();
    let mut writer = ArrowWriter::try_new(output, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file
}

fn parquet_columns(values: ArrayRef, times: ArrayRef) -> Vec<(&'static str, ArrayRef)> {
    let series: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    vec![
        ("VALUE", values),
        ("extra", series.clone()),
        ("time", times),
        ("series", series),
    ]
}

fn micros(times: [i64; 3]) -> ArrayRef {
    Arc::new(TimestampMicrosecondArray::from(times.to_vec()).with_timezone("Europe/Berlin"))
}

#[test]
fn parquet_columns_are_found_and_cast() {
    let values: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]));
    let file = parquet(parquet_columns(values, micros([5000, 6000, 7000])));
    assert_eq!(open(&file.path).unwrap().known_rows(), Some(3));
    let batch = read(&file.path, 0, 2).unwrap();
    assert_eq!(times(&batch), [5, 6, 7]);
    let values: Vec<_> = batch
        .column(2)
        .as_primitive::<Float64Type>()
        .iter()
        .collect();
    assert_eq!(values, [Some(1.0), None, Some(3.0)]);
    assert_eq!(times(&read(&file.path, 2, 2).unwrap()), [7]);
}

#[test]
fn nan_in_parquet_stays() {
    let values: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN, 1.0, 2.0]));
    let batch = read(
        &parquet(parquet_columns(values, micros([1000, 2000, 3000]))).path,
        0,
        9,
    )
    .unwrap();
    assert!(
        batch
            .column(2)
            .as_primitive::<Float64Type>()
            .value(0)
            .is_nan()
    );
}

#[test]
fn a_parquet_file_that_changes_is_not_read_with_the_metadata_that_it_had() {
    let values: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let file = parquet(parquet_columns(values, micros([1000, 2000, 3000])));
    let source = open(&file.path).unwrap();
    assert!(source.read(0, 9).is_ok());
    std::fs::write(&file.path, "another one").unwrap();
    let error = shorten(&file.path, &source.read(0, 9).err().unwrap());
    let expected = "cannot read data file x.parquet: it has changed since it was first read";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn a_lossy_cast_names_row_and_column() {
    let values: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, (1 << 53) + 1]));
    let error = read(
        &parquet(parquet_columns(values, micros([1000, 2000, 3000]))).path,
        1,
        9,
    )
    .unwrap_err();
    assert_eq!(
        error,
        "x.parquet: row 3: column `value`: `9007199254740993` (Int64) is not exactly a double"
    );
    let values: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let nanos: ArrayRef = Arc::new(TimestampNanosecondArray::from(vec![
        1_000_000, 2_000_001, 3,
    ]));
    let error = read(&parquet(parquet_columns(values, nanos)).path, 0, 9).unwrap_err();
    assert!(
        error.starts_with("x.parquet: row 2: column `time`: "),
        "{error}"
    );
}

#[test]
fn parquet_faults() {
    assert!(
        read_text("x.parquet", CSV)
            .unwrap_err()
            .starts_with("x.parquet: not a Parquet file: ")
    );
    let words: ArrayRef = Arc::new(StringArray::from(vec!["1", "2", "3"]));
    let error = open(&parquet(parquet_columns(words, micros([1000; 3]))).path)
        .err()
        .unwrap();
    assert_eq!(
        error,
        "x.parquet: column `value` is stored as Utf8, which is not a double"
    );
    let series: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let two: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![1000, 2000]));
    let values: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let file = parquet(vec![("series", series), ("time", two), ("value", values)]);
    let error = read(&file.path, 0, 9).unwrap_err();
    assert!(
        error.starts_with("x.parquet: row 2: column `series`: no value"),
        "{error}"
    );
    let only: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let error = open(&parquet(vec![("value", only)]).path).err().unwrap();
    assert_eq!(
        error,
        "x.parquet: the file has no column `series`; it has `value`"
    );
}
