use arrow::array::{
    ArrayRef, AsArray, Float32Array, Float64Array, Int32Array, Int64Array, StringArray,
    TimestampMillisecondArray,
};
use arrow::datatypes::Int64Type;
use arrow::record_batch::RecordBatch;
use arrow::util::pretty::pretty_format_batches;
use bakeoff_workload::Column as TableColumn;
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;

use super::*;
use crate::cassandra::rows::summary::SLICE;
use crate::cassandra::write::summary_rows;
use crate::sql::session_with;

const HOUR: i64 = 3_600_000;
const NAME: &str = "readings_summary";

fn table(time: ColumnType) -> Table {
    let column = |name: &str, kind| TableColumn {
        name: name.to_owned(),
        kind,
    };
    Table {
        name: "readings".to_owned(),
        columns: vec![
            column("sensor", ColumnType::Text),
            column("time", time),
            column("small", ColumnType::Int),
            column("large", ColumnType::Bigint),
            column("value", ColumnType::Double),
            column("heat", ColumnType::Float),
        ],
        partition_key: vec!["sensor".to_owned()],
        order_key: vec!["time".to_owned()],
    }
}

fn summary(table: &Table, width: i64) -> Summary {
    Summary {
        time: table.columns[1].clone(),
        width,
        numbers: table.columns[2..].to_vec(),
    }
}

/// Rows of three sensors every seven minutes around 1970, of which each tenth has nulls.
fn rows(kind: ColumnType) -> RecordBatch {
    let numbers = || (0..900_i64).map(|n| (n, n % 10 != 3));
    let times = numbers().map(|(n, _)| (n - 450).div_euclid(3) * 7 * 60_000);
    let times: ArrayRef = match kind {
        ColumnType::Timestamp => Arc::new(TimestampMillisecondArray::from_iter_values(times)),
        _ => Arc::new(Int64Array::from_iter_values(times)),
    };
    let sensors = numbers().map(|(n, _)| Some(["a", "b", "c"][n as usize % 3]));
    let small = numbers().map(|(n, is)| is.then_some(n as i32 - 100));
    let large = numbers().map(|(n, is)| is.then_some(i64::MAX / 900 * n));
    let values = numbers().map(|(n, is)| is.then_some(n as f64 / 4.0));
    let heats = numbers().map(|(n, is)| is.then_some(n as f32 / 8.0));
    let columns: [(&str, ArrayRef); 6] = [
        ("sensor", Arc::new(sensors.collect::<StringArray>())),
        ("time", times),
        ("small", Arc::new(small.collect::<Int32Array>())),
        ("large", Arc::new(large.collect::<Int64Array>())),
        ("value", Arc::new(values.collect::<Float64Array>())),
        ("heat", Arc::new(heats.collect::<Float32Array>())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A session over the rows, and one that also has their summary, made of slices that end within intervals.
async fn sessions(kind: ColumnType) -> [SessionContext; 2] {
    let (table, rows) = (table(kind), rows(kind));
    let summary = summary(&table, HOUR);
    let mut parts = Vec::new();
    for slice in 0..9 {
        let of_slice = rows.slice(slice * 100, 100);
        let made = summary_rows::of_slice(&summary, &table, slice as u64, &of_slice);
        parts.extend(made.await.unwrap());
    }
    let memory = |batches: Vec<RecordBatch>| {
        Arc::new(MemTable::try_new(batches[0].schema(), vec![batches]).unwrap())
    };
    let plain = session_with(2, "readings", memory(vec![rows.clone()])).unwrap();
    let with_summary = session_with(2, "readings", memory(vec![rows])).unwrap();
    let rule = FromSummary::new(&summary, &table, NAME, memory(parts));
    with_summary.add_optimizer_rule(Arc::new(rule));
    [plain, with_summary]
}

async fn answer(session: &SessionContext, sql: &str) -> String {
    let batches = session.sql(sql).await.unwrap().collect().await.unwrap();
    pretty_format_batches(&batches).unwrap().to_string()
}

async fn reads_summary(session: &SessionContext, sql: &str) -> bool {
    let plan = session.sql(sql).await.unwrap().into_optimized_plan();
    plan.unwrap().display_indent().to_string().contains(NAME)
}

#[tokio::test]
async fn what_the_summary_has_is_answered_from_it_and_alike() {
    let [plain, with_summary] = sessions(ColumnType::Timestamp).await;
    for sql in [
        "SELECT count(*) FROM readings",
        "SELECT count(*) AS n, count(small) AS s, sum(small), min(small), max(small), avg(small) FROM readings",
        "SELECT sum(large), min(large), max(large), count(large) FROM readings",
        "SELECT avg(value) AS mean, sum(value), min(value), max(value) FROM readings WHERE sensor = 'b'",
        "SELECT sensor, avg(value) FROM readings GROUP BY sensor ORDER BY sensor",
        "SELECT sensor, avg(CAST(heat AS DOUBLE)) AS mean, min(heat), max(heat), count(heat) FROM readings
         GROUP BY sensor ORDER BY sensor",
        "SELECT sum(heat) FROM readings",
        "SELECT date_bin(INTERVAL '1 hour', time) AS h, sensor, max(value) FROM readings
         GROUP BY h, sensor ORDER BY h, sensor",
        "SELECT date_trunc('day', time) AS d, count(value), sum(value) / count(*) FROM readings
         WHERE sensor IN ('a', 'c') GROUP BY d ORDER BY d",
        "SELECT date_bin(INTERVAL '2 hours', time) AS bin, min(small) FROM readings
         WHERE time >= TIMESTAMP '1969-12-31T22:00:00' AND time < TIMESTAMP '1970-01-01T05:00:00'
         GROUP BY bin ORDER BY bin",
        "SELECT count(*), avg(small) FROM readings WHERE time > TIMESTAMP '1969-12-31T23:59:59.999'",
        "SELECT count(*), sum(value) FROM readings WHERE sensor = 'nobody'",
        "SELECT sensor, max(m) FROM (SELECT sensor, date_trunc('hour', time) AS h, sum(value) AS m
         FROM readings GROUP BY sensor, h) GROUP BY sensor HAVING max(m) > 10 ORDER BY sensor",
    ] {
        assert!(reads_summary(&with_summary, sql).await, "{sql}");
        assert!(!reads_summary(&plain, sql).await, "{sql}");
        assert_eq!(
            answer(&with_summary, sql).await,
            answer(&plain, sql).await,
            "{sql}"
        );
    }
}

#[tokio::test]
async fn what_the_summary_lacks_is_read_from_the_rows() {
    let [plain, with_summary] = sessions(ColumnType::Timestamp).await;
    for sql in [
        "SELECT sensor, time, value FROM readings ORDER BY time, sensor LIMIT 3",
        "SELECT min(time), max(time) FROM readings",
        "SELECT count(DISTINCT small) FROM readings",
        "SELECT sum(value) FILTER (WHERE sensor = 'a') FROM readings",
        "SELECT sum(value * value) FROM readings",
        "SELECT sum(CAST(heat AS DOUBLE) * 2) FROM readings",
        "SELECT sum(CAST(heat AS BIGINT)) FROM readings",
        "SELECT sum(CAST(value AS BIGINT)) FROM readings",
        "SELECT avg(large) FROM readings",
        "SELECT median(value) FROM readings",
        "SELECT count(*) FROM readings WHERE value > 100",
        "SELECT count(*) FROM readings WHERE sensor = 'a' OR time >= TIMESTAMP '1970-01-01T00:00:00'",
        "SELECT count(*) FROM readings WHERE time >= TIMESTAMP '1970-01-01T00:00:00.001'",
        "SELECT count(*) FROM readings WHERE time <= TIMESTAMP '1970-01-01T01:00:00'",
        "SELECT date_bin(INTERVAL '90 minutes', time) AS bin, sum(value) FROM readings GROUP BY bin ORDER BY bin",
        "SELECT date_trunc('minute', time) AS bin, sum(value) FROM readings GROUP BY bin ORDER BY bin",
        "SELECT time, sum(value) FROM readings GROUP BY time ORDER BY time",
        "SELECT small, count(*) FROM readings GROUP BY small ORDER BY small",
        "SELECT sum(value) FROM (SELECT value FROM readings ORDER BY time, sensor LIMIT 10)",
    ] {
        assert!(!reads_summary(&with_summary, sql).await, "{sql}");
        assert_eq!(
            answer(&with_summary, sql).await,
            answer(&plain, sql).await,
            "{sql}"
        );
    }
}

#[tokio::test]
async fn order_keys_that_are_whole_numbers_have_intervals_for_conditions() {
    let [plain, with_summary] = sessions(ColumnType::Bigint).await;
    for (sql, is_read) in [
        (
            "SELECT avg(value) FROM readings WHERE sensor = 'a' AND time >= -3600000 AND time < 7200000",
            true,
        ),
        (
            "SELECT avg(value) FROM readings WHERE sensor = 'a' AND time >= -3600000 AND time <= 7199999",
            true,
        ),
        (
            "SELECT avg(value) FROM readings WHERE sensor = 'a' AND time >= 10 AND time <= 7199999",
            false,
        ),
    ] {
        assert_eq!(reads_summary(&with_summary, sql).await, is_read, "{sql}");
        assert_eq!(
            answer(&with_summary, sql).await,
            answer(&plain, sql).await,
            "{sql}"
        );
    }
}

#[tokio::test]
async fn each_row_of_a_slice_is_in_one_row_of_its_summary() {
    let (table, rows) = (table(ColumnType::Timestamp), rows(ColumnType::Timestamp));
    let made = summary_rows::of_slice(&summary(&table, HOUR), &table, 7, &rows).await;
    let (mut summed, mut groups) = (0, 0);
    for part in made.unwrap() {
        let column = |name: &str| part.column_by_name(name).unwrap().clone();
        let slices = column(SLICE);
        assert!(
            slices
                .as_primitive::<Int64Type>()
                .values()
                .iter()
                .all(|slice| *slice == 7)
        );
        summed += column(ROWS)
            .as_primitive::<Int64Type>()
            .values()
            .iter()
            .sum::<i64>();
        groups += part.num_rows();
    }
    // Three sensors in parts of 36 hours.
    assert_eq!((summed, groups), (900, 3 * 36));
}

#[tokio::test]
async fn a_number_that_is_none_is_an_error() {
    let table = table(ColumnType::Timestamp);
    let rows = rows(ColumnType::Timestamp).slice(0, 2);
    let doubles: ArrayRef = Arc::new(Float64Array::from(vec![None, Some(f64::NAN)]));
    let floats: ArrayRef = Arc::new(Float32Array::from(vec![None, Some(f32::NAN)]));
    for (place, name, array) in [(4, "value", doubles), (5, "heat", floats)] {
        let mut columns = rows.columns().to_vec();
        columns[place] = array;
        let rows = RecordBatch::try_new(rows.schema(), columns).unwrap();
        let made = summary_rows::of_slice(&summary(&table, HOUR), &table, 0, &rows).await;
        let error = made.unwrap_err().to_string();
        let expected = format!("column `{name}` holds NaN");
        assert!(error.contains(&expected), "{error}");
    }
}

#[tokio::test]
async fn a_time_without_an_interval_is_an_error() {
    let table = table(ColumnType::Bigint);
    let rows = rows(ColumnType::Bigint).slice(0, 1);
    let mut columns = rows.columns().to_vec();
    columns[1] = Arc::new(Int64Array::from(vec![i64::MIN]));
    let rows = RecordBatch::try_new(rows.schema(), columns).unwrap();
    let made = summary_rows::of_slice(&summary(&table, HOUR), &table, 0, &rows).await;
    let error = made.unwrap_err().to_string();
    assert!(error.contains("has no interval"), "{error}");
}
