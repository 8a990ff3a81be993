//! Notes that no shard should leave: what they say or nothing, never a panic or more memory than is said here.

use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;

use super::*;

/// The memory for a text of at most 128 KiB, and for what is said about it.
const NOTE_BYTES: u64 = 8 << 20;

#[test]
fn notes_of_other_shards_are_read_as_they_were_written_or_not_at_all() {
    let parser = Parser {
        name: "notes of shards",
        most_bytes: NOTE_BYTES,
        cases: times(3_000, 80_000),
    };
    let mut corpus = Corpus::default();
    for note in [
        "7 0",
        "0 12345",
        "made 1760000000000",
        "failed no such keyspace",
    ] {
        corpus.add(note);
    }
    parser.feed(&corpus, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let counts = Counts::read(&text);
        if let Some(counts) = counts {
            assert_eq!(Counts::read(&counts.text()), Some(counts));
            let mut sum = counts;
            sum += counts;
            assert!(sum.acknowledged >= counts.acknowledged && sum.failed >= counts.failed);
        }
        let note = TableNote::read(&text);
        if let Some(note) = &note {
            assert_eq!(TableNote::read(&note.text()).as_ref(), Some(note));
        }
        if let Some(TableNote::Made { at }) = note {
            let found = Found {
                text: text.to_string(),
                not_before: Some(UNIX_EPOCH),
                found: UNIX_EPOCH + POLL,
            };
            // Clocks may be apart by any time.
            let _ = found.clocks_apart(at);
        }
        counts.is_some() || note.is_some()
    });
}
