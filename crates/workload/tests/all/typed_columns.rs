//! What tests of a type of columns share: files of Parquet, values that are made, and errors.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, TimestampMillisecondArray};
use arrow::record_batch::RecordBatch;
use bakeoff_workload::{ColumnType, Error, RowSource, RowValues, Value, Version, Workload, source};
use parquet::arrow::ArrowWriter;

use crate::scaled_sample::parse;

/// Writes a Parquet file with these columns.
pub fn parquet<const N: usize>(folder: &Path, columns: [(&str, ArrayRef); N]) -> PathBuf {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let path = folder.join("rows.parquet");
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    path
}

/// Writes a Parquet file of so many series, each of which has a row every `step` milliseconds, with the values of one
/// column.
pub fn parquet_of_series(
    folder: &Path,
    (series, step): (i64, i64),
    (name, values): (&str, ArrayRef),
) -> PathBuf {
    let rows = values.len() as i64;
    let sensors = (0..rows).map(|row| format!("s{}", row % series));
    let times = (0..rows).map(|row| row / series * step);
    let times = TimestampMillisecondArray::from_iter_values(times);
    let columns: [(&str, ArrayRef); 3] = [
        ("sensor", Arc::new(StringArray::from_iter_values(sensors))),
        ("time", Arc::new(times)),
        (name, values),
    ];
    parquet(folder, columns)
}

/// Returns the first error of a file that is read.
pub fn error(workload: &Workload, path: PathBuf) -> String {
    let read = || -> Result<(), Error> {
        let source = source::open(workload, Some(path))?;
        source.read(0, 10)?.try_for_each(|batch| batch.map(drop))
    };
    read().unwrap_err().to_string()
}

/// Makes 20 rows, and asserts that these columns of a type are the same in a batch and one by one.
pub fn made(
    workload: &Workload,
    columns: Range<usize>,
    kind: ColumnType,
) -> (RecordBatch, Arc<dyn RowValues>) {
    let source: Arc<dyn RowSource> = source::open(workload, None).unwrap().into();
    assert_eq!(source.schema(), workload.table.schema());
    let rows = source.read(0, 20).unwrap().next().unwrap().unwrap().rows;
    let values = source::row_values(workload, source, 1_000).unwrap();
    for column in columns {
        for row in 0..20 {
            let cell = Value::of_cell(kind, rows.column(column), row);
            assert_ne!(cell, Value::Null);
            assert_eq!(cell, values.value(column, row as u64, Version::First));
        }
    }
    (rows, values)
}

/// Asserts that a workload is refused, each time with other words in its data, with these words.
pub fn assert_refused(data: &str, table: &str, cases: &[(&str, &str, &str)]) {
    for (written, other, words) in cases {
        let refused = parse(&data.replace(written, other), table).unwrap_err();
        let message = refused.to_string();
        assert!(message.contains(words), "{message}");
    }
}
