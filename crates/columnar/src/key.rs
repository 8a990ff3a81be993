//! Keys whose bytes compare as the rows do.
//!
//! A key is its columns one after another: partition key, then order key. No column is null. Each
//! begins with the byte 0x01, so that everything that begins with some columns is less than those
//! columns and the byte 0xFF. Then:
//!
//! | kind | bytes |
//! |---|---|
//! | boolean | 1: 0 or 1 |
//! | int, date | 4, big-endian, sign bit flipped |
//! | bigint, timestamp, nanotime | 8, big-endian, sign bit flipped |
//! | float, double | 4 or 8, big-endian; the sign bit flipped if it was 0, else all bits |
//! | text, blob | the bytes, each 0x00 as 0x00 0xFF; then 0x00 0x01 |
//!
//! So -0.0 is before 0.0, a NaN with the sign bit before all other numbers and one without it
//! after them: IEEE 754's total order, which Arrow sorts and compares by too. A text ends with a
//! byte pair that is less than what any longer text has there.

mod decode;
mod encode;
mod place;
mod scalar;
#[cfg(test)]
pub(crate) mod tests;

use bytes::Bytes;

pub use self::decode::{decode, partition_kinds, partition_len};
pub(crate) use self::encode::column_of;
pub use self::encode::{encode, encode_columns};
pub use self::place::{Placer, place};
pub use self::scalar::{append_scalar, encode_partition};
use crate::definition::Kind;
use crate::meta::Key;

/// The byte that each column begins with.
const COLUMN: u8 = 0x01;

/// Keys of many rows in one buffer.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    bytes: Bytes,
    /// Where each key ends.
    ends: Vec<usize>,
}

impl<'a> FromIterator<&'a [u8]> for Keys {
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(keys: I) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for key in keys {
            bytes.extend_from_slice(key);
            ends.push(bytes.len());
        }
        Keys {
            bytes: bytes.into(),
            ends,
        }
    }
}

impl Keys {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn start(&self, i: usize) -> usize {
        match i {
            0 => 0,
            _ => self.ends[i - 1],
        }
    }

    /// # Panics
    /// If there are not so many keys, like a slice.
    pub fn get(&self, i: usize) -> &[u8] {
        &self.bytes[self.start(i)..self.ends[i]]
    }

    /// A key on its own, which does not keep the others in memory.
    ///
    /// # Panics
    /// If there are not so many keys, like a slice.
    pub fn key(&self, i: usize) -> Key {
        Key::copy_from_slice(self.get(i))
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.get(i))
    }
}

/// Bytes of a value in a key, unless they depend on the value.
fn fixed_width(kind: Kind) -> Option<usize> {
    match kind {
        Kind::Boolean => Some(1),
        Kind::Int | Kind::Date | Kind::Float => Some(4),
        Kind::Bigint | Kind::Timestamp | Kind::Nanotime | Kind::Double => Some(8),
        Kind::Text | Kind::Blob => None,
    }
}

/// Bytes that are greater than every key that begins with these columns, less than every other that
/// is greater than those, and no key themselves.
pub fn after(columns: &[u8]) -> Vec<u8> {
    [columns, &[0xFF]].concat()
}
