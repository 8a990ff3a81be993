//! Decoding the metadata of a chunk.

use bytes::Bytes;
use uuid::Uuid;

use super::write::{HAS_NULLS, SAME_BOUNDS, VERSION};
use super::{BlobMeta, ChunkMeta, ColumnStats, Scalar};
use crate::id::ChunkId;
use crate::varint::Reader;

/// The least number of bytes that a column takes.
const COLUMN_BYTES: usize = 2;

/// The least number of bytes that a blob takes.
const BLOB_BYTES: usize = 5;

/// Decodes the metadata of a chunk.
///
/// # Errors
/// Returns the reason why the bytes are not what [`super::write::write_meta`] has written.
pub fn read_meta(bytes: &[u8]) -> Result<ChunkMeta, String> {
    let Some((body, crc)) = bytes.split_last_chunk::<4>() else {
        return Err(format!(
            "a chunk's statistics are torn after {} bytes",
            bytes.len()
        ));
    };
    match body.first() {
        Some(&VERSION) => {}
        Some(other) => {
            return Err(format!(
                "a chunk's statistics have format {other}, and this version reads {VERSION}"
            ));
        }
        None => return Err("a chunk's statistics are empty".to_owned()),
    }
    if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
        return Err("a chunk's statistics do not have their CRC-32".to_owned());
    }
    let mut reader = Reader::new(&body[1..]);
    meta(&mut reader)
        .filter(|_| reader.is_empty())
        .ok_or_else(|| {
            format!(
                "a chunk's statistics are malformed {} bytes before their end",
                reader.len()
            )
        })
}

fn meta(reader: &mut Reader<'_>) -> Option<ChunkMeta> {
    let id = ChunkId(Uuid::from_bytes(reader.array()?));
    let rows = reader.varint_u32()?;
    let deleted = reader.varint_u32()?;
    let first = Bytes::copy_from_slice(reader.bytes()?);
    let last = Bytes::copy_from_slice(reader.bytes()?);
    let min_write_time = reader.signed()?;
    let max_write_time = distance(min_write_time, reader)?;
    let order_range = match reader.byte()? {
        0 => None,
        1 => {
            let least = reader.signed()?;
            Some((least, distance(least, reader)?))
        }
        _ => return None,
    };
    let widest = reader.varint_u32()?;
    let columns = reader.count(COLUMN_BYTES)?;
    let stats = (0..columns)
        .map(|_| column(reader))
        .collect::<Option<_>>()?;
    let blobs = reader.count(BLOB_BYTES)?;
    let blobs = (0..blobs).map(|_| blob(reader)).collect::<Option<_>>()?;
    Some(ChunkMeta {
        id,
        rows,
        deleted,
        first,
        last,
        min_write_time,
        max_write_time,
        order_range,
        widest,
        stats,
        blobs,
    })
}

fn column(reader: &mut Reader<'_>) -> Option<ColumnStats> {
    let flags = reader.byte()?;
    let same = flags & SAME_BOUNDS != 0;
    if flags >> 6 != 0 || (same && flags & 3 == 0) {
        return None;
    }
    let nulls = match flags & HAS_NULLS {
        0 => 0,
        _ => reader.varint_u32()?,
    };
    let bounds = match scalar(flags & 3, reader)? {
        Some(lower) => {
            let upper = match &lower {
                _ if same => lower.clone(),
                Scalar::Int(lower) => Scalar::Int(distance(*lower, reader)?),
                _ => scalar(flags & 3, reader)??,
            };
            Some((lower, upper))
        }
        None => None,
    };
    Some(ColumnStats {
        nulls,
        bounds,
        sum: scalar(flags >> 2 & 3, reader)?,
        distinct: reader.varint_u32()?,
    })
}

fn blob(reader: &mut Reader<'_>) -> Option<BlobMeta> {
    Some(BlobMeta {
        bytes: reader.varint_u32()?,
        crc: u32::from_le_bytes(reader.array()?),
    })
}

/// Reads a value. The outer option is none if the bytes are torn, the inner one if there is no value.
fn scalar(tag: u8, reader: &mut Reader<'_>) -> Option<Option<Scalar>> {
    Some(match tag {
        0 => None,
        1 => Some(Scalar::Int(reader.signed()?)),
        2 => Some(Scalar::Double(f64::from_le_bytes(reader.array()?))),
        _ => Some(Scalar::Bytes(Bytes::copy_from_slice(reader.bytes()?))),
    })
}

fn distance(from: i64, reader: &mut Reader<'_>) -> Option<i64> {
    Some(from.wrapping_add(reader.varint()? as i64))
}
