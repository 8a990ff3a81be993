//! Run folders that nobody meant anyone to read: every report is made, or what is wrong is said; never a
//! panic, an endless loop or more memory than is said here.

mod lines;
mod logs;
mod traces;

use std::path::{Path, PathBuf};

use bakeoff_report::{between, drive, growth, html, json, sweep, terminal};
use bakeoff_stats::between::{Between, History};
use bakeoff_stats::drive::DriveRun;
use bakeoff_stats::sweep::SweepRun;
use bakeoff_stats::{Run, Summary};
use bakeoff_testing::hostile::{Corpus, Parser, Random};
use bakeoff_testing::times;

use super::compare::{fixture, paged};
use lines::Lines;

/// The memory for the records of at most 128 KiB, and for everything that is made of them.
const REPORT_BYTES: u64 = 128 << 20;

/// The columns of the terminal.
const WIDTH: usize = 100;

/// Returns a run folder of an earlier version.
fn saved(name: &str) -> PathBuf {
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bakeoff/tests/fixtures/runs");
    runs.join(name)
}

/// Returns the records of the saved run in a file, and those that broke a report once.
fn corpus(saved_file: &str) -> Corpus {
    let mut corpus = Corpus::default();
    corpus.add(std::fs::read(saved(saved_file)).unwrap());
    let folder = saved_file.replace(['/', '.'], "-");
    let broken = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let broken = broken.join(folder);
    if broken.is_dir() {
        corpus.add_files(&broken, "");
    }
    corpus
}

/// Adds a log with these records.
fn add_log<R: serde::Serialize>(corpus: &mut Corpus, records: &[R]) {
    let line = |record: &R| format!("{}\n", serde_json::to_string(record).unwrap());
    corpus.add(records.iter().map(line).collect::<String>());
}

fn feed(parser: &Parser<'_>, corpus: &Corpus, parse: impl FnMut(&[u8]) -> bool) {
    let lines = Lines::of(corpus);
    let make = |random: &mut Random| Some(lines.changed(random));
    parser.feed_with(corpus, make, parse);
}

/// Checks that every element of a page is closed: no text of a record is one.
fn is_whole(page: &str) {
    assert_eq!(super::compare::html::open_elements(page), Ok(Vec::new()));
}

/// Makes every report of a comparison that is read from a folder.
fn reports_comparison(folder: &Path, other: &Summary) -> bool {
    let Ok(run) = Run::open(folder) else {
        return false;
    };
    let Ok(summary) = run.summary() else {
        return false;
    };
    is_whole(&html::render(&summary));
    json::render(&summary, run.records()).unwrap();
    assert!(!terminal::render(&summary, WIDTH, true).is_empty());
    for (one, two) in [(&summary, other), (other, &summary)] {
        let changes = Between::of(("one", one), ("two", two));
        assert!(!between::render(&changes, None).is_empty());
        between::json(&changes, None).unwrap();
        let _ = changes.fail_if_slower(0.05);
    }
    let named = |name: &str, summary: &Summary| (name.to_owned(), summary.clone());
    let history = History::of(vec![named("a", other), named("b", &summary)]);
    assert!(!between::history::render(&history, true).is_empty());
    for rows in [1, summary.rows.saturating_mul(3), u64::MAX] {
        assert!(!growth::render(&summary, rows, 3).is_empty());
        growth::json(&summary, rows, u32::MAX).unwrap();
    }
    for rows in [summary.rows, u64::MAX] {
        let users = summary.under_load(1_000_000, 100_000, rows);
        assert!(!growth::render_users(&users).is_empty());
    }
    let _ = growth::validate(&summary);
    true
}

#[test]
fn journals_are_reported_or_refused() {
    let parser = Parser {
        name: "journals",
        most_bytes: REPORT_BYTES,
        // Every report is made of each one, which takes longer than any other parser does.
        cases: times(300, 30_000),
    };
    let other = Run::open(&saved("comparison")).unwrap().summary().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut corpus = corpus("comparison/journal.jsonl");
    add_log(&mut corpus, &fixture::records());
    add_log(&mut corpus, &fixture::scaled_records());
    add_log(&mut corpus, &fixture::raced_records());
    add_log(&mut corpus, &paged::records());
    feed(&parser, &corpus, |bytes| {
        std::fs::write(folder.path().join("journal.jsonl"), bytes).unwrap();
        reports_comparison(folder.path(), &other)
    });
}

/// Makes every report of a load that is read from a folder.
fn reports_load(folder: &Path) -> bool {
    let Ok(run) = DriveRun::open(folder) else {
        return false;
    };
    let Ok(summary) = run.summary() else {
        return false;
    };
    is_whole(&drive::html::render(&summary));
    drive::json::render(&summary, run.records()).unwrap();
    assert!(!drive::terminal::render(&summary, WIDTH, true).is_empty());
    true
}

/// Returns a copy of a saved load.
fn copy_of_load(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (saved(name), folder.path());
    std::fs::copy(from.join("drive.jsonl"), to.join("drive.jsonl")).unwrap();
    std::fs::create_dir(to.join("trials")).unwrap();
    for entry in std::fs::read_dir(from.join("trials")).unwrap() {
        let name = entry.unwrap().file_name();
        std::fs::copy(
            from.join("trials").join(&name),
            to.join("trials").join(name),
        )
        .unwrap();
    }
    folder
}

#[test]
fn loads_are_reported_or_refused() {
    for name in ["drive", "search"] {
        let parser = Parser {
            name: &format!("loads of {name}"),
            most_bytes: REPORT_BYTES,
            cases: times(300, 40_000),
        };
        let folder = copy_of_load(name);
        let corpus = corpus(&format!("{name}/drive.jsonl"));
        feed(&parser, &corpus, |bytes| {
            std::fs::write(folder.path().join("drive.jsonl"), bytes).unwrap();
            reports_load(folder.path())
        });
    }
}

#[test]
fn sweeps_are_reported_or_refused() {
    let parser = Parser {
        name: "sweeps",
        most_bytes: REPORT_BYTES,
        cases: times(300, 40_000),
    };
    let folder = tempfile::tempdir().unwrap();
    let mut corpus = corpus("sweep/sweep.jsonl");
    add_log(&mut corpus, &super::sweep::fixture::records());
    feed(&parser, &corpus, |bytes| {
        std::fs::write(folder.path().join("sweep.jsonl"), bytes).unwrap();
        let Ok(run) = SweepRun::open(folder.path()) else {
            return false;
        };
        let summary = run.summary();
        is_whole(&sweep::html::render(&summary));
        sweep::json::render(&summary, run.records()).unwrap();
        assert!(!sweep::terminal::render(&summary, WIDTH, true).is_empty());
        true
    });
}
