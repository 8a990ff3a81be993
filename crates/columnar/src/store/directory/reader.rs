//! A process that only reads a table, while another one may write it.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use super::disk::{self, Input};
use super::files::{io, sync_shown, torn};
use super::layout::Folder;
use super::manifest::{Head, Known};
use super::segment::{self, Rows};
use super::state::State;
use super::sync::{Mutex, locked};
use super::table::{self, Table};
use crate::id::Place;
use crate::store::{FreshRow, KeyRange, Snapshot};
use crate::{Error, Result};

/// The number of times that a seemingly damaged file is read: the writer may be cutting a torn end off.
const ATTEMPTS: usize = 3;

/// The knowledge of a reading process about a table.
#[derive(Debug)]
pub struct Reader {
    pub folder: Folder,
    table: Table,
    manifest: Mutex<Known>,
    /// The segments that were read, by place and number.
    segments: Mutex<Segments>,
}

type Segments = HashMap<(Place, u64), Arc<Mutex<Segment>>>;

/// A segment, as far as it was read.
#[derive(Debug, Default)]
struct Segment {
    /// The bytes of whole records.
    length: u64,
    rows: Rows,
}

impl Reader {
    pub fn open(folder: Folder, table: Table) -> Result<Reader> {
        let reader = Reader {
            folder,
            table,
            manifest: Mutex::default(),
            segments: Mutex::default(),
        };
        reader.with_state(|_| ())?;
        Ok(reader)
    }

    /// Reads what is new in the manifest, makes it durable and looks at what it says. What another thread
    /// has begun to make durable is waited for: it may be acknowledged meanwhile, so that it has to be shown,
    /// and one sync is enough for both.
    pub fn with_state<T>(&self, look: impl FnOnce(&State) -> T) -> Result<T> {
        let mut known = locked(&self.manifest);
        let head = known.head;
        again_if_torn(|| known.refresh(&self.folder, &self.table.definition))?;
        if known.head != head {
            // Segments of another table in the same folder may have had the same numbers.
            locked(&self.segments).clear();
            if let Err(error) = self.check_whose() {
                *known = Known::default();
                return Err(error);
            }
        }
        Ok(look(&known.state))
    }

    /// Checks that the manifest, which is another file now, is still that of the table that was opened.
    fn check_whose(&self) -> Result<()> {
        if table::read(&self.folder)? == self.table {
            Ok(())
        } else {
            Err(Error::Invalid(format!(
                "the table in {} was dropped and another one created in its place; open it again",
                self.folder.root.display()
            )))
        }
    }

    fn head(&self) -> Option<Head> {
        locked(&self.manifest).head
    }

    pub fn places(&self) -> Result<Vec<Place>> {
        // Segments are read before the manifest, as in a snapshot.
        let mut newest = Vec::new();
        for place in self.folder.places()? {
            newest.extend(self.folder.segments(place)?.pop().map(|last| (place, last)));
        }
        self.with_state(|state| {
            newest.retain(|(place, last)| *last > state.sealed(*place));
            let mut places: Vec<Place> = newest.into_iter().map(|(place, _)| place).collect();
            places.extend(state.places_with_chunks());
            places.sort_unstable();
            places.dedup();
            places
        })
    }

    pub fn snapshot(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot> {
        loop {
            let head = self.head();
            let snapshot = self.snapshot_of_one_manifest(place, keys)?;
            if self.head() == head {
                return Ok(snapshot);
            }
            // The segments that were read may be those of another table.
        }
    }

    fn snapshot_of_one_manifest(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot> {
        // The segments first and the manifest afterwards: rows that are sealed in between are seen in
        // chunks only. A segment that is gone was sealed, and the manifest says so.
        let sealed = locked(&self.manifest).state.sealed(place);
        let mut segments = Vec::new();
        for number in self.folder.segments(place)? {
            if number > sealed {
                let rows = again_if_torn(|| self.segment(place, number, keys))?;
                segments.extend(rows.map(|rows| (number, rows)));
            }
        }
        self.with_state(|state| {
            locked(&self.segments).retain(|(place, number), _| *number > state.sealed(*place));
            state.snapshot(place, segments)
        })
    }

    /// Returns the rows of a segment, unless it is gone.
    fn segment(
        &self,
        place: Place,
        number: u64,
        keys: KeyRange<'_>,
    ) -> Result<Option<Vec<FreshRow>>> {
        let known = Arc::clone(locked(&self.segments).entry((place, number)).or_default());
        let mut known = locked(&known);
        let path = self.folder.segment(place, number);
        let file = match Input::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(io("opening", &path))?,
        };
        if file.length().map_err(io("looking at", &path))? < known.length {
            // The rows of an insert that failed were taken back.
            *known = Segment::default();
        }
        let bytes = file.read_from(known.length).map_err(io("reading", &path))?;
        let from = known.length;
        match segment::decode(&Bytes::from(bytes), from, &mut known.rows) {
            Ok(length) => known.length = length,
            Err(reason) => {
                *known = Segment::default();
                return Err(torn(&path, reason));
            }
        }
        if known.length > from
            && let Err(error) = self.make_durable(place, &path, &file, from == 0)
        {
            *known = Segment::default();
            return Err(error);
        }
        Ok(Some(known.rows.within(keys)))
    }

    /// Makes rows durable before they are shown: the writer may not have come to that yet.
    fn make_durable(&self, place: Place, path: &Path, file: &Input, is_new: bool) -> Result<()> {
        sync_shown(path, file.sync_data())?;
        let folders = [self.folder.place(place), self.folder.fresh()];
        for folder in folders.iter().filter(|_| is_new) {
            match disk::sync_folder(folder) {
                // The segment was sealed and swept meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                synced => sync_shown(folder, synced)?,
            }
        }
        Ok(())
    }
}

/// Reads again if a file seems to be damaged.
fn again_if_torn<T>(mut read: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 1..ATTEMPTS {
        match read() {
            Err(Error::Torn { .. }) => std::thread::yield_now(),
            other => return other,
        }
    }
    read()
}
