//! Loads in which a call fails: their records, and the histograms of a trial. A load is not gone on with by another
//! process, which begins another one.

use std::time::UNIX_EPOCH;

use super::*;
use crate::Tally;
use crate::drive::testing::header;
use crate::drive::{DriveLog, DriveRecord, DriveRun, HistogramLog, HistogramLogReader};

const SECONDS: usize = 3;

/// A load that is recorded.
struct Load {
    folder: TempDir,
    log: Option<DriveLog>,
    histograms: Option<HistogramLog>,
    /// Number of records that were acknowledged.
    records: usize,
    /// Bytes of the histograms when the file was made, and after each second that was acknowledged.
    lengths: Vec<usize>,
}

impl Load {
    fn new() -> Load {
        Load {
            folder: TempDir::new().unwrap(),
            log: None,
            histograms: None,
            records: 0,
            lengths: Vec::new(),
        }
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("load")
    }

    /// Returns the file of the histograms.
    fn path(&self) -> PathBuf {
        HistogramLog::path(&self.dir(), 1)
    }

    /// Records the load to its end, from where it stands: a record after each second.
    fn go_on(&mut self) -> Result<(), JournalError> {
        let (dir, path) = (self.dir(), self.path());
        if self.log.is_none() {
            self.log = Some(DriveLog::create(&dir, &header())?);
            self.records = 1;
        }
        if self.histograms.is_none() {
            self.histograms = Some(HistogramLog::create(&path, UNIX_EPOCH)?);
            self.note_length();
        }
        while self.records <= SECONDS {
            let second = self.records - 1;
            if self.lengths.len() == self.records {
                let histograms = self.histograms.as_mut().unwrap();
                histograms.write(second as u32, &operations(), &tallies(second))?;
                self.note_length();
            }
            let log = self.log.as_mut().unwrap();
            log.append(&record(self.records))?;
            self.records += 1;
        }
        Ok(())
    }

    fn note_length(&mut self) {
        self.lengths.push(fs::read(self.path()).unwrap().len());
    }

    /// Checks what a report finds after a failure, against a load in which nothing has failed.
    fn check_found(&self, whole: &Load) {
        match DriveRun::open(&self.dir()) {
            Ok(run) => {
                let more = run.records().len().checked_sub(self.records);
                assert!(matches!(more, Some(0 | 1)), "{more:?}");
                let all: Vec<DriveRecord> = (0..run.records().len()).map(record).collect();
                assert_eq!(run.records(), all);
            }
            Err(JournalError::Missing { .. } | JournalError::Empty { .. }) => {
                assert_eq!(self.records, 0);
            }
            Err(error) => panic!("{error}"),
        }
        let Some(length) = self.lengths.last() else {
            return;
        };
        let acknowledged = fs::read(whole.path()).unwrap()[..*length].to_vec();
        assert!(fs::read(self.path()).unwrap().starts_with(&acknowledged));
        let found = HistogramLogReader::open(&self.path(), &operations()).unwrap();
        let found: Vec<u32> = found.map(|second| second.unwrap().second).collect();
        // Of a second that was not acknowledged, some lines may be there.
        let more = found.len().checked_sub(self.lengths.len() - 1);
        assert!(matches!(more, Some(0 | 1)), "{found:?}");
        assert!(found.iter().copied().eq(0..found.len() as u32), "{found:?}");
    }

    /// Checks that each record and each second is there once, and nothing else.
    fn check_whole(&self, whole: &Load) {
        for (own, other) in [
            (self.path(), whole.path()),
            (
                self.dir().join(DriveRecord::FILE),
                whole.dir().join(DriveRecord::FILE),
            ),
        ] {
            assert_eq!(fs::read(own).unwrap(), fs::read(other).unwrap());
        }
        assert_eq!(self.lengths, whole.lengths);
        assert_eq!(names_in(&self.dir()), [DriveRecord::FILE, LOCK, "trials"]);
    }
}

fn operations() -> Vec<String> {
    ["read", "insert"].map(str::to_owned).to_vec()
}

fn tallies(second: usize) -> Vec<Tally> {
    let tally = |operation: u64| {
        let mut tally = Tally::default();
        (1..200).for_each(|n| tally.record(n * (second as u64 + 1) * operation, n));
        tally
    };
    [1000, 3000].map(tally).to_vec()
}

/// Returns a record of the load by its number.
fn record(number: usize) -> DriveRecord {
    match number {
        0 => DriveRecord::started(header()),
        number => Event::Warning(format!("number {number}")).into(),
    }
}

/// Lets each call in turn fail until none is left that could, and returns the number of calls.
fn fail_every_call(failure: Failure) -> u64 {
    let mut whole = Load::new();
    whole.go_on().unwrap();
    for calls in 0.. {
        let _moment = Moment::new(format!("{failure:?} after {calls} calls"));
        let mut load = Load::new();
        let failing = Failing::after(calls, failure);
        let outcome = load.go_on();
        let has_failed = failing.has_failed();
        drop(failing);
        load.check_found(&whole);
        if !has_failed {
            outcome.unwrap();
            load.check_whole(&whole);
            return calls;
        }
        check_words(&outcome.unwrap_err(), load.folder.path(), failure);
        if load.log.is_none() {
            // Whatever is left there, it is either begun anew or in the way of nothing but its own folder.
            let again = DriveLog::create(&load.dir(), &header());
            let is_fine = matches!(again, Ok(_) | Err(JournalError::Occupied { .. }));
            assert!(is_fine, "{again:?}");
        }
        if load.histograms.is_none() {
            load = Load::new();
        }
        load.go_on().unwrap();
        load.check_whole(&whole);
    }
    unreachable!("more calls than numbers")
}

#[test]
fn a_load_in_which_any_call_fails_loses_no_record_and_no_second() {
    for failure in ALL_FAILURES {
        let calls = fail_every_call(failure);
        assert!(calls > 25, "{calls}");
    }
}
