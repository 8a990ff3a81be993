//! Files as they come from elsewhere: without a header, separated by tabs whatever they are called, and several
//! of them as one.

use arrow::array::AsArray;
use arrow::datatypes::{Float64Type, TimestampMillisecondType};
use arrow::record_batch::RecordBatch;
use bakeoff_workload::{RowSource, Workload, source};

/// A folder with a workload and its data files.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn with(name: &str, bytes: impl AsRef<[u8]>) -> Folder {
        Folder::new().and(name, bytes)
    }

    pub fn and(self, name: &str, bytes: impl AsRef<[u8]>) -> Folder {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
        self
    }

    /// Returns the names of its files.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect()
    }

    /// Opens the data files that are described by these lines of `[data]`.
    pub fn open(&self, data: &str) -> Result<Box<dyn RowSource>, String> {
        let text = format!(
            "title = 'x'\n[data]\n{data}\n[table]\nname = 't'\npartition_key = ['series']\n\
             order_key = ['time']\n[table.columns]\nseries = 'text'\ntime = 'timestamp'\n\
             value = 'double'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n"
        );
        let workload = Workload::parse(&text, &self.0.path().join("x.toml")).unwrap();
        source::open(&workload, None).map_err(|error| self.shorten(&error))
    }

    pub fn read(&self, data: &str, from: u64) -> Result<RecordBatch, String> {
        let source = self.open(data)?;
        let batches = source.read(from, 2).map_err(|error| self.shorten(&error))?;
        let batches: Result<Vec<RecordBatch>, _> = batches.map(|b| b.map(|b| b.rows)).collect();
        let batches = batches.map_err(|error| self.shorten(&error))?;
        Ok(arrow::compute::concat_batches(&source.schema(), &batches).unwrap())
    }

    pub fn error(&self, data: &str) -> String {
        self.read(data, 0).unwrap_err()
    }

    /// Returns the message without the folder.
    fn shorten(&self, error: &bakeoff_workload::Error) -> String {
        let folder = format!("{}/", self.0.path().display());
        error.to_string().replace(&folder, "")
    }
}

pub fn series(batch: &RecordBatch) -> Vec<&str> {
    batch
        .column(0)
        .as_string::<i32>()
        .iter()
        .flatten()
        .collect()
}

pub fn times(batch: &RecordBatch) -> Vec<i64> {
    let times = batch.column(1).as_primitive::<TimestampMillisecondType>();
    times.values().to_vec()
}

const RAW: &str = "header = false\ndelimiter = \"\\t\"\n";

#[test]
fn columns_of_a_file_without_a_header_are_those_of_the_table() {
    let folder = Folder::with("x.CSV", "\"a\t5\t1.5\nb \"c\" d\t6\t\n\ne\t7\t-2");
    let data = format!("file = 'x.CSV'\n{RAW}");
    let batch = folder.read(&data, 0).unwrap();
    assert_eq!(series(&batch), ["\"a", "b \"c\" d", "e"]);
    assert_eq!(times(&batch), [5, 6, 7]);
    let values: Vec<_> = batch
        .column(2)
        .as_primitive::<Float64Type>()
        .iter()
        .collect();
    assert_eq!(values, [Some(1.5), None, Some(-2.0)]);
    for from in 0..4 {
        let rows = folder.read(&data, from).unwrap();
        assert_eq!(times(&rows), times(&batch)[from as usize..], "{from}");
    }
    let source = folder.open(&data).unwrap();
    assert_eq!(source.count_rows(u64::MAX).unwrap(), Some(3));
    assert_eq!(source.count_rows(2).unwrap(), Some(2));
}

#[test]
fn empty_fields_are_null_in_texts_too() {
    let table = "title = 'x'\n[data]\nfile = 'x.tsv'\nheader = false\n[table]\nname = 't'\n\
        partition_key = ['n']\n[table.columns]\nn = 'int'\ns = 'text'\n\
        [[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";
    let folder = Folder::with("x.tsv", "1\t\n2\t \n");
    let workload = Workload::parse(table, &folder.0.path().join("x.toml")).unwrap();
    let mut batches = source::open(&workload, None).unwrap().read(0, 9).unwrap();
    let rows = batches.next().unwrap().unwrap().rows;
    let texts: Vec<_> = rows.column(1).as_string::<i32>().iter().collect();
    assert_eq!(texts, [None, Some(" ")]);
}

#[test]
fn fields_may_be_named_in_the_order_of_the_file() {
    let folder = Folder::with("x.txt", "9;5;a;u;1\n9;6;b;u;2\n");
    let named = "fields = ['id', 'TIME', 'series', 'url', 'value']";
    let rest_of_table = "fields = ['id', 'time', '*', 'url', 'value']";
    for fields in [named, rest_of_table] {
        let data = format!("file = 'x.txt'\nheader = false\ndelimiter = ';'\n{fields}");
        let batch = folder.read(&data, 0).unwrap();
        assert_eq!(
            (series(&batch), times(&batch)),
            (vec!["a", "b"], vec![5, 6])
        );
    }
    let folder = Folder::with("x.tsv", "a\t5\t1\thttp\nb\t6\t2\n");
    let data = "file = 'x.tsv'\nheader = false\nfields = ['*', 'url']";
    assert_eq!(
        folder.error(data),
        "x.tsv, line 2: 3 fields instead of the 4 names in `fields`"
    );
}

#[test]
fn a_line_with_another_number_of_columns_is_named() {
    let folder = Folder::with("x.csv", "a\t5\t1\n\nb\t6\nc\t7\t3\n");
    let data = format!("file = 'x.csv'\n{RAW}");
    assert_eq!(
        folder.error(&data),
        "x.csv, line 3: 2 fields instead of the 3 columns of the table"
    );
    let folder = Folder::with("x.csv", "a\t5\t1\tmore\n");
    assert_eq!(
        folder.error(&data),
        "x.csv, line 1: 4 fields instead of the 3 columns of the table"
    );
    let folder = Folder::with("x.csv", "a\t5\t1\nb\tsoon\t1\n");
    let error = folder.error(&data);
    assert!(
        error.starts_with("x.csv, line 2: column `time`: `soon`"),
        "{error}"
    );
    let folder = Folder::with("x.csv", b"a\t5\t1\n\xfe\t6\t1\n");
    let error = folder.error(&data);
    assert_eq!(
        error,
        "x.csv, line 2: not UTF-8 text; write the file in UTF-8"
    );
}

#[test]
fn mistakes_about_the_form_of_a_file_come_with_what_to_say() {
    let raw = "a\t5\t1\n";
    let comma = "file = 'x.csv'\nheader = false";
    assert_eq!(
        Folder::with("x.csv", raw).error(comma),
        "x.csv, line 1: 1 field instead of the 3 columns of the table: its fields seem to be separated by \
         `tab`, so say `delimiter = \"tab\"` in [data], or --delimiter 'tab'"
    );
    assert_eq!(
        Folder::with("x.csv", "Series,time,value\na,5,1\n").error(comma),
        "x.csv, line 1: it names the columns and is no row: leave out `header = false` in [data], or \
         --no-header"
    );
    assert_eq!(
        Folder::with("x.csv", "").error(comma),
        "x.csv: the file has no rows"
    );
    assert_eq!(
        Folder::with("x.tsv", raw).error("file = 'x.tsv'"),
        "x.tsv: the first line names no column of the table: if it is a row, say `header = false` in \
         [data], or --no-header"
    );
    assert_eq!(
        Folder::with("x.csv", "series|time|value\na|5|1\n").error("file = 'x.csv'"),
        "x.csv: the first line names no column of the table: its fields seem to be separated by `|`, so \
         say `delimiter = \"|\"` in [data], or --delimiter '|'"
    );
    let error = Folder::with("x.txt", raw).error("file = 'x.txt'");
    assert!(error.contains("unless [data] has a `delimiter`"), "{error}");
    let error = Folder::with("x.parquet", raw).error("file = 'x.parquet'\nheader = false");
    assert!(
        error.contains("Parquet has names, types and nulls"),
        "{error}"
    );
}

#[test]
fn rows_of_several_files_follow_each_other() {
    let folder = Folder::with("1.csv", "a,5,1\nb,6,2")
        .and("2.csv", "c,7,3\n")
        .and("3.csv", "");
    let data = "files = ['1.csv', '3.csv', '2.csv']\nheader = false";
    assert_eq!(times(&folder.read(data, 0).unwrap()), [5, 6, 7]);
    assert_eq!(times(&folder.read(data, 2).unwrap()), [7]);
    let folder = folder.and("2.csv", "c,7,3\n\nd,8\n");
    assert_eq!(
        folder.error(data),
        "2.csv, line 3: 2 fields instead of the 3 columns of the table"
    );
    let missing = folder.error("files = ['1.csv', '4.csv']\nheader = false");
    assert!(
        missing.starts_with("cannot read data file 4.csv: "),
        "{missing}"
    );
}

#[test]
fn a_byte_order_mark_of_any_file_is_no_part_of_its_first_field() {
    let folder = Folder::with("1.csv", "\u{feff}a,5,1").and("2.csv", "\u{feff}c,7,3\n");
    let data = "files = ['1.csv', '2.csv']\nheader = false";
    let batch = folder.read(data, 0).unwrap();
    let series: Vec<_> = batch.column(0).as_string::<i32>().iter().collect();
    assert_eq!(series, [Some("a"), Some("c")]);
}

#[test]
fn several_files_have_the_same_header() {
    let one = "series,time,value\na,5,1\nb,6,2";
    let folder = Folder::with("1.csv", one).and("2.csv", "\u{feff}series,time,value\r\nc,7,3\r\n");
    let data = "files = ['1.csv', '2.csv']";
    let batch = folder.read(data, 0).unwrap();
    assert_eq!(
        (series(&batch), times(&batch)),
        (vec!["a", "b", "c"], vec![5, 6, 7])
    );
    assert_eq!(folder.open(data).unwrap().count_rows(9).unwrap(), Some(3));
    let folder = folder.and("2.csv", "series,time,value\nc,7,3\n\nd,soon,1\n");
    let error = folder.error(data);
    assert!(
        error.starts_with("2.csv, line 4: column `time`: `soon`"),
        "{error}"
    );
    let folder = folder.and("2.csv", "time,series,value\n7,c,3\n");
    let error = folder.error(data);
    assert!(
        error.starts_with("2.csv: the first line is not that of the first file"),
        "{error}"
    );
    let folder = folder.and("2.tsv", "series\ttime\tvalue\nc\t7\t3\n");
    let error = folder.error("files = ['1.csv', '2.tsv']");
    assert!(
        error.starts_with("2.tsv: it is another kind of file than 1.csv"),
        "{error}"
    );
    let error = folder.error("files = ['1.csv', '2.parquet']");
    let expected = "2.parquet: it is another kind of file than 1.csv";
    assert!(error.starts_with(expected), "{error}");
}
