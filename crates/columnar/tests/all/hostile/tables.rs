//! Chunks whose metadata is not that of their blobs, although every checksum is right.

use std::num::NonZeroI64;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use bakeoff_columnar::{
    Change, Chunk, ChunkId, ChunkMeta, Column, ColumnStats, Definition, KeyRange, Kind,
    MemoryStore, Place, Scalar, Selection, Store, Table, sql,
};
use bakeoff_testing::hostile::{Corpus, Parser, Random};
use bakeoff_testing::times;
use bytes::Bytes;
use datafusion::prelude::SessionContext;

/// The memory for a chunk of 200 rows, and for plans of queries.
const QUERY_BYTES: u64 = 64 << 20;

const QUERIES: [&str; 6] = [
    "SELECT count(*), count(note), min(time), max(value), sum(value), sum(number) FROM t",
    "SELECT host, count(*), max(time) FROM t GROUP BY host ORDER BY host",
    "SELECT * FROM t WHERE time >= '1970-01-01T00:00:00.050' ORDER BY time DESC LIMIT 3",
    "SELECT note, number FROM t WHERE host = 'host 1' AND time < '1970-01-01T00:00:00.100'",
    "SELECT count(DISTINCT note) FROM t WHERE value > 3 AND number <> 7",
    "SELECT host, first_value(value ORDER BY time DESC) FROM t GROUP BY host",
];

fn definition() -> Definition {
    let columns = vec![
        Column::new("host", Kind::Text),
        Column::new("time", Kind::Timestamp),
        Column::new("value", Kind::Double),
        Column::new("number", Kind::Bigint),
        Column::new("note", Kind::Text),
    ];
    Definition {
        bucket: NonZeroI64::new(1_000),
        shards: 2,
        ..Definition::new(columns, &["host"], &["time"])
    }
}

fn batch(from: i64, rows: i64) -> RecordBatch {
    let all = || from..from + rows;
    let note = |i: i64| (i % 3 != 0).then(|| format!("note {}", i % 5));
    let columns: [(&str, ArrayRef); 5] = [
        (
            "host",
            Arc::new(StringArray::from_iter_values(
                all().map(|i| format!("host {}", i % 4)),
            )),
        ),
        (
            "time",
            Arc::new(TimestampMillisecondArray::from_iter_values(all())),
        ),
        (
            "value",
            Arc::new(Float64Array::from_iter(
                all().map(|i| (i % 7 != 0).then_some(i as f64)),
            )),
        ),
        (
            "number",
            Arc::new(Int64Array::from_iter(
                all().map(|i| (i % 6 != 0).then_some(i * i)),
            )),
        ),
        ("note", Arc::new(StringArray::from_iter(all().map(note)))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Returns chunks as they are written: of rows that were loaded, and of some that were inserted and deleted.
async fn chunks() -> Vec<(Place, Chunk)> {
    let store = Arc::new(MemoryStore::new(definition()).unwrap());
    let table = Table::new(store.clone(), 1 << 20);
    let mut ingest = table.ingest();
    ingest.write(&batch(0, 150)).await.unwrap();
    ingest.finish().await.unwrap();
    let later = batch(140, 40);
    table.insert(&later).await.unwrap();
    table.insert(&later.slice(0, 20)).await.unwrap();
    table
        .delete(&later.slice(0, 5).project(&[0, 1]).unwrap())
        .await
        .unwrap();
    table.seal(None).await.unwrap();
    let mut chunks = Vec::new();
    for place in store.places().await.unwrap() {
        let there = store.snapshot(place, KeyRange::default()).await.unwrap();
        for meta in there.chunks {
            let numbers: Vec<u16> = (0..meta.blobs.len() as u16).collect();
            let blobs = store.blobs(place, &meta, &numbers).await.unwrap();
            chunks.push((place, Chunk { meta, blobs }));
        }
    }
    chunks
}

fn scalar(random: &mut Random) -> Scalar {
    match random.u8(..3) {
        0 => Scalar::Int([0, 1, -1, 7, i64::MIN, i64::MAX, i64::from(i32::MAX)][random.usize(..7)]),
        1 => Scalar::Double([0.0, -0.0, 1e300, f64::NAN, f64::INFINITY][random.usize(..5)]),
        _ => Scalar::Bytes(Bytes::from_static(
            [&b""[..], b"host 1", b"\xff\xfe", &[0; 128]][random.usize(..4)],
        )),
    }
}

fn key(random: &mut Random, before: &Bytes) -> Bytes {
    match random.u8(..4) {
        0 => Bytes::new(),
        1 => before.slice(..random.usize(..=before.len())),
        2 => Bytes::from([before, &b"\x01"[..]].concat()),
        _ => Bytes::from(vec![random.u8(..); random.usize(..20)]),
    }
}

fn number(random: &mut Random, before: u32) -> u32 {
    let numbers = [
        0,
        1,
        before.wrapping_sub(1),
        before.wrapping_add(1),
        1 << 19,
        u32::MAX,
    ];
    numbers[random.usize(..numbers.len())]
}

fn change_stats(stats: &mut ColumnStats, random: &mut Random) {
    match random.u8(..5) {
        0 => stats.nulls = number(random, stats.nulls),
        1 => stats.bounds = None,
        2 => stats.bounds = Some((scalar(random), scalar(random))),
        3 => stats.sum = random.bool().then(|| scalar(random)),
        _ => stats.distinct = number(random, stats.distinct),
    }
}

/// Changes a field, and sometimes more than one.
fn change(meta: &mut ChunkMeta, random: &mut Random) {
    let times = [i64::MIN, -1, 0, 1, i64::MAX];
    for _ in 0..random.usize(1..4) {
        match random.u8(..9) {
            0 => meta.rows = number(random, meta.rows),
            1 => meta.deleted = number(random, meta.deleted),
            2 => meta.first = key(random, &meta.first),
            3 => meta.last = key(random, &meta.last),
            4 => meta.min_write_time = times[random.usize(..5)],
            5 => meta.max_write_time = times[random.usize(..5)],
            6 => {
                let ends = (times[random.usize(..5)], times[random.usize(..5)]);
                meta.order_range = random.bool().then_some(ends);
            }
            7 => meta.widest = number(random, meta.widest),
            _ => {
                let column = random.usize(..meta.stats.len());
                change_stats(&mut meta.stats[column], random);
            }
        }
    }
}

/// Fills a table with chunks of which one has other metadata. Returns `None` if no table can have it.
async fn table_of(chunks: &[(Place, Chunk)], random: &mut Random) -> Option<Arc<Table>> {
    let store = MemoryStore::new(definition()).unwrap();
    let changed = random.usize(..chunks.len());
    for (number, (place, chunk)) in chunks.iter().enumerate() {
        let mut chunk = chunk.clone();
        if number == changed {
            let mut meta = (*chunk.meta).clone();
            change(&mut meta, random);
            meta.id = ChunkId::new();
            meta.check(&definition()).ok()?;
            chunk.meta = Arc::new(meta);
        }
        store
            .put(*place, std::slice::from_ref(&chunk))
            .await
            .unwrap();
        let change = Change {
            place: *place,
            add: vec![chunk.meta],
            retire: Vec::new(),
            sealed: None,
        };
        store.commit(vec![change]).await.unwrap();
    }
    Some(Table::new(Arc::new(store), 1 << 20))
}

/// Asks all questions. Returns whether all have an answer.
async fn answers(table: Arc<Table>) -> bool {
    let rows = table.rows(&Selection::default(), &[0, 1, 2, 3, 4]).await;
    let some = Selection {
        partitions: Some(vec![vec![Scalar::Bytes(Bytes::from_static(b"host 2"))]]),
        low: Some(3),
        high: Some(170),
    };
    let few = table.rows(&some, &[1, 4]).await;
    let mut all_answered = rows.is_ok() && few.is_ok();
    let session = sql::session(&SessionContext::new());
    sql::register(&session, "t", Arc::clone(&table)).unwrap();
    for query in QUERIES {
        let planned = session.sql(query).await.unwrap();
        all_answered &= planned.collect().await.is_ok();
    }
    all_answered & table.seal(None).await.is_ok()
}

#[test]
fn chunks_with_other_metadata_are_read_or_refused() {
    let parser = Parser {
        name: "chunks with other metadata",
        most_bytes: QUERY_BYTES,
        cases: times(150, 20_000),
    };
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().unwrap();
    let chunks = runtime.block_on(chunks());
    let mut corpus = Corpus::default();
    corpus.add([1]);
    // The input is no more than what the changes are drawn from.
    parser.feed(&corpus, |bytes| {
        let seed = u64::from(crc32fast::hash(bytes));
        runtime.block_on(async {
            match table_of(&chunks, &mut Random::with_seed(seed)).await {
                Some(table) => answers(table).await,
                None => false,
            }
        })
    });
}
