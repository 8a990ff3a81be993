//! Chunks and fresh rows that may hold versions of the same keys.
//!
//! Two chunks share no key if the ranges of their keys do not overlap, or those of their first order
//! key do not. Rows of many partition keys that came in order of time make chunks whose keys interleave
//! but whose times do not.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};

use super::selection::Part;
use crate::definition::Definition;
use crate::id::Place;
use crate::meta::{ChunkMeta, Key};
use crate::store::{FreshRow, Snapshot};
use crate::{Error, Result, key};

/// The range of keys and the range of the first order key of some rows, ends included. An unknown
/// range of the order key reaches from the least to the greatest value.
#[derive(Debug, Clone)]
pub struct KeySpan {
    /// The least key.
    pub first: Key,
    /// The greatest key.
    pub last: Key,
    /// The least value of the first order key.
    pub low: i64,
    /// The greatest value of the first order key.
    pub high: i64,
}

impl KeySpan {
    /// Returns the span of all rows of a part, or `None` if it has no rows.
    pub fn from_part(definition: &Definition, part: &Part) -> Result<Option<KeySpan>> {
        let chunks = part.chunks.iter().map(|chunk| chunk_span(chunk));
        let spans = chunks.chain(fresh_spans(definition, &part.fresh)?);
        Ok(spans.reduce(|a, b| a.and(&b)))
    }

    /// Returns the least span that covers both.
    pub fn and(&self, other: &KeySpan) -> KeySpan {
        KeySpan {
            first: self.first.clone().min(other.first.clone()),
            last: self.last.clone().max(other.last.clone()),
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Returns whether both may have the same key.
    pub fn meets(&self, other: &KeySpan) -> bool {
        self.low <= other.high && other.low <= self.high && self.shares_keys(other)
    }

    /// Returns whether their ranges of keys overlap.
    pub fn shares_keys(&self, other: &KeySpan) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// A chunk or a fresh row, and its span.
struct Extent {
    span: KeySpan,
    member: Member,
}

enum Member {
    Chunk(Arc<ChunkMeta>),
    Fresh(FreshRow),
}

/// Divides what is in a place into parts, in order of their first keys. Fresh rows that overlap no
/// chunk are one part.
pub fn parts(definition: &Definition, place: Place, snapshot: Snapshot) -> Result<Vec<Part>> {
    let spans = fresh_spans(definition, &snapshot.fresh)?;
    let fresh = spans
        .into_iter()
        .zip(snapshot.fresh)
        .map(|(span, row)| Extent {
            span,
            member: Member::Fresh(row),
        });
    let chunk = |chunk: Arc<ChunkMeta>| Extent {
        span: chunk_span(&chunk),
        member: Member::Chunk(chunk),
    };
    let members = snapshot
        .chunks
        .into_iter()
        .map(chunk)
        .chain(fresh)
        .collect();
    // A group with a chunk is a part. Groups of fresh rows only are collected into one part below.
    let mut parts: Vec<Part> = Vec::new();
    let mut alone: Vec<FreshRow> = Vec::new();
    for group in disjoint(members) {
        let (chunks, fresh) = separated(group);
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
    // Fresh rows are in memory and have one version per key, so that there is nothing to gain from
    // more than one part of them.
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

fn chunk_span(chunk: &ChunkMeta) -> KeySpan {
    let (low, high) = chunk.order_range.unwrap_or((i64::MIN, i64::MAX));
    KeySpan {
        first: chunk.first.clone(),
        last: chunk.last.clone(),
        low,
        high,
    }
}

/// Returns the span of each row.
pub fn fresh_spans(definition: &Definition, fresh: &[FreshRow]) -> Result<Vec<KeySpan>> {
    let orders = first_order_values(definition, fresh)?;
    let span = |(i, row): (usize, &FreshRow)| {
        let value = orders.as_ref().and_then(|values| values.get(i).copied());
        KeySpan {
            first: row.key.clone(),
            last: row.key.clone(),
            low: value.unwrap_or(i64::MIN),
            high: value.unwrap_or(i64::MAX),
        }
    };
    Ok(fresh.iter().enumerate().map(span).collect())
}

/// Returns the first order key of each row, if that is an integer, a date or a time.
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

/// Converts integers, dates and times to 64 bits.
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

/// Divides members into groups that share no key with each other.
fn disjoint(members: Vec<Extent>) -> Vec<Vec<Extent>> {
    let mut found = Vec::new();
    for group in by_key(members) {
        let groups = by_order(group);
        match groups.len() {
            1 => found.extend(groups),
            // Without the members of another time, a group may be divisible by keys again. The
            // recursion ends because each turn divides a group into smaller ones.
            _ => found.extend(groups.into_iter().flat_map(disjoint)),
        }
    }
    found
}

/// Divides members where their ranges of keys do not overlap.
fn by_key(mut members: Vec<Extent>) -> Vec<Vec<Extent>> {
    members.sort_unstable_by(|a, b| a.span.first.cmp(&b.span.first));
    cut(members, |m| (m.span.first.clone(), m.span.last.clone()))
}

/// Divides members where their ranges of the first order key do not overlap.
fn by_order(mut members: Vec<Extent>) -> Vec<Vec<Extent>> {
    members.sort_unstable_by_key(|m| m.span.low);
    cut(members, |m| (m.span.low, m.span.high))
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
        // The member that begins last need not end last.
        furthest = furthest.max(Some(end));
    }
    groups
}

/// Separates chunks, in order of their names, from fresh rows, in order of their keys.
fn separated(group: Vec<Extent>) -> (Vec<Arc<ChunkMeta>>, Vec<FreshRow>) {
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
