//! The state of a table: the sum of all records of the manifest.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::frame;
use super::record::{PlaceChange, Record};
use super::segment::merged;
use crate::definition::Definition;
use crate::id::{ChunkId, Place};
use crate::meta::ChunkMeta;
use crate::store::{FreshRow, Snapshot};

/// The number of chunks of a place in one record when the manifest is rewritten.
const CHUNKS_OF_RECORD: usize = 256;

/// The valid and the retired chunks of a table, and how far its fresh rows are sealed.
#[derive(Debug, Clone, Default)]
pub struct State {
    pub places: BTreeMap<Place, PlaceState>,
    /// The chunks that are no longer valid, and since when (microseconds since 1970-01-01 UTC).
    pub retired: HashMap<ChunkId, i64>,
    /// The highest number of a segment that was sealed or dropped. New segments get higher ones.
    pub last_segment: u64,
}

/// The state of a place.
#[derive(Debug, Clone, Default)]
pub struct PlaceState {
    pub chunks: BTreeMap<ChunkId, Arc<ChunkMeta>>,
    /// The segment up to which fresh rows are in chunks or dropped, or 0.
    pub sealed: u64,
}

impl State {
    pub fn sealed(&self, place: Place) -> u64 {
        self.places.get(&place).map_or(0, |place| place.sealed)
    }

    pub fn is_valid(&self, place: Place, id: ChunkId) -> bool {
        let place = self.places.get(&place);
        place.is_some_and(|place| place.chunks.contains_key(&id))
    }

    /// Returns the valid chunks of a place, in order of their names.
    pub fn chunks(&self, place: Place) -> Vec<Arc<ChunkMeta>> {
        let place = self.places.get(&place);
        place.map_or(Vec::new(), |place| place.chunks.values().cloned().collect())
    }

    /// Returns the valid chunks of all places.
    pub fn valid_chunks(&self) -> impl Iterator<Item = ChunkId> {
        let places = self.places.values();
        places.flat_map(|place| place.chunks.keys().copied())
    }

    /// Takes a chunk out that is not what was written.
    pub fn take_out(&mut self, place: Place, chunk: ChunkId) {
        if let Some(place) = self.places.get_mut(&place) {
            place.chunks.remove(&chunk);
        }
    }

    /// Applies the records of a manifest behind one that is damaged, and returns their number. They
    /// come out as they would without the damaged one.
    pub fn salvage(&mut self, manifest: &[u8], damaged: usize, definition: &Definition) -> usize {
        let payloads = frame::after_damage(manifest, damaged).into_iter();
        let records = payloads.filter_map(|payload| {
            let record = Record::decode(&manifest[payload]).ok()?;
            record.check(definition).ok().map(|()| record)
        });
        let records: Vec<Record> = records.collect();
        let number = records.len();
        records.into_iter().for_each(|record| self.apply(record));
        number
    }

    /// Returns the greatest write time in all valid chunks, if there are any.
    pub fn last_write_time(&self) -> Option<i64> {
        let chunks = self.places.values().flat_map(|place| place.chunks.values());
        chunks.map(|chunk| chunk.max_write_time).max()
    }

    /// Returns the places that have a chunk, in order.
    pub fn places_with_chunks(&self) -> impl Iterator<Item = Place> {
        let filled = self
            .places
            .iter()
            .filter(|(_, state)| !state.chunks.is_empty());
        filled.map(|(place, _)| *place)
    }

    /// Returns the contents of a place, given the rows of its segments with their numbers. Rows of sealed
    /// segments are in chunks and left out.
    pub fn snapshot(&self, place: Place, mut segments: Vec<(u64, Vec<FreshRow>)>) -> Snapshot {
        let sealed = self.sealed(place);
        segments.retain(|(number, _)| *number > sealed);
        Snapshot {
            fresh: merged(segments.into_iter().map(|(_, rows)| rows).collect()),
            chunks: self.chunks(place),
        }
    }

    /// Checks that a record can come next.
    ///
    /// # Errors
    /// Returns the reason why it cannot.
    pub fn check(&self, record: &Record) -> Result<(), String> {
        let Record::Changes { changes, .. } = record else {
            return Ok(());
        };
        let mut seen = HashSet::new();
        for PlaceChange {
            place, add, retire, ..
        } in changes
        {
            for id in retire {
                if !self.is_valid(*place, *id) || !seen.insert(*id) {
                    return Err(format!("chunk {id} of {place} is not valid any more"));
                }
            }
            for meta in add {
                if self.is_valid(*place, meta.id) || !seen.insert(meta.id) {
                    return Err(format!("chunk {} of {place} is valid already", meta.id));
                }
            }
        }
        Ok(())
    }

    /// Applies a record that [`State::check`] accepts.
    pub fn apply(&mut self, record: Record) {
        match record {
            Record::Changes { at, changes } => {
                for change in changes {
                    self.apply_change(at, change);
                }
            }
            Record::Dropped { at, places } => {
                for (place, up_to) in places {
                    let state = self.places.entry(place).or_default();
                    let chunks = std::mem::take(&mut state.chunks);
                    self.retired.extend(chunks.into_keys().map(|id| (id, at)));
                    state.sealed = state.sealed.max(up_to);
                    self.last_segment = self.last_segment.max(up_to);
                }
            }
            Record::Retired(chunks) => self.retired.extend(chunks),
        }
    }

    fn apply_change(&mut self, at: i64, change: PlaceChange) {
        let state = self.places.entry(change.place).or_default();
        for id in change.retire {
            state.chunks.remove(&id);
            self.retired.insert(id, at);
        }
        for meta in change.add {
            state.chunks.insert(meta.id, meta);
        }
        state.sealed = state.sealed.max(change.sealed);
        self.last_segment = self.last_segment.max(change.sealed);
    }

    /// Returns records that lead from an empty state to this one.
    pub fn records(&self) -> impl Iterator<Item = Record> {
        let retired = self.retired.iter().map(|(id, at)| (*id, *at)).collect();
        let places = self
            .places
            .iter()
            .flat_map(|(place, state)| records_of(*place, state));
        std::iter::once(Record::Retired(retired)).chain(places)
    }
}

fn records_of(place: Place, state: &PlaceState) -> Vec<Record> {
    let all: Vec<_> = state.chunks.values().cloned().collect();
    let change = |add: &[Arc<ChunkMeta>]| PlaceChange {
        place,
        add: add.to_vec(),
        retire: Vec::new(),
        sealed: state.sealed,
    };
    let pieces = if all.is_empty() {
        vec![change(&[])]
    } else {
        all.chunks(CHUNKS_OF_RECORD).map(change).collect()
    };
    let record = |change| Record::Changes {
        at: 0,
        changes: vec![change],
    };
    pieces.into_iter().map(record).collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::store::directory::sample::meta;

    fn id(id: u128) -> ChunkId {
        ChunkId(Uuid::from_u128(id))
    }

    fn place(bucket: i64) -> Place {
        Place { bucket, shard: 0 }
    }

    fn change(bucket: i64, add: &[u128], retire: &[u128], sealed: u64) -> Record {
        Record::Changes {
            at: 7,
            changes: vec![PlaceChange {
                place: place(bucket),
                add: add.iter().copied().map(meta).collect(),
                retire: retire.iter().copied().map(id).collect(),
                sealed,
            }],
        }
    }

    fn state(records: &[Record]) -> State {
        let mut state = State::default();
        for record in records {
            state.check(record).unwrap();
            state.apply(record.clone());
        }
        state
    }

    #[test]
    fn a_dropped_place_is_empty_and_its_segments_stay_sealed() {
        let dropped = Record::Dropped {
            at: 8,
            places: vec![(place(1), 5), (place(2), 0)],
        };
        let state = state(&[change(1, &[1, 2], &[], 3), change(3, &[4], &[], 0), dropped]);
        assert_eq!(state.chunks(place(1)), []);
        assert_eq!(state.sealed(place(1)), 5);
        assert_eq!(state.last_segment, 5);
        assert_eq!(state.retired, HashMap::from([(id(1), 8), (id(2), 8)]));
        assert_eq!(state.places_with_chunks().collect::<Vec<_>>(), [place(3)]);
    }

    #[test]
    fn what_cannot_be_changed_is_said() {
        let state = state(&[change(1, &[1], &[], 0)]);
        let error = |record: Record| state.check(&record).unwrap_err();
        assert!(error(change(1, &[1], &[], 0)).ends_with("of bucket 1 shard 0 is valid already"));
        assert!(
            error(change(2, &[], &[1], 0)).ends_with("of bucket 2 shard 0 is not valid any more")
        );
        error(change(1, &[], &[1, 1], 0));
        error(change(1, &[2, 2], &[], 0));
        state.check(&change(1, &[2], &[1], 0)).unwrap();
    }

    #[test]
    fn rewritten_it_is_the_same() {
        let many: Vec<u128> = (10..10 + 2 * CHUNKS_OF_RECORD as u128 + 1).collect();
        let before = state(&[
            change(1, &many, &[], 3),
            change(1, &[], &[11], 0),
            change(2, &[], &[], 9),
        ]);
        let after = state(&before.records().collect::<Vec<_>>());
        assert_eq!(after.retired, before.retired);
        assert_eq!(after.last_segment, 9);
        assert_eq!(after.chunks(place(1)), before.chunks(place(1)));
        assert_eq!(after.sealed(place(2)), 9);
    }
}
