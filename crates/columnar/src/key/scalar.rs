//! Encoding single values as keys.

use super::encode::{append_bytes, append_double, append_eight, append_float, append_four};
use super::{COLUMN, partition_kinds};
use crate::definition::Definition;
use crate::kind::Kind;
use crate::meta::{Key, Scalar};
use crate::{Error, Result};

/// Appends one column of a key.
///
/// # Errors
/// Fails if the value is of another kind, or is an integer or float that the column cannot hold.
/// Then nothing is appended.
pub fn append_scalar(kind: Kind, value: &Scalar, out: &mut Vec<u8>) -> Result<()> {
    let begin = out.len();
    out.push(COLUMN);
    if append_value(kind, value, out).is_none() {
        out.truncate(begin);
        return Err(Error::Invalid(format!("{value:?} is not a {kind:?}")));
    }
    Ok(())
}

fn append_value(kind: Kind, value: &Scalar, out: &mut Vec<u8>) -> Option<()> {
    match (kind, value) {
        (Kind::Boolean, Scalar::Int(v @ 0..=1)) => out.push(*v as u8),
        (Kind::Int | Kind::Date, Scalar::Int(v)) => append_four(i32::try_from(*v).ok()?, out),
        (Kind::Bigint | Kind::Timestamp | Kind::Nanotime, Scalar::Int(v)) => append_eight(*v, out),
        (Kind::Float, Scalar::Double(v)) => append_float(narrow(*v)?, out),
        (Kind::Double, Scalar::Double(v)) => append_double(*v, out),
        (Kind::Text | Kind::Blob, Scalar::Bytes(v)) => append_bytes(v, out),
        _ => return None,
    }
    Some(())
}

/// Returns the same number in 32 bits, if there is one.
fn narrow(value: f64) -> Option<f32> {
    let narrow = value as f32;
    (f64::from(narrow) == value || value.is_nan()).then_some(narrow)
}

/// Encodes a partition key: the bytes with which all of its keys begin, and no others.
///
/// # Errors
/// Fails if the number of values is not that of the partition key's columns, or one is of another
/// kind.
pub fn encode_partition(definition: &Definition, values: &[Scalar]) -> Result<Key> {
    let kinds = partition_kinds(definition);
    if kinds.len() != values.len() {
        return Err(Error::Invalid(format!(
            "a partition key has {} columns, not {}",
            kinds.len(),
            values.len()
        )));
    }
    let mut out = Vec::new();
    for (kind, value) in kinds.into_iter().zip(values) {
        append_scalar(kind, value, &mut out)?;
    }
    Ok(out.into())
}
