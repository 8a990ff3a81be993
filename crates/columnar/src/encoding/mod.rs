//! One column of a chunk as bytes, and back.
//!
//! A blob is a header of 8 bytes ([`header`]) and a [Vortex] array: a tree of light encodings,
//! each of which leaves the rest to its children (a dictionary's codes are packed into as many
//! bits as they need, and so on). What is written belongs to a frozen edition of Vortex, which
//! later releases read; which encodings these are is listed in [`ids`].
//!
//! Encoding tries a few ways ([`candidates`]), keeps the one that suits the profile best, and
//! decodes it once: what does not come back bit by bit is never written. Decoding trusts nothing:
//! bytes that are not a blob of this kind with so many rows give a [`DecodeError`].
//!
//! [Vortex]: https://docs.vortex.dev

mod candidates;
mod coded;
mod decode;
mod dictionary;
mod failure;
mod header;
mod ids;
mod limits;
mod pack;
mod storage;
mod vortex;

use std::ops::Range;
use std::sync::LazyLock;

use arrow::array::ArrayRef;
use bytes::Bytes;

use crate::{Error, Kind, Profile, Result};
use candidates::Candidates;
use decode::Decoder;
use failure::guarded;
use pack::Packer;

pub use coded::{coded, coded_field, coded_schema};
pub use failure::DecodeError;
pub use header::FORMAT_VERSION;
pub use ids::ENCODINGS;

static SHARED: LazyLock<Codec> = LazyLock::new(Codec::new);

/// Encodes and decodes columns.
#[derive(Debug)]
pub struct Codec {
    packer: Packer,
    decoder: Decoder,
}

impl Codec {
    fn new() -> Self {
        let session = vortex::session();
        Codec {
            packer: Packer::new(session.clone()),
            decoder: Decoder::new(session),
        }
    }

    /// The one that all use: it takes a while to make, and keeps nothing.
    pub fn shared() -> &'static Codec {
        &SHARED
    }

    /// A column of a chunk as a blob.
    ///
    /// # Errors
    /// If the array is not of this kind, or of more than `u32::MAX` rows, or if nothing that was
    /// tried comes back as it was.
    pub fn encode(&self, profile: Profile, kind: Kind, array: &ArrayRef) -> Result<Bytes> {
        let candidates = Candidates::new(&self.packer, kind, array)?;
        for blob in candidates.of(profile) {
            match self.decode(&blob, kind, array.len()) {
                Ok(decoded) if &decoded == array => return Ok(blob),
                Ok(_) => self.packer.set_back(kind, "it came back changed"),
                Err(error) => self.packer.set_back(kind, &error.to_string()),
            }
        }
        Err(Error::Invalid(format!(
            "a column of kind {kind:?} with {} rows cannot be encoded",
            array.len()
        )))
    }

    /// How often a way of encoding failed, so that another was taken. More than 0 is a fault of a
    /// library below.
    pub fn setbacks(&self) -> u64 {
        self.packer.setbacks()
    }

    /// All rows of a blob, as an array of the kind's type.
    ///
    /// # Errors
    /// If the bytes are not a blob of this kind with so many rows.
    pub fn decode(&self, blob: &Bytes, kind: Kind, rows: usize) -> Result<ArrayRef, DecodeError> {
        self.decode_range(blob, kind, rows, 0..rows)
    }

    /// Some of the rows of a blob, without decoding the others where the encoding allows it.
    ///
    /// # Errors
    /// If the bytes are not a blob of this kind with so many rows, or end before the range does.
    pub fn decode_range(
        &self,
        blob: &Bytes,
        kind: Kind,
        rows: usize,
        range: Range<usize>,
    ) -> Result<ArrayRef, DecodeError> {
        guarded(|| self.decoder.rows(blob, kind, rows, range))
    }

    /// As [`Codec::decode_range`], but text and blobs come as `Utf8View` and `BinaryView`, whose
    /// values are not copied for each row.
    ///
    /// # Errors
    /// As [`Codec::decode_range`].
    pub fn decode_views(
        &self,
        blob: &Bytes,
        kind: Kind,
        rows: usize,
        range: Range<usize>,
    ) -> Result<ArrayRef, DecodeError> {
        guarded(|| self.decoder.views(blob, kind, rows, range))
    }

    /// As [`Codec::decode_range`], but as a dictionary array of [`coded_field`]. Text and blobs that
    /// are kept as a dictionary come with its codes, all else with a code for each row. Codes are
    /// never null: a null is one of the values.
    ///
    /// # Errors
    /// As [`Codec::decode_range`].
    pub fn decode_coded(
        &self,
        blob: &Bytes,
        kind: Kind,
        rows: usize,
        range: Range<usize>,
    ) -> Result<ArrayRef, DecodeError> {
        guarded(|| self.decoder.coded(blob, kind, rows, range))
    }
}

/// The checksum that is kept of a blob.
pub fn crc(blob: &[u8]) -> u32 {
    crc32fast::hash(blob)
}
