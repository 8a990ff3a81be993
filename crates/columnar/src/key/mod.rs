//! Encoded keys, whose bytes compare as the rows do.
//!
//! A key consists of its columns one after another: the partition key, then the order key. No column is
//! null. Each column begins with the byte 0x01, so that everything that begins with some columns is
//! less than those columns followed by the byte 0xFF. Then comes its value:
//!
//! | kind | bytes |
//! |---|---|
//! | boolean | 1: 0 or 1 |
//! | int, date | 4, big-endian, sign bit flipped |
//! | bigint, timestamp, nanotime | 8, big-endian, sign bit flipped |
//! | float, double | 4 or 8, big-endian; the sign bit flipped if it was 0, else all bits |
//! | text, blob | the bytes, each 0x00 as 0x00 0xFF; then 0x00 0x01 |
//!
//! As a result, -0.0 comes before 0.0, a NaN with the sign bit before all other numbers and one without
//! it after them. This is the total order of IEEE 754, by which Arrow sorts and compares, too. A text
//! ends with a pair of bytes that is less than what any longer text has in that position.

mod decode;
mod encode;
mod placer;
mod scalar;
#[cfg(test)]
pub(crate) mod tests;

use bytes::Bytes;

pub use self::decode::{decode, partition_kinds, partition_len};
pub(crate) use self::encode::column_of;
pub use self::encode::{encode, encode_columns};
pub use self::placer::{Placer, place};
pub use self::scalar::{append_scalar, encode_partition};
use crate::kind::Kind;
use crate::meta::Key;

/// The byte with which each column begins.
const COLUMN: u8 = 0x01;

/// The keys of many rows in one buffer.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    bytes: Bytes,
    /// The position at which each key ends.
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

    fn start(&self, i: usize) -> usize {
        match i {
            0 => 0,
            _ => self.ends[i - 1],
        }
    }

    /// Returns the bytes of a key.
    ///
    /// # Panics
    /// Panics, like a slice, if there are fewer keys.
    pub fn get(&self, i: usize) -> &[u8] {
        &self.bytes[self.start(i)..self.ends[i]]
    }

    /// Copies a key, so that it does not keep the others in memory.
    ///
    /// # Panics
    /// Panics, like a slice, if there are fewer keys.
    pub fn key(&self, i: usize) -> Key {
        Key::copy_from_slice(self.get(i))
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.get(i))
    }
}

/// Returns the number of bytes of a value in a key, unless it depends on the value.
fn fixed_width(kind: Kind) -> Option<usize> {
    match kind {
        Kind::Boolean => Some(1),
        Kind::Int | Kind::Date | Kind::Float => Some(4),
        Kind::Bigint | Kind::Timestamp | Kind::Nanotime | Kind::Double => Some(8),
        Kind::Text | Kind::Blob => None,
    }
}

/// Returns bytes that are greater than every key that begins with these columns, and less than every
/// other key that is greater than those. They are no key themselves.
pub fn after(columns: &[u8]) -> Vec<u8> {
    [columns, &[0xFF]].concat()
}
