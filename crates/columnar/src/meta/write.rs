//! Encoding the metadata of a chunk.
//!
//! Numbers are unsigned LEB128 (`varint`) unless said otherwise; signed ones are zigzag-encoded
//! before (`signed`). In order:
//!
//! | field | bytes |
//! |---|---|
//! | version | 1: the byte 1 |
//! | id | 16 |
//! | rows, deleted | 2 varints |
//! | first key, last key | each its length as varint, and its bytes |
//! | least write time | signed |
//! | greatest write time | varint: how much greater, modulo 2^64 |
//! | first order key | 1: 1 if its range in all rows follows, else 0 |
//! | least, greatest of it | signed, and varint: how much greater, modulo 2^64 |
//! | widest column | varint: bytes of its values before it was encoded |
//! | columns | varint |
//! | each column | below |
//! | blobs | varint |
//! | each blob | bytes as varint, CRC-32 as 4 bytes, little-endian |
//! | CRC-32 of all bytes before | 4, little-endian |
//!
//! A column begins with a byte of flags: bits 0-1 say what its bounds are (0 none, 1 integers,
//! 2 doubles, 3 bytes), bits 2-3 what its sum is (likewise), bit 4 that both bounds are the same,
//! bit 5 that it has nulls. Then come, each where the flags say so: nulls as varint; the lower
//! bound and, unless it is the same, the upper one; the sum; and always `distinct` as varint. An
//! integer is signed, but an upper bound a varint: how much greater it is, modulo 2^64. A double
//! has 8 bytes, little-endian. Bytes are their length as varint, and themselves.

use super::{ChunkMeta, ColumnStats, Scalar};
use crate::varint::{push_signed, push_varint};

pub(super) const VERSION: u8 = 1;

pub(super) const SAME_BOUNDS: u8 = 1 << 4;
pub(super) const HAS_NULLS: u8 = 1 << 5;

/// Encodes the metadata of a chunk.
pub fn write_meta(meta: &ChunkMeta) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + 32 * meta.stats.len());
    out.push(VERSION);
    out.extend_from_slice(meta.id.0.as_bytes());
    push_varint(u64::from(meta.rows), &mut out);
    push_varint(u64::from(meta.deleted), &mut out);
    push_bytes(&meta.first, &mut out);
    push_bytes(&meta.last, &mut out);
    push_signed(meta.min_write_time, &mut out);
    push_distance(meta.min_write_time, meta.max_write_time, &mut out);
    out.push(u8::from(meta.order_range.is_some()));
    if let Some((least, greatest)) = meta.order_range {
        push_signed(least, &mut out);
        push_distance(least, greatest, &mut out);
    }
    push_varint(u64::from(meta.widest), &mut out);
    push_varint(meta.stats.len() as u64, &mut out);
    for stats in &meta.stats {
        push_stats(stats, &mut out);
    }
    push_varint(meta.blobs.len() as u64, &mut out);
    for blob in &meta.blobs {
        push_varint(u64::from(blob.bytes), &mut out);
        out.extend_from_slice(&blob.crc.to_le_bytes());
    }
    let crc = crc32fast::hash(&out);
    out.extend_from_slice(&crc.to_le_bytes());
    out
}

fn push_stats(stats: &ColumnStats, out: &mut Vec<u8>) {
    let bounds = stats.bounds.as_ref();
    let same = bounds.is_some_and(|(lower, upper)| is_same(lower, upper));
    let mut flags = tag(bounds.map(|(lower, _)| lower)) | tag(stats.sum.as_ref()) << 2;
    if same {
        flags |= SAME_BOUNDS;
    }
    if stats.nulls > 0 {
        flags |= HAS_NULLS;
    }
    out.push(flags);
    if stats.nulls > 0 {
        push_varint(u64::from(stats.nulls), out);
    }
    if let Some((lower, upper)) = bounds {
        push_scalar(lower, out);
        match (lower, upper) {
            _ if same => {}
            (Scalar::Int(lower), Scalar::Int(upper)) => push_distance(*lower, *upper, out),
            _ => push_scalar(upper, out),
        }
    }
    if let Some(sum) = &stats.sum {
        push_scalar(sum, out);
    }
    push_varint(u64::from(stats.distinct), out);
}

/// Returns the two bits of flags that say of which type a value is.
fn tag(scalar: Option<&Scalar>) -> u8 {
    match scalar {
        None => 0,
        Some(Scalar::Int(_)) => 1,
        Some(Scalar::Double(_)) => 2,
        Some(Scalar::Bytes(_)) => 3,
    }
}

/// Returns whether two values are the same. Doubles are compared bit by bit: 0.0 and -0.0 are not the
/// same.
fn is_same(a: &Scalar, b: &Scalar) -> bool {
    match (a, b) {
        (Scalar::Double(a), Scalar::Double(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

fn push_scalar(scalar: &Scalar, out: &mut Vec<u8>) {
    match scalar {
        Scalar::Int(value) => push_signed(*value, out),
        Scalar::Double(value) => out.extend_from_slice(&value.to_le_bytes()),
        Scalar::Bytes(value) => push_bytes(value, out),
    }
}

/// Appends how much greater a number is than another one.
fn push_distance(from: i64, to: i64, out: &mut Vec<u8>) {
    push_varint(to.wrapping_sub(from) as u64, out);
}

fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    push_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}
