//! Tests folders of data files.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, StringArray, TimestampMillisecondArray};
use arrow::datatypes::TimestampMillisecondType;
use arrow::ipc::writer::FileWriter;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::infer::{Asked, Inferred, infer};
use bakeoff_workload::{RowSource, Workload, source};
use parquet::arrow::ArrowWriter;

const TABLE: &str = "[table]\nname = 't'\npartition_key = ['series']\norder_key = ['time']\n[table.columns]\n\
    series = 'text'\ntime = 'timestamp'\nvalue = 'int'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

/// A folder `parts` beside a workload.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, Vec<u8>)]) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("parts")).unwrap();
        for (name, bytes) in files {
            std::fs::write(folder.path().join("parts").join(name), bytes).unwrap();
        }
        Folder(folder)
    }

    fn shorten(&self, error: &bakeoff_workload::Error) -> String {
        let inside = format!("{}/parts/", self.0.path().display());
        error.to_string().replace(&inside, "")
    }

    fn open(&self, data: &str) -> Result<Box<dyn RowSource>, String> {
        let text = format!("title = 'x'\n[data]\nfile = 'parts'\n{data}\n{TABLE}");
        let path = self.0.path().join("w.toml");
        let workload = Workload::parse(&text, &path).unwrap();
        source::open(&workload, None).map_err(|error| self.shorten(&error))
    }

    fn infer(&self) -> Result<Inferred, String> {
        let found = infer(&self.0.path().join("parts"), &Asked::default());
        found.map_err(|error| self.shorten(&error))
    }
}

/// Returns the times of all rows from one on.
fn times(source: &dyn RowSource, from: u64) -> Vec<i64> {
    let (mut times, mut next) = (Vec::new(), from);
    for batch in source.read(from, 2).unwrap() {
        let batch = batch.unwrap();
        assert_eq!(batch.first_row, next);
        next += batch.rows.num_rows() as u64;
        let column = batch
            .rows
            .column(1)
            .as_primitive::<TimestampMillisecondType>();
        times.extend(column.values().iter().copied());
    }
    times
}

fn batch(first: i64, value: &str) -> RecordBatch {
    let columns: [(&str, ArrayRef); 3] = [
        ("series", Arc::new(StringArray::from(vec!["a"; 3]))),
        (
            "time",
            Arc::new(TimestampMillisecondArray::from_iter_values(
                first..first + 3,
            )),
        ),
        (value, Arc::new(Int64Array::from(vec![1, 2, 3]))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquet(first: i64, value: &str) -> Vec<u8> {
    let batch = batch(first, value);
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn arrow(first: i64, value: &str) -> Vec<u8> {
    let batch = batch(first, value);
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn csv(first: i64, value: &str) -> Vec<u8> {
    let mut text = format!("series,time,{value}\n");
    (first..first + 3).for_each(|time| text.push_str(&format!("a,{time},1\n")));
    text.into_bytes()
}

fn json(first: i64, value: &str) -> Vec<u8> {
    let line = |time| format!("{{\"series\":\"a\",\"time\":{time},\"{value}\":1}}\n");
    { first..first + 3 }
        .map(line)
        .collect::<String>()
        .into_bytes()
}

type Make = fn(i64, &str) -> Vec<u8>;

#[test]
fn files_of_one_kind_follow_each_other_by_name() {
    let kinds: [(&str, Make); 4] = [
        ("parquet", parquet),
        ("arrow", arrow),
        ("csv", csv),
        ("jsonl", json),
    ];
    for (ending, make) in kinds {
        let folder = Folder::new(&[
            (&format!("2.{ending}")[..], make(3, "value")),
            (&format!("1.{ending}")[..], make(0, "value")),
            (&format!("3.{ending}")[..], make(6, "value")),
            ("_SUCCESS", Vec::new()),
        ]);
        let source = folder.open("").unwrap();
        for from in [0, 2, 3, 7] {
            let expected: Vec<i64> = (from as i64..9).collect();
            assert_eq!(
                times(source.as_ref(), from),
                expected,
                "{ending} from {from}"
            );
        }
        assert_eq!(source.count_rows(100).unwrap(), Some(9), "{ending}");
        assert!(times(source.as_ref(), 9).is_empty(), "{ending}");
        let found = folder.infer().unwrap();
        assert_eq!(
            (found.rows, found.files, found.table.as_str()),
            (9, 3, "parts")
        );
        let text = found.workload("parts", &["memory".to_owned()], &[]);
        assert!(text.contains("all 3 files in it, by name"), "{text}");
        Workload::parse(&text, Path::new("w.toml")).unwrap();
    }
}

#[test]
fn other_columns_are_an_error_that_names_both_files() {
    let kinds: [(&str, Make); 3] = [("parquet", parquet), ("arrow", arrow), ("csv", csv)];
    for (ending, make) in kinds {
        let folder = Folder::new(&[
            (&format!("1.{ending}")[..], make(0, "value")),
            (&format!("2.{ending}")[..], make(3, "size")),
        ]);
        let error = folder.infer().unwrap_err();
        assert!(error.starts_with(&format!("2.{ending}: ")), "{error}");
        assert!(error.contains(&format!("1.{ending}: ")), "{error}");
        let error = folder.open("").err().unwrap();
        assert!(error.starts_with(&format!("2.{ending}: ")), "{error}");
        assert!(error.contains(&format!("1.{ending}: ")), "{error}");
    }
}

#[test]
fn mixed_kinds_and_empty_folders_are_errors() {
    let mixed = Folder::new(&[("1.csv", csv(0, "value")), ("2.jsonl", json(3, "value"))]);
    let empty = Folder::new(&[]);
    for error in [mixed.infer().unwrap_err(), mixed.open("").err().unwrap()] {
        let expected = "2.jsonl: it is another kind of file than 1.csv";
        assert!(error.starts_with(expected), "{error}");
    }
    for error in [empty.infer().unwrap_err(), empty.open("").err().unwrap()] {
        assert!(error.contains("no file is in the folder"), "{error}");
    }
}

#[test]
fn rows_of_files_with_titles_and_units_have_their_own_lines() {
    let text = |first: i64| {
        let mut text = "a title\n\nseries,time,value\n,ms,K\n".to_owned();
        (first..first + 6).for_each(|time| text.push_str(&format!("a,{time},1\n")));
        text.push_str(&format!("a,{},soon\n", first + 6));
        text.into_bytes()
    };
    let folder = Folder::new(&[("1.csv", text(0)), ("2.csv", text(10))]);
    let data = "skip_lines = 2\nunits_line = true\nbad_rows = '50%'";
    let source = folder.open(data).unwrap();
    let expected = [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15];
    assert_eq!(times(source.as_ref(), 0), expected);
    let first = &source.bad_rows().unwrap().first;
    assert!(
        first[0].contains("1.csv, line 11: column `value`"),
        "{first:?}"
    );
    assert!(
        first[1].contains("2.csv, line 11: column `value`"),
        "{first:?}"
    );
    let found = folder.infer().unwrap();
    assert_eq!((found.skip_lines, found.lines_after_names), (2, 1));
    assert_eq!((found.rows, found.columns.len()), (14, 3));
}
