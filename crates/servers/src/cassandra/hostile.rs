//! Outputs and logs that no tool should print: what they say or nothing, never a panic, an endless loop or more
//! memory than is said here.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Output};

use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;

use super::gc_log::{GcLog, Pauses, path};
use super::java::parse_version;
use super::nodes::up_and_normal;
use super::recording::stacks;
use super::{checksums, log, maven, nodetool};
use crate::log::LINES;

/// The memory for a text of at most 128 KiB.
const TEXT_BYTES: u64 = 16 << 20;

fn corpus(name: &str) -> Corpus {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    Corpus::read(&folder.join(name))
}

/// Returns the pauses of a log that the JVM writes in pieces, between which it is read.
fn pauses(folder: &Path, pieces: &[&[u8]]) -> Pauses {
    let path = path(folder);
    let mut file = File::create(&path).unwrap();
    let mut log = GcLog::new(path);
    let mut last = Pauses::default();
    for piece in pieces {
        file.write_all(piece).unwrap();
        let now = log.read().unwrap();
        assert!(now.count >= last.count && now.seconds >= last.seconds);
        last = now;
    }
    assert!(last.seconds.is_finite());
    last
}

#[test]
fn pauses_are_the_same_however_a_log_is_read() {
    let parser = Parser {
        name: "logs of the garbage collector",
        most_bytes: TEXT_BYTES,
        cases: times(2_000, 60_000),
    };
    let folder = tempfile::tempdir().unwrap();
    parser.feed(&corpus("gc"), |bytes| {
        let whole = pauses(folder.path(), &[bytes]);
        let (begin, end) = bytes.split_at(bytes.len() / 3);
        let (middle, end) = end.split_at(end.len() / 2);
        assert_eq!(pauses(folder.path(), &[begin, middle, end]), whole);
        whole.count > 0
    });
}

#[test]
fn stacks_of_a_recording_are_counted() {
    let parser = Parser {
        name: "recordings that Java prints",
        most_bytes: TEXT_BYTES,
        cases: times(2_000, 60_000),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    parser.feed(&corpus("jfr"), |bytes| {
        let counted = runtime.block_on(stacks::read(bytes)).unwrap();
        let begun = String::from_utf8_lossy(bytes)
            .matches("stackTrace = [")
            .count();
        assert!(counted.values().sum::<u64>() <= begun as u64);
        assert!(counted.keys().all(|stack| !stack.is_empty()));
        !counted.is_empty()
    });
}

#[test]
fn what_tools_print_is_understood_or_shown_in_a_few_lines() {
    let parser = Parser {
        name: "outputs of tools",
        most_bytes: TEXT_BYTES,
        cases: times(3_000, 80_000),
    };
    parser.feed(&corpus("outputs"), |bytes| {
        let printed = String::from_utf8_lossy(bytes);
        assert!(up_and_normal(&printed) <= printed.lines().count());
        let _ = checksums::parse(&printed);
        assert!(log::error_lines(&printed).len() <= LINES);
        assert!(log::last_lines(&printed).len() <= LINES);
        assert!(maven::last_errors(&printed).lines().count() <= maven::ERROR_LINES);
        let said = nodetool::complaint(&Output {
            status: ExitStatus::from_raw(2 << 8),
            stdout: Vec::new(),
            stderr: bytes.to_vec(),
        });
        assert!(!said.is_empty() && said.lines().count() <= nodetool::ERROR_LINES);
        assert!(said.lines().all(|line| line != "-- StackTrace --"));
        let version = parse_version(&printed);
        if let Some((version, release)) = &version {
            assert!(version.contains(&release.to_string()), "{version}");
        }
        version.is_some()
    });
}
