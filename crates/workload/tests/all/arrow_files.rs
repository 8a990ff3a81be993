//! Tests Arrow IPC files and streams as data files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array, ListArray, StringArray};
use arrow::array::{DictionaryArray, TimestampMicrosecondArray};
use arrow::datatypes::{Float64Type, Int32Type};
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow::record_batch::RecordBatch;
use bakeoff_workload::{RowSource, Workload, source};

const WORKLOAD: &str = "title = 'x'\n[data]\nrequires = '--data'\n[table]\nname = 't'\n\
    partition_key = ['series']\norder_key = ['time']\n[table.columns]\nseries = 'text'\n\
    time = 'timestamp'\nvalue = 'double'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

/// Files in a folder of their own.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Files {
        Files(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn open(&self, path: &Path) -> Result<Box<dyn RowSource>, String> {
        let workload = Workload::parse(WORKLOAD, Path::new("x.toml")).unwrap();
        let inside = format!("{}/", self.0.path().display());
        let opened = source::open(&workload, Some(path.to_owned()));
        opened.map_err(|error| error.to_string().replace(&inside, ""))
    }

    /// Returns the error of a file that cannot be opened or read.
    fn error(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.write(name, bytes);
        match self.open(&path) {
            Err(error) => error,
            Ok(source) => values(source.as_ref(), 0, 10).unwrap_err(),
        }
    }
}

/// Returns the values of all rows from one on, which come in batches of at most so many.
fn values(source: &dyn RowSource, from: u64, rows: usize) -> Result<Vec<Option<f64>>, String> {
    let (mut all, mut next) = (Vec::new(), from);
    for batch in source.read(from, rows).map_err(|error| error.to_string())? {
        let batch = batch.map_err(|error| error.to_string())?;
        assert_eq!(batch.first_row, next);
        assert!((1..=rows).contains(&batch.rows.num_rows()));
        next += batch.rows.num_rows() as u64;
        let values = batch.rows.column(2).as_primitive::<Float64Type>();
        all.extend(values.iter());
    }
    Ok(all)
}

/// Columns in another order and other types than those of the table.
fn batch(first: i64, rows: i64) -> RecordBatch {
    let numbers = first..first + rows;
    let series: DictionaryArray<Int32Type> = numbers.clone().map(|_| "a").collect();
    let values = numbers.clone().map(|n| (n % 3 != 0).then_some(n));
    let columns: [(&str, ArrayRef); 4] = [
        ("value", Arc::new(Int64Array::from_iter(values))),
        (
            "extra",
            Arc::new(StringArray::from_iter_values(
                numbers.clone().map(|n| n.to_string()),
            )),
        ),
        ("Series", Arc::new(series)),
        (
            "time",
            Arc::new(TimestampMicrosecondArray::from_iter_values(
                numbers.map(|n| n * 1000),
            )),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn file(batches: &[RecordBatch], options: IpcWriteOptions) -> Vec<u8> {
    let mut bytes = Vec::new();
    let schema = batches[0].schema();
    let mut writer = FileWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
    batches
        .iter()
        .for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn stream(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batches[0].schema()).unwrap();
    batches
        .iter()
        .for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn packed(kind: CompressionType) -> IpcWriteOptions {
    let options = IpcWriteOptions::default();
    options.try_with_compression(Some(kind)).unwrap()
}

#[test]
fn files_and_streams_are_read_from_any_row_on() {
    let batches = [batch(0, 5), batch(5, 7)];
    let expected: Vec<Option<f64>> = { 0..12 }
        .map(|n| (n % 3 != 0).then_some(f64::from(n)))
        .collect();
    let files = Files::new();
    for (name, bytes) in [
        ("x.arrow", file(&batches, IpcWriteOptions::default())),
        (
            "x.feather",
            file(&batches, packed(CompressionType::LZ4_FRAME)),
        ),
        ("x.ipc", file(&batches, packed(CompressionType::ZSTD))),
        ("x.arrows", stream(&batches)),
        ("y.arrow", stream(&batches)),
    ] {
        let path = files.write(name, &bytes);
        let source = files.open(&path).unwrap();
        assert_eq!(source.known_rows(), Some(12), "{name}");
        for from in [0, 3, 5, 11] {
            let found = values(source.as_ref(), from, 4).unwrap();
            assert_eq!(found, expected[from as usize..], "{name} from {from}");
        }
    }
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let files = Files::new();
    let with = |values: ArrayRef| {
        let whole = batch(0, 3);
        let columns = [
            ("series", whole.column(2).clone()),
            ("time", whole.column(3).clone()),
            ("value", values),
        ];
        stream(&[RecordBatch::try_from_iter(columns).unwrap()])
    };
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)]); 3]);
    let said = files.error("x.arrows", &with(Arc::new(list)));
    assert!(said.contains("column `value` is stored as List"), "{said}");
    let texts = StringArray::from(vec!["1", "2", "3"]);
    let said = files.error("x.arrows", &with(Arc::new(texts)));
    assert!(said.contains("which is not a double"), "{said}");
    let large = Int64Array::from(vec![1, 2, (1 << 60) + 1]);
    let said = files.error("x.arrows", &with(Arc::new(large)));
    assert!(said.contains("row 3: column `value`"), "{said}");
    let whole = with(Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0])));
    let path = files.write("x.arrows", &whole);
    assert_eq!(
        values(files.open(&path).unwrap().as_ref(), 0, 9)
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn damaged_files_are_refused_with_what_to_do() {
    let files = Files::new();
    let whole = file(&[batch(0, 50)], IpcWriteOptions::default());
    let streamed = stream(&[batch(0, 50)]);
    let without_rows = file(&[batch(0, 3).slice(0, 0)], IpcWriteOptions::default());
    for (name, bytes, words) in [
        ("x.arrow", b"".as_slice(), "x.arrow: the file is empty"),
        (
            "x.arrow",
            &whole[..whole.len() / 2],
            "it has no footer; try another copy",
        ),
        ("x.arrow", &whole[..whole.len() - 1], "try another copy"),
        (
            "x.arrows",
            &streamed[..streamed.len() / 2],
            "try another copy",
        ),
        (
            "x.feather",
            b"FEA1 and more".as_slice(),
            "Feather of version 1",
        ),
        (
            "x.arrow",
            b"series,time,value\na,1,2\n".as_slice(),
            "not an Arrow file",
        ),
        ("x.arrow", &without_rows[..], "the file has no rows"),
    ] {
        let said = files.error(name, bytes);
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn a_file_with_types_has_nothing_of_text() {
    let files = Files::new();
    let path = files.write("x.arrow", &stream(&[batch(0, 3)]));
    let text = WORKLOAD.replace("[data]", "[data]\nnull = ['NA']");
    let workload = Workload::parse(&text, Path::new("x.toml")).unwrap();
    let error = source::open(&workload, Some(path)).err().unwrap();
    assert!(
        error
            .to_string()
            .contains("Arrow has names, types and nulls"),
        "{error}"
    );
}
