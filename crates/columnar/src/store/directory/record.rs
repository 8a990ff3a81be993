//! The records of the manifest.
//!
//! Numbers are LEB128, signed ones zigzag-encoded before; times are signed, in microseconds since
//! 1970-01-01 UTC. A place is its bucket, signed, and its shard. A record begins with its kind:
//!
//! - 1, changes that become valid at the same time: time, number of places; for each the place, the
//!   number of added chunks, for each the length of its metadata and that (`meta/write.rs`), the number
//!   of retired chunks, for each the 16 bytes of its name, and the segment up to which the fresh rows
//!   are in chunks (0: none).
//! - 2, dropped places: time, number; for each the place, and the segment up to which its fresh
//!   rows are dropped. All its chunks are retired.
//! - 3, chunks that were retired before: number; for each the 16 bytes of its name, and when.

use std::sync::Arc;

use uuid::Uuid;

use crate::definition::Definition;
use crate::id::{ChunkId, Place};
use crate::meta::ChunkMeta;
use crate::meta::read::read_meta;
use crate::meta::write::write_meta;
use crate::varint::{Reader, push_signed, push_varint};

const CHANGES: u8 = 1;
const DROPPED: u8 = 2;
const RETIRED: u8 = 3;

/// A record, which is valid as a whole or not at all.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// Chunks that were added and retired.
    Changes { at: i64, changes: Vec<PlaceChange> },
    /// Places that were dropped, each with the segment up to which its fresh rows are.
    Dropped { at: i64, places: Vec<(Place, u64)> },
    /// Chunks that were retired before, and when.
    Retired(Vec<(ChunkId, i64)>),
}

/// The chunks that were added and retired in one place.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceChange {
    pub place: Place,
    pub add: Vec<Arc<ChunkMeta>>,
    pub retire: Vec<ChunkId>,
    /// The segment up to which fresh rows are in chunks, or 0.
    pub sealed: u64,
}

impl Record {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Record::Changes { at, changes } => {
                out.push(CHANGES);
                push_signed(*at, &mut out);
                push_varint(changes.len() as u64, &mut out);
                for change in changes {
                    push_change(change, &mut out);
                }
            }
            Record::Dropped { at, places } => {
                out.push(DROPPED);
                push_signed(*at, &mut out);
                push_varint(places.len() as u64, &mut out);
                for (place, up_to) in places {
                    push_place(*place, &mut out);
                    push_varint(*up_to, &mut out);
                }
            }
            Record::Retired(chunks) => {
                out.push(RETIRED);
                push_varint(chunks.len() as u64, &mut out);
                for (id, at) in chunks {
                    out.extend_from_slice(id.0.as_bytes());
                    push_signed(*at, &mut out);
                }
            }
        }
        out
    }

    /// Checks that the added chunks can be chunks of a table.
    ///
    /// # Errors
    /// Returns the first chunk that cannot be one, and why.
    pub fn check(&self, definition: &Definition) -> Result<(), String> {
        let Record::Changes { changes, .. } = self else {
            return Ok(());
        };
        let mut added = changes.iter().flat_map(|change| &change.add);
        added.try_for_each(|chunk| chunk.check(definition))
    }

    /// Decodes a record.
    ///
    /// # Errors
    /// Returns the reason why the bytes are not a record.
    pub fn decode(payload: &[u8]) -> Result<Record, String> {
        let mut reader = Reader::new(payload);
        let record = match reader.byte() {
            Some(CHANGES) => changes(&mut reader)?,
            Some(DROPPED) => dropped(&mut reader),
            Some(RETIRED) => retired(&mut reader),
            Some(kind) => return Err(format!("a record is of an unknown kind {kind}")),
            None => None,
        };
        record
            .filter(|_| reader.is_empty())
            .ok_or_else(|| format!("a record of {} bytes cannot be", payload.len()))
    }
}

fn push_place(place: Place, out: &mut Vec<u8>) {
    push_signed(place.bucket, out);
    push_varint(u64::from(place.shard), out);
}

fn push_change(change: &PlaceChange, out: &mut Vec<u8>) {
    push_place(change.place, out);
    push_varint(change.add.len() as u64, out);
    for meta in &change.add {
        let meta = write_meta(meta);
        push_varint(meta.len() as u64, out);
        out.extend_from_slice(&meta);
    }
    push_varint(change.retire.len() as u64, out);
    for id in &change.retire {
        out.extend_from_slice(id.0.as_bytes());
    }
    push_varint(change.sealed, out);
}

/// Reads a number of items and the items, each of which has at least `least_bytes`.
fn each<T>(
    reader: &mut Reader<'_>,
    least_bytes: usize,
    mut one: impl FnMut(&mut Reader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let count = reader.count(least_bytes)?;
    (0..count).map(|_| one(reader)).collect()
}

fn changes(reader: &mut Reader<'_>) -> Result<Option<Record>, String> {
    let mut unreadable = None;
    let record = (|| {
        let at = reader.signed()?;
        let changes = each(reader, 5, |reader| {
            let place = place(reader)?;
            let encoded = each(reader, 2, |reader| Some(reader.bytes()?.to_vec()))?;
            let metas = encoded.iter().map(|bytes| read_meta(bytes).map(Arc::new));
            let add = match metas.collect::<Result<_, _>>() {
                Ok(add) => add,
                Err(reason) => {
                    unreadable = Some(reason);
                    return None;
                }
            };
            Some(PlaceChange {
                place,
                add,
                retire: each(reader, 16, id)?,
                sealed: reader.varint()?,
            })
        });
        Some(Record::Changes {
            at,
            changes: changes?,
        })
    })();
    unreadable.map_or(Ok(record), Err)
}

fn dropped(reader: &mut Reader<'_>) -> Option<Record> {
    let at = reader.signed()?;
    let places = each(reader, 3, |reader| Some((place(reader)?, reader.varint()?)))?;
    Some(Record::Dropped { at, places })
}

fn retired(reader: &mut Reader<'_>) -> Option<Record> {
    let chunk = |reader: &mut Reader<'_>| Some((id(reader)?, reader.signed()?));
    each(reader, 17, chunk).map(Record::Retired)
}

fn place(reader: &mut Reader<'_>) -> Option<Place> {
    Some(Place {
        bucket: reader.signed()?,
        shard: reader.varint_u32()?,
    })
}

fn id(reader: &mut Reader<'_>) -> Option<ChunkId> {
    Some(ChunkId(Uuid::from_bytes(reader.array()?)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::directory::sample::meta;

    fn records() -> [Record; 3] {
        let place = |bucket| Place { bucket, shard: 300 };
        let change = |bucket, add: Vec<u128>, retire: Vec<u128>, sealed| PlaceChange {
            place: place(bucket),
            add: add.into_iter().map(meta).collect(),
            retire: retire
                .into_iter()
                .map(|id| ChunkId(Uuid::from_u128(id)))
                .collect(),
            sealed,
        };
        [
            Record::Changes {
                at: 1_700_000_000_000_000,
                changes: vec![
                    change(-4, vec![1, 2], vec![], 0),
                    change(9, vec![], vec![3, 4], 17),
                ],
            },
            Record::Dropped {
                at: -1,
                places: vec![(place(i64::MIN), 0), (place(i64::MAX), u64::MAX)],
            },
            Record::Retired(vec![(ChunkId(Uuid::from_u128(5)), 6)]),
        ]
    }

    #[test]
    fn records_come_back_whole_or_not_at_all() {
        for record in records() {
            let bytes = record.encode();
            assert_eq!(Record::decode(&bytes).unwrap(), record);
            for length in 0..bytes.len() {
                Record::decode(&bytes[..length]).unwrap_err();
            }
            let longer = [&bytes[..], &[0]].concat();
            Record::decode(&longer).unwrap_err();
        }
        let error = Record::decode(&[9]).unwrap_err();
        assert_eq!(error, "a record is of an unknown kind 9");
    }

    proptest! {
        #[test]
        fn whatever_bytes_are_decoded_nothing_panics(kind in 0u8..5, bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = Record::decode(&[&[kind], &bytes[..]].concat());
        }
    }
}
