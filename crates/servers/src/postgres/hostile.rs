//! Outputs and files that no PostgreSQL should have: what they say or nothing, never a panic or an endless loop.

use std::path::{Path, PathBuf};

use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;

use super::installation::{Installation, default_version, printed_version};
use super::log::last_lines;
use crate::log::LINES;

/// The memory for a text of at most 128 KiB.
const TEXT_BYTES: u64 = 16 << 20;

#[test]
fn versions_and_logs_are_understood_or_shown_in_a_few_lines() {
    let parser = Parser {
        name: "outputs of postgres",
        most_bytes: TEXT_BYTES,
        cases: times(2_000, 40_000),
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/postgres");
    parser.feed(&Corpus::read(&folder), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        assert!(last_lines(&text).len() <= LINES);
        let timescale = default_version(&text);
        let version = printed_version(text.trim());
        if let Some(version) = version {
            let installation = Installation {
                bin_dir: PathBuf::new(),
                version: version.to_owned(),
                timescale: timescale.clone(),
            };
            assert!(version.starts_with(installation.major()));
        }
        version.is_some() || timescale.is_some()
    });
}
