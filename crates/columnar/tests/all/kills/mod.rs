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
use bakeoff_testing::{Random, times};
use steps::{FAILPOINTS, Hits, State, apply, check, definition, first_of, is_short, shown};

const FOLDER: &str = "BAKEOFF_TEST_FOLDER";
const FIRST_STEP: &str = "BAKEOFF_TEST_FIRST_STEP";
const LAST_STEP: &str = "BAKEOFF_TEST_LAST_STEP";
/// After so many kills the next table begins.
pub const KILLS_OF_A_TABLE: usize = 25;
/// One in so many kills comes before a child has opened the table, or at any time after that.
const EARLY_KILLS: u64 = 8;

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
    let (first, last) = (number(FIRST_STEP), number(LAST_STEP));
    runtime().block_on(async {
        let table = opened(&folder).await;
        println!("done {}", first - 1);
        for step in first..=last {
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

/// Kills a child in a step of a kind, or at any time after its start, and returns the last step that it reported as
/// done; nothing if it had not opened the table.
fn killed(folder: &Path, done: u64, kind: Option<&str>, random: &mut Random) -> Option<u64> {
    let mut child = start(folder, done + 1..=u64::MAX - 1, None);
    let lines = lines(&mut child).map_while(Result::ok);
    let mut steps = lines.filter_map(|line| step_of(&line));
    let mut seen = None;
    if let Some(kind) = kind {
        let before = first_of(kind, done + 1) - 1;
        seen = steps.find(|step| *step == before);
        assert_eq!(seen, Some(before), "the child ended by itself");
    }
    let microseconds = match kind {
        // On a disk it takes some milliseconds, and in memory hardly any time.
        Some(kind) if is_short(kind) => 1_u64 << random.below(12),
        Some(_) => 30_000,
        None => 100_000,
    };
    std::thread::sleep(Duration::from_micros(random.below(microseconds)));
    child.kill().unwrap();
    child.wait().unwrap();
    steps.last().or(seen)
}

#[test]
fn killed_at_random_times() {
    let kills_of_each = times(6, 500);
    let mut random = Random::printed("killed at random times");
    let mut hits = Hits::default();
    while hits.least() < kills_of_each {
        assert!(hits.kills() < 100 * kills_of_each, "{hits}");
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("table");
        let mut done = 0;
        for _ in 0..KILLS_OF_A_TABLE {
            let kind = (random.below(EARLY_KILLS) > 0).then(|| hits.rarest());
            if let Some(last) = killed(&folder, done, kind, &mut random) {
                done = last;
                hits.add(done + 1);
            }
            // It is a table from the moment when it has its definition, before which nothing is done.
            if done > 0 || folder.join("table.json").exists() {
                look(&folder, done, &format!("{hits}"));
            }
        }
    }
    println!("{hits}");
}
