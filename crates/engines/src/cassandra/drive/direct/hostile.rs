//! Replies that no server should send: an answer or an error, never a panic, an endless loop or more memory
//! than is said here.

use std::path::Path;

use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;
use bakeoff_workload::ColumnType;
use bytes::BytesMut;

use super::frames::{Answer, RawRows, split_frame};
use crate::cassandra::drive::cells::Cell;
use crate::drive::values::read;

/// The memory for replies of at most 128 KiB in all. A map of 65,535 texts, as a reply may claim to have,
/// takes half of it.
const REPLY_BYTES: u64 = 16 << 20;

fn corpus() -> Corpus {
    Corpus::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/cql"))
}

/// Reads all cells, as every type.
fn read_all(rows: &RawRows) {
    let mut cells = 0;
    for row in rows.iter() {
        for cell in row {
            cells += 1;
            let bytes = match cell {
                Cell::Value(bytes) => Some(bytes),
                Cell::Null | Cell::Unset => None,
            };
            for (_, kind) in ColumnType::ALL {
                let _ = read(kind, bytes);
            }
        }
    }
    assert_eq!(cells, rows.rows * rows.columns);
    assert!(rows.value_bytes() <= 128 << 10);
}

/// Reads replies that arrive in pieces. Returns whether the answers to all of them can be read, and their
/// number.
fn answers(pieces: &[&[u8]]) -> (bool, usize) {
    let mut buffer = BytesMut::new();
    let mut number = 0;
    let mut are_readable = true;
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match split_frame(&mut buffer) {
                Ok(None) => break,
                Err(_) => return (false, number),
                Ok(Some((_, frame))) => {
                    number += 1;
                    match frame.into_answer() {
                        Ok(Answer::Rows(rows)) => read_all(&rows),
                        Ok(Answer::Done) => {}
                        Ok(Answer::Refused(refusal)) => drop(refusal.error.to_string()),
                        Err(error) => {
                            are_readable = false;
                            assert!(!error.to_string().is_empty());
                        }
                    }
                }
            }
        }
    }
    (are_readable && number > 0, number)
}

#[test]
fn replies_are_read_or_refused_however_they_arrive() {
    let parser = Parser {
        name: "cql replies",
        most_bytes: REPLY_BYTES,
        cases: times(5_000, 650_000),
    };
    parser.feed(&corpus(), |bytes| {
        let whole = answers(&[bytes]);
        let (begin, end) = bytes.split_at(bytes.len() / 3);
        assert_eq!(answers(&[begin, end]), whole);
        let few = &bytes[..bytes.len().min(64)];
        let alone: Vec<&[u8]> = few.chunks(1).chain([&bytes[few.len()..]]).collect();
        assert_eq!(answers(&alone), whole);
        whole.0
    });
}
