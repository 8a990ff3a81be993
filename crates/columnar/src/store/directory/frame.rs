//! Records, one after another, in a file that only grows.
//!
//! | field | bytes |
//! |---|---|
//! | length of the payload | 4, little-endian |
//! | CRC-32 of the payload | 4, little-endian |
//! | CRC-32 of the 8 bytes before | 4, little-endian |
//! | payload | as many as its length |
//! | end | 1: the byte 0xA5 |
//!
//! After the death of a process or a machine in the middle of a write, the file may end within its last
//! record, or have zeros from somewhere in that record to the end of the file. Such a record was never
//! acknowledged and counts as not written. Any other difference is damage.

use std::ops::Range;

/// The highest number of bytes of a payload.
pub const LONGEST: usize = 1 << 30;

const HEADER: usize = 12;
const END: u8 = 0xA5;

/// The number of bytes after the payload.
pub const END_BYTES: usize = 1;

/// Appends a record. The payload has at most [`LONGEST`] bytes.
pub fn push(payload: &[u8], out: &mut Vec<u8>) {
    let begin = out.len();
    out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    out.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
    let crc = crc32fast::hash(&out[begin..]);
    out.extend_from_slice(&crc.to_le_bytes());
    out.extend_from_slice(payload);
    out.push(END);
}

/// The whole records of a file, up to its end or to the first one that is damaged.
#[derive(Debug, PartialEq, Eq)]
pub struct Records {
    /// The positions of the payloads.
    pub payloads: Vec<Range<usize>>,
    /// The end of the last record.
    pub end: usize,
    /// The damage after the last record and its position, if there is any.
    pub damage: Option<String>,
}

/// Finds the whole records from a position on, up to the first one that is damaged.
pub fn readable(bytes: &[u8], from: usize) -> Records {
    let mut records = Records {
        payloads: Vec::new(),
        end: from,
        damage: None,
    };
    while let Some(rest) = bytes.get(records.end..) {
        match first(rest) {
            First::Whole(length) => {
                let begin = records.end + HEADER;
                records.payloads.push(begin..begin + length);
                records.end = begin + length + 1;
            }
            First::Torn => break,
            First::Damaged(what) => {
                records.damage = Some(format!("{what} at byte {}", records.end));
                break;
            }
        }
    }
    records
}

/// Finds the whole records behind a position at which one is damaged.
pub fn after_damage(bytes: &[u8], damaged: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = damaged + 1;
    while let Some(header) = bytes.get(at..).and_then(<[u8]>::first_chunk::<HEADER>) {
        let [_, _, header_crc] = numbers(header);
        let is_header = crc32fast::hash(&header[..8]) == header_crc;
        match is_header.then(|| first(&bytes[at..])) {
            Some(First::Whole(length)) => {
                let begin = at + HEADER;
                found.push(begin..begin + length);
                at = begin + length + END_BYTES;
            }
            _ => at += 1,
        }
    }
    found
}

/// The first record of some bytes.
enum First {
    /// A whole record with the length of its payload.
    Whole(usize),
    /// The end of the file, or a record that was not written to its end.
    Torn,
    /// A record with the damage in words.
    Damaged(&'static str),
}

fn first(bytes: &[u8]) -> First {
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else {
        return First::Torn;
    };
    let [length, crc, header_crc] = numbers(header);
    if crc32fast::hash(&header[..8]) != header_crc {
        return if rest.iter().all(|byte| *byte == 0) {
            First::Torn
        } else {
            First::Damaged("the length of a record is damaged")
        };
    }
    let length = length as usize;
    let Some((payload, end)) = rest.split_at_checked(length) else {
        return First::Torn;
    };
    match end {
        // Zeros may begin in this record and cover others that were written together with it.
        end if end.iter().all(|byte| *byte == 0) => First::Torn,
        [END, ..] if crc32fast::hash(payload) == crc => First::Whole(length),
        [END, ..] => First::Damaged("a record is damaged"),
        _ => First::Damaged("the end of a record is damaged"),
    }
}

fn numbers(header: &[u8; HEADER]) -> [u32; 3] {
    let number = |i: usize| {
        let bytes = [header[i], header[i + 1], header[i + 2], header[i + 3]];
        u32::from_le_bytes(bytes)
    };
    [number(0), number(4), number(8)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<u8> {
        let mut bytes = b"head".to_vec();
        push(b"first", &mut bytes);
        push(b"", &mut bytes);
        push(b"second", &mut bytes);
        bytes
    }

    fn scan(bytes: &[u8], from: usize) -> Result<Records, String> {
        let records = readable(bytes, from);
        match records.damage {
            None => Ok(records),
            Some(damage) => Err(damage),
        }
    }

    fn found(bytes: &[u8]) -> Result<Vec<&[u8]>, String> {
        let records = scan(bytes, 4)?;
        Ok(records.payloads.into_iter().map(|at| &bytes[at]).collect())
    }

    #[test]
    fn records_come_back() {
        let bytes = two();
        assert_eq!(found(&bytes).unwrap(), [&b"first"[..], b"", b"second"]);
        assert_eq!(scan(&bytes, 4).unwrap().end, bytes.len());
        assert_eq!(scan(&bytes, 1000).unwrap().end, 1000);
    }

    #[test]
    fn a_cut_leaves_the_records_before_it() {
        let bytes = two();
        let ends = [4, 4 + 18, 4 + 18 + 13];
        for length in 4..bytes.len() {
            let records = scan(&bytes[..length], 4).unwrap();
            let whole = ends.iter().filter(|end| **end <= length).count() - 1;
            assert_eq!(records.payloads.len(), whole, "cut at {length}");
            assert_eq!(records.end, ends[whole]);
        }
    }

    #[test]
    fn zeros_up_to_the_end_are_a_record_that_was_not_written() {
        let bytes = two();
        let ends = [4, 4 + 18, 4 + 18 + 13];
        for zeros_from in 4..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[zeros_from..].fill(0);
            let whole = ends.iter().filter(|end| **end <= zeros_from).count() - 1;
            assert_eq!(
                found(&bytes).unwrap().len(),
                whole,
                "zeros from {zeros_from}"
            );
        }
    }

    #[test]
    fn what_comes_before_the_damage_is_read() {
        let mut bytes = two();
        bytes[4 + 18 + 13 + 14] ^= 1;
        let records = readable(&bytes, 4);
        assert_eq!(records.payloads, [16..21, 34..34]);
        assert_eq!(records.end, 4 + 18 + 13);
        let damage = records.damage.unwrap();
        assert_eq!(damage, "a record is damaged at byte 35");
    }

    #[test]
    fn what_comes_after_the_damage_is_found() {
        let mut bytes = two();
        bytes[4] ^= 1;
        let damaged = readable(&bytes, 4);
        assert_eq!((damaged.payloads.len(), damaged.end), (0, 4));
        assert_eq!(after_damage(&bytes, 4), [34..34, 47..53]);
        assert!(after_damage(&[0; 4096], 0).is_empty());
    }

    #[test]
    fn every_flipped_bit_is_damage() {
        let bytes = two();
        for bit in 4 * 8..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            found(&bytes).unwrap_err();
        }
    }
}
