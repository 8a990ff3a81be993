//! One column of a chunk as bytes, and back.
//!
//! A blob is a header of 8 bytes ([`header`]) and a [Vortex] array: a tree of light encodings, each
//! of which leaves the rest to its children (the codes of a dictionary are packed into as few bits
//! as they need, and so on). All encodings belong to a frozen edition of Vortex, which later
//! releases read; they are listed in [`ids`].
//!
//! The encoder tries a few ways ([`candidates`]), keeps the one that suits the profile best, and
//! decodes it once: a blob that does not come back bit by bit is never written. The decoder trusts
//! nothing: bytes that are no blob of this kind and number of rows give a [`DecodeError`].
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

    /// Returns the codec that all callers share, since it takes a while to make and keeps no state.
    pub fn shared() -> &'static Codec {
        &SHARED
    }

    /// Encodes a column of a chunk as a blob.
    ///
    /// # Errors
    /// Fails if the array is not of this kind or has more than `u32::MAX` rows, or if no way of
    /// encoding brings it back as it was.
    pub fn encode(&self, profile: Profile, kind: Kind, array: &ArrayRef) -> Result<Bytes> {
        let candidates = Candidates::new(&self.packer, kind, array)?;
        for blob in candidates.blobs(profile) {
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

    /// Returns how often a way of encoding failed, so that another one was used. More than 0 is a
    /// fault of a library below.
    pub fn setbacks(&self) -> u64 {
        self.packer.setbacks()
    }

    /// Decodes all rows of a blob to an array of the kind's type.
    ///
    /// # Errors
    /// Fails if the bytes are no blob of this kind and number of rows.
    pub fn decode(&self, blob: &Bytes, kind: Kind, rows: usize) -> Result<ArrayRef, DecodeError> {
        self.decode_range(blob, kind, rows, 0..rows)
    }

    /// Decodes some rows of a blob, without the others where the encoding allows that.
    ///
    /// # Errors
    /// Fails if the bytes are no blob of this kind and number of rows, or the range reaches beyond
    /// its rows.
    pub fn decode_range(
        &self,
        blob: &Bytes,
        kind: Kind,
        rows: usize,
        range: Range<usize>,
    ) -> Result<ArrayRef, DecodeError> {
        guarded(|| self.decoder.rows(blob, kind, rows, range))
    }

    /// Decodes like [`Codec::decode_range`], but texts and blobs come as `Utf8View` and
    /// `BinaryView`, whose values are not copied for each row.
    ///
    /// # Errors
    /// The errors of [`Codec::decode_range`].
    pub fn decode_views(
        &self,
        blob: &Bytes,
        kind: Kind,
        rows: usize,
        range: Range<usize>,
    ) -> Result<ArrayRef, DecodeError> {
        guarded(|| self.decoder.views(blob, kind, rows, range))
    }

    /// Decodes like [`Codec::decode_range`], but to a dictionary array of [`coded_field`]. Texts
    /// and blobs that are kept as a dictionary come with its codes, everything else with a code for
    /// each row. Codes are never null: a null is one of the values.
    ///
    /// # Errors
    /// The errors of [`Codec::decode_range`].
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

/// Returns the checksum of a blob that is kept in its metadata.
pub fn crc(blob: &[u8]) -> u32 {
    crc32fast::hash(blob)
}
