//! Manifests and logs that nobody meant anyone to read: an error, never a panic, an endless loop or more
//! memory than is said here.

use bakeoff_testing::hostile::{Corpus, Parser, Random};
use bakeoff_testing::times;
use bytes::Bytes;
use uuid::Uuid;

use super::frame;
use super::record::{PlaceChange, Record};
use super::sample::meta;
use super::segment::{self, HEAD, Rows};
use super::state::State;
use crate::definition::Definition;
use crate::id::{ChunkId, Place};
use crate::key::tests::definition;
use crate::kind::Kind;
use crate::meta::write::write_meta;
use crate::meta::{BlobMeta, ChunkMeta, ColumnStats};
use crate::store::{FreshRow, KeyRange};
use crate::varint::push_varint;

/// The memory for an input of at most 128 KiB.
const INPUT_BYTES: u64 = 32 << 20;

fn table() -> Definition {
    definition(&[Kind::Text, Kind::Timestamp, Kind::Double], 1, 1)
}

/// Returns the metadata of a chunk of the table.
fn chunk(id: u128) -> ChunkMeta {
    ChunkMeta {
        stats: vec![ColumnStats::default(); 3],
        blobs: vec![BlobMeta { bytes: 9, crc: 9 }; 3],
        ..(*meta(id)).clone()
    }
}

fn records() -> Vec<Record> {
    let place = |bucket| Place { bucket, shard: 3 };
    let change = |bucket, add: &[u128], retire: &[u128]| PlaceChange {
        place: place(bucket),
        add: add.iter().map(|id| chunk(*id).into()).collect(),
        retire: retire
            .iter()
            .map(|id| ChunkId(Uuid::from_u128(*id)))
            .collect(),
        sealed: 4,
    };
    vec![
        Record::Changes {
            at: 1_700_000_000_000_000,
            changes: vec![change(-1, &[1, 2, 3], &[]), change(5, &[4], &[])],
        },
        Record::Changes {
            at: 1_700_000_000_000_001,
            changes: vec![change(5, &[], &[4])],
        },
        Record::Dropped {
            at: -1,
            places: vec![(place(-1), 7), (place(i64::MAX), u64::MAX)],
        },
        Record::Retired(vec![(ChunkId(Uuid::from_u128(5)), 6)]),
    ]
}

/// Makes a record of one chunk whose metadata has the right CRC and other fields.
fn with_other_meta(random: &mut Random) -> Vec<u8> {
    let whole = write_meta(&chunk(9));
    let mut body = whole[..whole.len() - 4].to_vec();
    for _ in 0..random.usize(1..4) {
        let at = random.usize(1..body.len());
        body[at] = [0, 1, 0x7f, 0x80, 0xff, random.u8(..)][random.usize(..6)];
    }
    let crc = crc32fast::hash(&body).to_le_bytes();
    // Changes at the time 0, of 1 place with bucket 0 and shard 0, 1 chunk.
    let mut record = vec![1, 0, 1, 0, 0, 1];
    push_varint(body.len() as u64 + 4, &mut record);
    record.extend(body);
    record.extend(crc);
    // No chunk is retired, and nothing sealed.
    record.extend([0, 0]);
    record
}

#[test]
fn records_of_a_manifest_are_applied_or_refused() {
    let parser = Parser {
        name: "records of manifests",
        most_bytes: INPUT_BYTES,
        cases: times(5_000, 60_000),
    };
    let definition = table();
    let mut corpus = Corpus::default();
    records()
        .iter()
        .for_each(|record| corpus.add(record.encode()));
    let before = || {
        let mut state = State::default();
        state.apply(records().remove(0));
        state
    };
    parser.feed_with(
        &corpus,
        |random| Some(with_other_meta(random)),
        |bytes| {
            let Ok(record) = Record::decode(bytes) else {
                return false;
            };
            let again = Record::decode(&record.encode()).unwrap();
            assert_eq!(format!("{again:?}"), format!("{record:?}"));
            let mut state = before();
            if record
                .check(&definition)
                .and_then(|()| state.check(&record))
                .is_ok()
            {
                state.apply(record);
                for record in state.records() {
                    record.check(&definition).unwrap();
                }
                let _ = state.last_write_time();
            }
            true
        },
    );
}

fn row(key: &'static [u8], write_time: i64, row: Option<&'static [u8]>) -> FreshRow {
    FreshRow {
        key: Bytes::from_static(key),
        write_time,
        row: row.map(Bytes::from_static),
    }
}

/// Returns the inserts of a log.
fn inserts() -> Vec<Vec<FreshRow>> {
    vec![
        vec![row(b"a", 5, Some(b"value")), row(b"b", i64::MAX, None)],
        Vec::new(),
        vec![row(b"", i64::MIN, Some(b"")), row(b"a", 6, Some(&[0; 300]))],
    ]
}

fn log() -> Vec<u8> {
    let records = inserts()
        .into_iter()
        .map(|rows| segment::encode(&rows).unwrap());
    HEAD.iter().copied().chain(records.flatten()).collect()
}

/// Reads a log, and what is salvaged of it, which has to be readable. Returns whether it is not damaged.
fn is_log(bytes: &Bytes) -> bool {
    let mut rows = Rows::default();
    let (end, damage) = segment::readable(bytes, 0, &mut rows);
    assert!(end <= bytes.len() as u64);
    let salvaged = Bytes::from(segment::salvaged(bytes));
    assert!(salvaged.len() <= bytes.len() + HEAD.len());
    let mut again = Rows::default();
    let (_, damage_left) = segment::readable(&salvaged, 0, &mut again);
    assert_eq!(damage_left, None);
    assert!(again.len() >= rows.len());
    assert_eq!(rows.within(KeyRange::default()).len(), rows.len());
    let _ = rows.last_write_time();
    damage.is_none()
}

#[test]
fn logs_are_read_up_to_their_damage_and_salvaged() {
    let parser = Parser {
        name: "logs of fresh rows",
        most_bytes: INPUT_BYTES,
        cases: times(3_000, 60_000),
    };
    let mut corpus = Corpus::default();
    corpus.add(log());
    corpus.add(&log()[..HEAD.len()]);
    parser.feed(&corpus, |bytes| is_log(&Bytes::copy_from_slice(bytes)));
}

/// The inputs are payloads, which get the right length and CRC: otherwise hardly any change would be read.
#[test]
fn inserts_of_a_log_are_read_or_refused() {
    let parser = Parser {
        name: "inserts of fresh rows",
        most_bytes: INPUT_BYTES,
        cases: times(5_000, 60_000),
    };
    let mut corpus = Corpus::default();
    for rows in inserts() {
        let record = segment::encode(&rows).unwrap();
        let payload = frame::readable(&record, 0).payloads.remove(0);
        corpus.add(&record[payload]);
    }
    parser.feed(&corpus, |payload| {
        let mut bytes = log();
        frame::push(payload, &mut bytes);
        frame::push(payload, &mut bytes);
        is_log(&bytes.into())
    });
}
