//! SIGKILL while a table is loaded, changed and sealed: no acknowledged row is missing, none is there
//! twice, and no old value comes back.
//!
//! A child process goes through steps that are pure functions of their number and says which of them
//! are done. It is killed, the table is looked at, and the next child goes on.

pub mod steps;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use bakeoff_columnar::{DirectoryStore, Table};
use bakeoff_testing::times;
use steps::{FAILPOINTS, State, apply, check, definition, shown};

const FOLDER: &str = "BAKEOFF_TEST_FOLDER";
const FIRST_STEP: &str = "BAKEOFF_TEST_FIRST_STEP";
const LAST_STEP: &str = "BAKEOFF_TEST_LAST_STEP";

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// Runs as the child process; it is no test by itself.
#[test]
#[ignore = "run by the other tests in a separate process"]
fn child() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let number = |name| std::env::var(name).unwrap().parse::<u64>().unwrap();
    let steps = number(FIRST_STEP)..=number(LAST_STEP);
    runtime().block_on(async {
        let table = opened(&folder).await;
        for step in steps {
            apply(&table, step).await;
            println!("done {step}");
        }
    });
}

async fn opened(folder: &Path) -> Arc<Table> {
    let store = if folder.join("table.json").exists() {
        DirectoryStore::open(folder)
    } else {
        DirectoryStore::create(folder, definition())
    };
    Table::new(Arc::new(store.unwrap()), 0)
}

fn start(folder: &Path, steps: std::ops::RangeInclusive<u64>, failpoint: Option<&str>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "kills::child",
        "--exact",
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    command.env(FOLDER, folder);
    command.env(FIRST_STEP, steps.start().to_string());
    command.env(LAST_STEP, steps.end().to_string());
    if let Some(failpoint) = failpoint {
        command.env("BAKEOFF_FAILPOINT", failpoint);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Returns the last step that a child reports as done.
fn last_done(lines: Lines, before: u64) -> u64 {
    let done = lines
        .map_while(Result::ok)
        .filter_map(|line| step_of(&line));
    done.last().unwrap_or(before)
}

type Lines = std::io::Lines<BufReader<ChildStdout>>;

fn lines(child: &mut Child) -> Lines {
    BufReader::new(child.stdout.take().unwrap()).lines()
}

fn step_of(line: &str) -> Option<u64> {
    line.rsplit_once("done ")?.1.trim().parse().ok()
}

/// Reads the table as another process would, and checks it.
fn look(folder: &Path, done: u64, why: &str) {
    let found: State = runtime().block_on(async {
        let store = DirectoryStore::open_to_read(folder).unwrap();
        shown(&Table::new(Arc::new(store), 0)).await
    });
    check(&found, done, why);
}

#[test]
fn killed_at_every_step_of_ingest_and_seal() {
    for failpoint in FAILPOINTS {
        for hit in times(&[2][..], &[1, 2, 5]) {
            let folder = tempfile::tempdir().unwrap();
            let name = format!("{failpoint}:{hit}");
            let folder = folder.path().join("table");
            let mut child = start(&folder, 1..=60, Some(&name));
            let status = child.wait().unwrap();
            assert!(!status.success(), "{name} was never reached");
            let done = last_done(lines(&mut child), 0);
            look(&folder, done, &name);
            let mut child = start(&folder, done + 1..=done + 12, None);
            assert!(
                child.wait().unwrap().success(),
                "{name}: not to be continued"
            );
            assert_eq!(last_done(lines(&mut child), done), done + 12);
            look(&folder, done + 12, &name);
        }
    }
}

#[test]
fn killed_at_random_times() {
    let all_kills = times(25, 250);
    let folder = tempfile::tempdir().unwrap().path().join("table");
    let (mut done, mut kills, mut awaited) = (0, 0, 0);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    while kills < all_kills {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let mut child = start(&folder, done + 1..=u64::MAX - 1, None);
        let mut lines = lines(&mut child);
        // The kill comes in the middle of a step, a few steps after the child began to work.
        let steps = (random >> 60) as usize % 4;
        awaited += steps as u64;
        let said = lines
            .by_ref()
            .map_while(Result::ok)
            .filter_map(|line| step_of(&line))
            .take(steps);
        done = said.last().unwrap_or(done);
        std::thread::sleep(Duration::from_micros((random >> 33) % 30_000));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        done = last_done(lines, done);
        if folder.join("manifest").exists() {
            look(&folder, done, &format!("kill {kills}"));
        }
    }
    assert!(
        done >= awaited,
        "{done} steps were done, {awaited} were seen"
    );
}
