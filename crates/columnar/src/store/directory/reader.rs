//! A process that only reads a table, while another one may write it.

use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::files::{io, locked, read_from, torn};
use super::layout::Folder;
use super::manifest::Known;
use super::segment::{self, Rows};
use super::state::State;
use crate::definition::Definition;
use crate::id::Place;
use crate::store::{FreshRow, KeyRange, Snapshot};
use crate::{Error, Result};

/// The number of times that a seemingly damaged file is read: the writer may be cutting a torn end off.
const ATTEMPTS: usize = 3;

/// The knowledge of a reading process about a table.
#[derive(Debug)]
pub struct Reader {
    pub folder: Folder,
    definition: Arc<Definition>,
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
    pub fn open(folder: Folder, definition: Arc<Definition>) -> Result<Reader> {
        let reader = Reader {
            folder,
            definition,
            manifest: Mutex::default(),
            segments: Mutex::default(),
        };
        reader.with_state(|_| ())?;
        Ok(reader)
    }

    /// Reads what is new in the manifest and looks at what it says.
    pub fn with_state<T>(&self, look: impl FnOnce(&State) -> T) -> Result<T> {
        let path = self.folder.manifest();
        let mut known = locked(&self.manifest);
        again_if_torn(|| known.refresh(&path, &self.definition))?;
        Ok(look(&known.state))
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
        let file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(io("opening", &path))?,
        };
        let bytes = read_from(&file, known.length).map_err(io("reading", &path))?;
        let from = known.length;
        match segment::decode(&Bytes::from(bytes), from, &mut known.rows) {
            Ok(length) => known.length = length,
            Err(reason) => {
                *known = Segment::default();
                return Err(torn(&path, reason));
            }
        }
        Ok(Some(known.rows.within(keys)))
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
