//! Servers, tables and artificial chunks.

use std::num::NonZeroI64;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bakeoff_columnar::{
    BlobMeta, Change, Chunk, ChunkId, ChunkMeta, Column, ColumnStats, Definition, FreshRow,
    KeyRange, Kind, Place, Profile, Snapshot, Store,
};
use bakeoff_servers::cassandra::{Server, ServerOptions, login_at};
use bakeoff_servers::{Home, survey};
use bakeoff_testing::{Keeper, is_keeper, keep, skipped};
use bytes::Bytes;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use tempfile::TempDir;

pub const KEYSPACE: &str = "columnar_tests";

/// The memory of Cassandra, in MiB.
const HEAP_MIB: u64 = 768;

static KEEPER: OnceLock<Keeper> = OnceLock::new();

pub struct Cassandra {
    pub server: Server,
    pub session: Arc<Session>,
    /// The folder of the server, if no other test uses the server.
    _folder: Option<TempDir>,
}

/// Owns the shared server in a keeper process; tests nothing.
#[tokio::test]
async fn keeps_a_cassandra() {
    if !is_keeper() {
        return;
    }
    let cassandra = Cassandra::start().await;
    keep(cassandra.server.id());
    cassandra.server.stop().await.unwrap();
    drop(cassandra._folder);
    std::process::exit(0);
}

impl Cassandra {
    /// Returns the server for all tests that do not stop or pause it; each test makes its own
    /// tables.
    pub async fn shared() -> Cassandra {
        let keeper = KEEPER.get_or_init(|| Keeper::start("cassandra::support::keeps_a_cassandra"));
        let server = Server::attach(Home::from_env().unwrap(), keeper.words()).unwrap();
        let session = connect(&server.address().to_string()).await;
        Cassandra {
            server,
            session,
            _folder: None,
        }
    }

    pub async fn start() -> Cassandra {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::from_env().unwrap();
        let mut options = ServerOptions::new(home, folder.path().join("server")).unwrap();
        options.heap_mib = HEAP_MIB;
        options.name = "columnar-tests".to_owned();
        let server = Server::start(options).await.unwrap();
        let session = connect(&server.address().to_string()).await;
        let cql = format!(
            "CREATE KEYSPACE {KEYSPACE} WITH replication = \
             {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
        );
        session.query_unpaged(cql, ()).await.unwrap();
        Cassandra {
            server,
            session,
            _folder: Some(folder),
        }
    }

    /// Makes a new table.
    pub async fn table(&self, name: &str) -> CassandraStore {
        self.table_of(name, definition()).await
    }

    pub async fn table_of(&self, name: &str, definition: Definition) -> CassandraStore {
        self.create(name, definition).await.unwrap()
    }

    pub async fn create(
        &self,
        name: &str,
        definition: Definition,
    ) -> bakeoff_columnar::Result<CassandraStore> {
        let session = Arc::clone(&self.session);
        CassandraStore::create(session, KEYSPACE, name, definition, Options::default()).await
    }

    /// Opens a table as another process would.
    pub async fn another(&self, name: &str) -> CassandraStore {
        let session = Arc::clone(&self.session);
        CassandraStore::open(session, KEYSPACE, name, Options::default())
            .await
            .unwrap()
    }

    pub async fn cql(&self, cql: &str) {
        self.session.query_unpaged(cql, ()).await.unwrap();
    }

    /// Returns the number of rows in one of a table's CQL tables.
    pub async fn count(&self, table: &str) -> i64 {
        let cql = format!("SELECT count(*) FROM {KEYSPACE}.{table}");
        let answer = self.session.query_unpaged(cql, ()).await.unwrap();
        answer
            .into_rows_result()
            .unwrap()
            .first_row::<(i64,)>()
            .unwrap()
            .0
    }
}

pub async fn connect(address: &str) -> Arc<Session> {
    let login = login_at(&Home::from_env().unwrap(), address.parse().unwrap()).unwrap();
    let builder = SessionBuilder::new().known_node(address);
    Arc::new(
        builder
            .user(login.user(), login.password())
            .connection_timeout(Duration::from_secs(10))
            .build()
            .await
            .unwrap(),
    )
}

/// Returns whether Cassandra can be started here. If not, it prints why the test is skipped, or fails
/// with `BAKEOFF_REQUIRE_ENGINES=1`.
pub async fn has_cassandra() -> bool {
    let survey = survey::cassandra().await;
    survey.verdict().map_err(skipped).is_ok()
}

pub fn definition() -> Definition {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Definition {
        columns: vec![
            column("host", Kind::Text),
            column("time", Kind::Timestamp),
            column("value", Kind::Double),
        ],
        partition_key: vec!["host".to_owned()],
        order_key: vec!["time".to_owned()],
        bucket: NonZeroI64::new(86_400_000),
        shards: 4,
        profile: Profile::Fast,
        chunk_rows: 32 * 1024,
    }
}

/// Makes a definition as wide as that of the widest table that was studied.
pub fn wide_definition() -> Definition {
    let mut definition = definition();
    definition.columns.extend((3..57).map(|i| Column {
        name: format!("c{i}"),
        kind: Kind::Double,
    }));
    definition
}

pub const PLACE: Place = Place {
    bucket: 19_000,
    shard: 1,
};

pub const ELSEWHERE: Place = Place {
    bucket: -3,
    shard: 3,
};

/// Makes a chunk of these keys whose blobs mean nothing.
pub fn chunk(definition: &Definition, first: &str, last: &str, blobs: Vec<Bytes>) -> Chunk {
    let of_blob = |blob: &Bytes| BlobMeta {
        bytes: blob.len() as u32,
        crc: crc32fast::hash(blob),
    };
    let meta = ChunkMeta {
        id: ChunkId::new(),
        rows: 1000,
        deleted: 0,
        first: Bytes::copy_from_slice(first.as_bytes()),
        last: Bytes::copy_from_slice(last.as_bytes()),
        min_write_time: 7,
        max_write_time: 7,
        order_range: None,
        widest: 0,
        stats: vec![ColumnStats::default(); definition.columns.len()],
        blobs: blobs.iter().map(of_blob).collect(),
    };
    Chunk {
        meta: Arc::new(meta),
        blobs,
    }
}

/// Makes a chunk with a different blob of this size for each column.
pub fn chunk_of_size(definition: &Definition, bytes: usize) -> Chunk {
    let blobs = (0..definition.columns.len())
        .map(|_| noise(bytes))
        .collect();
    chunk(definition, "a", "b", blobs)
}

/// Makes bytes that do not compress and are different each time.
pub fn noise(bytes: usize) -> Bytes {
    static SEED: AtomicI64 = AtomicI64::new(1);
    let mut state = SEED.fetch_add(1, Ordering::Relaxed) as u64;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 32) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

pub fn add(place: Place, chunks: &[Chunk]) -> Change {
    Change {
        place,
        add: chunks.iter().map(|chunk| Arc::clone(&chunk.meta)).collect(),
        retire: Vec::new(),
        sealed: None,
    }
}

pub fn replace(place: Place, chunks: &[Chunk], old: &[Chunk]) -> Change {
    Change {
        retire: old.iter().map(|chunk| chunk.meta.id).collect(),
        ..add(place, chunks)
    }
}

pub fn row(key: &str, write_time: i64, value: Option<&str>) -> FreshRow {
    FreshRow {
        key: Bytes::copy_from_slice(key.as_bytes()),
        write_time,
        row: value.map(|value| Bytes::copy_from_slice(value.as_bytes())),
    }
}

pub async fn everything(store: &CassandraStore, place: Place) -> Snapshot {
    store.snapshot(place, KeyRange::default()).await.unwrap()
}

pub async fn fresh_rows(store: &CassandraStore, place: Place) -> Vec<FreshRow> {
    everything(store, place).await.fresh
}

pub async fn valid(store: &CassandraStore, place: Place) -> Vec<ChunkId> {
    let chunks = everything(store, place).await.chunks;
    chunks.iter().map(|chunk| chunk.id).collect()
}

pub fn ids(chunks: &[Chunk]) -> Vec<ChunkId> {
    chunks.iter().map(|chunk| chunk.meta.id).collect()
}

/// Returns microseconds since 1970, never the same twice in this process.
pub fn write_time() -> i64 {
    static LAST: AtomicI64 = AtomicI64::new(0);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_micros() as i64;
    let later = |last: i64| Some(now.max(last + 1));
    let last = LAST
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, later)
        .unwrap();
    now.max(last + 1)
}
