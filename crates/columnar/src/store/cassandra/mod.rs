//! Tables in Apache Cassandra.
//!
//! A columnar table `t` consists of five CQL tables in a keyspace that the caller has created:
//!
//! - `t_columnar`: the definition of the table, and the version of the format.
//! - `t_places`: the places that hold something.
//! - `t_index`: the metadata of each chunk, and whether it is valid.
//! - `t_chunks`: the blobs.
//! - `t_fresh`: rows that are in no chunk yet.
//!
//! Any number of processes may read and write at the same time. Their clocks must agree within
//! seconds: write times decide which row is newest (`write_times.rs`), and dropping a place deletes the
//! chunks that were named before, by the clock of the process that drops it.

mod blobs;
mod check;
mod chunks;
mod client;
mod commit;
mod consistency;
mod ddl;
mod fresh;
mod index;
mod making;
mod names;
mod options;
mod place_row;
mod places;
mod retry;
mod schema;
mod statements;
mod sweep;
mod time;
mod version;
mod write_times;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::{self, StreamExt, TryStreamExt};
use scylla::client::session::Session;
use tokio::sync::Semaphore;

pub use self::consistency::reads_see_writes;
pub use self::ddl::recreation_statements;
pub use self::names::table_names;
pub use self::options::{
    BLOB_BYTES_AT_MOST, Compression, Options, PACKED_BYTES_AT_MOST, PUT_BYTES_IN_FLIGHT_AT_MOST,
    READ_BYTES_AT_ONCE,
};

use self::client::Client;
use self::consistency::MayWrite;
use self::names::{Names, Part};
use self::options::PLACES_AT_ONCE;
use self::places::{PlaceRows, Places};
use self::schema::Found;
use self::statements::Statements;
use self::version::Remembered;
use self::write_times::WriteTimes;
use super::check::Check;
use super::{Change, Chunk, FreshRow, Frozen, KeyRange, Snapshot, Store, Swept};
use crate::definition::Definition;
use crate::id::Place;
use crate::meta::ChunkMeta;
use crate::{Error, Result, failpoint};

/// The times that the protocol relies on, for its model in the tests.
#[cfg(feature = "failpoints")]
#[doc(hidden)]
pub mod protocol {
    pub use super::commit::{COMMIT_WITHIN, RENEWAL_HOLDS};
    pub use super::options::{FREEZE_WAIT, WRITER_LEASE};
    pub use super::version::{APPLIED_WITHIN, SETTLED_AFTER};
}

/// A store in a keyspace of Cassandra. Any number of processes read and write.
pub struct CassandraStore {
    client: Client,
    definition: Arc<Definition>,
    statements: Statements,
    /// Whether all that read see what this process writes.
    may_write: MayWrite,
    /// What reads may miss of what others have written at QUORUM, by the copies at the time of opening, in words.
    missed: Option<String>,
    places: Places,
    remembered: Remembered,
    write_times: WriteTimes,
    /// A permit for each byte of blobs that may be on its way to Cassandra.
    put_bytes: Semaphore,
}

impl fmt::Debug for CassandraStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CassandraStore({})", self.client.names.whole())
    }
}

impl CassandraStore {
    /// Creates a table, or opens it if it exists with the same definition. The keyspace must exist.
    ///
    /// # Errors
    /// Fails if the table exists with another definition, or CQL tables with the names that it
    /// needs belong to others: then nothing is touched.
    pub async fn create(
        session: Arc<Session>,
        keyspace: &str,
        table: &str,
        definition: Definition,
        options: Options,
    ) -> Result<Self> {
        definition.check()?;
        let client = client(session, keyspace, table, options)?;
        if let Some(reason) = consistency::why_not_to_write(&client).await? {
            return Err(Error::Invalid(reason));
        }
        let found = Found::look(&client).await?;
        found.refuse_foreign(&client.names)?;
        found.refuse_remains(&client.names)?;
        let is_made = found.is_complete() && schema::read_text(&client).await?.is_some();
        if !is_made {
            making::make_parts(&client).await?;
        }
        schema::write_entry(&client, &definition).await?;
        failpoint::hit("cassandra.create.entry");
        let store = CassandraStore::opened(client).await?;
        match schema::difference(&store.definition, &definition) {
            None => Ok(store),
            Some(difference) => Err(Error::InTheWay(format!(
                "columnar table {} is there already, and {difference}; choose another name, or drop \
                 it first",
                store.client.names.whole()
            ))),
        }
    }

    /// Opens a table that exists.
    ///
    /// # Errors
    /// Fails if there is no such table, or not all of it.
    pub async fn open(
        session: Arc<Session>,
        keyspace: &str,
        table: &str,
        options: Options,
    ) -> Result<Self> {
        let client = client(session, keyspace, table, options)?;
        let found = Found::look(&client).await?;
        if !found.is_complete() {
            found.refuse_foreign(&client.names)?;
            return Err(missing_table(&client.names));
        }
        CassandraStore::opened(client).await
    }

    async fn opened(client: Client) -> Result<Self> {
        let entry = schema::read_entry(&client)
            .await?
            .ok_or_else(|| missing_table(&client.names))?;
        if entry.dropping {
            return Err(Error::InTheWay(format!(
                "columnar table {} was about to be dropped when that was interrupted; drop it again",
                client.names.whole()
            )));
        }
        client.compare_clocks().await?;
        let statements = Statements::prepare(&client).await?;
        let (may_write, missed) = MayWrite::look_up(&client).await?;
        Ok(CassandraStore {
            client,
            may_write,
            missed,
            definition: Arc::new(entry.definition),
            statements,
            places: Places::new(),
            remembered: Remembered::new(),
            write_times: WriteTimes::new(),
            put_bytes: Semaphore::new(PUT_BYTES_IN_FLIGHT_AT_MOST),
        })
    }

    /// Drops a table with all of its rows, and returns whether there was one.
    ///
    /// # Errors
    /// Fails if CQL tables with these names belong to others: then nothing is touched.
    pub async fn drop_table(session: Arc<Session>, keyspace: &str, table: &str) -> Result<bool> {
        let client = client(session, keyspace, table, Options::default())?;
        let found = Found::look(&client).await?;
        found.refuse_foreign(&client.names)?;
        schema::drop_all(&client, &found).await?;
        Ok(found.is_any())
    }

    /// Looks at everything that belongs to a table, and says what is damaged. Other processes may write it
    /// meanwhile.
    ///
    /// # Errors
    /// Fails if there is no such table, or Cassandra does not answer.
    pub async fn check(
        session: Arc<Session>,
        keyspace: &str,
        table: &str,
        options: Options,
    ) -> Result<Check> {
        let client = client(session, keyspace, table, options)?;
        check::check(client).await
    }

    /// Checks that a write is seen by all processes that read.
    async fn may_write(&self) -> Result<()> {
        self.may_write.check(&self.client).await
    }

    fn place_rows(&self) -> PlaceRows<'_> {
        PlaceRows {
            client: &self.client,
            statements: &self.statements,
            places: &self.places,
        }
    }
}

fn client(session: Arc<Session>, keyspace: &str, table: &str, options: Options) -> Result<Client> {
    options.check()?;
    Ok(Client::new(session, Names::new(keyspace, table)?, options))
}

/// Returns the error of a table that does not exist.
fn missing_table(names: &Names) -> Error {
    Error::InTheWay(format!(
        "there is no columnar table {}, or not all of it: {} lists the existing ones",
        names.whole(),
        names.shown(Part::Catalogue)
    ))
}

#[async_trait]
impl Store for CassandraStore {
    fn definition(&self) -> &Arc<Definition> {
        &self.definition
    }

    fn write_time(&self) -> i64 {
        self.write_times.next()
    }

    async fn catch_up(&self, places: &[Place]) -> Result<()> {
        let all = stream::iter(places.to_vec()).map(|place| self.catch_up_with(place));
        all.buffer_unordered(PLACES_AT_ONCE).try_collect().await
    }

    fn notes(&self) -> Vec<String> {
        let note = self.write_times.note(&self.client.names.whole());
        note.into_iter().collect()
    }

    fn missed(&self) -> Option<&str> {
        self.missed.as_deref()
    }

    async fn places(&self) -> Result<Vec<Place>> {
        let all = self.place_rows().all(self.definition.shards).await?;
        let listed = all.into_iter().filter(|(_, row)| !row.is_dropped());
        let mut places: Vec<Place> = listed.map(|(place, _)| place).collect();
        places.sort_unstable();
        Ok(places)
    }

    async fn snapshot(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot> {
        self.read_place(place, keys).await
    }

    async fn blobs(&self, place: Place, chunk: &ChunkMeta, numbers: &[u16]) -> Result<Vec<Bytes>> {
        self.read_blobs(place, chunk, numbers).await
    }

    async fn put(&self, place: Place, chunks: &[Chunk]) -> Result<()> {
        self.may_write().await?;
        self.put_chunks(place, chunks).await
    }

    async fn commit(&self, changes: Vec<Change>) -> Result<()> {
        self.may_write().await?;
        let commits = stream::iter(changes).map(|change| self.commit_change(change));
        commits.buffer_unordered(PLACES_AT_ONCE).try_collect().await
    }

    async fn insert(&self, place: Place, rows: &[FreshRow]) -> Result<()> {
        self.may_write().await?;
        self.insert_rows(place, rows).await
    }

    async fn freeze(&self, place: Place) -> Result<Frozen> {
        self.may_write().await?;
        self.freeze_place(place).await
    }

    /// Removes places. Queries that began before get the error that chunks are gone.
    async fn drop_places(&self, places: &[Place]) -> Result<()> {
        self.may_write().await?;
        self.drop_all_of(places).await
    }

    async fn sweep(&self, grace: Duration) -> Result<Swept> {
        self.may_write().await?;
        self.sweep_all(grace).await
    }
}
