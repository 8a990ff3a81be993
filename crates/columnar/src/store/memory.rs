//! Stores in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;

use super::{Change, Chunk, FreshRow, Frozen, KeyRange, Snapshot, Store, Swept};
use crate::definition::Definition;
use crate::id::{ChunkId, Place};
use crate::meta::{ChunkMeta, Key};
use crate::{Error, Result};

/// The state of a chunk.
#[derive(Debug)]
enum State {
    /// The chunk was put at this moment and is not committed yet.
    Pending(Instant),
    Valid(Arc<ChunkMeta>),
    /// The chunk was retired at this moment.
    Retired(Instant),
}

/// The contents of a place.
#[derive(Debug, Default)]
struct Contents {
    chunks: BTreeMap<ChunkId, (State, Vec<Bytes>)>,
    fresh: BTreeMap<Key, FreshRow>,
}

/// A store in memory, which ends with the process.
#[derive(Debug)]
pub struct MemoryStore {
    definition: Arc<Definition>,
    places: Mutex<BTreeMap<Place, Contents>>,
}

impl MemoryStore {
    /// Makes an empty store.
    ///
    /// # Errors
    /// The errors of [`Definition::check`].
    pub fn new(definition: Definition) -> Result<Self> {
        definition.check()?;
        Ok(MemoryStore {
            definition: Arc::new(definition),
            places: Mutex::default(),
        })
    }

    fn places(&self) -> MutexGuard<'_, BTreeMap<Place, Contents>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn definition(&self) -> &Arc<Definition> {
        &self.definition
    }

    async fn places(&self) -> Result<Vec<Place>> {
        Ok(self.places().keys().copied().collect())
    }

    async fn snapshot(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot> {
        let places = self.places();
        let Some(contents) = places.get(&place) else {
            return Ok(Snapshot::default());
        };
        let valid = |(state, _): &(State, Vec<Bytes>)| match state {
            State::Valid(meta) => Some(Arc::clone(meta)),
            State::Pending(_) | State::Retired(_) => None,
        };
        let fresh = contents.fresh.values();
        Ok(Snapshot {
            fresh: fresh
                .filter(|row| keys.contains(&row.key))
                .cloned()
                .collect(),
            chunks: contents.chunks.values().filter_map(valid).collect(),
        })
    }

    async fn blobs(&self, place: Place, chunk: &ChunkMeta, numbers: &[u16]) -> Result<Vec<Bytes>> {
        let places = self.places();
        let kept = places
            .get(&place)
            .and_then(|contents| contents.chunks.get(&chunk.id));
        let gone = || Error::Gone {
            chunk: chunk.id,
            place,
            grace_seconds: super::GRACE.as_secs(),
        };
        let (_, blobs) = kept.ok_or_else(gone)?;
        let blob = |number: &u16| blobs.get(usize::from(*number)).cloned().ok_or_else(gone);
        numbers.iter().map(blob).collect()
    }

    async fn put(&self, place: Place, chunks: &[Chunk]) -> Result<()> {
        let mut places = self.places();
        let contents = places.entry(place).or_default();
        for chunk in chunks {
            let kept = (State::Pending(Instant::now()), chunk.blobs.clone());
            contents.chunks.insert(chunk.meta.id, kept);
        }
        Ok(())
    }

    async fn commit(&self, changes: Vec<Change>) -> Result<()> {
        let mut places = self.places();
        for change in changes {
            let contents = places.entry(change.place).or_default();
            for meta in change.add {
                if let Some((state, _)) = contents.chunks.get_mut(&meta.id) {
                    *state = State::Valid(meta);
                }
            }
            for id in change.retire {
                if let Some((state, _)) = contents.chunks.get_mut(&id) {
                    *state = State::Retired(Instant::now());
                }
            }
            for sealed in change.sealed.into_iter().flat_map(|frozen| frozen.rows) {
                if contents.fresh.get(&sealed.key) == Some(&sealed) {
                    contents.fresh.remove(&sealed.key);
                }
            }
        }
        Ok(())
    }

    async fn insert(&self, place: Place, rows: &[FreshRow]) -> Result<()> {
        let mut places = self.places();
        let contents = places.entry(place).or_default();
        for row in rows {
            let kept = contents.fresh.get(&row.key);
            if kept.is_none_or(|kept| row.replaces(kept)) {
                contents.fresh.insert(row.key.clone(), row.clone());
            }
        }
        Ok(())
    }

    async fn freeze(&self, place: Place) -> Result<Frozen> {
        let places = self.places();
        let fresh = places.get(&place).map(|contents| contents.fresh.values());
        Ok(Frozen {
            rows: fresh.into_iter().flatten().cloned().collect(),
            from: 0,
            up_to: 0,
        })
    }

    async fn drop_places(&self, places: &[Place]) -> Result<()> {
        self.places().retain(|place, _| !places.contains(place));
        Ok(())
    }

    async fn sweep(&self, grace: Duration) -> Result<Swept> {
        let mut swept = Swept::default();
        for contents in self.places().values_mut() {
            contents.chunks.retain(|_, (state, _)| {
                let since = match state {
                    State::Valid(_) => return true,
                    State::Pending(since) | State::Retired(since) => since,
                };
                let stays = since.elapsed() < grace;
                swept.chunks += u64::from(!stays);
                stays
            });
        }
        Ok(swept)
    }
}
