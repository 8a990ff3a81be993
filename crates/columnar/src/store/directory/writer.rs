//! The one process that writes a table.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::chunks;
use super::disk;
use super::files::{io, is_there, now, sync_folder};
use super::layout::{Folder, MANIFEST, TABLE};
use super::log::Log;
use super::manifest::Manifest;
use super::record::{PlaceChange, Record};
use super::state::State;
use super::sync::{AtomicU64, Mutex, RwLock, locked, reading, writing};
use crate::clock::{self, Clock};
use crate::definition::Definition;
use crate::id::Place;
use crate::store::{Change, Frozen, KeyRange, Snapshot};
use crate::{Error, Result, failpoint};

/// The state of the process that writes a table.
#[derive(Debug)]
pub struct Writer {
    pub folder: Folder,
    definition: Arc<Definition>,
    /// The lock that keeps other processes from writing, which each log has, too.
    lock: Arc<File>,
    /// The manifest, whose lock makes commits and sweeps wait for each other.
    pub manifest: Mutex<Manifest>,
    /// The sum of what the manifest says.
    pub state: RwLock<State>,
    logs: Mutex<HashMap<Place, Arc<Log>>>,
    last_segment: Arc<AtomicU64>,
    /// The clock, which is ahead of all rows that the table had when it was opened.
    pub clock: Clock,
    /// What was noticed when the table was opened.
    pub notes: Vec<String>,
}

/// The number of times that the lock is tried. A process that has just ended may hold it for a
/// moment, as may one that it has started, until that executes another program.
const LOCK_ATTEMPTS: u32 = 25;

/// The pause between two attempts.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The number of fresh rows up to which nothing is said about them. They take some 50 MB, and eight chunks once
/// they are sealed.
const FRESH_ROWS_WITHOUT_A_NOTE: usize = 250_000;

/// Takes the right to write a table until the file is closed or the process ends in any way.
///
/// # Errors
/// Fails if another process has it.
pub fn lock(folder: &Folder) -> Result<File> {
    let exclusive = FlockOperation::NonBlockingLockExclusive;
    let taken = take(folder, disk::open_lock, exclusive)?;
    taken.ok_or_else(|| is_written(folder))
}

/// Takes the right to write a table that exists, whether or not it can be read.
///
/// # Errors
/// Fails if there is no table, or another process writes it.
pub fn lock_existing(folder: &Folder) -> Result<File> {
    check_there(folder)?;
    lock(folder)
}

/// Keeps other processes from writing a table that exists until the file is closed. This needs no right to
/// write, and creates nothing. Where it is not possible, as on a file system without locks, the reason is
/// returned in place of the file, and others may write the table.
///
/// # Errors
/// Fails if there is no table, or another process writes it.
pub fn lock_to_check(folder: &Folder) -> Result<Result<File>> {
    check_there(folder)?;
    let shared = FlockOperation::NonBlockingLockShared;
    match take(folder, disk::open_lock_to_read, shared) {
        Ok(Some(file)) => Ok(Ok(file)),
        Ok(None) => Err(is_written(folder)),
        Err(error) => Ok(Err(error)),
    }
}

/// Opens the file of the lock and locks it. Returns `None` if another process holds the lock.
fn take(
    folder: &Folder,
    open: fn(&Path) -> io::Result<File>,
    operation: FlockOperation,
) -> Result<Option<File>> {
    let path = folder.lock();
    for _ in 0..LOCK_ATTEMPTS {
        let file = open(&path).map_err(io("opening", &path))?;
        failpoint::hit("lock.opened");
        match locks(&file, operation) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Err(io("locking", &path)(error.into())),
        }
        // The process that held the lock may have dropped the table, and this file with it. Whoever recreates
        // the table locks another file, and both processes would write.
        if disk::is_at(&file, &path).map_err(io("looking at", &path))? {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// Locks a file, and returns whether no other process holds the lock.
fn locks(file: &File, operation: FlockOperation) -> Result<bool, Errno> {
    for _ in 0..LOCK_ATTEMPTS {
        match flock(file, operation) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => std::thread::sleep(LOCK_PAUSE),
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

fn is_written(folder: &Folder) -> Error {
    Error::Invalid(format!(
        "the table in {} is being written or checked by another process, which has to end first; \
         meanwhile it can only be read",
        folder.root.display()
    ))
}

fn check_there(folder: &Folder) -> Result<()> {
    if is_there(&folder.manifest())? || is_there(&folder.table())? {
        Ok(())
    } else {
        Err(Error::Invalid(format!(
            "{} is not a columnar table: it has no `{TABLE}` and no `{MANIFEST}`",
            folder.root.display()
        )))
    }
}

/// Returns the note about a write time far ahead of the clock.
pub fn note_ahead(folder: &Folder, write_time: i64) -> Option<String> {
    clock::note_ahead(&folder.root.display(), write_time)
}

/// Returns a note if a table in a folder has so many fresh rows that it should be sealed.
fn note_fresh(folder: &Folder, rows: usize) -> Option<String> {
    (rows > FRESH_ROWS_WITHOUT_A_NOTE).then(|| {
        format!(
            "{} has {rows} fresh rows, which are all in memory while it is open and make answers slow; seal it",
            folder.root.display()
        )
    })
}

impl Writer {
    pub fn open(folder: Folder, definition: Arc<Definition>, lock: File) -> Result<Writer> {
        let (manifest, state, torn) = Manifest::open(&folder, &definition)?;
        let lock = Arc::new(lock);
        let last_segment = Arc::new(AtomicU64::new(state.last_segment));
        let mut last_write_time = state.last_write_time();
        let mut fresh_rows = 0;
        let mut notes: Vec<String> = torn.into_iter().collect();
        let mut logs = HashMap::new();
        for place in folder.places()? {
            let (last, lock) = (Arc::clone(&last_segment), Arc::clone(&lock));
            let log = Log::new(folder.clone(), place, last, lock);
            notes.extend(log.recover(state.sealed(place))?);
            last_write_time = last_write_time.max(log.last_write_time());
            fresh_rows += log.row_count();
            logs.insert(place, Arc::new(log));
        }
        notes.extend(last_write_time.and_then(|time| note_ahead(&folder, time)));
        notes.extend(note_fresh(&folder, fresh_rows));
        Ok(Writer {
            clock: Clock::new(last_write_time),
            notes,
            folder,
            definition,
            lock,
            manifest: Mutex::new(manifest),
            state: RwLock::new(state),
            logs: Mutex::new(logs),
            last_segment,
        })
    }

    /// Returns the log of a place, which is made if there is none.
    pub fn log(&self, place: Place) -> Arc<Log> {
        let mut logs = locked(&self.logs);
        let new = || {
            let (last, lock) = (Arc::clone(&self.last_segment), Arc::clone(&self.lock));
            Arc::new(Log::new(self.folder.clone(), place, last, lock))
        };
        Arc::clone(logs.entry(place).or_insert_with(new))
    }

    fn known_log(&self, place: Place) -> Option<Arc<Log>> {
        locked(&self.logs).get(&place).cloned()
    }

    fn logs(&self) -> Vec<(Place, Arc<Log>)> {
        let logs = locked(&self.logs);
        let entry = |(place, log): (&Place, &Arc<Log>)| (*place, Arc::clone(log));
        logs.iter().map(entry).collect()
    }

    pub fn places(&self) -> Vec<Place> {
        let logs = self.logs();
        let state = reading(&self.state);
        let fresh = logs
            .iter()
            .filter(|(place, log)| log.may_have_rows_after(state.sealed(*place)));
        let mut places: Vec<Place> = fresh.map(|(place, _)| *place).collect();
        places.extend(state.places_with_chunks());
        places.sort_unstable();
        places.dedup();
        places
    }

    pub fn snapshot(&self, place: Place, keys: KeyRange<'_>) -> Snapshot {
        // The segments first and the manifest afterwards: rows that are sealed in between are seen in
        // chunks only, and none is seen in neither.
        let log = self.known_log(place);
        let segments = log.map_or(Vec::new(), |log| log.rows(keys));
        reading(&self.state).snapshot(place, segments)
    }

    pub fn freeze(&self, place: Place) -> Frozen {
        let log = self.known_log(place);
        let closed = log.as_ref().and_then(|log| log.close());
        let sealed = reading(&self.state).sealed(place);
        let up_to = closed.unwrap_or(sealed).max(sealed);
        Frozen {
            rows: log.map_or(Vec::new(), |log| log.rows_between(sealed, up_to)),
            from: sealed,
            up_to,
        }
    }

    pub fn commit(&self, changes: Vec<Change>) -> Result<()> {
        failpoint::hit("commit.begin");
        let mut manifest = locked(&self.manifest);
        for change in &changes {
            self.check(change)?;
        }
        let places: Vec<Place> = changes.iter().map(|change| change.place).collect();
        let record = Record::Changes {
            at: now(),
            changes: changes.into_iter().map(place_change).collect(),
        };
        self.append(&mut manifest, record)?;
        self.forget_sealed(&places);
        self.keep_short(&mut manifest);
        Ok(())
    }

    pub fn drop_places(&self, places: &[Place]) -> Result<()> {
        failpoint::hit("drop.begin");
        let mut manifest = locked(&self.manifest);
        let up_to = |place: &Place| {
            let closed = self.known_log(*place).and_then(|log| log.close());
            (*place, closed.unwrap_or_default())
        };
        let record = Record::Dropped {
            at: now(),
            places: places.iter().map(up_to).collect(),
        };
        failpoint::hit("drop.closed");
        self.append(&mut manifest, record)?;
        self.forget_sealed(places);
        self.keep_short(&mut manifest);
        Ok(())
    }

    fn check(&self, change: &Change) -> Result<()> {
        let place = change.place;
        for chunk in &change.add {
            if !chunks::is_there(&self.folder, chunk)? {
                return Err(Error::Invalid(format!(
                    "chunk {} of {place} cannot be committed: it was not put, or put so long ago \
                     that a sweep took it for forgotten; put it again",
                    chunk.id
                )));
            }
        }
        let sealed = reading(&self.state).sealed(place);
        match &change.sealed {
            // Also where an insert began a segment between a drop's look at the last one and its commit, so that the
            // rows reach behind what was dropped: some of them were.
            Some(frozen) if frozen.from != sealed && !frozen.rows.is_empty() => {
                Err(Error::Invalid(format!(
                    "the fresh rows of {place} were sealed or dropped meanwhile; seal it again"
                )))
            }
            _ => Ok(()),
        }
    }

    fn append(&self, manifest: &mut Manifest, record: Record) -> Result<()> {
        let mistake = |reason| Error::Invalid(format!("{reason}; the change was not made"));
        record.check(&self.definition).map_err(mistake)?;
        reading(&self.state).check(&record).map_err(mistake)?;
        manifest.append(&record)?;
        writing(&self.state).apply(record);
        failpoint::hit("commit.applied");
        Ok(())
    }

    fn forget_sealed(&self, places: &[Place]) {
        let state = reading(&self.state);
        for place in places {
            if let Some(log) = self.known_log(*place) {
                log.forget(state.sealed(*place));
            }
        }
    }

    /// Rewrites the manifest if it has grown. The commit is durable, whether or not that succeeds.
    fn keep_short(&self, manifest: &mut Manifest) {
        if manifest.has_grown()
            && let Err(error) = self.rewrite(manifest)
        {
            tracing::warn!("the manifest could not be rewritten and keeps growing: {error}");
        }
    }

    fn rewrite(&self, manifest: &mut Manifest) -> Result<()> {
        let mut state = reading(&self.state).clone();
        // Places without contents are left out. Syncing makes sure that the segments of such a
        // place are gone for good: after they came back, they would no longer be known as sealed.
        sync_folder(&self.folder.fresh())?;
        let has_folder: HashSet<Place> = self.folder.places()?.into_iter().collect();
        state
            .places
            .retain(|place, state| !state.chunks.is_empty() || has_folder.contains(place));
        manifest.rewrite(&self.folder, &state)
    }
}

fn place_change(change: Change) -> PlaceChange {
    PlaceChange {
        place: change.place,
        add: change.add,
        retire: change.retire,
        sealed: change.sealed.map_or(0, |frozen| frozen.up_to),
    }
}
