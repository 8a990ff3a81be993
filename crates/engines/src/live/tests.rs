use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Date32Array, Float32Array, Int8Array, Int16Array, StringArray,
    Time64NanosecondArray, TimestampMicrosecondArray,
};
use arrow::datatypes::{
    DataType, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType,
};
use bakeoff_workload::{ColumnType, uuids};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::held::fits_double;
use super::*;

fn stored(name: &str, holding: Holding) -> Stored {
    Stored {
        name: name.to_owned(),
        stored_as: "thing".to_owned(),
        holding,
        remark: "",
    }
}

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap()
}

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[test]
fn every_type_is_held_by_one_that_keeps_its_values() {
    let rows = batch([
        ("little", Arc::new(Int8Array::from(vec![-1, 2]))),
        ("small", Arc::new(Int16Array::from(vec![-300, 2]))),
        ("real", Arc::new(Float32Array::from(vec![0.5, 1.25]))),
        ("day", Arc::new(Date32Array::from(vec![-1, 1]))),
        (
            "clock",
            Arc::new(Time64NanosecondArray::from(vec![0, 3_600_000_000_001])),
        ),
        (
            "micro",
            Arc::new(TimestampMicrosecondArray::from(vec![1_000, 2_001])),
        ),
    ]);
    let as_kind = |name, kind| stored(name, Holding::As(kind));
    let columns = [
        as_kind("little", ColumnType::Int),
        as_kind("small", ColumnType::Int),
        as_kind("real", ColumnType::Float),
        as_kind("day", ColumnType::Timestamp),
        as_kind("clock", ColumnType::Text),
        as_kind("micro", ColumnType::Timestamp),
    ];
    let sampled = sampled("t", &columns, &[rows], None).unwrap();
    let held = &sampled.rows[0];
    assert_eq!(
        held.column(0).as_primitive::<Int32Type>().values(),
        &[-1, 2]
    );
    assert_eq!(
        held.column(1).as_primitive::<Int32Type>().values(),
        &[-300, 2]
    );
    assert_eq!(
        held.column(2).as_primitive::<Float32Type>().values(),
        &[0.5, 1.25]
    );
    let day = held.column(3).as_primitive::<TimestampMillisecondType>();
    assert_eq!(day.values(), &[-86_400_000, 86_400_000]);
    let clock = held.column(4).as_string::<i32>();
    assert_eq!(clock.value(0), "00:00:00");
    assert_eq!(clock.value(1), "01:00:00.000000001");
    let cut = held.column(5).as_primitive::<TimestampMillisecondType>();
    assert_eq!(cut.values(), &[1, 2]);
    assert!(sampled.words["micro"].contains("cut to milliseconds"));
    assert_eq!(sampled.words["day"], "thing in the table");
}

#[test]
fn numbers_of_any_length_are_held_as_all_values_allow() {
    let kind_of = |holding, values: &[Option<&str>]| {
        let rows = [batch([("n", texts(values))])];
        let sampled = sampled("t", &[stored("n", holding)], &rows, None).unwrap();
        let words = sampled.words["n"].clone();
        (sampled.rows[0].column(0).clone(), words)
    };
    let (whole, words) = kind_of(Holding::Whole, &[Some("-7"), None, Some("9")]);
    assert_eq!(whole.as_primitive::<Int64Type>().value(2), 9);
    assert!(whole.is_null(1));
    assert!(words.contains("held as bigint"), "{words}");
    let (long, words) = kind_of(Holding::Whole, &[Some("9223372036854775808")]);
    assert_eq!(long.data_type(), &DataType::Utf8);
    assert!(words.contains("more than 64 bits"), "{words}");
    let (decimal, words) = kind_of(Holding::Decimal, &[Some("12.50"), Some("0.1")]);
    assert_eq!(decimal.as_primitive::<Float64Type>().values(), &[12.5, 0.1]);
    assert!(words.contains("held as double"), "{words}");
    let (exact, words) = kind_of(Holding::Decimal, &[Some("1234567890123456.78")]);
    assert_eq!(exact.as_string::<i32>().value(0), "1234567890123456.78");
    assert!(words.contains("held as text"), "{words}");
}

#[test]
fn a_double_gives_back_fifteen_digits() {
    for text in [
        "0",
        "-0.000",
        "1e5",
        "99999.68",
        "123456789012345",
        "0.00000123",
        "1234500000000000000000",
        "NaN",
        "-Infinity",
    ] {
        assert!(fits_double(text), "{text}");
    }
    for text in [
        "",
        "x",
        "1234567890123456",
        "0.1234567890123456",
        "7E-400",
        "7E400",
        "1E-300",
    ] {
        assert!(!fits_double(text), "{text}");
    }
}

#[test]
fn rows_without_their_key_are_left_out_and_the_others_are_in_the_order_of_their_time() {
    let times = TimestampMicrosecondArray::from(vec![Some(3_000), None, Some(1_000)]);
    let rows = batch([
        ("Id", texts(&[Some("a"), Some("b"), Some("c")])),
        ("time", Arc::new(times)),
    ]);
    let columns = [
        stored("Id", Holding::As(ColumnType::Text)),
        stored("time", Holding::As(ColumnType::Timestamp)),
    ];
    let key = LiveKey {
        partition: vec!["Id".to_owned()],
        order: vec!["time".to_owned()],
    };
    let sampled = sampled("t", &columns, std::slice::from_ref(&rows), Some(&key)).unwrap();
    assert_eq!(sampled.without_key, 1);
    let ids = sampled.rows[0].column(0).as_string::<i32>();
    assert_eq!((ids.value(0), ids.value(1)), ("c", "a"));
    assert!(sampled.words.contains_key("id"));
    let none = rows.slice(1, 1);
    let error = super::sampled("ks.t", &columns, &[none], Some(&key)).unwrap_err();
    assert!(error.to_string().starts_with("ks.t is empty"), "{error}");
    let error = super::sampled("ks.t", &columns, &[], Some(&key)).unwrap_err();
    assert!(matches!(error, TableError::Asked(_)), "{error}");
}

fn described(name: &str, is_key: bool, fate: Fate) -> Described {
    Described {
        name: name.to_owned(),
        stored_as: "set<text>".to_owned(),
        is_key,
        fate,
    }
}

#[test]
fn columns_that_no_workload_has_are_left_out_by_name_unless_they_are_in_the_key() {
    let text = Fate::Held(Holding::As(ColumnType::Text), "");
    let none = Fate::LeftOut("it has many values");
    let plan = |columns: &[Described]| Plan::new("ks.t", columns);
    let columns = [
        described("id", true, text),
        described("Id", false, text),
        described("tags", false, none),
    ];
    let made = plan(&columns).unwrap();
    assert_eq!(made.held.len(), 1);
    assert_eq!(made.left_out[1], "`tags` (set<text>): it has many values");
    assert!(made.left_out[0].starts_with("`Id` (set<text>): it has the name of another"));
    for column in [described("tags", true, none), described("ID", true, text)] {
        let error = plan(&[columns[0].clone(), column]).unwrap_err().to_string();
        assert!(
            error.contains("is in the key, and its type is set<text>"),
            "{error}"
        );
        assert!(error.contains("another key"), "{error}");
    }
    let error = plan(&columns[2..]).unwrap_err().to_string();
    assert_eq!(
        error,
        "ks.t has no column that a workload can have: `tags` (set<text>): it has many values"
    );
    let many = (0..10_000).map(|number| described(&format!("c{number}"), number < 3, text));
    let made = plan(&many.collect::<Vec<_>>()).unwrap();
    assert_eq!(made.held.len(), 500);
    assert_eq!(
        made.left_out,
        ["9500 of all 10000 columns, the last ones, since few engines take more than 500"]
    );
}

#[test]
fn a_sample_is_a_parquet_file() {
    let rows = batch([("id", texts(&[Some("a"), None]))]);
    let table = LiveTable {
        name: "t".to_owned(),
        place: "ks.t at db1".to_owned(),
        key: None,
        columns: BTreeMap::new(),
        left_out: Vec::new(),
        about: Vec::new(),
        rows: None,
        design: None,
        notes: Vec::new(),
        sample: vec![rows.clone(), rows],
    };
    assert_eq!(table.sampled_rows(), 4);
    let file = tempfile::NamedTempFile::new().unwrap();
    table.write_sample(file.reopen().unwrap()).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file.reopen().unwrap()).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 4);
}

#[test]
fn lengths_of_time_are_written_as_settings_have_them() {
    for (seconds, written) in [
        (0, "0s"),
        (864_000, "10d"),
        (43_200, "12h"),
        (1_800, "30m"),
        (90, "90s"),
    ] {
        assert_eq!(duration(seconds), written);
    }
}

#[test]
fn a_sample_says_which_of_its_texts_are_uuids() {
    let uuid = uuids::numbered(1).to_string();
    let rows = batch([
        ("id", texts(&[Some(&uuid), None])),
        ("note", texts(&[Some(&uuid), None])),
    ]);
    let columns = [
        stored("id", Holding::As(ColumnType::Uuid)),
        stored("note", Holding::As(ColumnType::Text)),
    ];
    let sampled = sampled("t", &columns, &[rows], None).unwrap();
    let mut file = tempfile::tempfile().unwrap();
    write_rows(&sampled.rows, &mut file).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let fields = reader.schema().fields().iter();
    let are_uuids: Vec<bool> = fields.map(|field| uuids::is_of_uuids(field)).collect();
    assert_eq!(are_uuids, [true, false]);
}
