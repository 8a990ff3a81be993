//! The n-th call to the system fails, for every n, while a run or a load is recorded. What was acknowledged is there
//! afterwards, the record that failed is there as a whole or not at all, and the next attempt goes on from there.

mod loads;

use std::fs;

use bakeoff_testing::calls::{Failing, Failure};
use bakeoff_testing::{Moment, names_in, times};
use tempfile::TempDir;

use super::*;
use crate::compare::testing::header as a_header;
use crate::lines::LOCK;
use crate::{Journal, Record, Run};

const ALL_FAILURES: [Failure; 3] = [Failure::Device, Failure::Full, Failure::Gone];
/// Number of records after which another process goes on with a run.
const OF_THE_FIRST_PROCESS: usize = 3;

/// What follows a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// Another process goes on.
    Restart,
    /// The same one tries it again.
    Retry,
}

/// A run that is recorded.
struct Recorded {
    folder: TempDir,
    journal: Option<Journal>,
    all: Vec<Record>,
    /// Number of records that were acknowledged.
    acknowledged: usize,
}

impl Recorded {
    fn new() -> Recorded {
        let header = Record::started(a_header());
        let warning = |number: usize| Record::from(Event::Warning(format!("number {number}")));
        Recorded {
            folder: TempDir::new().unwrap(),
            journal: None,
            all: [header].into_iter().chain((1..6).map(warning)).collect(),
            acknowledged: 0,
        }
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// Records the run to its end, from where it stands.
    fn go_on(&mut self) -> Result<(), JournalError> {
        while self.acknowledged < self.all.len() {
            let Some(journal) = &mut self.journal else {
                let journal = Journal::create_or_resume(&self.dir(), &a_header().fingerprint)?;
                self.check_found(journal.records());
                self.acknowledged = journal.records().len();
                self.journal = Some(journal);
                continue;
            };
            journal.append(&self.all[self.acknowledged])?;
            self.acknowledged += 1;
            if self.acknowledged == OF_THE_FIRST_PROCESS {
                self.journal = None;
            }
        }
        Ok(())
    }

    /// Checks that all acknowledged records are there, and at most the one whose append has failed besides.
    fn check_found(&self, found: &[Record]) {
        let more = found.len().checked_sub(self.acknowledged);
        assert!(matches!(more, Some(0 | 1)), "{more:?}");
        assert_eq!(found, &self.all[..found.len()]);
    }

    /// Checks what a report finds after a failure.
    fn check_readable(&self) {
        match Run::open(&self.dir()) {
            Ok(run) => self.check_found(run.records()),
            Err(JournalError::Missing { .. } | JournalError::Empty { .. }) => {
                assert_eq!(self.acknowledged, 0);
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Checks that each record is there once, and nothing else.
    fn check_whole(&self) {
        let run = Run::open(&self.dir()).unwrap();
        assert_eq!(run.records(), self.all);
        let lines = self.all.iter().map(serde_json::to_string);
        let lines: String = lines.map(|line| line.unwrap() + "\n").collect();
        let path = self.dir().join(Record::FILE);
        assert_eq!(fs::read_to_string(path).unwrap(), lines);
        assert_eq!(names_in(&self.dir()), [Record::FILE, LOCK]);
    }
}

/// Checks that an error names a file below a folder and says what to do.
fn check_words(error: &JournalError, folder: &Path, failure: Failure) {
    let said = error.to_string();
    let advice = match failure {
        Failure::Device | Failure::Gone => "check the disk",
        Failure::Full => "make room on the disk",
    };
    let folder = folder.display().to_string();
    assert!(said.contains(&folder) && said.contains(advice), "{said}");
}

/// Lets each call in turn fail until none is left that could, and returns the number of calls.
fn fail_every_call(failure: Failure, after: After) -> u64 {
    for calls in 0.. {
        let _moment = Moment::new(format!("{failure:?} after {calls} calls, {after:?}"));
        let mut run = Recorded::new();
        let failing = Failing::after(calls, failure);
        let outcome = run.go_on();
        let has_failed = failing.has_failed();
        drop(failing);
        if !has_failed {
            outcome.unwrap();
            run.check_whole();
            return calls;
        }
        check_words(&outcome.unwrap_err(), run.folder.path(), failure);
        run.check_readable();
        if after == After::Restart {
            run.journal = None;
        }
        run.go_on().unwrap();
        run.check_whole();
    }
    unreachable!("more calls than numbers")
}

#[test]
fn a_run_in_which_any_call_fails_loses_no_record_and_can_be_gone_on_with() {
    for failure in ALL_FAILURES {
        let usual = match failure {
            Failure::Full => After::Retry,
            Failure::Device | Failure::Gone => After::Restart,
        };
        for after in times(vec![usual], vec![After::Restart, After::Retry]) {
            let calls = fail_every_call(failure, after);
            assert!(calls > 30, "{calls}");
        }
    }
}

#[test]
fn a_reader_in_which_any_call_fails_says_so_and_can_be_asked_again() {
    let mut run = Recorded::new();
    run.go_on().unwrap();
    run.journal = None;
    let dir = run.dir();
    for calls in 0.. {
        let failing = Failing::after(calls, Failure::Device);
        let opened = Run::open(&dir);
        let looked = Journal::begun(&dir);
        if !failing.has_failed() {
            assert!(looked.unwrap().is_some());
            assert!(calls > 3, "{calls}");
            break;
        }
        let errors: Vec<JournalError> = opened.err().into_iter().chain(looked.err()).collect();
        assert_eq!(errors.len(), 1);
        check_words(&errors[0], &dir, Failure::Device);
    }
    run.check_whole();
}
