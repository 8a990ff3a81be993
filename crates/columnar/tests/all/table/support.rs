//! A table of hosts and times, and its rows.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroI64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow::datatypes::{Float64Type, TimestampMillisecondType};
use async_trait::async_trait;
use bakeoff_columnar::{
    Change, Chunk, ChunkMeta, Column, Definition, DirectoryStore, Error, FreshRow, Frozen,
    KeyRange, Kind, MemoryStore, Place, Profile, Result, Selection, Snapshot, Store, Swept, Table,
};
use bytes::Bytes;
use futures::future::BoxFuture;
use tempfile::TempDir;

/// A row of the test's table: host, time, value, note.
pub type Row = (u8, i64, Option<f64>, Option<String>);
/// The valid row of each host and time, with the bits of the value, so that a NaN equals itself.
pub type Plain = BTreeMap<(String, i64), (Option<u64>, Option<String>)>;

pub fn definition(chunk_rows: u32, shards: u32) -> Definition {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Definition {
        columns: vec![
            column("value", Kind::Double),
            column("time", Kind::Timestamp),
            column("host", Kind::Text),
            column("note", Kind::Text),
        ],
        partition_key: vec!["host".to_owned()],
        order_key: vec!["time".to_owned()],
        bucket: NonZeroI64::new(100),
        shards,
        profile: Profile::Fast,
        chunk_rows,
    }
}

pub fn host(number: u8) -> String {
    format!("host-{number}")
}

pub fn batch(rows: &[Row]) -> RecordBatch {
    let hosts: StringArray = rows.iter().map(|r| Some(host(r.0))).collect();
    let times = TimestampMillisecondArray::from_iter_values(rows.iter().map(|r| r.1));
    let values: Float64Array = rows.iter().map(|r| r.2).collect();
    let notes: StringArray = rows.iter().map(|r| r.3.clone()).collect();
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("host", Arc::new(hosts), false),
        ("time", Arc::new(times), false),
        ("value", Arc::new(values), true),
        ("note", Arc::new(notes), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

pub fn keys(keys: &[(u8, i64)]) -> RecordBatch {
    let rows: Vec<Row> = keys.iter().map(|(h, t)| (*h, *t, None, None)).collect();
    batch(&rows).project(&[0, 1]).unwrap()
}

/// Returns the rows of a selection, after checking that each part has them in order and none is
/// there twice.
pub async fn shown(table: &Table, selection: &Selection) -> Plain {
    let mut all = Plain::new();
    for rows in table.rows(selection, &[2, 1, 0, 3]).await.unwrap() {
        let hosts = rows.column(0).as_string::<i32>();
        let times = rows.column(1).as_primitive::<TimestampMillisecondType>();
        let values = rows.column(2).as_primitive::<Float64Type>();
        let notes = rows.column(3).as_string::<i32>();
        let keys: Vec<_> = (0..rows.num_rows())
            .map(|i| (hosts.value(i), times.value(i)))
            .collect();
        assert!(keys.is_sorted(), "{keys:?}");
        for (i, (host, time)) in keys.into_iter().enumerate() {
            let value = values.is_valid(i).then(|| values.value(i).to_bits());
            let note = notes.is_valid(i).then(|| notes.value(i).to_owned());
            let before = all.insert((host.to_owned(), time), (value, note));
            assert_eq!(before, None, "{host} at {time} is there twice");
        }
    }
    all
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// Makes a store of each kind, which is gone with the folder.
pub fn stores(definition: &Definition) -> [(Arc<dyn Store>, TempDir); 2] {
    let folder = || TempDir::new().unwrap();
    let (memory, directory) = (folder(), folder());
    let in_memory = MemoryStore::new(definition.clone()).unwrap();
    let in_directory = DirectoryStore::create(directory.path(), definition.clone()).unwrap();
    [
        (Arc::new(in_memory), memory),
        (Arc::new(in_directory), directory),
    ]
}

pub async fn ingest(table: &Arc<Table>, rows: &[Row]) {
    let mut ingest = table.ingest();
    ingest.write(&batch(rows)).await.unwrap();
    ingest.finish().await.unwrap();
}

/// Makes a row whose value is its time.
pub fn row(host: u8, time: i64) -> Row {
    (host, time, Some(time as f64), None)
}

/// Makes a row of each of these hosts at each time.
pub fn grid(hosts: std::ops::Range<u8>, times: std::ops::Range<i64>) -> Vec<Row> {
    let of_time = |time| hosts.clone().map(move |host| row(host, time));
    times.flat_map(of_time).collect()
}

/// An action before a call of a store, which may fail.
pub type Hook = Box<dyn Fn() -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// A store with an action before chunks are put or committed.
pub struct Hooked {
    pub store: Arc<dyn Store>,
    pub on_put: Hook,
    pub on_commit: Hook,
}

pub fn nothing() -> Hook {
    Box::new(|| Box::pin(async { Ok(()) }))
}

impl fmt::Debug for Hooked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hooked {:?}", self.store)
    }
}

#[async_trait]
impl Store for Hooked {
    fn definition(&self) -> &Arc<Definition> {
        self.store.definition()
    }

    async fn places(&self) -> Result<Vec<Place>> {
        self.store.places().await
    }

    async fn snapshot(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot> {
        self.store.snapshot(place, keys).await
    }

    async fn blobs(&self, place: Place, chunk: &ChunkMeta, numbers: &[u16]) -> Result<Vec<Bytes>> {
        self.store.blobs(place, chunk, numbers).await
    }

    async fn put(&self, place: Place, chunks: &[Chunk]) -> Result<()> {
        (self.on_put)().await?;
        self.store.put(place, chunks).await
    }

    async fn commit(&self, changes: Vec<Change>) -> Result<()> {
        (self.on_commit)().await?;
        self.store.commit(changes).await
    }

    async fn insert(&self, place: Place, rows: &[FreshRow]) -> Result<()> {
        self.store.insert(place, rows).await
    }

    async fn freeze(&self, place: Place) -> Result<Frozen> {
        self.store.freeze(place).await
    }

    async fn drop_places(&self, places: &[Place]) -> Result<()> {
        self.store.drop_places(places).await
    }

    async fn sweep(&self, grace: Duration) -> Result<Swept> {
        self.store.sweep(grace).await
    }
}

/// Makes an action that fails the given time, and only then.
pub fn fails_at(time: u32) -> Hook {
    let left = AtomicU32::new(time);
    Box::new(move || {
        let fails = left.fetch_sub(1, Ordering::Relaxed) == 1;
        let failure = || Error::Invalid("the store failed once".to_owned());
        Box::pin(async move { if fails { Err(failure()) } else { Ok(()) } })
    })
}
