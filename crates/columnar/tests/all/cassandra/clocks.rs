//! Processes whose clocks are behind those of others that have written before.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, Float64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow::datatypes::{Float64Type, TimestampMillisecondType};
use bakeoff_columnar::{Selection, Store, Table};

use super::support::{
    Cassandra, ELSEWHERE, PLACE, add, chunk_of_size, definition, row, write_time,
};

/// An hour in microseconds.
const HOUR: i64 = 3_600_000_000;

/// A day in milliseconds, which is a bucket.
const DAY: i64 = 86_400_000;

/// How a process writes.
#[derive(Debug, Clone, Copy)]
enum How {
    Inserts,
    Ingests,
    Deletes,
}

pub async fn write_times_come_after_those_of_other_processes(cassandra: &Cassandra) {
    let store = cassandra.table("ahead").await;
    let ahead = write_time() + HOUR;
    // They take several pages.
    let rows: Vec<_> = (0..4_500)
        .map(|i| row(&format!("{i:05}"), ahead + i, Some("x")))
        .collect();
    store.insert(PLACE, &rows).await.unwrap();
    assert_eq!(store.write_time(), ahead + 4_500);
    // They stay in the first generation, and another one begins.
    store.freeze(PLACE).await.unwrap();
    let later = [row("a", 1, Some("1"))];
    store.insert(PLACE, &later).await.unwrap();

    let another = cassandra.another("ahead").await;
    another.catch_up(&[ELSEWHERE]).await.unwrap();
    assert!(another.write_time() < ahead);
    assert!(another.notes().is_empty());
    another.catch_up(&[ELSEWHERE, PLACE]).await.unwrap();
    assert_eq!(another.write_time(), ahead + 4_500);
    let notes = another.notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("columnar_tests.ahead was written at a time that is 3"),
        "{notes:?}"
    );

    let mut chunk = chunk_of_size(&definition(), 10);
    let meta = Arc::make_mut(&mut chunk.meta);
    (meta.min_write_time, meta.max_write_time) = (ahead, ahead);
    let chunks = [chunk];
    store.put(ELSEWHERE, &chunks).await.unwrap();
    store.commit(vec![add(ELSEWHERE, &chunks)]).await.unwrap();
    let another = cassandra.another("ahead").await;
    another.catch_up(&[ELSEWHERE]).await.unwrap();
    assert_eq!(another.write_time(), ahead + 1);
}

pub async fn what_a_process_with_a_clock_behind_writes_counts(cassandra: &Cassandra) {
    let first = Table::new(Arc::new(cassandra.table("behind").await), 0);
    let hows = [How::Inserts, How::Ingests, How::Deletes];
    let places = hows.iter().flat_map(|how| [(*how, false), (*how, true)]);
    for (day, (how, in_chunk)) in (0..).zip(places) {
        let time = day * DAY;
        let old = batch(time, Some(1.0));
        first.insert_at(&old, write_time() + HOUR).await.unwrap();
        if in_chunk {
            first.seal(None).await.unwrap();
        }
        let second = Table::new(Arc::new(cassandra.another("behind").await), 0);
        let new = batch(time, Some(2.0));
        match how {
            How::Inserts => second.insert(&new).await.unwrap(),
            How::Ingests => {
                let mut ingest = second.ingest();
                ingest.write(&new).await.unwrap();
                ingest.finish().await.unwrap();
            }
            How::Deletes => second.delete(&batch(time, None)).await.unwrap(),
        }
        let expected = match how {
            How::Inserts | How::Ingests => Some(2.0),
            How::Deletes => None,
        };
        let shown = value(&second, time).await;
        assert_eq!(shown, expected, "{how:?}, in a chunk: {in_chunk}");
    }
}

/// Makes the row of a time, or its key if it has no value.
fn batch(time: i64, value: Option<f64>) -> RecordBatch {
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("host", Arc::new(StringArray::from(vec!["a"]))),
        (
            "time",
            Arc::new(TimestampMillisecondArray::from(vec![time])),
        ),
    ];
    if let Some(value) = value {
        columns.push(("value", Arc::new(Float64Array::from(vec![value]))));
    }
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Returns the value of a time, if there is a row.
async fn value(table: &Table, time: i64) -> Option<f64> {
    let rows = table.rows(&Selection::default(), &[1, 2]).await.unwrap();
    let values = rows.iter().flat_map(|rows| {
        let times = rows.column(0).as_primitive::<TimestampMillisecondType>();
        let values = rows.column(1).as_primitive::<Float64Type>();
        times.values().iter().zip(values.values().iter())
    });
    let of_time: Vec<f64> = values
        .filter(|(at, _)| **at == time)
        .map(|(_, value)| *value)
        .collect();
    assert!(of_time.len() <= 1, "{of_time:?}");
    of_time.into_iter().next()
}
