//! The format of a segment of fresh rows.
//!
//! A segment begins with 8 bytes: `bkfresh` and the version 1. Records (`frame.rs`) follow, one for
//! each insert: the number of rows, and for each row the length of its key, its key, how much later
//! it was written than the row before (signed, microseconds, modulo 2^64; the first one: than
//! 1970-01-01 UTC), and 0 if its key is deleted, or else the length of its other columns plus 1 and
//! those (`row`). Numbers are LEB128, signed ones zigzag-encoded before.

use std::collections::BTreeMap;
use std::ops::Bound;

use bytes::Bytes;

use super::frame;
use crate::meta::Key;
use crate::store::{FreshRow, KeyRange};
use crate::varint::{Reader, push_signed, push_varint};
use crate::{Error, Result};

/// The first bytes of a segment.
pub const HEAD: &[u8; 8] = b"bkfresh\x01";

/// The least number of bytes that a row takes.
const ROW_BYTES: usize = 3;

/// The newest version of each key.
#[derive(Debug, Clone, Default)]
pub struct Rows(BTreeMap<Key, FreshRow>);

impl Rows {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the greatest write time, if there is a row.
    pub fn last_write_time(&self) -> Option<i64> {
        self.0.values().map(|row| row.write_time).max()
    }

    /// Adds a row, unless a version of its key is there that replaces it.
    pub fn keep_newest(&mut self, row: FreshRow) {
        let kept = self.0.get(&row.key);
        if kept.is_none_or(|kept| row.replaces(kept)) {
            self.0.insert(row.key.clone(), row);
        }
    }

    /// Returns the rows with keys in a range, in order of their keys.
    pub fn within(&self, keys: KeyRange<'_>) -> Vec<FreshRow> {
        if let (Some(first), Some(last)) = (keys.first, keys.last)
            && first > last
        {
            return Vec::new();
        }
        let bounds = (
            keys.first.map_or(Bound::Unbounded, Bound::Included),
            keys.last.map_or(Bound::Unbounded, Bound::Included),
        );
        let rows = self.0.range::<[u8], _>(bounds);
        rows.map(|(_, row)| row.clone()).collect()
    }
}

/// Returns the newest versions in several segments, which come in their order. Versions of different
/// segments are compared like rows before and after a freeze: the earlier segment may have become
/// chunks meanwhile.
pub fn merged(mut lists: Vec<Vec<FreshRow>>) -> Vec<FreshRow> {
    lists.retain(|rows| !rows.is_empty());
    if lists.len() <= 1 {
        return lists.pop().unwrap_or_default();
    }
    let mut rows: BTreeMap<Key, FreshRow> = BTreeMap::new();
    for row in lists.into_iter().flatten() {
        if rows.get(&row.key).is_none_or(|kept| row.follows(kept)) {
            rows.insert(row.key.clone(), row);
        }
    }
    rows.into_values().collect()
}

/// Encodes the record of an insert.
pub fn encode(rows: &[FreshRow]) -> Result<Vec<u8>> {
    let mut payload = Vec::new();
    push_varint(rows.len() as u64, &mut payload);
    let mut before = 0i64;
    for row in rows {
        push_varint(row.key.len() as u64, &mut payload);
        payload.extend_from_slice(&row.key);
        push_signed(row.write_time.wrapping_sub(before), &mut payload);
        before = row.write_time;
        match &row.row {
            None => payload.push(0),
            Some(bytes) => {
                push_varint(bytes.len() as u64 + 1, &mut payload);
                payload.extend_from_slice(bytes);
            }
        }
    }
    if payload.len() > frame::LONGEST {
        return Err(Error::Invalid(format!(
            "an insert has {} bytes, and {} are possible; insert fewer rows at once, or ingest them",
            payload.len(),
            frame::LONGEST
        )));
    }
    let mut record = Vec::with_capacity(payload.len() + 16);
    frame::push(&payload, &mut record);
    Ok(record)
}

/// Adds the rows of all whole records and returns the position in the file at which the last one ends.
/// `start` is the position in the file of the first byte.
///
/// # Errors
/// Returns the damage and its position.
pub fn decode(bytes: &Bytes, start: u64, rows: &mut Rows) -> Result<u64, String> {
    match readable(bytes, start, rows) {
        (end, None) => Ok(end),
        (_, Some(damage)) => Err(damage),
    }
}

/// Adds the rows of all whole records up to the first one that is damaged. Returns the position in the
/// file at which the last one ends, and the damage after it, if there is any.
pub fn readable(bytes: &Bytes, start: u64, rows: &mut Rows) -> (u64, Option<String>) {
    let mut from = 0;
    if start == 0 {
        match bytes.strip_prefix(HEAD) {
            Some(_) => from = HEAD.len(),
            None if is_beginning_of_head(bytes) => return (0, None),
            None => {
                let damage = "it is not a log of fresh rows that this version reads".to_owned();
                return (0, Some(damage));
            }
        }
    }
    let records = frame::readable(bytes, from);
    let mut end = start + from as u64;
    for payload in records.payloads {
        let (at, end_of_this) = (start + payload.start as u64, payload.end + frame::END_BYTES);
        if insert(&bytes.slice(payload), rows).is_none() {
            return (end, Some(format!("the record at byte {at} is malformed")));
        }
        end = start + end_of_this as u64;
    }
    let damage = records.damage.map(|reason| match start {
        0 => reason,
        _ => format!("{reason}, counted from {start}"),
    });
    (end, damage)
}

/// Returns a segment of all records that can be read of a damaged one, before and after the damage.
pub fn salvaged(bytes: &Bytes) -> Vec<u8> {
    let (end, damage) = readable(bytes, 0, &mut Rows::default());
    let end = end as usize;
    let mut whole = bytes[..end].to_vec();
    if damage.is_none() {
        return whole;
    }
    if end == 0 {
        whole.extend_from_slice(HEAD);
    }
    for payload in frame::after_damage(bytes, end) {
        if insert(&bytes.slice(payload.clone()), &mut Rows::default()).is_some() {
            frame::push(&bytes[payload], &mut whole);
        }
    }
    whole
}

/// Returns whether the head was not written to its end: it ends with the file, or in zeros up to the end
/// of the file. After a loss of power a file may have its length and none of its contents.
fn is_beginning_of_head(bytes: &[u8]) -> bool {
    let written = bytes.iter().rposition(|byte| *byte != 0);
    HEAD.starts_with(&bytes[..written.map_or(0, |last| last + 1)])
}

/// Adds the rows of a record, all of them or, if its bytes are no rows, none. Then it returns `None`.
fn insert(payload: &Bytes, rows: &mut Rows) -> Option<()> {
    let mut reader = Reader::new(payload);
    let mut write_time = 0i64;
    let mut read = Vec::new();
    for _ in 0..reader.count(ROW_BYTES)? {
        let key = payload.slice_ref(reader.bytes()?);
        write_time = write_time.wrapping_add(reader.signed()?);
        let row = match reader.varint()?.checked_sub(1) {
            None => None,
            Some(length) => Some(reader.take(usize::try_from(length).ok()?)?),
        };
        read.push(FreshRow {
            key,
            write_time,
            row: row.map(|row| payload.slice_ref(row)),
        });
    }
    if !reader.is_empty() {
        return None;
    }
    read.into_iter().for_each(|row| rows.keep_newest(row));
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn row() -> impl Strategy<Value = FreshRow> {
        let key = prop::collection::vec(any::<u8>(), 0..3);
        let row = prop::option::of(prop::collection::vec(any::<u8>(), 0..3));
        let write_time = select(vec![i64::MIN, 0, 1, 2, i64::MAX]);
        (key, write_time, row).prop_map(|(key, write_time, row)| FreshRow {
            key: key.into(),
            write_time,
            row: row.map(Bytes::from),
        })
    }

    fn inserts() -> impl Strategy<Value = Vec<Vec<FreshRow>>> {
        prop::collection::vec(prop::collection::vec(row(), 0..5), 0..5)
    }

    fn file(inserts: &[Vec<FreshRow>]) -> Bytes {
        let records = inserts.iter().map(|rows| encode(rows).unwrap());
        let mut bytes = HEAD.to_vec();
        bytes.extend(records.flatten());
        bytes.into()
    }

    fn read(bytes: &Bytes) -> Result<Vec<FreshRow>, String> {
        let mut rows = Rows::default();
        decode(bytes, 0, &mut rows)?;
        Ok(rows.within(KeyRange::default()))
    }

    proptest! {
        #[test]
        fn the_order_of_inserts_does_not_matter(inserts in inserts()) {
            let mut reversed = inserts.clone();
            reversed.reverse();
            reversed.iter_mut().for_each(|rows| rows.reverse());
            let rows = read(&file(&inserts)).unwrap();
            prop_assert_eq!(&rows, &read(&file(&reversed)).unwrap());
            let alone = |rows| read(&file(std::slice::from_ref(rows))).unwrap();
            for row in merged(inserts.iter().map(alone).collect()) {
                let found = rows.iter().find(|found| found.key == row.key).unwrap();
                prop_assert!(row.follows(found) && found.follows(&row));
            }
            for row in inserts.iter().flatten() {
                let found = rows.iter().find(|found| found.key == row.key).unwrap();
                prop_assert!(found.write_time >= row.write_time);
                if found.write_time == row.write_time && row.row.is_none() {
                    prop_assert_eq!(&found.row, &None);
                }
            }
        }

        #[test]
        fn a_log_that_has_grown_is_read_on(inserts in inserts(), cut in 0usize..5) {
            let whole = file(&inserts);
            let before = file(&inserts[..cut.min(inserts.len())]);
            let mut rows = Rows::default();
            let at = decode(&before, 0, &mut rows).unwrap();
            prop_assert_eq!(at, before.len() as u64);
            decode(&whole.slice(before.len()..), at, &mut rows).unwrap();
            prop_assert_eq!(rows.within(KeyRange::default()), read(&whole).unwrap());
        }

        #[test]
        fn whatever_a_record_says_nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            insert(&bytes.into(), &mut Rows::default());
        }
    }

    #[test]
    fn a_range_has_both_its_ends() {
        let mut rows = Rows::default();
        for key in ["a", "b", "c", "d"] {
            let key = Bytes::from_static(key.as_bytes());
            rows.keep_newest(FreshRow {
                key,
                write_time: 1,
                row: None,
            });
        }
        let within = |first: Option<&str>, last: Option<&str>| {
            let keys = KeyRange {
                first: first.map(str::as_bytes),
                last: last.map(str::as_bytes),
            };
            let keys = rows
                .within(keys)
                .into_iter()
                .map(|row| String::from_utf8(row.key.to_vec()).unwrap());
            keys.collect::<Vec<_>>().concat()
        };
        assert_eq!(within(Some("b"), Some("c")), "bc");
        assert_eq!(within(None, Some("b")), "ab");
        assert_eq!(within(Some("bb"), None), "cd");
        assert_eq!(within(Some("c"), Some("b")), "");
    }

    #[test]
    fn what_is_no_log_is_said() {
        read(&Bytes::from_static(b"other file")).unwrap_err();
        read(&Bytes::from_static(b"oth")).unwrap_err();
        assert_eq!(read(&Bytes::from_static(b"bkfre")).unwrap(), []);
    }

    #[test]
    fn inserts_around_a_damaged_one_are_salvaged() {
        let row = |key: &'static str| FreshRow {
            key: Bytes::from_static(key.as_bytes()),
            write_time: 1,
            row: None,
        };
        let inserts = [vec![row("a")], vec![row("b")], vec![row("c")]];
        let whole = file(&inserts);
        assert_eq!(salvaged(&whole), whole);
        let record = (whole.len() - HEAD.len()) / 3;
        for damaged in 0..3 {
            let mut bytes = whole.to_vec();
            bytes[HEAD.len() + damaged * record + 13] ^= 1;
            read(&bytes.clone().into()).unwrap_err();
            let mut left = inserts.to_vec();
            left.remove(damaged);
            assert_eq!(salvaged(&bytes.into()), file(&left), "{damaged}");
        }
        let mut other = whole.to_vec();
        other[0] ^= 1;
        assert_eq!(salvaged(&other.into()), whole);
    }

    #[test]
    fn a_head_that_was_not_written_to_its_end_has_no_rows() {
        for length in 0..100 {
            assert_eq!(read(&vec![0; length].into()).unwrap(), [], "{length} zeros");
        }
        for written in 0..HEAD.len() {
            let mut bytes = HEAD[..written].to_vec();
            bytes.resize(4096, 0);
            assert_eq!(read(&bytes.clone().into()).unwrap(), [], "{written} bytes");
            bytes.push(1);
            read(&bytes.into()).unwrap_err();
        }
        for last in 0..HEAD.len() {
            let mut bytes = HEAD[..=last].to_vec();
            bytes[last] ^= 0x40;
            bytes.resize(4096, 0);
            read(&bytes.into()).expect_err("the last byte that was written is not that of a head");
        }
    }
}
