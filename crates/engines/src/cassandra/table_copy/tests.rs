//! Rows are read back from the file as they were written.

use std::os::unix::fs::PermissionsExt;

use arrow::array::{ArrayRef, Int32Array, StringArray};
use bakeoff_workload::{ColumnType, Workload, source};

use super::*;
use crate::live::Holding;

fn column(name: &str, kind: ColumnType) -> Column {
    Column {
        name: name.to_owned(),
        kind,
    }
}

fn copied_table() -> Table {
    Table {
        name: "t".to_owned(),
        columns: vec![
            column("p", ColumnType::Text),
            column("c", ColumnType::Int),
            column("v", ColumnType::Text),
        ],
        partition_key: vec!["p".to_owned()],
        order_key: vec!["c".to_owned()],
    }
}

fn page(keys: &[&str]) -> RecordBatch {
    let numbers: Vec<i32> = (0..keys.len() as i32).collect();
    let columns: [(&str, ArrayRef); 3] = [
        ("p", Arc::new(StringArray::from(keys.to_vec()))),
        ("c", Arc::new(Int32Array::from(numbers))),
        (
            "v",
            Arc::new(StringArray::from(vec![None::<&str>; keys.len()])),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn keys_come_from_the_middle_and_are_sql() {
    let table = copied_table();
    let pages = [page(&["a"]), page(&["b"]), page(&["it's", "${d}"])];
    let keys = keys(&table, &pages);
    assert_eq!(keys, [["'it''s'", "0"], ["'a'", "0"]]);
    assert!(super::keys(&table, &[]).is_empty());
}

#[test]
fn columns_whose_name_needs_quotes_are_left_out() {
    let named = |name: &str| {
        let column = Described {
            name: name.to_owned(),
            stored_as: "int".to_owned(),
            is_key: false,
            fate: Fate::Held(Holding::As(ColumnType::Int), ""),
        };
        matches!(plainly_named(column).fate, Fate::Held(..))
    };
    assert!(named("v") && named("siteId"));
    assert!(!named("a b") && !named("1st"));
    assert_eq!(table_name("Readings"), "readings");
    assert_eq!(table_name("1st"), "t1st");
    assert_eq!(table_name("_x"), "t_x");
}

#[test]
fn a_workload_reads_the_rows_that_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let pages = [page(&["a", "b"]), page(&["c"])];
    write(&pages, &folder.path().join("rows.parquet")).unwrap();
    let copied = TableCopy {
        name: "ks.t".parse().unwrap(),
        rows: 3,
        is_whole: true,
        notes: Vec::new(),
        table: copied_table(),
        is_descending: false,
        settings: BTreeMap::new(),
        keys: keys(&copied_table(), &pages),
    };
    assert_eq!(copied.present("cassandra").to_string(), "cassandra/wide");
    assert!(copied.has_value("v") && !copied.has_value("p") && !copied.has_value("w"));
    let text = copied.workload(&["cassandra/wide".to_owned()], &[], "rows.parquet");
    let path = folder.path().join("copy.toml");
    let workload = Workload::parse(&text, &path).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let rows = source::open(&workload, None).unwrap();
    assert_eq!(rows.known_rows(), Some(3));
    let batches: Vec<_> = rows
        .read(0, 100)
        .unwrap()
        .map(|b| b.unwrap().rows)
        .collect();
    let read: usize = batches.iter().map(RecordBatch::num_rows).sum();
    assert_eq!(read, 3);
    assert_eq!(batches[0].schema(), workload.table.schema());

    // Nobody else may read the rows.
    let file = std::fs::metadata(folder.path().join("rows.parquet")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    // A file that is there is not written over.
    let error = write(&pages, &folder.path().join("rows.parquet")).unwrap_err();
    assert!(error.contains("exists"), "{error}");
}

#[test]
fn a_file_that_cannot_be_written_to_its_end_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let other = page(&["b"]).project(&[1]).unwrap();
    write(&[page(&["a"]), other], &path).unwrap_err();
    assert!(!path.exists());
    write(&[page(&["a"])], &path).unwrap();
}
