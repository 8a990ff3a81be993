//! Columns of UUIDs: what is read into them, what is refused, when a file becomes one, and which rows are made.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, FixedSizeBinaryArray, Int32Array, StringArray};
use bakeoff_workload::infer::{Asked, infer};
use bakeoff_workload::{ColumnType, Value, Version, Workload, source, uuids};

use crate::scaled_sample::{parse, read};
use crate::typed_columns::{error, made, parquet};

const TABLE: &str =
    "[table]\nname = 't'\npartition_key = ['id']\n[table.columns]\nid = 'uuid'\nn = 'int'\n";
const UUID: &str = "6a1f0b0c-8a7e-11ee-b962-0242ac120002";

#[test]
fn uuids_of_texts_are_read_in_lower_case_and_others_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let upper = UUID.to_uppercase();
    std::fs::write(&path, format!("id,n\n{upper},1\n{UUID},2\n")).unwrap();
    let workload = parse("requires = '--data'", TABLE).unwrap();
    let rows = read(&*source::open(&workload, Some(path.clone())).unwrap());
    let ids: Vec<Option<&str>> = rows.column(0).as_string::<i32>().iter().collect();
    assert_eq!(ids, [Some(UUID), Some(UUID)]);
    std::fs::write(&path, "id,n\n6a1f,1\n").unwrap();
    let error = error(&workload, path);
    assert!(error.contains("`6a1f` is not a uuid"), "{error}");
    assert!(error.contains("make the column `text`"), "{error}");
}

#[test]
fn stored_bytes_and_texts_become_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let workload = parse("requires = '--data'", TABLE).unwrap();
    let bytes = uuids::parsed(UUID).unwrap().into_bytes();
    let stored: [ArrayRef; 2] = [
        Arc::new(FixedSizeBinaryArray::try_from(vec![&bytes]).unwrap()),
        Arc::new(StringArray::from(vec![UUID.to_uppercase()])),
    ];
    for ids in stored {
        let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1]));
        let path = parquet(folder.path(), [("id", ids), ("n", numbers)]);
        let rows = read(&*source::open(&workload, Some(path)).unwrap());
        assert_eq!(rows.column(0).as_string::<i32>().value(0), UUID);
    }
}

#[test]
fn a_file_of_uuids_becomes_a_column_of_them_unless_they_order_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let mut rows = "device,time,owner,note\n".to_owned();
    for row in 0..60_i64 {
        let (device, owner) = (uuids::numbered(row % 3), uuids::numbered(row % 7));
        let note = if row == 5 {
            "x".to_owned()
        } else {
            owner.to_string()
        };
        rows += &format!(
            "{device},{},{owner},{note}\n",
            row * 60_000 + 1_700_000_000_000
        );
    }
    std::fs::write(&path, rows).unwrap();
    let found = infer(&path, &Asked::default()).unwrap();
    let kinds: Vec<ColumnType> = found.columns.iter().map(|column| column.kind).collect();
    let (uuid, text) = (ColumnType::Uuid, ColumnType::Text);
    assert_eq!(kinds, [uuid, ColumnType::Timestamp, uuid, text]);
    assert_eq!(found.partition_key, ["device"]);
    let written = found.workload("rows.csv", &["memory".to_owned()], &[]);
    assert!(
        written.contains("device = \"uuid\" # UUIDs; 3 different"),
        "{written}"
    );
    Workload::parse(&written, Path::new("x.toml")).unwrap();

    let asked = Asked {
        key: vec!["device".to_owned()],
        order: Some(vec!["time".to_owned(), "owner".to_owned()]),
        ..Asked::default()
    };
    let found = infer(&path, &asked).unwrap();
    assert_eq!((found.columns[0].kind, found.columns[2].kind), (uuid, text));
    assert!(found.columns[2].evidence.contains("held as text"));
}

#[test]
fn a_uuid_orders_no_rows() {
    let table = TABLE.replace("['id']", "['n']\norder_key = ['id']");
    let error = parse("requires = '--data'", &table)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("column `id` of `order_key` is a uuid"),
        "{error}"
    );
}

#[test]
fn made_uuids_differ_and_tell_their_rows() {
    let data = "generator = 'columns'\n[data.columns]\nid = { sequence = {} }\n\
                n = { uniform = [0, 9] }\n";
    let workload = parse(data, TABLE).unwrap();
    let (_, values) = made(&workload, 0..1, ColumnType::Uuid);
    for row in [0, 1, 99] {
        let id = values.value(0, row, Version::First);
        assert!(matches!(id, Value::Uuid(_)), "{id:?}");
        assert_eq!(values.row_of(&[id]), Some(row));
    }
    let data = data.replace("sequence = {}", "uniform = [1, 2]");
    let error = parse(&data, TABLE).unwrap_err().to_string();
    assert!(
        error.contains("there are `sequence`, `zipf`, `choice`"),
        "{error}"
    );
}
