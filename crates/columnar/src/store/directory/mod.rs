//! A table in a folder: for one machine, without a server.
//!
//! ```text
//! table.json              the definition of the table
//! lock                    locked by the one process that writes
//! manifest                the valid chunks, one record for each commit
//! chunks/<id>.chunk       the blobs of a chunk, one after another
//! fresh/<place>/<n>.log   fresh rows of a place, one record for each insert
//! damaged-<n>/            what was cut off or taken out because it could not be read
//! ```
//!
//! One process at a time writes, any number of others read. Everything is durable (synced together
//! with the folder that names it) before it is acknowledged and before anything depends on it. The
//! file of a chunk never changes. The manifest and the logs only grow; a torn end counts as not
//! written, any other damage is an error that names the file. The manifest is rewritten under
//! another name and renamed, so that it is opened by its path each time.
//!
//! Fresh rows move to chunks by one record of the manifest, which lists the chunks that are valid
//! from then on, and the segment up to which the fresh rows of the place are in them. A reader
//! looks at the segments first and at the manifest afterwards, and ignores the rows of sealed
//! segments: it sees a row exactly once, whatever happens in between.

mod aside;
mod check;
mod chunks;
mod disk;
mod files;
mod frame;
#[cfg(test)]
mod freezing;
#[cfg(test)]
mod hostile;
mod layout;
mod log;
mod manifest;
mod reader;
mod record;
pub mod recording;
mod removal;
mod repair;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod schedules;
mod segment;
mod state;
mod sweep;
mod sync;
mod table;
mod writer;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

use self::chunks::Wanted;
use self::files::io;
use self::layout::Folder;
use self::reader::Reader;
use self::sync::reading;
use self::writer::Writer;
use super::check::Check;
use super::{Change, Chunk, FreshRow, Frozen, KeyRange, Snapshot, Store, Swept};
use crate::clock;
use crate::definition::Definition;
use crate::id::{ChunkId, Place};
use crate::meta::ChunkMeta;
use crate::{Error, Result};

/// A store in a folder of one machine. One process at a time writes, any number of others read.
#[derive(Debug)]
pub struct DirectoryStore {
    folder: Folder,
    definition: Arc<Definition>,
    access: Access,
}

#[derive(Debug, Clone)]
enum Access {
    Write(Arc<Writer>),
    Read(Arc<Reader>),
}

impl DirectoryStore {
    /// Creates a table in a folder that is empty or does not exist, and opens it to write.
    ///
    /// # Errors
    /// Fails if the definition is not possible, or the folder has something else or cannot be written.
    pub fn create(path: &Path, definition: Definition) -> Result<DirectoryStore> {
        let folder = Folder::new(path);
        let lock = table::create(&folder, &definition)?;
        DirectoryStore::written(folder, lock)
    }

    /// Opens a table to read and to write, which only one process at a time can.
    ///
    /// # Errors
    /// Fails if another process writes it, there is no table, or its files are damaged.
    pub fn open(path: &Path) -> Result<DirectoryStore> {
        let folder = Folder::new(path);
        // Without a table, there is nothing to lock.
        table::read(&folder)?;
        let lock = writer::lock(&folder)?;
        DirectoryStore::written(folder, lock)
    }

    /// Opens a table that this process may write.
    fn written(folder: Folder, lock: File) -> Result<DirectoryStore> {
        let definition = table::read(&folder)?.definition;
        let writer = Writer::open(folder.clone(), Arc::clone(&definition), lock)?;
        Ok(DirectoryStore {
            folder,
            definition,
            access: Access::Write(Arc::new(writer)),
        })
    }

    /// Opens a table only to read it, whether or not another process writes it.
    ///
    /// # Errors
    /// Fails if there is no table, or its files are damaged.
    pub fn open_to_read(path: &Path) -> Result<DirectoryStore> {
        let folder = Folder::new(path);
        let table = table::read(&folder)?;
        let definition = Arc::clone(&table.definition);
        let reader = Reader::open(folder.clone(), table)?;
        Ok(DirectoryStore {
            folder,
            definition,
            access: Access::Read(Arc::new(reader)),
        })
    }

    /// Looks at every byte of a table that no other process writes, and says what is damaged. It writes
    /// nothing and needs no right to. Where it cannot keep others from writing, as on a file system without
    /// locks, it notes that.
    ///
    /// # Errors
    /// Fails if there is no table, another process writes it, or the files cannot be read.
    pub fn check(path: &Path) -> Result<Check> {
        let folder = Folder::new(path);
        let lock = writer::lock_to_check(&folder)?;
        let mut check = check::check(&folder)?.check;
        if let Err(why) = &lock {
            check.notes.push(format!(
                "another process may have been writing the table, and what it had not written to its end \
                 looks like damage: {why}"
            ));
        }
        Ok(check)
    }

    /// Checks a table and repairs what can be repaired: cuts off the ends of files that cannot be read, and
    /// takes chunks out of the table that are not what was written. What is taken out is kept in a folder
    /// `damaged-N` of the table.
    ///
    /// # Errors
    /// Fails if there is no table, another process writes it, or the files cannot be read or written.
    pub fn repair(path: &Path) -> Result<Check> {
        let folder = Folder::new(path);
        let _lock = writer::lock_existing(&folder)?;
        repair::repair(&folder)
    }

    /// Returns whether there is a table in a folder.
    ///
    /// # Errors
    /// Fails if the folder cannot be read.
    pub fn is_there(path: &Path) -> Result<bool> {
        files::is_there(&Folder::new(path).table())
    }

    /// Returns the names of the files that an interrupted create or drop has left in a folder.
    /// There are none if the folder has a table or something else.
    ///
    /// # Errors
    /// Fails if the folder cannot be read.
    pub fn remains(path: &Path) -> Result<Vec<String>> {
        removal::remains(&Folder::new(path))
    }

    /// Removes a table or the remains of one with its folder, and returns whether there was anything.
    ///
    /// # Errors
    /// Fails if the folder has anything that is not part of a table, or another process writes the
    /// table: then nothing is removed.
    pub fn drop_table(path: &Path) -> Result<bool> {
        removal::drop_table(&Folder::new(path))
    }

    fn writer(&self) -> Result<Arc<Writer>> {
        match &self.access {
            Access::Write(writer) => Ok(Arc::clone(writer)),
            Access::Read(_) => Err(Error::Invalid(format!(
                "the table in {} was opened only to be read",
                self.folder.root.display()
            ))),
        }
    }

    /// Does work that waits for the disk on a thread for blocking work.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let ended = |error| io("working on the table in", &self.folder.root)(error);
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|error| ended(error.into()))?
    }

    /// Reads blobs of several chunks.
    async fn read(&self, wanted: Vec<Wanted>) -> Result<Vec<Bytes>> {
        let folder = self.folder.clone();
        let access = self.access.clone();
        let read_one = move |wanted: &Wanted| match wanted.read(&folder)? {
            Some(blobs) => Ok(blobs),
            None => Err(wanted.missing(access.is_valid(wanted.place, wanted.chunk)?)),
        };
        let read_all = move || wanted.iter().map(read_one).collect::<Result<Vec<_>>>();
        Ok(self.blocking(read_all).await?.concat())
    }
}

impl Access {
    fn is_valid(&self, place: Place, chunk: ChunkId) -> Result<bool> {
        match self {
            Access::Write(writer) => Ok(reading(&writer.state).is_valid(place, chunk)),
            Access::Read(reader) => reader.with_state(|state| state.is_valid(place, chunk)),
        }
    }
}

#[async_trait]
impl Store for DirectoryStore {
    fn definition(&self) -> &Arc<Definition> {
        &self.definition
    }

    fn write_time(&self) -> i64 {
        match &self.access {
            Access::Write(writer) => writer.clock.write_time(),
            // It writes nothing.
            Access::Read(_) => clock::write_time(),
        }
    }

    fn notes(&self) -> Vec<String> {
        match &self.access {
            Access::Write(writer) => writer.notes.clone(),
            Access::Read(_) => Vec::new(),
        }
    }

    async fn places(&self) -> Result<Vec<Place>> {
        match self.access.clone() {
            Access::Write(writer) => Ok(writer.places()),
            Access::Read(reader) => self.blocking(move || reader.places()).await,
        }
    }

    async fn snapshot(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot> {
        let reader = match self.access.clone() {
            Access::Write(writer) => return Ok(writer.snapshot(place, keys)),
            Access::Read(reader) => reader,
        };
        let first = keys.first.map(<[u8]>::to_vec);
        let last = keys.last.map(<[u8]>::to_vec);
        let look = move || {
            let keys = KeyRange {
                first: first.as_deref(),
                last: last.as_deref(),
            };
            reader.snapshot(place, keys)
        };
        self.blocking(look).await
    }

    async fn blobs(&self, place: Place, chunk: &ChunkMeta, numbers: &[u16]) -> Result<Vec<Bytes>> {
        self.read(vec![Wanted::new(place, chunk, numbers)?]).await
    }

    async fn put(&self, _place: Place, chunks: &[Chunk]) -> Result<()> {
        let writer = self.writer()?;
        let chunks = chunks.to_vec();
        self.blocking(move || chunks::put(&writer.folder, &chunks))
            .await
    }

    async fn commit(&self, changes: Vec<Change>) -> Result<()> {
        let writer = self.writer()?;
        self.blocking(move || writer.commit(changes)).await
    }

    async fn insert(&self, place: Place, rows: &[FreshRow]) -> Result<()> {
        if rows.is_empty() {
            Ok(())
        } else {
            self.writer()?.log(place).insert(rows).await
        }
    }

    async fn freeze(&self, place: Place) -> Result<Frozen> {
        let writer = self.writer()?;
        self.blocking(move || Ok(writer.freeze(place))).await
    }

    async fn drop_places(&self, places: &[Place]) -> Result<()> {
        let writer = self.writer()?;
        let places = places.to_vec();
        self.blocking(move || writer.drop_places(&places)).await
    }

    async fn sweep(&self, grace: Duration) -> Result<Swept> {
        let writer = self.writer()?;
        self.blocking(move || writer.sweep(grace)).await
    }
}
