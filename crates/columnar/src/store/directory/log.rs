//! The fresh rows of one place, in memory and in the segments of a write-ahead log.
//!
//! A segment has the rows that came between two freezes. Only the process that began a segment appends
//! to it, and never again once that has failed.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::oneshot;

use super::aside::{Aside, segment_name};
use super::disk::{self, Output};
use super::files::{create_folder, io, remove, sync_folder, torn};
use super::layout::Folder;
use super::segment::{self, HEAD, Rows, merged};
use super::sync::{AtomicU64, Mutex, Ordering, RwLock, locked, reading, writing};
use crate::id::Place;
use crate::store::{FreshRow, KeyRange};
use crate::{Error, Result, failpoint};

/// The fresh rows of one place.
#[derive(Debug)]
pub struct Log {
    folder: Folder,
    place: Place,
    /// The number of the newest segment of the table, which all of its places share.
    last_segment: Arc<AtomicU64>,
    /// The lock of the table, which a thread still needs that writes an insert whose caller has given up and
    /// then closed the store.
    _lock: Arc<File>,
    /// The inserts that are not being written yet.
    waiting: Mutex<Vec<Insert>>,
    /// The segment to which rows are appended.
    pub active: Mutex<Option<Active>>,
    /// The number of the newest segment that was begun, whether or not it has rows. It changes while
    /// `active` is locked.
    last_begun: AtomicU64,
    /// The rows of each segment, in order of the numbers of the segments.
    segments: RwLock<Vec<Segment>>,
}

/// Rows that wait to be written, and their caller.
#[derive(Debug)]
struct Insert {
    record: Vec<u8>,
    rows: Vec<FreshRow>,
    done: oneshot::Sender<Result<()>>,
}

/// The file of a segment to which rows are appended.
#[derive(Debug)]
pub struct Active {
    number: u64,
    path: PathBuf,
    file: Output,
    length: u64,
}

/// The rows of a segment.
#[derive(Debug)]
struct Segment {
    number: u64,
    rows: Rows,
}

impl Log {
    pub fn new(
        folder: Folder,
        place: Place,
        last_segment: Arc<AtomicU64>,
        lock: Arc<File>,
    ) -> Self {
        Log {
            folder,
            place,
            last_segment,
            _lock: lock,
            waiting: Mutex::default(),
            active: Mutex::default(),
            last_begun: AtomicU64::default(),
            segments: RwLock::default(),
        }
    }

    /// Reads the rows that an earlier process has left and that are not sealed, and makes them durable.
    /// That process may have died before it did that, and rows that readers have seen must not be lost.
    ///
    /// They are written again: it may also have failed to sync them, and after that they would be read as
    /// written, and synced without an error, although they are not on the disk. What was not written whole
    /// is kept aside, with a note for people, which is returned.
    pub fn recover(&self, sealed: u64) -> Result<Vec<String>> {
        let mut segments = Vec::new();
        let mut notes = Vec::new();
        for number in self.folder.segments(self.place)? {
            self.last_segment.fetch_max(number, Ordering::Relaxed);
            if number > sealed {
                let rows = self.recover_segment(number, &mut notes)?;
                segments.extend(rows.map(|rows| Segment { number, rows }));
            }
        }
        if !segments.is_empty() {
            sync_folder(&self.folder.place(self.place))?;
            sync_folder(&self.folder.fresh())?;
        }
        *writing(&self.segments) = segments;
        Ok(notes)
    }

    /// Returns the rows of a segment, if it has any.
    fn recover_segment(&self, number: u64, notes: &mut Vec<String>) -> Result<Option<Rows>> {
        let path = self.folder.segment(self.place, number);
        let file = Output::open(&path).map_err(io("opening", &path))?;
        let bytes = Bytes::from(file.input().read_from(0).map_err(io("reading", &path))?);
        let mut rows = Rows::default();
        let end = segment::decode(&bytes, 0, &mut rows).map_err(|reason| torn(&path, reason))?;
        let (whole, torn) = bytes.split_at(end as usize);
        if torn.iter().any(|byte| *byte != 0) {
            // Of an insert that was interrupted, or of one that the file has lost.
            let name = segment_name(self.place, number, end);
            let aside = Aside::keep_torn(&self.folder, &name, torn)?;
            notes.push(aside.note_torn(&path, torn.len(), "an insert"));
        }
        if rows.is_empty() {
            remove(&path)?;
            return Ok(None);
        }
        let synced = failpoint::call("recover.sync")
            .and_then(|()| file.write_at(whole, 0))
            .and_then(|()| file.set_len(end))
            .and_then(|()| file.sync_data());
        synced.map_err(io("syncing", &path))?;
        Ok(Some(rows))
    }

    /// Returns the greatest write time of all rows, if there are any.
    pub fn last_write_time(&self) -> Option<i64> {
        let segments = reading(&self.segments);
        let times = segments
            .iter()
            .filter_map(|segment| segment.rows.last_write_time());
        times.max()
    }

    /// Returns the number of rows in memory.
    pub fn row_count(&self) -> usize {
        let segments = reading(&self.segments);
        segments.iter().map(|segment| segment.rows.len()).sum()
    }

    /// Inserts rows, which are durable when it returns. Inserts that come at the same time are written
    /// together.
    pub async fn insert(self: &Arc<Self>, rows: &[FreshRow]) -> Result<()> {
        let is_done = self.enqueue(rows)?;
        let log = Arc::clone(self);
        tokio::task::spawn_blocking(move || log.write_waiting());
        is_done.await.unwrap_or_else(|_| {
            let place = self.folder.place(self.place);
            let ended = io::Error::other("the thread that wrote them ended early");
            Err(io("writing fresh rows to", &place)(ended))
        })
    }

    /// Adds rows to the inserts that wait to be written. What is returned gets the result once a thread has written
    /// them.
    pub fn enqueue(&self, rows: &[FreshRow]) -> Result<oneshot::Receiver<Result<()>>> {
        let (done, is_done) = oneshot::channel();
        let record = segment::encode(rows)?;
        locked(&self.waiting).push(Insert {
            record,
            rows: rows.to_vec(),
            done,
        });
        Ok(is_done)
    }

    /// Writes all inserts that wait, unless another thread does so.
    pub fn write_waiting(&self) {
        if locked(&self.waiting).is_empty() {
            return;
        }
        let mut active = locked(&self.active);
        let inserts = std::mem::take(&mut *locked(&self.waiting));
        if inserts.is_empty() {
            return;
        }
        let written = self.append(&mut active, &inserts);
        if let Ok(number) = written {
            self.remember(number, &inserts);
        }
        for insert in inserts {
            let result = written.as_ref().map(|_| ()).map_err(copied);
            // The caller may have been cancelled.
            let _ = insert.done.send(result);
        }
    }

    /// Appends inserts and returns the number of the segment that has them now.
    fn append(&self, active: &mut Option<Active>, inserts: &[Insert]) -> Result<u64> {
        // The segment is taken out, so that after a failure nothing is appended to it again.
        let segment = match active.take() {
            Some(segment) => segment,
            None => self.begin_segment()?,
        };
        let begin = segment.length;
        let segment = segment.append(inserts)?;
        if begin == 0
            && let Err(error) = sync_folder(&self.folder.place(self.place))
        {
            segment.take_back(begin);
            return Err(error);
        }
        failpoint::hit("insert.durable");
        let number = segment.number;
        *active = Some(segment);
        Ok(number)
    }

    fn begin_segment(&self) -> Result<Active> {
        let number = self.last_segment.fetch_add(1, Ordering::Relaxed) + 1;
        self.last_begun.store(number, Ordering::Relaxed);
        let place = self.folder.place(self.place);
        failpoint::hit("insert.begin");
        create_folder(&place)?;
        sync_folder(&self.folder.fresh())?;
        failpoint::hit("insert.folder");
        let path = self.folder.segment(self.place, number);
        let file = Output::create_new(&path).map_err(io("creating", &path))?;
        failpoint::hit("insert.created");
        Ok(Active {
            number,
            path,
            file,
            length: 0,
        })
    }

    /// Shows rows to readers.
    fn remember(&self, number: u64, inserts: &[Insert]) {
        let mut segments = writing(&self.segments);
        if segments.last().is_none_or(|last| last.number != number) {
            let rows = Rows::default();
            segments.push(Segment { number, rows });
        }
        if let Some(segment) = segments.last_mut() {
            for row in inserts.iter().flat_map(|insert| &insert.rows) {
                segment.rows.keep_newest(row.clone());
            }
        }
    }

    /// Returns the rows of each segment that are in a range of keys, with the segment's number.
    pub fn rows(&self, keys: KeyRange<'_>) -> Vec<(u64, Vec<FreshRow>)> {
        let segments = reading(&self.segments);
        let rows = |segment: &Segment| (segment.number, segment.rows.within(keys));
        segments.iter().map(rows).collect()
    }

    /// Returns whether there may be rows in later segments than this one.
    pub fn may_have_rows_after(&self, sealed: u64) -> bool {
        self.last() > Some(sealed)
    }

    /// Returns the number of the last segment, if there is one. If its insert failed, this process does not
    /// show its rows, but the file may have them.
    pub fn last(&self) -> Option<u64> {
        let with_rows = reading(&self.segments).last().map(|last| last.number);
        let begun = self.last_begun.load(Ordering::Relaxed);
        with_rows.max((begun > 0).then_some(begun))
    }

    /// Closes the active segment and returns the number of the last segment, if there is one. Rows that
    /// come from now on are in later segments.
    pub fn close(&self) -> Option<u64> {
        // The lock is held to the end. An insert in between would begin a segment, which would be
        // returned as closed while later inserts still went into it, and those would be taken for
        // sealed.
        let mut active = locked(&self.active);
        *active = None;
        failpoint::hit("freeze.closed");
        self.last()
    }

    /// Returns the newest versions in the segments after `sealed`, up to `up_to`.
    pub fn rows_between(&self, sealed: u64, up_to: u64) -> Vec<FreshRow> {
        let mut segments = self.rows(KeyRange::default());
        segments.retain(|(number, _)| (sealed + 1..=up_to).contains(number));
        merged(segments.into_iter().map(|(_, rows)| rows).collect())
    }

    /// Frees the memory of rows that are sealed.
    pub fn forget(&self, sealed: u64) {
        writing(&self.segments).retain(|segment| segment.number > sealed);
    }

    /// Removes the files of segments that are sealed.
    pub fn sweep(&self, sealed: u64) -> Result<()> {
        // While this is locked, no segment is begun, which would need the folder that is removed below.
        let active = locked(&self.active);
        let numbers = self.folder.segments(self.place)?;
        for number in numbers.iter().filter(|number| **number <= sealed) {
            remove(&self.folder.segment(self.place, *number))?;
            failpoint::hit("sweep.segment");
        }
        if active.is_none() {
            // It fails if the folder still has other segments.
            let _ = disk::remove_folder(&self.folder.place(self.place));
            failpoint::hit("sweep.place");
        }
        Ok(())
    }
}

impl Active {
    /// Appends inserts, which are durable when it returns.
    fn append(mut self, inserts: &[Insert]) -> Result<Self> {
        let mut bytes = Vec::new();
        if self.length == 0 {
            bytes.extend_from_slice(HEAD);
        }
        for insert in inserts {
            bytes.extend_from_slice(&insert.record);
        }
        failpoint::hit("insert.write");
        if let Err(error) = self.file.write_at(&bytes, self.length) {
            self.take_back(self.length);
            return Err(io("appending to", &self.path)(error));
        }
        failpoint::hit("insert.written");
        if let Err(error) = self.file.sync_data() {
            self.take_back(self.length);
            return Err(io("syncing", &self.path)(error));
        }
        self.length += bytes.len() as u64;
        failpoint::hit("insert.synced");
        Ok(self)
    }

    /// Cuts off what was appended from a position on and will not be acknowledged. If that fails, too, it is
    /// no whole record, or one that counts until the place is sealed or dropped.
    fn take_back(&self, from: u64) {
        let _ = self.file.set_len(from);
    }
}

/// Copies an error that several callers get.
fn copied(error: &Error) -> Error {
    match error {
        Error::Io {
            doing,
            path,
            source,
        } => Error::Io {
            doing,
            path: path.clone(),
            source: match source.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => io::Error::new(source.kind(), source.to_string()),
            },
        },
        other => Error::Invalid(other.to_string()),
    }
}
