//! A loss of power after every operation on the files, and operations that fail: what was acknowledged or
//! shown is there afterwards, at once or after a repair, which takes nothing else away.

mod disk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bakeoff_columnar::internals::{Operation, Pause, Recording};
use bakeoff_columnar::{DirectoryStore, Error, Result, Store};
use bakeoff_testing::times;
use tempfile::TempDir;

use self::disk::{Disk, Fate};
use super::kills::{check_all, steps};
use super::steps::{Model, Step, perform};
use super::support::*;

/// Every which crash is followed by a whole round of writing.
const WHOLE_CHECK_EVERY: usize = 16;

/// The steps that were taken in a folder, with everything that was done to its files.
struct Trace {
    folder: TempDir,
    steps: Vec<Step>,
    recording: Recording,
    /// The error of the step that failed, which is the last one.
    error: Option<Error>,
}

impl Trace {
    /// Takes all steps, or those up to one in which an operation fails after this number of others.
    async fn new(fail_after: Option<u64>) -> Trace {
        let folder = TempDir::new().unwrap();
        let recording = Recording::begin(folder.path());
        if let Some(operations) = fail_after {
            recording.fail_after(operations);
        }
        let mut trace = Trace {
            folder,
            steps: steps(),
            recording,
            error: None,
        };
        trace.error = trace.take_steps().await.err();
        trace
    }

    async fn take_steps(&self) -> Result<()> {
        let mut store = DirectoryStore::create(&self.table(), definition())?;
        for (i, step) in self.steps.iter().enumerate() {
            self.recording.mark(format!("begin {i}"));
            perform(&mut store, &self.table(), step).await?;
            self.recording.mark(format!("done {i}"));
        }
        Ok(())
    }

    fn table(&self) -> PathBuf {
        self.folder.path().join("table")
    }
}

/// The steps that ended before a moment, and the one that had not.
#[derive(Default)]
struct Progress<'a> {
    model: Model,
    unfinished: Option<&'a Step>,
}

impl<'a> Progress<'a> {
    fn follow(&mut self, steps: &'a [Step], operation: &Operation) {
        let Operation::Mark(text) = operation else {
            return;
        };
        match text.split_once(' ').unwrap() {
            ("begin", number) => self.unfinished = Some(&steps[number.parse::<usize>().unwrap()]),
            _ => self
                .unfinished
                .take()
                .iter()
                .for_each(|s| self.model.apply(s)),
        }
    }
}

/// Opens a table after a crash and checks its rows. If a file is damaged, a repair comes first.
async fn check(table: &Path, progress: &Progress<'_>, is_whole: bool) -> bool {
    let mut model = progress.model.clone();
    if !table.join("table.json").exists() {
        assert!(model.0.is_empty() && progress.unfinished.is_none());
        drop(DirectoryStore::create(table, definition()).unwrap());
        return false;
    }
    let read = || async { all_rows(&DirectoryStore::open_to_read(table)?).await };
    let mut is_repaired = false;
    let found = match read().await {
        Err(Error::Torn { .. }) => {
            let check = DirectoryStore::repair(table).unwrap();
            assert!(!check.damages.is_empty() && check.is_sound(), "{check:?}");
            is_repaired = true;
            read().await.unwrap()
        }
        found => found.unwrap(),
    };
    model.check(found, progress.unfinished);
    if is_whole {
        check_all(table, &mut model, None).await;
    } else {
        let store = DirectoryStore::open(table).unwrap();
        model.check(all_rows(&store).await.unwrap(), None);
    }
    is_repaired
}

/// Runs as the child in which a reader looks while a write is not synced yet.
pub fn child() {
    runtime().block_on(async {
        let folder = folder_of_child();
        let recording = Recording::begin(&folder);
        let store = DirectoryStore::create(&folder.join("table"), definition()).unwrap();
        let store = Arc::new(store);
        for point in ["insert.written", "manifest.appended"] {
            let pause = Pause::at(point);
            let write = tokio::spawn({
                let store = Arc::clone(&store);
                async move {
                    let rows = [row("a", 1, "x")];
                    match point {
                        "insert.written" => store.insert(place(0), &fresh(&rows)).await,
                        _ => ingest(&store, place(1), &rows).await.map(drop),
                    }
                }
            });
            tokio::task::block_in_place(|| pause.wait());
            let reader = DirectoryStore::open_to_read(&folder.join("table")).unwrap();
            let shown = all_rows(&reader).await.unwrap();
            let left = after_crash(&recording, &folder).await;
            say(&format!("{} {}", shown.len(), left == shown));
            drop(pause);
            write.await.unwrap().unwrap();
        }
    });
}

/// Returns the rows of the table that are there if all that was not synced is lost.
async fn after_crash(recording: &Recording, folder: &Path) -> BTreeMap<i64, Newest> {
    let mut disk = Disk::default();
    let recorded = recording.operations();
    recorded.iter().for_each(|operation| disk.apply(operation));
    let after = TempDir::new().unwrap();
    disk.crash(Fate::Lost, folder, after.path());
    let left = DirectoryStore::open_to_read(&after.path().join("table")).unwrap();
    all_rows(&left).await.unwrap()
}

#[test]
fn a_reader_shows_nothing_that_is_not_durable() {
    let folder = TempDir::new().unwrap();
    let mut child = command("shown", folder.path()).spawn().unwrap();
    let said: Vec<String> = lines(&mut child).collect();
    let ended = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{errors}");
    assert_eq!(said, ["1 true", "2 true"]);
}

fn fates(crash: usize) -> Vec<Fate> {
    let any = (0..times(1, 30)).map(|i| Fate::Any(crash as u64 * 1000 + i));
    [Fate::Lost, Fate::Kept].into_iter().chain(any).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_loss_of_power_at_any_time_loses_nothing() {
    let trace = Trace::new(None).await;
    assert!(trace.error.is_none(), "{:?}", trace.error);
    let mut disk = Disk::default();
    let mut progress = Progress::default();
    let (mut crashes, mut repaired) = (0, 0);
    for operation in trace.recording.operations() {
        disk.apply(&operation);
        progress.follow(&trace.steps, &operation);
        for fate in fates(crashes) {
            let after = TempDir::new().unwrap();
            disk.crash(fate, trace.folder.path(), after.path());
            let is_whole = crashes % WHOLE_CHECK_EVERY == 0;
            repaired += u64::from(check(&after.path().join("table"), &progress, is_whole).await);
        }
        crashes += 1;
    }
    println!("{crashes} moments, {repaired} repairs");
    assert!(crashes > 150 && repaired > 0, "{crashes}, {repaired}");
    assert!(progress.unfinished.is_none());
}

/// Checks that what a process shows, after another one could not sync it, is there after a loss of power.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_shown_after_an_operation_that_failed_is_durable() {
    let step = times(7, 1);
    let mut failed = 0;
    for operations in (0..).step_by(step as usize) {
        let trace = Trace::new(Some(operations)).await;
        if !trace.recording.has_failed() {
            break;
        }
        failed += 1;
        let table = trace.table();
        let mut progress = Progress::default();
        let recorded = trace.recording.operations();
        let follow = |operation: &Operation| progress.follow(&trace.steps, operation);
        recorded.iter().for_each(follow);
        if !table.join("table.json").exists() {
            continue;
        }
        let reader = DirectoryStore::open_to_read(&table).unwrap();
        let shown = all_rows(&reader).await.unwrap();
        progress.model.check(shown.clone(), progress.unfinished);
        let store = DirectoryStore::open(&table).unwrap();
        progress.model.check(all_rows(&store).await.unwrap(), None);
        let left = after_crash(&trace.recording, trace.folder.path()).await;
        assert_eq!(left, shown, "after {operations}: {:?}", trace.error);
    }
    assert!(failed > 100 / step, "{failed}");
}
