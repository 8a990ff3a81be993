//! Files of records after a power cut. Each append is on the disk before the next one begins, so that only the
//! last line can be torn: it ends anywhere, or has zeros in place of blocks that were never written.

use bakeoff_testing::calls::{Failing, Failure};
use bakeoff_testing::times;

use super::*;
use crate::drive::DriveRecord;
use crate::log::LogRecord;
use crate::sweep::SweepRecord;
use crate::{Event, Journal, Record, Run};

/// Number of lines of a saved run that are torn, the last ones.
const LAST: usize = 3;

/// Returns a file of a saved run without its last record, which says that the run finished.
fn saved(file: &str) -> Vec<u8> {
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bakeoff/tests/fixtures/runs");
    let whole = fs::read(runs.join(file)).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|&b| b == b'\n').collect();
    lines[..lines.len() - 1].concat()
}

/// Returns the positions after each line end.
fn line_ends(bytes: &[u8]) -> Vec<usize> {
    let all = bytes.iter().enumerate();
    all.filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1)
        .collect()
}

/// The last lines of a file, and a place for them.
struct Torn<R> {
    dir: tempfile::TempDir,
    bytes: Vec<u8>,
    records: Vec<R>,
}

impl<R: LogRecord + PartialEq> Torn<R> {
    fn new(file: &str) -> Torn<R> {
        let whole = saved(file);
        let ends = line_ends(&whole);
        let bytes = whole[ends[ends.len() - 1 - LAST]..].to_vec();
        let mut torn = Torn {
            dir: tempfile::tempdir().unwrap(),
            bytes,
            records: Vec::new(),
        };
        torn.records = torn.read(&torn.bytes).unwrap();
        assert_eq!(torn.records.len(), LAST);
        torn
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("records.jsonl")
    }

    /// Reads a file with these bytes.
    fn read(&self, bytes: &[u8]) -> Result<Vec<R>, JournalError> {
        fs::write(self.path(), bytes).unwrap();
        super::read(&self.path())
    }

    /// Checks that the first records are read, and no more.
    fn has(&self, bytes: &[u8], records: usize) {
        let read = self.read(bytes).unwrap();
        assert_eq!(read, self.records[..records], "{}", shown(bytes));
    }

    /// Checks that records are appended behind the first ones.
    fn goes_on_behind(&self, bytes: &[u8], records: usize) {
        fs::write(self.path(), bytes).unwrap();
        let (mut lines, read) = Lines::open::<R>(&self.path()).unwrap();
        assert_eq!(read, self.records[..records], "{}", shown(bytes));
        let kept = records
            .checked_sub(1)
            .map_or(0, |last| line_ends(&self.bytes)[last]);
        assert_eq!(lines.was_torn, kept < bytes.len(), "{}", shown(bytes));
        lines.begin().unwrap();
        let next = R::from(Event::Warning("the next one".to_owned()));
        lines.append(&next).unwrap();
        drop(lines);
        let line = format!("{}\n", serde_json::to_string(&next).unwrap());
        let expected = [&self.bytes[..kept], line.as_bytes()].concat();
        assert_eq!(fs::read(self.path()).unwrap(), expected);
        let last = super::read::<R>(&self.path()).unwrap().pop();
        assert_eq!(last, Some(next));
    }
}

fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// Returns a file with zeros at some places.
fn with_zeros(bytes: &[u8], at: std::ops::Range<usize>) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at].fill(0);
    bytes
}

/// Checks files that end at every byte, as they are and with zeros up to their former or another length.
fn ends_anywhere<R: LogRecord + PartialEq>(file: &str) {
    let torn = Torn::<R>::new(file);
    let (bytes, ends) = (&torn.bytes, line_ends(&torn.bytes));
    let step = times(97, 1);
    for at in 0..=bytes.len() {
        let complete = ends.iter().filter(|end| **end <= at).count();
        let cut = bytes[..at].to_vec();
        let former = with_zeros(bytes, at..bytes.len());
        let a_block_more = [&cut[..], &[0; 4096]].concat();
        for ending in [&cut, &former, &a_block_more] {
            torn.has(ending, complete);
            if at % step == 0 {
                torn.goes_on_behind(ending, complete);
            }
        }
    }
}

#[test]
fn a_file_that_ends_anywhere_has_its_whole_lines() {
    ends_anywhere::<Record>("comparison/journal.jsonl");
    ends_anywhere::<DriveRecord>("drive/drive.jsonl");
    ends_anywhere::<SweepRecord>("sweep/sweep.jsonl");
}

#[test]
fn a_last_line_with_blocks_that_were_never_written_is_left_out() {
    let torn = Torn::<Record>::new("comparison/journal.jsonl");
    let (bytes, ends) = (&torn.bytes, line_ends(&torn.bytes));
    let last = ends[LAST - 2];
    let end = bytes.len() - 1;
    for at in last..end {
        for length in [1, 16, bytes.len()] {
            let zeros = with_zeros(bytes, at..end.min(at + length));
            torn.has(&zeros, LAST - 1);
        }
    }
    for at in (last..end).step_by(times(29, 1)) {
        torn.goes_on_behind(&with_zeros(bytes, at..at + 1), LAST - 1);
    }
}

#[test]
fn zeros_in_a_line_behind_which_another_was_begun_are_named() {
    let torn = Torn::<Record>::new("comparison/journal.jsonl");
    let (bytes, ends) = (&torn.bytes, line_ends(&torn.bytes));
    let mut damaged = with_zeros(bytes, ends[LAST - 2]..ends[LAST - 2] + 1);
    damaged.extend(b"{\"torn");
    let error = torn.read(&damaged).unwrap_err();
    assert!(matches!(error, JournalError::Line { .. }), "{error}");
}

#[test]
fn zeros_in_a_line_that_was_on_the_disk_are_named() {
    let torn = Torn::<Record>::new("comparison/journal.jsonl");
    let (bytes, ends) = (&torn.bytes, line_ends(&torn.bytes));
    // Its own end is the last byte of a line: without it, the line is part of the next one.
    for at in 0..ends[LAST - 2] - 1 {
        let error = torn.read(&with_zeros(bytes, at..at + 1)).unwrap_err();
        let line = 1 + ends.iter().filter(|end| **end <= at).count();
        let said = error.to_string();
        assert!(matches!(error, JournalError::Line { .. }), "{said}");
        let place = format!("records.jsonl, line {line}: ");
        assert!(said.contains(&place), "{at}: {said}");
        assert!(said.contains("restore the file"), "{said}");
    }
}

#[test]
fn a_line_whose_sync_has_failed_is_written_again_before_it_is_relied_upon() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("records.jsonl");
    let [first, second] =
        ["first", "second"].map(|said| Record::from(Event::Warning(said.to_owned())));
    let (mut lines, _) = Lines::open::<Record>(&path).unwrap();
    lines.begin().unwrap();
    lines.append(&first).unwrap();
    let synced = fs::read(&path).unwrap().len();
    // After the write.
    let failing = Failing::after(1, Failure::Device);
    lines.append(&second).unwrap_err();
    drop(failing);
    drop(lines);

    let whole = fs::read(&path).unwrap();
    let (mut lines, read) = Lines::open::<Record>(&path).unwrap();
    assert_eq!(read, [first, second]);
    let mut all_said = Vec::new();
    for calls in 0.. {
        // What can be read of the second line is in memory only. This is what the disk has.
        fs::write(&path, with_zeros(&whole, synced..whole.len())).unwrap();
        let failing = Failing::after(calls, Failure::Device);
        let begun = lines.begin();
        if !failing.has_failed() {
            begun.unwrap();
            break;
        }
        all_said.push(begun.unwrap_err().to_string());
        drop(failing);
        lines.begin().unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    assert_eq!(fs::read(&path).unwrap(), whole);
    // It is opened to be written to, the place is looked up, the line is written and synced.
    let again = all_said.iter();
    let again = again.filter(|said| said.contains("cannot write the last line again to "));
    assert_eq!(again.count(), 4, "{all_said:?}");
}

#[test]
fn a_run_goes_on_wherever_its_journal_ends() {
    let whole = saved("comparison/journal.jsonl");
    let ends = line_ends(&whole);
    let first = ends.len() - LAST;
    for number in first..ends.len() {
        let (begin, end) = (ends[number - 1], ends[number]);
        let some = vec![begin, begin + 1, (begin + end) / 2, end - 1];
        for at in times(some, (begin..end).collect()) {
            let former = with_zeros(&whole[..end], at..end);
            let not_written = with_zeros(&whole[..end], at.min(end - 2)..end - 1);
            let files: [&[u8]; 3] = [&whole[..at], &former, &not_written];
            for bytes in files {
                let dir = tempfile::tempdir().unwrap();
                fs::write(dir.path().join(Record::FILE), bytes).unwrap();
                let fingerprint = Run::open(dir.path()).unwrap().header().fingerprint.clone();
                let mut journal = Journal::create_or_resume(dir.path(), &fingerprint).unwrap();
                assert_eq!(journal.records().len(), number, "{number}, {at}");
                assert_eq!(journal.was_torn(), bytes.len() > begin, "{number}, {at}");
                let next = Record::from(Event::Warning("the next one".to_owned()));
                journal.append(&next).unwrap();
                let run = Run::open(dir.path()).unwrap();
                assert_eq!(run.records(), journal.records());
            }
        }
    }
}

#[test]
fn a_run_whose_first_line_was_never_written_is_new() {
    let whole = saved("comparison/journal.jsonl");
    let end = line_ends(&whole)[0];
    for bytes in [
        vec![0; 4096],
        with_zeros(&whole[..end], 0..end),
        with_zeros(&whole[..end], 512..1024),
    ] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(Record::FILE), bytes).unwrap();
        let opened = Run::open(dir.path());
        assert!(matches!(opened, Err(JournalError::Empty { .. })));
        let journal = Journal::create_or_resume(dir.path(), "another command").unwrap();
        assert!(journal.records().is_empty());
    }
}

/// A copy of the last lines neither ends a report nor changes the size of what it is of.
#[test]
fn lines_that_come_twice_are_read_twice() {
    let whole = saved("comparison/journal.jsonl");
    let ends = line_ends(&whole);
    let open = |bytes: &[u8]| {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(Record::FILE), bytes).unwrap();
        Run::open(dir.path()).unwrap()
    };
    let rows = open(&whole).summary().unwrap().rows;
    for again in 1..=LAST {
        let from = ends[ends.len() - 1 - again];
        let run = open(&[&whole[..], &whole[from..]].concat());
        assert_eq!(run.records().len(), ends.len() + again);
        assert_eq!(run.summary().unwrap().rows, rows);
    }
}
