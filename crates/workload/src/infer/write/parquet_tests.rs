//! Workloads of Parquet files.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, BinaryArray, Decimal128Array, Int64Array, StringArray,
    TimestampMillisecondArray, UInt64Array,
};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::tests::designs;
use crate::Workload;
use crate::infer::{Asked, Origin, infer};

#[test]
fn a_parquet_file_keeps_its_types_and_what_has_none_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("readings.parquet");
    let columns: [(&str, ArrayRef); 5] = [
        (
            "Sensor Id",
            Arc::new(StringArray::from(vec!["a", "b", "a"])),
        ),
        (
            "time",
            Arc::new(TimestampMillisecondArray::from(vec![0, 0, 5_000])),
        ),
        (
            "value",
            Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])),
        ),
        (
            "raw",
            Arc::new(BinaryArray::from(vec![&b"x"[..], b"y", b"z"])),
        ),
        // Texts that look like numbers stay what they are.
        (
            "amount",
            Arc::new(StringArray::from(vec!["1,000,000", "7", "1,500"])),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let found = infer(&path, &Asked::default()).unwrap();
    let text = found.workload("readings.parquet", &designs(), &[]);
    let workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
    let table = &workload.table;
    let kinds: Vec<&str> = table
        .columns
        .iter()
        .map(|column| column.kind.name())
        .collect();
    assert_eq!(kinds, ["text", "timestamp", "bigint", "text"]);
    assert_eq!(
        (&table.partition_key[0], &table.order_key[0]),
        (&"sensor_id".to_owned(), &"time".to_owned())
    );
    assert!(text.contains("left out: `raw`"), "{text}");
    assert!(text.contains("1 of 3 are empty"), "{text}");
    let source = crate::source::open(&workload, Some(path)).unwrap();
    assert_eq!(
        source
            .read(0, 10)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .rows
            .num_rows(),
        3
    );
}

#[test]
fn one_series_in_parquet_gets_a_column_that_is_the_same_in_all_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("heat.parquet");
    let times: Vec<i64> = (0..60).map(|row| row * 60_000).collect();
    let heat: Vec<i64> = (0..60).map(|row| row % 7).collect();
    let columns: [(&str, ArrayRef); 2] = [
        ("time", Arc::new(TimestampMillisecondArray::from(times))),
        ("heat", Arc::new(Int64Array::from(heat))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let asked = Asked {
        time: Some("time".to_owned()),
        ..Asked::default()
    };
    let found = infer(&path, &asked).unwrap();
    let text = found.workload("heat.parquet", &designs(), &[]);
    let workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
    assert_eq!(workload.text_form.constants["series"], "all", "{text}");
    let source = crate::source::open(&workload, Some(path)).unwrap();
    assert_eq!(source.known_rows(), Some(60));
    let rows = source.read(10, 10).unwrap().next().unwrap().unwrap();
    assert_eq!((rows.first_row, rows.rows.num_rows()), (10, 10));
    let series = rows.rows.column_by_name("series").unwrap();
    let expected = StringArray::from(vec!["all"; 10]);
    assert_eq!(series.as_ref(), &expected as &dyn arrow::array::Array);
}

#[test]
fn a_sample_of_a_table_keeps_its_whole_key_and_says_where_it_is_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.parquet");
    let columns: [(&str, ArrayRef); 4] = [
        ("deviceId", Arc::new(StringArray::from(vec!["a", "a", "b"]))),
        ("part", Arc::new(StringArray::from(vec!["", "x", ""]))),
        (
            "seen",
            Arc::new(TimestampMillisecondArray::from(vec![
                Some(0),
                None,
                Some(5_000),
            ])),
        ),
        (
            "price",
            Arc::new(StringArray::from(vec!["1.50", "2", "0.1"])),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let asked = Asked {
        key: vec!["deviceId".to_owned()],
        order: Some(vec!["part".to_owned()]),
        ..Asked::default()
    };
    let origin = Origin {
        name: "shop.items at db1".to_owned(),
        table: "items".to_owned(),
        about: vec!["Sample: 3 rows.".to_owned()],
        columns: [("price".to_owned(), "decimal in the table".to_owned())].into(),
        left_out: vec!["`tags` (set<text>), a collection".to_owned()],
        rows: Some((7_000, "an estimate".to_owned())),
        design: Some("parquet?codec=zstd".to_owned()),
        descending: None,
    };
    let found = infer(&path, &asked).unwrap().sampled_from(origin);
    assert_eq!(
        (&found.partition_key[..], &found.order_key[..]),
        (&["deviceid".to_owned()][..], &["part".to_owned()][..])
    );
    // A row has none, so that no question can be about a window of it.
    assert_eq!(found.time, None);
    let text = found.workload("mine.parquet", &designs(), &[]);
    let workload = Workload::parse(&text, Path::new("w.toml"));
    let workload = workload.unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(workload.table.name, "items");
    assert_eq!(workload.scale.full_rows, 7_000);
    assert_eq!(
        workload.decide.baseline.unwrap().to_string(),
        "parquet?codec=zstd"
    );
    for words in [
        "# Rows of shop.items at db1, as `bakeoff init` found them.",
        "# Sample: 3 rows.",
        "price = \"text\" # decimal in the table; 3 different",
        "# left out: `tags` (set<text>), a collection",
        "full_rows = 7000 # an estimate, which the forecast is for",
    ] {
        assert!(text.contains(words), "`{words}` is not in: {text}");
    }
    let nowhere = Asked {
        order: Some(vec!["parts".to_owned()]),
        ..asked
    };
    let error = infer(&path, &nowhere).unwrap_err().to_string();
    assert!(error.contains("did you mean `part`?"), "{error}");
}

#[test]
fn numbers_with_more_digits_than_their_type_are_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("readings.parquet");
    let decimals = |cents: [i128; 2]| -> ArrayRef {
        let cents = Decimal128Array::from(cents.map(Some).to_vec());
        Arc::new(cents.with_precision_and_scale(20, 2).unwrap())
    };
    let columns: [(&str, ArrayRef); 6] = [
        ("sensor", Arc::new(StringArray::from(vec!["a", "b"]))),
        (
            "time",
            Arc::new(TimestampMillisecondArray::from(vec![0, 5_000])),
        ),
        (
            "many",
            Arc::new(UInt64Array::from(vec![
                Some(9_223_372_036_854_775_808_u64),
                None,
            ])),
        ),
        ("few", Arc::new(UInt64Array::from(vec![1, 2]))),
        ("dear", decimals([12_345_678_901_234_567_891, -150])),
        ("cheap", decimals([150, 225])),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let asked = Asked {
        key: vec!["sensor".to_owned()],
        time: Some("time".to_owned()),
        ..Asked::default()
    };
    let found = infer(&path, &asked).unwrap();
    let text = found.workload("readings.parquet", &designs(), &[]);
    for line in [
        "many = \"text\" # UInt64, of which some values are not exactly a bigint, and so text",
        "few = \"bigint\" # as the file has it",
        "dear = \"text\" # Decimal128(20, 2), of which some values are not exactly a double, and so text",
        "cheap = \"double\" # as the file has it",
    ] {
        assert!(text.contains(line), "`{line}` is not in: {text}");
    }
    let workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
    let source = crate::source::open(&workload, Some(path)).unwrap();
    let rows = source.read(0, 10).unwrap().next().unwrap().unwrap().rows;
    let texts = |name: &str| -> Vec<Option<String>> {
        let column = rows.column_by_name(name).unwrap().as_string::<i32>();
        column.iter().map(|text| text.map(str::to_owned)).collect()
    };
    assert_eq!(
        texts("many"),
        [Some("9223372036854775808".to_owned()), None]
    );
    let dear = ["123456789012345678.91", "-1.50"].map(|text| Some(text.to_owned()));
    assert_eq!(texts("dear"), dear);
}

#[test]
fn of_ten_thousand_columns_in_parquet_the_first_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.parquet");
    let columns = (0..10_000).map(|number| {
        let values: ArrayRef = Arc::new(Int64Array::from(vec![1, 1 + i64::from(number == 0)]));
        (format!("c{number}"), values)
    });
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let plain = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .build();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(plain)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let found = infer(&path, &Asked::default()).unwrap();
    let text = found.workload("wide.parquet", &designs(), &[]);
    assert!(
        text.contains("left out: 9500 of all 10000 columns"),
        "{text}"
    );
    let workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
    assert_eq!(workload.table.partition_key, ["c0"]);
    let source = crate::source::open(&workload, Some(path)).unwrap();
    let rows = source.read(0, 10).unwrap().next().unwrap().unwrap().rows;
    assert_eq!((rows.num_rows(), rows.num_columns()), (2, 500));
}
