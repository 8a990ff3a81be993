//! The header of a blob, which says how the other bytes are read.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 1 | format version: 1 |
//! | 1 | 1 | layout: 1 array, 2 differences, 3 zstd |
//! | 2 | 1 | kind: 1 boolean, 2 int, 3 bigint, 4 float, 5 double, 6 date, 7 timestamp, 8 nanotime, 9 text, 10 blob |
//! | 3 | 1 | flags: 1 if the array may hold nulls |
//! | 4 | 4 | rows, little-endian |
//!
//! Then, by layout:
//! - *array*: the Vortex array, as [`vortex_array`] serializes it with padding from offset 0.
//! - *differences*: the first row's value as 8 bytes, signed, little-endian; then a Vortex array
//!   with 0 for the first row and for each other what is added to the row before (modulo 2^32 or
//!   2^64).
//! - *zstd*: the length of the serialized Vortex array in 4 bytes, little-endian; then a zstd
//!   frame of it.

use super::DecodeError;
use crate::Kind;

/// The version of the format that is written, and the latest that is read.
const FORMAT_VERSION: u8 = 1;

/// The bytes of a header.
pub(super) const BYTES: usize = 8;

/// The layout of the bytes after the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Array,
    Differences,
    Zstd,
}

const LAYOUTS: [(Layout, u8); 3] = [
    (Layout::Array, 1),
    (Layout::Differences, 2),
    (Layout::Zstd, 3),
];

const KINDS: [(Kind, u8); 10] = [
    (Kind::Boolean, 1),
    (Kind::Int, 2),
    (Kind::Bigint, 3),
    (Kind::Float, 4),
    (Kind::Double, 5),
    (Kind::Date, 6),
    (Kind::Timestamp, 7),
    (Kind::Nanotime, 8),
    (Kind::Text, 9),
    (Kind::Blob, 10),
];

const NULLABLE: u8 = 1;

/// The header of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub layout: Layout,
    pub kind: Kind,
    pub nullable: bool,
    pub rows: u32,
}

impl Header {
    pub fn to_bytes(self) -> [u8; BYTES] {
        let flags = if self.nullable { NULLABLE } else { 0 };
        let [a, b, c, d] = self.rows.to_le_bytes();
        let layout = code(&LAYOUTS, self.layout);
        [
            FORMAT_VERSION,
            layout,
            code(&KINDS, self.kind),
            flags,
            a,
            b,
            c,
            d,
        ]
    }

    /// Reads a header and checks that it is that of a column with this kind and number of rows.
    pub fn read(blob: &[u8], kind: Kind, rows: usize) -> Result<Header, DecodeError> {
        let corrupt = |reason: String| Err(DecodeError::Corrupt(reason));
        let Some([version, layout, found, flags, a, b, c, d]) = blob.first_chunk::<BYTES>() else {
            return corrupt(format!("{} bytes are too few for a blob", blob.len()));
        };
        if *version != FORMAT_VERSION {
            let (found, known) = (*version, FORMAT_VERSION);
            return Err(DecodeError::Version { found, known });
        }
        let Some(layout) = meaning(&LAYOUTS, *layout) else {
            return corrupt(format!("layout {layout} is unknown"));
        };
        if meaning(&KINDS, *found) != Some(kind) {
            return corrupt(format!("kind {found} is not {kind:?}"));
        }
        if *flags & !NULLABLE != 0 {
            return corrupt(format!("flags {flags:#x} are unknown"));
        }
        let found = u32::from_le_bytes([*a, *b, *c, *d]);
        if usize::try_from(found) != Ok(rows) {
            return corrupt(format!("there are {found} rows, not {rows}"));
        }
        Ok(Header {
            layout,
            kind,
            nullable: *flags == NULLABLE,
            rows: found,
        })
    }
}

/// Returns the header of the same array in another layout.
pub(super) fn with_layout(header: [u8; BYTES], layout: Layout) -> [u8; BYTES] {
    let [version, _, rest @ ..] = header;
    let [a, b, c, d, e, f] = rest;
    [version, code(&LAYOUTS, layout), a, b, c, d, e, f]
}

fn code<T: PartialEq>(codes: &[(T, u8)], wanted: T) -> u8 {
    let entry = codes.iter().find(|(value, _)| *value == wanted);
    entry.map_or(0, |(_, code)| *code)
}

fn meaning<T: Copy>(codes: &[(T, u8)], wanted: u8) -> Option<T> {
    let entry = codes.iter().find(|(_, code)| *code == wanted);
    entry.map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_is_read_as_it_was_written() {
        for (layout, _) in LAYOUTS {
            for (kind, _) in KINDS {
                for (nullable, rows) in [(false, 0), (true, u32::MAX)] {
                    let header = Header {
                        layout,
                        kind,
                        nullable,
                        rows,
                    };
                    let read = Header::read(&header.to_bytes(), kind, rows as usize);
                    assert_eq!(read, Ok(header));
                }
            }
        }
    }

    #[test]
    fn another_kind_or_number_of_rows_is_noticed() {
        let bytes = [1, 1, 9, 0, 7, 0, 0, 0];
        assert!(Header::read(&bytes, Kind::Text, 7).is_ok());
        assert!(Header::read(&bytes, Kind::Blob, 7).is_err());
        assert!(Header::read(&bytes, Kind::Text, 8).is_err());
        assert!(Header::read(&bytes[..7], Kind::Text, 7).is_err());
    }

    #[test]
    fn a_newer_format_is_reported_as_such() {
        let found = Header::read(&[2, 1, 9, 0, 0, 0, 0, 0], Kind::Text, 0);
        assert_eq!(found, Err(DecodeError::Version { found: 2, known: 1 }));
    }
}
