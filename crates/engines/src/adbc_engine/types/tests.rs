use std::path::Path;

use arrow::array::{Int64Array, StringArray};
use arrow::datatypes::{TimestampMicrosecondType, UInt8Type};

use super::*;

const WORKLOAD: &str = r#"title = "t"
designs = ["adbc/files"]

[table]
name = "readings"
columns = { series = "text", time = "timestamp", up = "boolean", value = "double" }
partition_key = ["series"]
order_key = ["time"]

[data]
requires = "--data"

[[queries]]
name = "newest"
sql = """
SELECT series, max(time) AS newest, avg(value) AS mean FROM readings
WHERE series = ${one} AND value > ${least} GROUP BY series
"""
parameters = { one = { column = "series" }, least = { uniform = [1, 9] } }
engine_sql = { adbc = "SELECT series, max(time), avg(value) FROM readings WHERE series = ${one} AND value > ${least}" }
"#;

async fn types() -> AnswerTypes {
    let workload = Workload::parse(WORKLOAD, Path::new("w.toml")).unwrap();
    let id = "adbc/files".parse().unwrap();
    AnswerTypes::of(&workload, &id).await.unwrap()
}

fn texts(texts: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(texts.to_vec()))
}

fn numbers(numbers: &[Option<i64>]) -> ArrayRef {
    Arc::new(Int64Array::from(numbers.to_vec()))
}

fn rows(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn kinds(rows: &RecordBatch) -> Vec<DataType> {
    let columns = rows.columns().iter();
    columns.map(|column| column.data_type().clone()).collect()
}

const MICROS: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);

#[tokio::test]
async fn an_answer_has_the_types_that_its_query_has_in_the_workload() {
    let answer = rows(vec![
        ("series", texts(&[Some("2016-01-01")])),
        ("max(time)", texts(&[Some("1969-12-31T23:59:59.999")])),
        ("avg(value)", texts(&[Some("2.50000000")])),
    ]);
    let sql = "SELECT series, max(time), avg(value) FROM readings WHERE series = 'it''s AND' AND value > 5";
    let answer = types().await.conversion(sql)(answer).unwrap();
    assert_eq!(kinds(&answer), [DataType::Utf8, MICROS, DataType::Float64]);
    let times = answer.column(1).as_primitive::<TimestampMicrosecondType>();
    assert_eq!(times.value(0), -1_000);
}

#[tokio::test]
async fn other_questions_have_the_types_of_columns() {
    let answer = rows(vec![
        ("up", numbers(&[Some(1), None, Some(0)])),
        ("time", texts(&[Some("2016-01-01 00:00:00"), None, None])),
        ("n", numbers(&[Some(1), Some(2), Some(3)])),
    ]);
    let answer = types().await.conversion("SELECT up, time, n")(answer).unwrap();
    assert_eq!(kinds(&answer), [DataType::Boolean, MICROS, DataType::Int64]);
    let up: Vec<_> = answer.column(0).as_boolean().iter().collect();
    assert_eq!(up, [Some(true), None, Some(false)]);
}

#[tokio::test]
async fn what_is_not_exactly_of_the_type_stays_as_it_is() {
    let answer = rows(vec![
        ("up", numbers(&[Some(1), Some(2)])),
        ("time", texts(&[Some("2016-01-01T00:00:00"), Some("noon")])),
        ("value", texts(&[Some("1.5"), Some("much")])),
        ("series", numbers(&[Some(7), None])),
    ]);
    let converted = types().await.conversion("SELECT *")(answer.clone()).unwrap();
    assert_eq!(converted, answer);
}

#[test]
fn small_integers_are_flags_as_well() {
    let small = cast(&numbers(&[Some(0), Some(1)]), &DataType::UInt8).unwrap();
    assert_eq!(small.as_primitive::<UInt8Type>().len(), 2);
    let flags = exactly(&small, &DataType::Boolean).unwrap();
    assert_eq!(flags.data_type(), &DataType::Boolean);
}

#[test]
fn a_query_is_known_by_the_texts_around_its_parameters() {
    let query = |pieces: &[&str]| QueryTypes {
        pieces: pieces.iter().map(|piece| (*piece).to_owned()).collect(),
        types: Vec::new(),
    };
    assert!(query(&["SELECT 1"]).is_asked_by("SELECT 1"));
    assert!(!query(&["SELECT 1"]).is_asked_by("SELECT 10"));
    let two = query(&["a = ", " AND b = ", ""]);
    assert!(two.is_asked_by("a = 1 AND b = 2"));
    assert!(!two.is_asked_by("a = 1 OR b = 2") && !two.is_asked_by("b = 1 AND b = 2"));
}
