//! Bytes that no process with a driver should send: frames up to the first that is none, never a panic or more memory
//! than a frame may take.

use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;

use super::*;
use crate::adbc::protocol::{FRAME_BYTES, head};

/// The memory for a frame, whose bytes may be a message that is no text.
const READ_BYTES: u64 = 8 << 20;

fn frame(id: u64, kind: Kind, bytes: &[u8]) -> Vec<u8> {
    [&head(id, kind, bytes.len())[..], bytes].concat()
}

#[test]
fn frames_are_read_up_to_the_first_that_is_none() {
    let parser = Parser {
        name: "frames of a driver's process",
        most_bytes: READ_BYTES,
        cases: times(3_000, 80_000),
    };
    let mut corpus = Corpus::default();
    let several = [
        frame(1, Kind::Rows, &[255; 40]),
        frame(2, Kind::Done, b""),
        frame(1, Kind::Done, b""),
        frame(3, Kind::Failed, "no such table: caf\u{e9}".as_bytes()),
    ];
    corpus.add(several.concat());
    corpus.add(frame(u64::MAX, Kind::Rows, &[7; 1_000]));
    corpus.add(*b"Segmentation fault (core dumped)");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    parser.feed(&corpus, |bytes| {
        let mut rest = bytes;
        let mut read = 0;
        while let Some((_, reply)) = runtime.block_on(next_reply(&mut rest)) {
            read += HEAD_BYTES;
            if let Reply::Rows(rows) = &reply {
                assert!(rows.len() <= FRAME_BYTES);
            }
        }
        assert!(read <= bytes.len());
        read > 0 && rest.is_empty()
    });
}
