//! The table of the test: its keys, by number, and its rows.

use std::num::NonZeroI64;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::Int64Type;
use bakeoff_columnar::{Column, Definition, Kind, Profile, Result, Scalar, Selection, Table};
use bytes::Bytes;
use rustix::time::{ClockId, clock_gettime};

use super::history::{Key, Moment, Read};

/// The number of partition keys: one for each worker, and one that all write.
pub const HOSTS: u32 = 4;
/// The number of rows of each.
pub const TIMES: u32 = 8;

/// The number of the host that all workers write.
pub const SHARED_HOST: u32 = HOSTS - 1;

/// Makes a definition with two buckets and two shards, in which chunks are small.
pub fn definition() -> Definition {
    let columns = vec![
        Column::new("host", Kind::Text),
        Column::new("time", Kind::Bigint),
        Column::new("value", Kind::Bigint),
    ];
    Definition {
        bucket: NonZeroI64::new(i64::from(TIMES) / 2),
        shards: 2,
        profile: Profile::Fast,
        chunk_rows: 32,
        ..Definition::new(columns, &["host"], &["time"])
    }
}

/// Returns the number of the key of a host and a time.
pub fn key(host: u32, time: u32) -> Key {
    time * HOSTS + host
}

fn name(host: u32) -> String {
    format!("host-{host}")
}

/// Makes rows of these keys, with the same value in all.
pub fn batch(keys: &[Key], value: i64) -> RecordBatch {
    let hosts = StringArray::from_iter_values(keys.iter().map(|key| name(key % HOSTS)));
    let times = Int64Array::from_iter_values(keys.iter().map(|key| i64::from(key / HOSTS)));
    let values = Int64Array::from_iter_values(keys.iter().map(|_| value));
    let columns: [(&str, ArrayRef); 3] = [
        ("host", Arc::new(hosts)),
        ("time", Arc::new(times)),
        ("value", Arc::new(values)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Makes the keys of a deletion.
pub fn keys(keys: &[Key]) -> RecordBatch {
    batch(keys, 0).project(&[0, 1]).unwrap()
}

/// Reads the rows of a host, or all.
pub async fn read(table: &Table, host: Option<u32>) -> Result<Read> {
    let selection = match host {
        None => Selection::default(),
        Some(host) => Selection {
            partitions: Some(vec![vec![Scalar::Bytes(Bytes::from(name(host)))]]),
            low: Some(0),
            high: Some(i64::from(TIMES) - 1),
        },
    };
    let began = now();
    let batches = table.rows(&selection, &[0, 1, 2]).await?;
    let ended = now();
    let hosts = host.map_or(0..HOSTS, |host| host..host + 1);
    Ok(Read {
        began,
        ended,
        asked: hosts
            .flat_map(|host| (0..TIMES).map(move |time| key(host, time)))
            .collect(),
        rows: batches.iter().flat_map(rows).collect(),
    })
}

/// Returns the key and the value of each row.
fn rows(batch: &RecordBatch) -> Vec<(Key, i64)> {
    let hosts = batch.column(0).as_string::<i32>();
    let times = batch.column(1).as_primitive::<Int64Type>();
    let values = batch.column(2).as_primitive::<Int64Type>();
    let row = |i: usize| {
        let host = hosts.value(i).strip_prefix("host-").unwrap();
        let time = u32::try_from(times.value(i)).unwrap();
        (key(host.parse().unwrap(), time), values.value(i))
    };
    (0..batch.num_rows()).map(row).collect()
}

/// Returns the present moment by the clock that all processes share.
pub fn now() -> Moment {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
