//! The histograms of a load.

use bakeoff_testing::hostile::{Corpus, Parser, Random};
use bakeoff_testing::times;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::{REPORT_BYTES, copy_of_load, reports_load, saved};

const FILE: &str = "trials/001.hlog";

/// Makes a log with one histogram whose header is made up. The first bytes of the format with which it is
/// not compressed are `1c 84 93 13`.
fn with_header(random: &mut Random) -> Vec<u8> {
    let wide = [
        0,
        1,
        5,
        255,
        1 << 20,
        i32::MAX as u64,
        u32::MAX as u64,
        u64::MAX,
    ];
    let counts: Vec<u8> = (0..random.usize(..20)).map(|_| random.u8(..)).collect();
    let mut any = || wide[random.usize(..wide.len())];
    let mut histogram = vec![0x1c, 0x84, 0x93, 0x13];
    // The length of the counts, an offset, and the significant digits.
    for number in [any(), 0, any() % 8] {
        histogram.extend((number as u32).to_be_bytes());
    }
    // The least and the greatest value, and a ratio.
    for number in [any(), any(), 1.0f64.to_bits()] {
        histogram.extend(number.to_be_bytes());
    }
    histogram.extend(counts);
    let histogram = BASE64.encode(histogram);
    format!("Tag=insert,{}.000,1.000,8.5,{histogram}\n", any()).into_bytes()
}

#[test]
fn histograms_are_read_or_refused() {
    let parser = Parser {
        name: "histograms",
        most_bytes: REPORT_BYTES,
        cases: times(500, 50_000),
    };
    let folder = copy_of_load("drive");
    let mut corpus = Corpus::default();
    corpus.add_files(&saved("drive/trials"), ".hlog");
    let make = |random: &mut Random| Some(with_header(random));
    parser.feed_with(&corpus, make, |bytes| {
        std::fs::write(folder.path().join(FILE), bytes).unwrap();
        reports_load(folder.path())
    });
}
