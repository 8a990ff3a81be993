//! Bytes that Spark's process should not send: answers, or a word what is wrong, never a panic or memory for what is
//! announced and does not come.

use std::path::Path;

use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;

use super::*;

/// The memory for a line of at most 128 KiB, and for a part of an answer.
const REPLY_BYTES: u64 = 4 << 20;

/// Reads all answers with their bytes, of which no more are held than of one part. Returns their number.
fn read_all(mut from: &[u8]) -> Result<u64, String> {
    let mut replies = 0;
    while let Some(reply) = read(&mut from)? {
        replies += 1;
        let mut left = reply.result.map_or(0, |announced| announced.bytes);
        while left > 0 {
            let part = read_part(&mut from, left)?.len() as u64;
            assert!(
                (1..=left.min(PART_BYTES)).contains(&part),
                "{part} of {left}"
            );
            left -= part;
        }
    }
    Ok(replies)
}

#[test]
fn answers_of_a_process_are_read_or_refused_with_the_reason() {
    let parser = Parser {
        name: "answers of Spark's process",
        most_bytes: REPLY_BYTES,
        cases: times(3_000, 80_000),
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/spark");
    parser.feed(&Corpus::read(&folder), |bytes| match read_all(bytes) {
        Ok(replies) => replies > 0,
        Err(why) => {
            let is_known = why.contains("no end") || why.contains("cannot be understood");
            assert!(is_known, "{why}");
            false
        }
    });
}
