//! Limits of what a blob may make the decoder allocate.

use vortex_array::dtype::DType;
use vortex_zstd::Zstd;
use zstd::zstd_safe::get_frame_content_size;

use super::failure::Failure;
use super::vortex::Vortex;
use crate::Kind;

/// The highest ratio of decompressed to compressed bytes in a zstd frame: a block of 128 KiB takes at
/// least 4 bytes.
const LARGEST_RATIO: u64 = 1 << 15;

/// The highest number of decompressed bytes: Arrow's offsets reach no further, and each value has 4 bytes
/// of length.
const LARGEST_FRAMES: u64 = (1 << 31) + (1 << 26);

/// The highest number of bytes of a value of fixed width, which may be in a dictionary, and of its code.
const ROW_BYTES: u64 = 16;

/// The bytes that an array may take in addition to those of its rows.
const LEAST_ARRAY_BYTES: u64 = 64 << 10;

/// The number of rows in a block. Encodings in blocks round rows up, and some have one offset more than
/// rows.
const BLOCK_ROWS: usize = 1_024;

/// Checks the lengths in a tree of encodings against its number of rows, so that decoding allocates no
/// more than these rows and the bytes of texts need.
pub(super) fn check(array: &Vortex, rows: usize) -> Result<(), Failure> {
    let most = rows.saturating_add(2 * BLOCK_ROWS);
    for node in array.depth_first_traversal() {
        if node.len() > most {
            let (name, length) = (node.encoding_id(), node.len());
            return Err(Failure(format!(
                "{name} has {length} values for {rows} rows"
            )));
        }
        if node.is::<Zstd>() {
            let frames = node.buffers();
            let sizes = frames.iter().map(|frame| frame_bytes(frame));
            let total = sizes.sum::<Result<u64, Failure>>()?;
            let possible = match node.dtype() {
                DType::Primitive(kind, _) => (node.len() * kind.byte_width()) as u64,
                _ => LARGEST_FRAMES,
            };
            if total > possible {
                return Err(Failure(format!("{total} bytes of values are too many")));
            }
        }
    }
    Ok(())
}

/// Returns the highest number of bytes that the array of a column takes, however it is encoded.
pub(super) fn array_bytes(kind: Kind, rows: usize) -> u64 {
    match kind {
        Kind::Text | Kind::Blob => LARGEST_FRAMES,
        _ => LEAST_ARRAY_BYTES + ROW_BYTES.saturating_mul(rows as u64),
    }
}

/// Returns the number of bytes that a zstd frame claims to hold, after checking that it can.
pub(super) fn frame_bytes(frame: &[u8]) -> Result<u64, Failure> {
    let bytes = get_frame_content_size(frame)
        .map_err(|e| Failure(format!("zstd frame: {e:?}")))?
        .ok_or_else(|| Failure("a zstd frame of unknown size".to_owned()))?;
    let possible = (frame.len() as u64).saturating_mul(LARGEST_RATIO);
    if bytes > possible.min(LARGEST_FRAMES) {
        let length = frame.len();
        return Err(Failure(format!(
            "a zstd frame of {length} bytes cannot hold {bytes}"
        )));
    }
    Ok(bytes)
}
