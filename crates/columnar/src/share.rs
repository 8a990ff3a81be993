//! Shares of a table, each of which another process may read, such as the tasks of a Spark job.
//!
//! A share carries its parts whole: the entries of their chunks, and their fresh rows. So all shares of a
//! plan show the same snapshot, whatever is inserted, sealed or ingested after it. Only blobs are read
//! later. They never change, and those of replaced chunks stay until they are swept: a share whose chunk
//! was swept or dropped meanwhile fails with [`Error::Gone`], and is never without those rows.

use std::sync::Arc;

use bytes::Bytes;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::definition::Definition;
use crate::id::Place;
use crate::meta::read::read_meta;
use crate::meta::write::write_meta;
use crate::store::FreshRow;
use crate::table::Part;
use crate::varint::{Reader, push_signed, push_varint};
use crate::{Error, Result};

/// The beginning of every token, which has the version of its form.
const PREFIX: &str = "share1-";

/// The level of zstd for tokens, which are written once and read once.
const ZSTD_LEVEL: i32 = 3;

/// The highest number of bytes of the fresh rows in all shares together, which are copied into tokens.
const FRESH_BYTES_AT_MOST: usize = 64 << 20;

/// The highest number of bytes of a share before it is compressed.
const SHARE_BYTES_AT_MOST: usize = 256 << 20;

/// The least number of bytes that a part takes: its place, and the numbers of chunks and fresh rows.
const PART_BYTES: usize = 4;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// The parts of a scan that one process reads, of several that read one snapshot together.
#[derive(Debug, Clone)]
pub struct Share {
    /// The name of what all shares of a plan show together: 32 hexadecimal digits, the same if it is the
    /// same.
    pub snapshot: String,
    /// The number of the share, from 1.
    pub number: u32,
    /// The number of shares.
    pub of: u32,
    /// The names of the columns that are wanted, in this order.
    pub columns: Vec<String>,
    /// The condition of the rows that are wanted, in SQL, unless all are.
    pub condition: Option<String>,
    /// The cost of reading it, in bytes.
    pub cost: u64,
    /// The parts, in the order of the scan.
    pub parts: Vec<Part>,
}

/// Divides the parts that a scan reads, given with the cost of each, among `count` shares of about the same
/// cost: no share costs more than its part of the whole and one part together. Some are empty if there
/// are too few parts.
///
/// # Errors
/// Fails if `count` is 0, or if there are so many fresh rows that they cannot be carried along.
pub fn shares(
    definition: &Definition,
    columns: &[String],
    condition: Option<&str>,
    parts: Vec<(Part, u64)>,
    count: u32,
) -> Result<Vec<Share>> {
    if count == 0 {
        return Err(Error::Invalid("a table has 1 share or more".to_owned()));
    }
    check_fresh(&parts)?;
    let snapshot = snapshot_of(definition, columns, condition, &parts)?;
    let empty = |number| Share {
        snapshot: snapshot.clone(),
        number,
        of: count,
        columns: columns.to_vec(),
        condition: condition.map(str::to_owned),
        cost: 0,
        parts: Vec::new(),
    };
    let mut shares: Vec<Share> = (1..=count).map(empty).collect();
    let all: u128 = parts.iter().map(|(_, cost)| u128::from(*cost)).sum();
    let mut before = 0;
    for (part, cost) in parts {
        let share = &mut shares[share_of(before, cost.into(), all, count as usize)];
        share.cost += cost;
        share.parts.push(part);
        before += u128::from(cost);
    }
    Ok(shares)
}

/// Returns the number, from 0, of the share in which the middle of something lies that costs `cost` after
/// others that cost `before`, of all that costs `all`.
pub(crate) fn share_of(before: u128, cost: u128, all: u128, shares: usize) -> usize {
    let middle = before + cost / 2;
    let share = usize::try_from(middle * shares as u128 / all.max(1)).unwrap_or(0);
    share.min(shares.saturating_sub(1))
}

fn check_fresh(parts: &[(Part, u64)]) -> Result<()> {
    let fresh = || parts.iter().flat_map(|(part, _)| &part.fresh);
    let bytes = |row: &FreshRow| row.key.len() + row.row.as_ref().map_or(0, Bytes::len);
    if fresh().map(bytes).sum::<usize>() <= FRESH_BYTES_AT_MOST {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "{} rows are in no chunk yet, which is more than shares of a table can carry along; seal the \
         table first",
        fresh().count()
    )))
}

/// Names what shares show together. It depends on their contents alone.
fn snapshot_of(
    definition: &Definition,
    columns: &[String],
    condition: Option<&str>,
    parts: &[(Part, u64)],
) -> Result<String> {
    let mut contents = hash_of(definition)?.to_le_bytes().to_vec();
    push_request(columns, condition, &mut contents);
    for (part, _) in parts {
        push_part(part, &mut contents);
    }
    Ok(format!("{:032x}", xxh3_128(&contents)))
}

fn hash_of(definition: &Definition) -> Result<u64> {
    let json = serde_json::to_vec(definition);
    let json = json.map_err(|e| Error::Internal(format!("a definition is no JSON: {e}")))?;
    Ok(xxh3_64(&json))
}

impl Share {
    /// Returns the share as a text of letters and digits, which [`Share::from_token`] reads.
    ///
    /// # Errors
    /// Fails if it is too large.
    pub fn to_token(&self, definition: &Definition) -> Result<String> {
        let mut body = hash_of(definition)?.to_le_bytes().to_vec();
        push_bytes(self.snapshot.as_bytes(), &mut body);
        for number in [u64::from(self.number), u64::from(self.of), self.cost] {
            push_varint(number, &mut body);
        }
        push_request(&self.columns, self.condition.as_deref(), &mut body);
        push_varint(self.parts.len() as u64, &mut body);
        for part in &self.parts {
            push_part(part, &mut body);
        }
        token(body)
    }

    /// Reads a share of a table with this definition.
    ///
    /// # Errors
    /// Fails if it is torn, of another version, or of a table with another definition.
    pub fn from_token(token: &str, definition: &Definition) -> Result<Share> {
        let read = body(token.trim()).and_then(|body| read_share(&body, definition));
        read.map_err(|reason| {
            Error::Invalid(format!(
                "this is not a part of a plan: {reason}; pass it as it was printed, or make a new plan"
            ))
        })
    }
}

/// Returns the token of a share's bytes.
fn token(mut body: Vec<u8>) -> Result<String> {
    let crc = crc32fast::hash(&body);
    body.extend_from_slice(&crc.to_le_bytes());
    if body.len() > SHARE_BYTES_AT_MOST {
        return Err(Error::Invalid(format!(
            "a share of the table takes {} bytes, and at most {SHARE_BYTES_AT_MOST} are possible; make \
             more shares",
            body.len()
        )));
    }
    let packed = zstd::bulk::compress(&body, ZSTD_LEVEL);
    let packed = packed.map_err(|e| Error::Internal(format!("cannot compress a share: {e}")))?;
    let mut bytes = Vec::with_capacity(packed.len() + 8);
    push_varint(body.len() as u64, &mut bytes);
    bytes.extend_from_slice(&packed);
    let mut text = String::with_capacity(PREFIX.len() + 2 * bytes.len());
    text.push_str(PREFIX);
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from(HEX[usize::from(digit)]));
        }
    }
    Ok(text)
}

/// Returns the bytes of a share without their checksum.
fn body(token: &str) -> Result<Vec<u8>, String> {
    let digits = token
        .strip_prefix(PREFIX)
        .ok_or_else(|| format!("it does not begin with {PREFIX}"))?;
    let torn = || "it is torn".to_owned();
    let bytes = from_hex(digits).ok_or_else(torn)?;
    let mut reader = Reader::new(&bytes);
    let length = reader.varint().and_then(|n| usize::try_from(n).ok());
    let length = length
        .filter(|n| *n <= SHARE_BYTES_AT_MOST)
        .ok_or_else(torn)?;
    let packed = reader.take(reader.len()).ok_or_else(torn)?;
    let mut body = zstd::bulk::decompress(packed, length).map_err(|_| torn())?;
    let Some((contents, crc)) = body.split_last_chunk::<4>() else {
        return Err(torn());
    };
    if crc32fast::hash(contents) != u32::from_le_bytes(*crc) {
        return Err(torn());
    }
    body.truncate(body.len() - 4);
    Ok(body)
}

fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| u8::try_from(value(*high)? << 4 | value(*low)?).ok();
    pairs.iter().map(byte).collect()
}

fn read_share(body: &[u8], definition: &Definition) -> Result<Share, String> {
    let torn = || "it is torn".to_owned();
    let mut reader = Reader::new(body);
    let expected = hash_of(definition).map_err(|e| e.to_string())?;
    if reader.array().map(u64::from_le_bytes) != Some(expected) {
        return Err("it is of a table with other columns or keys".to_owned());
    }
    let snapshot = read_text(&mut reader).ok_or_else(torn)?;
    let number = reader.varint_u32().ok_or_else(torn)?;
    let of = reader.varint_u32().ok_or_else(torn)?;
    let cost = reader.varint().ok_or_else(torn)?;
    let (columns, condition) = read_request(&mut reader).ok_or_else(torn)?;
    let count = reader.count(PART_BYTES).ok_or_else(torn)?;
    let mut parts = Vec::new();
    for _ in 0..count {
        parts.push(read_part(&mut reader, definition)?);
    }
    if !reader.is_empty() {
        return Err(torn());
    }
    Ok(Share {
        snapshot,
        number,
        of,
        columns,
        condition,
        cost,
        parts,
    })
}

fn push_request(columns: &[String], condition: Option<&str>, out: &mut Vec<u8>) {
    push_varint(columns.len() as u64, out);
    for column in columns {
        push_bytes(column.as_bytes(), out);
    }
    push_optional(condition.map(str::as_bytes), out);
}

fn read_request(reader: &mut Reader<'_>) -> Option<(Vec<String>, Option<String>)> {
    let count = reader.count(1)?;
    let mut columns = Vec::new();
    for _ in 0..count {
        columns.push(read_text(reader)?);
    }
    let condition = match read_optional(reader)? {
        None => None,
        Some(bytes) => Some(String::from_utf8(bytes.to_vec()).ok()?),
    };
    Some((columns, condition))
}

fn push_part(part: &Part, out: &mut Vec<u8>) {
    push_signed(part.place.bucket, out);
    push_varint(u64::from(part.place.shard), out);
    push_varint(part.chunks.len() as u64, out);
    for chunk in &part.chunks {
        push_bytes(&write_meta(chunk), out);
    }
    push_varint(part.fresh.len() as u64, out);
    for fresh in &part.fresh {
        push_bytes(&fresh.key, out);
        push_signed(fresh.write_time, out);
        push_optional(fresh.row.as_deref(), out);
    }
}

fn read_part(reader: &mut Reader<'_>, definition: &Definition) -> Result<Part, String> {
    let torn = || "it is torn".to_owned();
    let bucket = reader.signed().ok_or_else(torn)?;
    let shard = reader.varint_u32().ok_or_else(torn)?;
    let count = reader.count(1).ok_or_else(torn)?;
    let mut chunks = Vec::new();
    for _ in 0..count {
        let meta = read_meta(reader.bytes().ok_or_else(torn)?)?;
        meta.check(definition)?;
        chunks.push(Arc::new(meta));
    }
    let count = reader.count(1).ok_or_else(torn)?;
    let mut fresh: Vec<FreshRow> = Vec::new();
    for _ in 0..count {
        fresh.push(read_fresh(reader).ok_or_else(torn)?);
    }
    // Merges rely on that order, and would yield a key twice without it.
    if !fresh.is_sorted_by(|a, b| a.key < b.key) {
        return Err("its rows are not in order".to_owned());
    }
    Ok(Part {
        place: Place { bucket, shard },
        chunks,
        fresh,
    })
}

fn read_fresh(reader: &mut Reader<'_>) -> Option<FreshRow> {
    Some(FreshRow {
        key: Bytes::copy_from_slice(reader.bytes()?),
        write_time: reader.signed()?,
        row: read_optional(reader)?.map(Bytes::copy_from_slice),
    })
}

fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    push_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn read_text(reader: &mut Reader<'_>) -> Option<String> {
    String::from_utf8(reader.bytes()?.to_vec()).ok()
}

fn push_optional(bytes: Option<&[u8]>, out: &mut Vec<u8>) {
    out.push(u8::from(bytes.is_some()));
    if let Some(bytes) = bytes {
        push_bytes(bytes, out);
    }
}

/// Reads bytes that may be missing. The outer option is none if they are torn, the inner one if there are
/// none.
fn read_optional<'a>(reader: &mut Reader<'a>) -> Option<Option<&'a [u8]>> {
    match reader.byte()? {
        0 => Some(None),
        1 => reader.bytes().map(Some),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
