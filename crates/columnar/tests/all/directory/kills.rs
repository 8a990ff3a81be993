//! SIGKILL at every failpoint, and at random times: what was acknowledged is there once, what was
//! being done is there whole or not at all.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bakeoff_columnar::{DirectoryStore, Store};
use bakeoff_testing::times;
use tempfile::TempDir;

use super::steps::{Model, Random, Step, random_step, run};
use super::support::*;

/// After so many kills the next table begins.
const KILLS_OF_A_FOLDER: u64 = 50;

/// Runs as the child that reaches every failpoint.
pub fn script() {
    run(steps().into_iter());
    say("end");
}

/// Returns steps in which everything happens that a store does.
pub fn steps() -> Vec<Step> {
    let large = 600_000;
    vec![
        Step::Insert(0, vec![row("a", 1, "a1"), row("b", 1, "b1")]),
        Step::Insert(0, vec![row("b", 2, "b2"), row("c", 2, "c2")]),
        Step::Seal(0),
        Step::Insert(0, vec![row("a", 3, "a3"), Row("c".to_owned(), 3, None)]),
        Step::Insert(1, vec![row("d", 3, "d3")]),
        Step::Ingest(0, vec![row("e", 4, "e4")], large),
        Step::Seal(0),
        Step::Ingest(1, vec![row("f", 5, "f5"), row("g", 5, "g5")], large),
        Step::Sweep,
        Step::Ingest(2, vec![row("h", 6, "h6")], large),
        Step::Drop(1),
        Step::Sweep,
        Step::Insert(1, vec![row("i", 7, "i7")]),
        Step::Seal(1),
        Step::Reopen,
        Step::Insert(0, vec![row("j", 8, "j8")]),
        Step::Drop(0),
        Step::Insert(0, vec![row("k", 9, "k9")]),
        Step::Sweep,
    ]
}

/// Returns the names of the failpoints in the source of the store.
fn failpoints() -> BTreeSet<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/directory");
    let mut names = BTreeSet::new();
    for file in fs::read_dir(source).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let after = text.split("failpoint::hit(\"").skip(1);
        names.extend(after.map(|rest| rest.split('"').next().unwrap().to_owned()));
    }
    names
}

#[test]
fn a_kill_at_any_failpoint_loses_nothing() {
    let names = failpoints();
    assert!(names.len() > 25, "{names:?}");
    // The kill comes at one of the first times that the script is there.
    let last = times(1, 4);
    for name in names {
        let killed = (1..=last).take_while(|time| script_is_killed(&format!("{name}:{time}")));
        assert!(killed.count() > 0, "the script does not come to `{name}`");
    }
}

fn script_is_killed(failpoint: &str) -> bool {
    let folder = TempDir::new().unwrap();
    let mut child = command("script", folder.path())
        .env("BAKEOFF_FAILPOINT", failpoint)
        .spawn()
        .unwrap();
    let mut model = Model::default();
    let unfinished = model.follow(lines(&mut child));
    let ended = child.wait_with_output().unwrap();
    if ended.status.success() {
        return false;
    }
    assert_eq!(
        ended.status.signal(),
        Some(9),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    runtime().block_on(check_all(folder.path(), &mut model, unfinished.as_ref()));
    true
}

/// Checks that other processes see everything, that this one can go on, and that a sweep removes
/// the rest.
pub async fn check_all(folder: &Path, model: &mut Model, unfinished: Option<&Step>) {
    if folder.join("table.json").exists() {
        let reader = DirectoryStore::open_to_read(folder).unwrap();
        model.check(all_rows(&reader).await.unwrap(), unfinished);
    }
    let store = open_or_create(folder).unwrap();
    model.check(all_rows(&store).await.unwrap(), None);
    store
        .insert(place(0), &fresh(&[row("after", 1 << 50, "x")]))
        .await
        .unwrap();
    model.apply(&Step::Insert(0, vec![row("after", 1 << 50, "x")]));
    for place in store.places().await.unwrap() {
        seal(&store, place).await.unwrap();
    }
    model.check(all_rows(&store).await.unwrap(), None);
    store.sweep(Duration::ZERO).await.unwrap();
    model.check(all_rows(&store).await.unwrap(), None);
    let files = fs::read_dir(folder.join("chunks")).unwrap().count();
    assert_eq!(files, model.0.len(), "one chunk of each place is left");
    let logs = fs::read_dir(folder.join("fresh")).unwrap();
    let logs: usize = logs
        .map(|place| fs::read_dir(place.unwrap().path()).unwrap().count())
        .sum();
    assert_eq!(logs, 0, "all segments are sealed");
}

/// Runs as the child that takes random steps until it is killed.
pub fn random() {
    let mut random = Random(environment(SEED).parse().unwrap());
    let mut time = now();
    run(std::iter::from_fn(|| {
        Some(random_step(&mut random, &mut time))
    }));
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    since.as_micros() as i64
}

#[test]
fn kills_at_random_times_lose_nothing() {
    let kills = times(20, 500);
    let mut random = Random::printed("kills at random times");
    let (mut folder, mut model) = (TempDir::new().unwrap(), Model::default());
    let mut in_the_middle = 0;
    // The test ends after that many kills, once a quarter of them hit a step; most do.
    for kill in 0.. {
        if kill >= kills && in_the_middle >= kills / 4 {
            break;
        }
        assert!(kill < 100 * kills, "only {in_the_middle} were in a step");
        if kill % KILLS_OF_A_FOLDER == 0 {
            (folder, model) = (TempDir::new().unwrap(), Model::default());
        }
        let mut child = command("random", folder.path())
            .env(SEED, random.number().to_string())
            .spawn()
            .unwrap();
        let mut said = lines(&mut child);
        let steps = random.below(30) as usize;
        let mut before: Vec<String> = said.by_ref().take(1 + steps).collect();
        std::thread::sleep(Duration::from_micros(random.below(5_000)));
        child.kill().unwrap();
        before.extend(said);
        let unfinished = model.follow(before.into_iter());
        let ended = child.wait_with_output().unwrap();
        assert_eq!(
            ended.status.signal(),
            Some(9),
            "{}",
            String::from_utf8_lossy(&ended.stderr)
        );
        in_the_middle += u64::from(unfinished.is_some());
        if !folder.path().join("table.json").exists() {
            continue;
        }
        let store = match kill % 2 {
            0 => DirectoryStore::open(folder.path()).unwrap(),
            _ => DirectoryStore::open_to_read(folder.path()).unwrap(),
        };
        let found = runtime().block_on(all_rows(&store)).unwrap();
        model.check(found, unfinished.as_ref());
    }
}
