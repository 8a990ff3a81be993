//! Which chunks and fresh rows may hold versions of the same keys.
//!
//! Two chunks share no key if the ranges of their keys are apart, or the ranges of their first
//! order key: rows that came in order of time, of many partition keys, make chunks whose keys
//! interleave but whose times do not.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};

use super::selection::Part;
use crate::definition::{Definition, Place};
use crate::meta::{ChunkMeta, Key};
use crate::store::{FreshRow, Snapshot};
use crate::{Error, Result, key};

/// A range of keys and one of the first order key, ends included. What is not known reaches from the
/// least to the greatest value.
#[derive(Debug, Clone)]
pub struct Reach {
    pub first: Key,
    pub last: Key,
    pub low: i64,
    pub high: i64,
}

impl Reach {
    /// Of all rows of a part.
    pub fn of(definition: &Definition, part: &Part) -> Result<Option<Reach>> {
        let chunks = part.chunks.iter().map(|chunk| of_chunk(chunk));
        let reaches = chunks.chain(of_fresh(definition, &part.fresh)?);
        Ok(reaches.reduce(|a, b| a.and(&b)))
    }

    pub fn and(&self, other: &Reach) -> Reach {
        Reach {
            first: self.first.clone().min(other.first.clone()),
            last: self.last.clone().max(other.last.clone()),
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Whether both may have the same key.
    pub fn meets(&self, other: &Reach) -> bool {
        self.low <= other.high && other.low <= self.high && self.shares_keys(other)
    }

    /// Whether their ranges of keys overlap.
    pub fn shares_keys(&self, other: &Reach) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

struct Extent {
    reach: Reach,
    member: Member,
}

enum Member {
    Chunk(Arc<ChunkMeta>),
    Fresh(FreshRow),
}

/// The parts of a place, in order of their first keys. Fresh rows that overlap no chunk are one part.
pub fn parts(definition: &Definition, place: Place, snapshot: Snapshot) -> Result<Vec<Part>> {
    let reaches = of_fresh(definition, &snapshot.fresh)?;
    let fresh = reaches.into_iter().zip(snapshot.fresh);
    let fresh = fresh.map(|(reach, row)| Extent {
        reach,
        member: Member::Fresh(row),
    });
    let chunk = |chunk: Arc<ChunkMeta>| Extent {
        reach: of_chunk(&chunk),
        member: Member::Chunk(chunk),
    };
    let members = snapshot
        .chunks
        .into_iter()
        .map(chunk)
        .chain(fresh)
        .collect();
    let mut parts: Vec<Part> = Vec::new();
    let mut alone: Vec<FreshRow> = Vec::new();
    for group in apart(members) {
        let (chunks, fresh) = sorted_out(group);
        if chunks.is_empty() {
            alone.extend(fresh)
        } else {
            parts.push(Part {
                place,
                chunks,
                fresh,
            })
        }
    }
    if !alone.is_empty() {
        alone.sort_by(|a, b| a.key.cmp(&b.key));
        parts.push(Part {
            place,
            chunks: Vec::new(),
            fresh: alone,
        });
    }
    parts.sort_by(|a, b| a.first().cmp(b.first()));
    Ok(parts)
}

fn of_chunk(chunk: &ChunkMeta) -> Reach {
    let (low, high) = chunk.order_range.unwrap_or((i64::MIN, i64::MAX));
    Reach {
        first: chunk.first.clone(),
        last: chunk.last.clone(),
        low,
        high,
    }
}

/// Of each row.
pub fn of_fresh(definition: &Definition, fresh: &[FreshRow]) -> Result<Vec<Reach>> {
    let orders = first_order_values(definition, fresh)?;
    let reach = |(i, row): (usize, &FreshRow)| {
        let value = orders.as_ref().and_then(|values| values.get(i).copied());
        Reach {
            first: row.key.clone(),
            last: row.key.clone(),
            low: value.unwrap_or(i64::MIN),
            high: value.unwrap_or(i64::MAX),
        }
    };
    Ok(fresh.iter().enumerate().map(reach).collect())
}

/// The first order key of each row, if it is an integer, a date or a time.
fn first_order_values(definition: &Definition, fresh: &[FreshRow]) -> Result<Option<Vec<i64>>> {
    if fresh.is_empty() || definition.first_order_index().is_none() {
        return Ok(None);
    }
    let keys = fresh.iter().map(|row| &row.key[..]);
    let columns = key::decode(definition, keys)?;
    let Some(column) = columns.get(definition.partition_key.len()) else {
        return Ok(None);
    };
    let values = whole_numbers(column)?;
    Ok(Some(values.as_primitive::<Int64Type>().values().to_vec()))
}

/// Integers, dates and times as 64 bits.
fn whole_numbers(column: &ArrayRef) -> Result<ArrayRef> {
    let wide = match column.data_type() {
        DataType::Date32 => cast(column, &DataType::Int32).and_then(|c| cast(&c, &DataType::Int64)),
        _ => cast(column, &DataType::Int64),
    };
    wide.map_err(|source| Error::Arrow {
        doing: "reading the order key",
        source,
    })
}

/// Groups that share no key with each other.
fn apart(members: Vec<Extent>) -> Vec<Vec<Extent>> {
    let mut found = Vec::new();
    for group in by_key(members) {
        let groups = by_order(group);
        match groups.len() {
            1 => found.extend(groups),
            _ => found.extend(groups.into_iter().flat_map(apart)),
        }
    }
    found
}

fn by_key(mut members: Vec<Extent>) -> Vec<Vec<Extent>> {
    members.sort_unstable_by(|a, b| a.reach.first.cmp(&b.reach.first));
    cut(members, |m| (m.reach.first.clone(), m.reach.last.clone()))
}

fn by_order(mut members: Vec<Extent>) -> Vec<Vec<Extent>> {
    members.sort_unstable_by_key(|m| m.reach.low);
    cut(members, |m| (m.reach.low, m.reach.high))
}

/// Cuts sorted members where all ranges end before the next one begins.
fn cut<V: Ord>(members: Vec<Extent>, range: impl Fn(&Extent) -> (V, V)) -> Vec<Vec<Extent>> {
    let mut groups: Vec<Vec<Extent>> = Vec::new();
    let mut furthest: Option<V> = None;
    for member in members {
        let (begin, end) = range(&member);
        let overlaps = furthest.as_ref().is_some_and(|furthest| begin <= *furthest);
        match groups.last_mut().filter(|_| overlaps) {
            Some(group) => group.push(member),
            None => groups.push(vec![member]),
        }
        furthest = furthest.max(Some(end));
    }
    groups
}

fn sorted_out(group: Vec<Extent>) -> (Vec<Arc<ChunkMeta>>, Vec<FreshRow>) {
    let (mut chunks, mut fresh) = (Vec::new(), Vec::new());
    for extent in group {
        match extent.member {
            Member::Chunk(chunk) => chunks.push(chunk),
            Member::Fresh(row) => fresh.push(row),
        }
    }
    chunks.sort_unstable_by_key(|chunk| chunk.id);
    fresh.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    (chunks, fresh)
}
