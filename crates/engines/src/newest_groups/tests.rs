use arrow::array::{Float64Array, StringArray, TimestampMillisecondArray};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use arrow::record_batch::RecordBatch;
use arrow::util::pretty::pretty_format_batches;
use bakeoff_columnar::{Column, Definition, Kind, MemoryStore, Profile};

use super::*;
use crate::columnar::Opened;

const MINUTE: i64 = 60 * SECOND;
/// The minutes without rows.
const GAP: std::ops::Range<i64> = 100..3_000;

/// Makes rows of two hosts each minute, except for a gap, in chunks of an hour.
async fn table() -> Opened {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    let definition = Definition {
        columns: vec![
            column("host", Kind::Text),
            column("time", Kind::Timestamp),
            column("value", Kind::Double),
        ],
        partition_key: vec!["host".to_owned()],
        order_key: vec!["time".to_owned()],
        bucket: std::num::NonZeroI64::new(60 * MINUTE),
        shards: 1,
        profile: Profile::default(),
        chunk_rows: 1_024,
    };
    let minutes: Vec<i64> = (0..3_100).filter(|minute| !GAP.contains(minute)).collect();
    let times = minutes.iter().flat_map(|minute| [minute * MINUTE; 2]);
    let hosts = (0..2 * minutes.len()).map(|i| if i % 2 == 0 { "a" } else { "b" });
    let values = (0..2 * minutes.len()).map(|i| (i * 7 % 101) as f64);
    let time = DataType::Timestamp(TimeUnit::Millisecond, None);
    let schema = Schema::new(vec![
        Field::new("host", DataType::Utf8, false),
        Field::new("time", time, false),
        Field::new("value", DataType::Float64, true),
    ]);
    let rows = RecordBatch::try_new(
        Arc::new(schema),
        vec![
            Arc::new(StringArray::from_iter_values(hosts)),
            Arc::new(TimestampMillisecondArray::from_iter_values(times)),
            Arc::new(Float64Array::from_iter_values(values)),
        ],
    );
    let store = Arc::new(MemoryStore::new(definition).unwrap());
    let opened = Opened::new(store, 0, "events", 2).unwrap();
    opened.load(&rows.unwrap()).await.unwrap();
    opened
}

fn at(minute: i64) -> String {
    let (day, hour, minute) = (1 + minute / 1_440, minute / 60 % 24, minute % 60);
    format!("TIMESTAMP '1970-01-{day:02}T{hour:02}:{minute:02}:30'")
}

#[tokio::test]
async fn answers_are_those_of_all_rows() {
    let table = table().await;
    let forms = [
        "SELECT date_trunc('minute', time) AS minute, max(value) AS most FROM events
         WHERE time < END GROUP BY minute ORDER BY minute DESC LIMIT 5",
        "SELECT count(*) AS n, date_bin(INTERVAL '7 minutes', time) AS bin FROM events
         WHERE END >= time AND host = 'a' GROUP BY bin ORDER BY bin DESC NULLS LAST LIMIT 3",
        "SELECT date_bin(INTERVAL '7 minutes', time, TIMESTAMP '1970-01-01T00:03:00') AS bin, host,
         avg(value) AS mean FROM events WHERE time < END AND time >= TIMESTAMP '1970-01-01T00:30:00'
         GROUP BY bin, host ORDER BY bin DESC NULLS LAST, host LIMIT 5",
        "SELECT date_trunc('minute', time) AS minute, count(*) AS n FROM (
         SELECT to_timestamp_millis(CAST(value AS BIGINT) * 60000) AS time
         FROM events WHERE time < END) GROUP BY minute ORDER BY minute DESC LIMIT 3",
        "SELECT date_trunc('hour', time) AS hour, sum(value) AS total FROM events
         WHERE time < END AND value > 50 GROUP BY 1 ORDER BY 1 DESC LIMIT 2",
    ];
    for form in forms {
        for end in [0, 40, 99, 103, 110, 1_500, 2_999, 3_001, 3_050, 4_000] {
            let query = form.replace("END", &at(end));
            let wanted = table.sql.answer(&query).await.unwrap();
            let answer = table.answer(&query).await.unwrap();
            let [wanted, found] =
                [wanted, answer].map(|a| pretty_format_batches(&a.batches).unwrap().to_string());
            assert_eq!(found, wanted, "{query}");
        }
    }
}

#[tokio::test]
async fn only_the_newest_rows_are_read_where_they_are_enough() {
    let table = table().await;
    let rows = async |query: &str| {
        let answer = table.answer(query).await.unwrap();
        answer.rows_scanned.unwrap()
    };
    let newest = |end| {
        format!(
            "SELECT date_trunc('minute', time) AS minute, max(value) AS most FROM events
             WHERE time < {end} GROUP BY minute ORDER BY minute DESC LIMIT 5",
        )
    };
    assert_eq!(rows(&newest(at(3_050))).await, 10);
    let oldest = newest(at(3_050)).replace("DESC", "ASC");
    assert_eq!(rows(&oldest).await, 302);
    assert_eq!(
        rows(&newest(at(1_500))).await,
        200,
        "all, since windows are empty"
    );
    // One window has four minutes, two have the same, and the query itself reads all rows.
    assert_eq!(rows(&newest(at(3_003))).await, 8 + 8 + 8 + 208);
    let bounded =
        newest(at(3_003)).replace("WHERE", "WHERE time > TIMESTAMP '1970-01-03T02:00:00' AND");
    assert_eq!(
        rows(&bounded).await,
        6,
        "no window is as long as what is wanted"
    );
}

#[tokio::test]
async fn a_plan_has_the_first_window_and_all_rows() {
    let events = table().await;
    let end = at(3_050);
    let windows = format!(
        "SELECT date_trunc('minute', time) AS minute, max(value) AS most FROM events
         WHERE time < {end} GROUP BY minute ORDER BY minute DESC LIMIT 5"
    );
    let plan = events.query_plan(&windows).await.unwrap().unwrap();
    assert_eq!(plan.by, "DataFusion");
    let (first, all) = plan.text.split_once("Over all rows, if none").unwrap();
    let begins = "First over the newest time, then over longer windows:";
    assert!(first.starts_with(begins), "{first}");
    assert!(first.contains("AggregateExec") && all.contains("AggregateExec"));
    let scan = "SELECT max(value) AS most FROM events";
    let plan = events.query_plan(scan).await.unwrap().unwrap();
    assert!(!plan.text.contains("the newest"), "{}", plan.text);
}

#[tokio::test]
async fn what_is_not_of_the_form_is_not_taken_for_it() {
    let table = table().await;
    let state = table.sql.context().state();
    let newest = async |query: &str| {
        let plan = state.create_logical_plan(query).await.unwrap();
        Newest::from_plan(&state.optimize(&plan).unwrap(), "time")
    };
    let good = "SELECT date_trunc('minute', time) AS minute, max(value) AS most FROM events
                WHERE time <= TIMESTAMP '1970-01-02T00:00:00' GROUP BY minute
                ORDER BY minute DESC LIMIT 5";
    let wanted = Newest {
        groups: 5,
        bins: Bins {
            width: MINUTE,
            origin: 0,
        },
        end: DAY + 1,
        begin: None,
    };
    assert_eq!(newest(good).await, Some(wanted));
    for (from, to) in [
        ("minute DESC", "minute"),
        ("minute DESC", "most DESC"),
        (" LIMIT 5", ""),
        ("'minute', time", "'month', time"),
        ("<= TIMESTAMP", "> TIMESTAMP"),
        ("GROUP BY minute", "GROUP BY minute HAVING max(value) > 3"),
        (
            "FROM events",
            "FROM events JOIN (SELECT host AS h FROM events) ON host = h",
        ),
    ] {
        let other = good.replace(from, to);
        assert_ne!(other, good);
        assert_eq!(newest(&other).await, None, "{other}");
    }
}
