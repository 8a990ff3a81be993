//! Rows, chunks and child processes for the tests.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use bakeoff_columnar::{
    BlobMeta, CHUNK_ROWS, Change, Chunk, ChunkId, ChunkMeta, Column, ColumnStats, Definition,
    DirectoryStore, Error, FreshRow, Frozen, KeyRange, Kind, Place, Profile, Result, Store,
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

pub const TASK: &str = "BAKEOFF_TEST_TASK";
pub const FOLDER: &str = "BAKEOFF_TEST_FOLDER";
/// The variable with the seed of a child.
pub const SEED: &str = "BAKEOFF_TEST_CHILD_SEED";

pub fn definition() -> Definition {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Definition {
        columns: vec![column("id", Kind::Text), column("value", Kind::Text)],
        partition_key: vec!["id".to_owned()],
        order_key: Vec::new(),
        bucket: None,
        shards: 4,
        profile: Profile::Fast,
        chunk_rows: CHUNK_ROWS,
    }
}

pub fn place(bucket: i64) -> Place {
    Place { bucket, shard: 1 }
}

/// A version of a row: key, write time, and value unless it is deleted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Row(pub String, pub i64, pub Option<String>);

impl Row {
    pub fn fresh(&self) -> FreshRow {
        FreshRow {
            key: Bytes::from(self.0.clone()),
            write_time: self.1,
            row: self.2.clone().map(Bytes::from),
        }
    }

    pub fn from_fresh(fresh: &FreshRow) -> Row {
        let text = |bytes: &Bytes| String::from_utf8(bytes.to_vec()).unwrap();
        Row(
            text(&fresh.key),
            fresh.write_time,
            fresh.row.as_ref().map(text),
        )
    }
}

pub fn row(key: &str, time: i64, value: &str) -> Row {
    Row(key.to_owned(), time, Some(value.to_owned()))
}

pub fn fresh(rows: &[Row]) -> Vec<FreshRow> {
    rows.iter().map(Row::fresh).collect()
}

/// The newest version of each key.
pub type Newest = BTreeMap<String, (i64, Option<String>)>;

pub fn keep_newest(newest: &mut Newest, row: &Row) {
    let version = (row.1, row.2.clone());
    let kept = newest
        .entry(row.0.clone())
        .or_insert_with(|| version.clone());
    if kept.0 < version.0 {
        *kept = version;
    }
}

/// Makes a chunk whose first blob is its rows, and the second one something else.
pub fn chunk(rows: &[Row]) -> Chunk {
    let key = |row: Option<&Row>| row.map_or(Bytes::new(), |row| Bytes::from(row.0.clone()));
    let blobs = vec![
        Bytes::from(serde_json::to_vec(rows).unwrap()),
        Bytes::from_static(b"second"),
    ];
    let blob = |blob: &Bytes| BlobMeta {
        bytes: blob.len() as u32,
        crc: crc32fast::hash(blob),
    };
    let meta = ChunkMeta {
        id: ChunkId::new(),
        rows: rows.len() as u32,
        deleted: 0,
        first: key(rows.first()),
        last: key(rows.last()),
        min_write_time: 0,
        max_write_time: 0,
        order_range: None,
        widest: 0,
        stats: vec![ColumnStats::default(); 2],
        blobs: blobs.iter().map(blob).collect(),
    };
    Chunk {
        meta: Arc::new(meta),
        blobs,
    }
}

pub fn change(place: Place) -> Change {
    Change {
        place,
        add: Vec::new(),
        retire: Vec::new(),
        sealed: None,
    }
}

/// Puts and commits rows as one chunk.
pub async fn ingest(store: &DirectoryStore, place: Place, rows: &[Row]) -> Result<Chunk> {
    let chunk = put(store, place, rows).await?;
    commit(store, place, &chunk).await?;
    Ok(chunk)
}

pub async fn put(store: &DirectoryStore, place: Place, rows: &[Row]) -> Result<Chunk> {
    let chunk = chunk(rows);
    store.put(place, std::slice::from_ref(&chunk)).await?;
    Ok(chunk)
}

pub async fn commit(store: &DirectoryStore, place: Place, chunk: &Chunk) -> Result<()> {
    let add = vec![Arc::clone(&chunk.meta)];
    let change = Change {
        add,
        ..change(place)
    };
    store.commit(vec![change]).await
}

pub async fn chunk_rows(
    store: &DirectoryStore,
    place: Place,
    chunk: &ChunkMeta,
) -> Result<Vec<Row>> {
    let blobs = store.blobs(place, chunk, &[1, 0]).await?;
    assert_eq!(&blobs[0][..], b"second");
    assert_eq!(crc32fast::hash(&blobs[1]), chunk.blobs[0].crc);
    Ok(serde_json::from_slice(&blobs[1]).unwrap())
}

/// Turns the fresh rows of a place into a chunk, and merges it with the chunks that there are.
pub async fn seal(store: &DirectoryStore, place: Place) -> Result<()> {
    let frozen = store.freeze(place).await?;
    seal_frozen(store, place, frozen).await
}

/// Turns the fresh rows of a place that were frozen into a chunk, like [`seal`].
pub async fn seal_frozen(store: &DirectoryStore, place: Place, frozen: Frozen) -> Result<()> {
    let chunks = store.snapshot(place, KeyRange::default()).await?.chunks;
    let mut newest = Newest::new();
    for chunk in &chunks {
        for row in chunk_rows(store, place, chunk).await? {
            keep_newest(&mut newest, &row);
        }
    }
    for row in &frozen.rows {
        keep_newest(&mut newest, &Row::from_fresh(row));
    }
    let rows: Vec<Row> = newest
        .into_iter()
        .map(|(key, (time, value))| Row(key, time, value))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let merged = chunk(&rows);
    store.put(place, std::slice::from_ref(&merged)).await?;
    let change = Change {
        place,
        add: vec![Arc::clone(&merged.meta)],
        retire: chunks.iter().map(|chunk| chunk.id).collect(),
        sealed: Some(frozen),
    };
    store.commit(vec![change]).await
}

/// Returns all rows of a place, after checking that each version is there once.
pub async fn rows(store: &DirectoryStore, place: Place) -> Result<Newest> {
    let snapshot = store.snapshot(place, KeyRange::default()).await?;
    let mut versions: Vec<Row> = snapshot.fresh.iter().map(Row::from_fresh).collect();
    assert!(versions.is_sorted_by(|a, b| a.0 < b.0), "{versions:?}");
    for chunk in &snapshot.chunks {
        versions.extend(chunk_rows(store, place, chunk).await?);
    }
    versions.sort();
    for pair in versions.windows(2) {
        assert_ne!(pair[0], pair[1], "a version is there twice in {place}");
    }
    let mut newest = Newest::new();
    versions
        .iter()
        .for_each(|row| keep_newest(&mut newest, row));
    Ok(newest)
}

/// Returns all rows of all places that have a row.
pub async fn all_rows(store: &DirectoryStore) -> Result<BTreeMap<i64, Newest>> {
    let mut all = BTreeMap::new();
    for place in store.places().await? {
        let rows = rows(store, place).await?;
        if !rows.is_empty() {
            all.insert(place.bucket, rows);
        }
    }
    Ok(all)
}

/// Returns a command that runs this test program as a child for one task on one folder.
pub fn command(task: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "directory::child", "--ignored", "--nocapture"])
        .env(TASK, task)
        .env(FOLDER, folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Returns the folder that a child works on.
pub fn folder_of_child() -> PathBuf {
    PathBuf::from(environment(FOLDER))
}

pub fn environment(name: &str) -> String {
    std::env::var_os(name)
        .as_deref()
        .and_then(OsStr::to_str)
        .unwrap_or_else(|| panic!("{name} is not set"))
        .to_owned()
}

/// Reports something to the process that started this one.
pub fn say(line: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(out, "@{line}").unwrap();
    out.flush().unwrap();
}

/// Returns the reports of a child until it ends.
pub fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let out = BufReader::new(child.stdout.take().unwrap());
    let whole = out.lines().map_while(|line| line.ok());
    // The test harness may have printed something before it on the same line.
    whole.filter_map(|line| Some(line.split_once('@')?.1.to_owned()))
}

/// Returns what a child says that works on a table until it ends.
pub fn said_by_child(task: &str, folder: &Path) -> Vec<String> {
    let mut child = command(task, folder).spawn().unwrap();
    let said = lines(&mut child).collect();
    let ended = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{errors}");
    said
}

pub fn open_or_create(folder: &Path) -> Result<DirectoryStore> {
    if folder.join("table.json").exists() {
        DirectoryStore::open(folder)
    } else {
        DirectoryStore::create(folder, definition())
    }
}

pub fn is_torn(error: &Error) -> bool {
    matches!(error, Error::Torn { .. } | Error::Version { .. })
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

pub fn table() -> (TempDir, DirectoryStore) {
    let folder = TempDir::new().unwrap();
    let store = DirectoryStore::create(folder.path(), definition()).unwrap();
    (folder, store)
}

pub fn reopened(folder: &TempDir, store: DirectoryStore) -> DirectoryStore {
    drop(store);
    DirectoryStore::open(folder.path()).unwrap()
}

pub fn newest(rows: &[Row]) -> Newest {
    let mut newest = Newest::new();
    rows.iter().for_each(|row| keep_newest(&mut newest, row));
    newest
}
