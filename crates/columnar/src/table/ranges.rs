//! The keys of a selection as ranges of bytes.

use super::selection::{Part, Selection};
use crate::definition::Definition;
use crate::meta::Scalar;
use crate::store::KeyRange;
use crate::{Result, key};

/// One range for each partition key, in order. They do not overlap, since the bytes of no partition
/// key begin with those of another.
#[derive(Debug, Clone)]
pub struct Ranges(Vec<Span>);

/// The bytes between which all wanted keys of a partition key lie.
#[derive(Debug, Clone)]
pub struct Span {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Ranges {
    /// Returns the ranges of a selection, or `None` if it names no partition keys, so that all keys
    /// are wanted.
    ///
    /// # Errors
    /// Fails if a partition key does not fit the table.
    pub fn new(selection: &Selection, definition: &Definition) -> Result<Option<Ranges>> {
        let range = |values: &Vec<Scalar>| {
            let prefix = key::encode_partition(definition, values)?;
            Ok(Span {
                first: with_order(definition, &prefix, selection.low),
                last: key::after(&with_order(definition, &prefix, selection.high)),
            })
        };
        let Some(partitions) = &selection.partitions else {
            return Ok(None);
        };
        let mut ranges: Vec<Span> = partitions.iter().map(range).collect::<Result<_>>()?;
        ranges.sort_by(|a, b| a.first.cmp(&b.first));
        ranges.dedup_by(|a, b| a.first == b.first);
        Ok(Some(Ranges(ranges)))
    }

    /// Returns the ranges that may have keys of a part.
    pub fn overlapping(&self, part: &Part) -> &[Span] {
        let (first, last) = (part.first(), part.last());
        let begin = self.0.partition_point(|span| &span.last[..] < first);
        let end = self.0.partition_point(|span| &span.first[..] <= last);
        self.0.get(begin..end.max(begin)).unwrap_or_default()
    }

    /// Returns the range from the first to the last wanted key.
    pub fn all(&self) -> KeyRange<'_> {
        Span::around(&self.0)
    }
}

impl Span {
    /// Returns whether one of these ranges, which are in order, contains the key.
    pub fn any_has(ranges: &[Span], key: &[u8]) -> bool {
        let next = ranges.partition_point(|span| &span.last[..] < key);
        ranges.get(next).is_some_and(|span| &span.first[..] <= key)
    }

    /// Returns the smallest range that contains all of these, which are in order. It contains all keys
    /// if there are none.
    pub fn around(ranges: &[Span]) -> KeyRange<'_> {
        KeyRange {
            first: ranges.first().map(|span| &span.first[..]),
            last: ranges.last().map(|span| &span.last[..]),
        }
    }
}

/// Returns the bytes with which the keys of a partition key and this value of the first order key
/// begin. A value that the column cannot hold leaves the whole partition key.
fn with_order(definition: &Definition, prefix: &[u8], value: Option<i64>) -> Vec<u8> {
    let mut longer = prefix.to_vec();
    if let (Some(value), Some(order)) = (value, definition.first_order_index()) {
        let kind = definition.columns[order].kind;
        // An error leaves the bytes as they are: nothing is appended if the value does not fit.
        let _ = key::append_scalar(kind, &Scalar::Int(value), &mut longer);
    }
    longer
}
