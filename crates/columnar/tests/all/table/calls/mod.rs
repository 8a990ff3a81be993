//! The n-th call to the system fails, for every n: a call that opens, reads, writes, syncs, renames, lists
//! or removes a file of a table in a folder. Whatever its caller does then, what was acknowledged is there
//! once, what failed is there as a whole or not at all, and a sweep leaves nothing behind.

mod steps;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_columnar::internals::{Failure, Recording};
use bakeoff_columnar::{DirectoryStore, Error, Result, Selection, Table};
use bakeoff_testing::{Moment, names_in, times};
use tempfile::TempDir;

use self::steps::{Step, apply, more_steps, steps};
use super::support::*;

const CHUNK_ROWS: u32 = 1000;

/// What the caller does after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// Opens the table in another process, and looks at it.
    Restart,
    /// Tries it again.
    Retry,
    /// Goes on without it.
    GiveUp,
}

/// A table whose steps are taken, and in which a call fails.
struct Run {
    folder: TempDir,
    recording: Recording,
    failure: Failure,
    table: Option<Arc<Table>>,
    /// The rows that this process shows, and after a failure those that another one may show.
    rows: Vec<Plain>,
}

impl Run {
    /// Lets a call fail after this number of others.
    fn new(calls: u64, failure: Failure) -> Run {
        let folder = TempDir::new().unwrap();
        let recording = Recording::begin(folder.path());
        recording.fail_after(calls, failure);
        Run {
            folder,
            recording,
            failure,
            table: None,
            rows: vec![Plain::new()],
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("table")
    }

    /// Takes all steps, or those up to the one that fails if the process ends then.
    async fn take(&mut self, steps: &[Step], after: After) {
        for step in steps {
            let was_open = self.table.is_some() && !matches!(step, Step::Reopen);
            let done = self.perform(step).await;
            if self.recording.has_failed() {
                self.recording.end_failure();
            }
            match done {
                Ok(()) => self.rows.iter_mut().for_each(|rows| apply(rows, step)),
                // The first failure is the one that was asked for.
                Err(error) if self.rows.len() == 1 => {
                    self.check_words(&error);
                    self.fail(step).await;
                    match after {
                        After::Restart => break,
                        After::GiveUp => {}
                        After::Retry => self.again(step).await,
                    }
                }
                Err(error) => {
                    self.reopen(&error).await;
                    self.again(step).await;
                }
            }
            if self.recording.has_failed() {
                self.check_shown(was_open).await;
            }
        }
        self.recording.end_failure();
        self.check_rest().await;
    }

    async fn perform(&mut self, step: &Step) -> Result<()> {
        if matches!(step, Step::Reopen) {
            self.table = None;
        }
        let table = self.open()?;
        match step {
            Step::Insert(rows) => table.insert(&batch(rows)).await?,
            Step::Delete(gone) => table.delete(&keys(gone)).await?,
            Step::Ingest(rows) => {
                let mut ingest = table.ingest();
                ingest.write(&batch(rows)).await?;
                ingest.finish().await?;
            }
            Step::Seal => _ = table.seal(None).await?,
            Step::DropBefore(end) => _ = table.drop_before(*end).await?,
            Step::Sweep => _ = table.sweep(Duration::ZERO).await?,
            Step::Query => _ = table.rows(&Selection::default(), &[0, 3]).await?,
            Step::Reopen => {}
        }
        Ok(())
    }

    /// Returns the table, which is opened or created if it is not open.
    fn open(&mut self) -> Result<Arc<Table>> {
        if let Some(table) = &self.table {
            return Ok(Arc::clone(table));
        }
        let path = self.path();
        let store = if path.join("table.json").exists() {
            DirectoryStore::open(&path)?
        } else {
            DirectoryStore::create(&path, definition(CHUNK_ROWS, 1))?
        };
        let table = Table::new(Arc::new(store), 0);
        self.table = Some(Arc::clone(&table));
        Ok(table)
    }

    /// Takes the step again that has failed, or whose table was closed for a failure.
    async fn again(&mut self, step: &Step) {
        if let Err(error) = self.perform(step).await {
            self.reopen(&error).await;
            self.perform(step).await.unwrap();
        }
        self.rows.iter_mut().for_each(|rows| apply(rows, step));
        self.rows.dedup();
    }

    /// Opens the table again, as an error asks for.
    async fn reopen(&mut self, error: &Error) {
        assert!(
            error.to_string().contains("open the table again"),
            "{error}"
        );
        self.table = None;
        self.open().unwrap();
        self.check_shown(false).await;
    }

    /// Notes that a step has failed, which may be there all the same.
    async fn fail(&mut self, step: &Step) {
        assert!(self.recording.has_failed());
        let mut with_step = self.rows[0].clone();
        apply(&mut with_step, step);
        self.rows.push(with_step);
        if self.path().join("table.json").exists() {
            let store = DirectoryStore::open_to_read(&self.path()).unwrap();
            let found = shown(&Table::new(Arc::new(store), 0), &Selection::default()).await;
            assert!(self.rows.contains(&found), "{step:?}: {found:?}");
        }
    }

    /// Checks that an error says what has failed, and what to do.
    fn check_words(&self, error: &Error) {
        let words = error.to_string();
        let advice = match self.failure {
            Failure::Device | Failure::Gone => "repair or replace the disk",
            Failure::Full | Failure::HalfWritten => "make room on that disk",
        };
        let folder = self.folder.path().display().to_string();
        assert!(words.contains(&folder) && words.contains(advice), "{words}");
    }

    /// Checks what this process shows. As long as the table is open, that is nothing of a step that has
    /// failed; afterwards it is known what has become of it.
    async fn check_shown(&mut self, was_open: bool) {
        let Some(table) = &self.table else {
            return;
        };
        let found = shown(table, &Selection::default()).await;
        if was_open {
            assert_eq!(found, self.rows[0]);
        } else {
            assert!(self.rows.contains(&found), "{found:?}");
            self.rows = vec![found];
        }
    }

    /// Checks what other processes find, and what a sweep leaves.
    async fn check_rest(&mut self) {
        self.table = None;
        let table = self.open().unwrap();
        self.check_shown(false).await;
        table.sweep(Duration::ZERO).await.unwrap();
        self.check_shown(true).await;
        drop(table);
        self.table = None;
        let check = DirectoryStore::check(&self.path()).unwrap();
        assert_eq!(check.damages, []);
        let left = names_in(&self.path());
        assert!(!left.iter().any(|name| name.ends_with(".new")), "{left:?}");
        let chunks = names_in(&self.path().join("chunks"));
        assert_eq!(chunks.len() as u64, check.chunks, "{chunks:?}");
    }
}

/// Lets each call fail in turn until none is left that could. Returns the number of calls.
async fn fail_every_call(failure: Failure, after: After) -> u64 {
    let steps = times(steps(), more_steps());
    for calls in 0.. {
        let _moment = Moment::new(format!("{failure:?} after {calls} calls, {after:?}"));
        let mut run = Run::new(calls, failure);
        run.take(&steps, after).await;
        if !run.recording.has_failed() {
            return calls;
        }
    }
    unreachable!("more calls than numbers")
}

/// Returns what callers do after a failure: one of these, or each every night.
fn behaviours(usual: After) -> Vec<After> {
    times(
        vec![usual],
        vec![After::Restart, After::Retry, After::GiveUp],
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_error_of_the_device_in_any_call_loses_nothing() {
    for after in behaviours(After::Retry) {
        let calls = fail_every_call(Failure::Device, after).await;
        assert!(calls > 150, "{calls}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_in_any_call_loses_nothing() {
    for after in behaviours(After::GiveUp) {
        let calls = fail_every_call(Failure::Full, after).await;
        assert!(calls > 150, "{calls}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_is_done_in_half_loses_nothing() {
    for after in behaviours(After::GiveUp) {
        let writes = fail_every_call(Failure::HalfWritten, after).await;
        assert!(writes > 30, "{writes}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_device_that_is_gone_from_any_call_on_loses_nothing() {
    for after in behaviours(After::GiveUp) {
        let calls = fail_every_call(Failure::Gone, after).await;
        assert!(calls > 150, "{calls}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_in_which_any_call_fails_says_so_and_can_be_asked_again() {
    let mut run = Run::new(u64::MAX, Failure::Device);
    run.take(&steps()[..3], After::Restart).await;
    let all = Selection::default();
    for calls in 0.. {
        let _moment = Moment::new(format!("after {calls} calls"));
        run.recording.fail_after(calls, Failure::Device);
        let table = match DirectoryStore::open_to_read(&run.path()) {
            Ok(store) => Table::new(Arc::new(store), 0),
            Err(error) => {
                run.check_words(&error);
                continue;
            }
        };
        let asked = table.rows(&all, &[0, 3]).await;
        if !run.recording.has_failed() {
            asked.unwrap();
            assert!(calls > 15, "{calls}");
            return;
        }
        run.check_words(&asked.unwrap_err());
        assert_eq!(shown(&table, &all).await, run.rows[0]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drop_in_which_any_call_has_failed_can_be_repeated() {
    for calls in 0.. {
        let _moment = Moment::new(format!("after {calls} calls"));
        let mut run = Run::new(u64::MAX, Failure::Device);
        run.take(&steps()[..3], After::Restart).await;
        run.recording.fail_after(calls, Failure::Device);
        let dropped = DirectoryStore::drop_table(&run.path());
        if !run.recording.has_failed() {
            assert!(dropped.unwrap() && !run.path().exists());
            assert!(calls > 20, "{calls}");
            return;
        }
        if let Err(error) = dropped {
            run.check_words(&error);
            DirectoryStore::drop_table(&run.path()).unwrap();
        }
        assert!(!run.path().exists() || names_in(&run.path()).is_empty());
    }
}
