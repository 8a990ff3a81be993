//! Binary search in the sorted rows of a blob.

use std::cmp::Ordering;
use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Float32Type, Float64Type, Int32Type, Int64Type};
use bytes::Bytes;

use super::decode::Decoder;
use super::failure::DecodeError;
use super::storage;
use crate::Kind;
use crate::meta::Scalar;

/// Which row is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The first that is not less than the value.
    NotLess,
    /// The first that is greater than the value.
    Greater,
}

pub(super) fn bound(
    decoder: &Decoder,
    blob: &Bytes,
    kind: Kind,
    rows: usize,
    range: Range<usize>,
    value: &Scalar,
    side: Side,
) -> Result<usize, DecodeError> {
    let start = range.start;
    let decoded = decoder.views(blob, kind, rows, range)?;
    let column = storage::kept(kind, &decoded).unwrap_or(decoded);
    if column.null_count() > 0 {
        return Err(DecodeError::Corrupt("a null among sorted rows".to_owned()));
    }
    let Some(order) = order(kind, &column, value) else {
        let reason = format!("{value:?} is no value of kind {kind:?}");
        return Err(DecodeError::Corrupt(reason));
    };
    let is_before = |row: usize| match order(row) {
        Ordering::Less => true,
        Ordering::Equal => side == Side::Greater,
        Ordering::Greater => false,
    };
    Ok(start + partition_point(column.len(), is_before))
}

type Order<'a> = Box<dyn Fn(usize) -> Ordering + 'a>;

/// How a row's value compares with the given one, as Arrow sorts.
fn order<'a>(kind: Kind, column: &'a ArrayRef, value: &'a Scalar) -> Option<Order<'a>> {
    Some(match (kind, value) {
        (Kind::Boolean, Scalar::Int(value)) => {
            let column = column.as_boolean();
            Box::new(move |row| i64::from(column.value(row)).cmp(value))
        }
        (Kind::Int | Kind::Date, Scalar::Int(value)) => {
            let column = column.as_primitive::<Int32Type>();
            Box::new(move |row| i64::from(column.value(row)).cmp(value))
        }
        (Kind::Bigint | Kind::Timestamp | Kind::Nanotime, Scalar::Int(value)) => {
            let column = column.as_primitive::<Int64Type>();
            Box::new(move |row| column.value(row).cmp(value))
        }
        (Kind::Float, Scalar::Double(value)) => {
            let column = column.as_primitive::<Float32Type>();
            Box::new(move |row| f64::from(column.value(row)).total_cmp(value))
        }
        (Kind::Double, Scalar::Double(value)) => {
            let column = column.as_primitive::<Float64Type>();
            Box::new(move |row| column.value(row).total_cmp(value))
        }
        (Kind::Text, Scalar::Bytes(value)) => {
            let column = column.as_string_view();
            Box::new(move |row| column.value(row).as_bytes().cmp(value))
        }
        (Kind::Blob, Scalar::Bytes(value)) => {
            let column = column.as_binary_view();
            Box::new(move |row| column.value(row).cmp(value))
        }
        _ => return None,
    })
}

/// The number of rows at the beginning that are before.
fn partition_point(rows: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (0, rows);
    while from < to {
        let middle = from + (to - from) / 2;
        match is_before(middle) {
            true => from = middle + 1,
            false => to = middle,
        }
    }
    from
}
