//! Designs that another one beats in everything are dropped, and the others are measured to the end.

use std::fs;
use std::time::Duration;

use bakeoff_stats::race::{OPEN_ROUND, RUNG_ROUNDS};
use bakeoff_stats::{Dropped, Record, Role, Summary, Timing};

use super::bench::{Bench, NONE, Records};
use super::fake::{Act, Call, Fake, FakeInstances};

/// Rungs of 20,000 rows: 1,250 and 5,000.
const ROWS: u64 = 20_000;
/// Milliseconds that each call of a slow design takes: so many more than the one of a quick design that a busy machine
/// does not hide it.
const SLOW: u64 = 60;

fn bench() -> Bench {
    let mut bench = Bench::new();
    bench.settings.rows = Some(ROWS);
    bench.settings.rounds = Some(6);
    bench.settings.race = true;
    bench.settings.further = NONE;
    bench
}

/// Makes a design whose calls take this long, with tables of this many bytes per row.
fn slow(id: &str, milliseconds: u64, bytes: u64) -> Fake {
    let act = move |call: &Call| match call {
        Call::Load(_) | Call::Answer { .. } => Act::Take(Duration::from_millis(milliseconds)),
        _ => Act::Well,
    };
    Fake::acting(id, act).with_row_bytes(bytes)
}

/// The tables of the rungs behave as the designs do.
fn rungs(designs: &[Fake]) -> FakeInstances {
    FakeInstances {
        like: designs.to_vec(),
        ..FakeInstances::default()
    }
}

fn dropped(records: &Records) -> Vec<&Dropped> {
    let dropped = records.0.iter().filter_map(|record| match record {
        Record::Dropped(dropped) => Some(dropped.as_ref()),
        _ => None,
    });
    dropped.collect()
}

async fn race(bench: &Bench, fakes: &[Fake]) -> Records {
    bench.run_with(fakes, &mut rungs(fakes)).await.unwrap();
    bench.records()
}

#[tokio::test]
async fn a_design_that_is_beaten_in_everything_is_never_loaded() {
    let (bench, fakes) = (bench(), [slow("good", 1, 20), slow("bad", SLOW, 60)]);
    let records = race(&bench, &fakes).await;
    let found = dropped(&records);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&*found[0].design, &*found[0].by), ("bad", "good"));
    assert!(found[0].at_rung && found[0].rows == 5_000);
    assert!(records.slices("bad").is_empty() && fakes[1].calls().is_empty());
    assert!(records.right_times("good", "all") >= 5);
}

#[tokio::test]
async fn a_design_that_is_best_in_one_objective_is_measured_to_the_end() {
    let (bench, fakes) = (bench(), [slow("good", 1, 20), slow("small", SLOW, 10)]);
    let records = race(&bench, &fakes).await;
    assert!(dropped(&records).is_empty());
    assert!(records.right_times("small", "all") >= 5);
}

#[tokio::test]
async fn the_dropped_stay_dropped_when_the_run_goes_on() {
    let bench = bench();
    let hanging = |call: &Call| match call {
        Call::Load(1) => Act::Hang,
        Call::Load(_) | Call::Answer { .. } => Act::Take(Duration::from_millis(1)),
        _ => Act::Well,
    };
    let fakes = [Fake::acting("good", hanging), slow("bad", SLOW, 60)];
    let like = [slow("good", 1, 20), slow("bad", SLOW, 60)];
    let hangs = async {
        while !fakes[0].calls().contains(&Call::Load(1)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let mut tables = rungs(&like);
    tokio::select! {
        ended = bench.run_with(&fakes, &mut tables) => panic!("not killed: {ended:?}"),
        () = hangs => {}
    }
    assert_eq!(dropped(&bench.records()).len(), 1);
    let records = race(&bench, &like).await;
    assert_eq!(dropped(&records).len(), 1, "recorded once");
    assert!(like[1].calls().is_empty());
    assert!(records.right_times("good", "some") >= 5);
}

#[tokio::test]
async fn a_dropped_design_takes_part_again_when_the_one_that_beat_it_fails() {
    let bench = bench();
    let broken = |call: &Call| match call {
        Call::Load(1) => Act::Fail,
        _ => Act::Well,
    };
    let fakes = [Fake::acting("good", broken), slow("bad", SLOW, 60)];
    let like = [slow("good", 1, 20), slow("bad", SLOW, 60)];
    bench.run_with(&fakes, &mut rungs(&like)).await.unwrap();
    let records = bench.records();
    assert_eq!(dropped(&records).len(), 1);
    let is_back = |r: &Record| matches!(r, Record::Returned { design } if design == "bad");
    assert!(records.0.iter().any(is_back));
    assert_eq!(fakes[1].rows(), ROWS, "all rows, from the first slice on");
    assert!(records.right_times("bad", "all") >= 5);
}

#[tokio::test]
async fn one_design_a_yardstick_or_few_rows_make_no_rung() {
    let yardstick = || slow("memory", 1, 20).with_role(Role::Volatile);
    for fakes in [
        vec![slow("bad", 2, 60)],
        vec![slow("bad", 2, 60), yardstick()],
    ] {
        let bench = bench();
        let records = race(&bench, &fakes).await;
        assert!(dropped(&records).is_empty());
        assert!(records.slices("bad#1250rows").is_empty());
        assert!(records.right_times("bad", "all") >= 5);
    }
    let mut bench = bench();
    bench.settings.rows = Some(6_000);
    let records = race(&bench, &[slow("good", 1, 20), slow("bad", SLOW, 60)]).await;
    assert!(dropped(&records).iter().all(|dropped| !dropped.at_rung));
    assert!(!records.slices("bad").is_empty());
}

/// Takes as long for everything but the question `some`.
fn uneven(id: &str, milliseconds: u64, some: u64, bytes: u64) -> Fake {
    let act = move |call: &Call| match call {
        Call::Answer { query, .. } if query == "some" => Act::Take(Duration::from_millis(some)),
        Call::Load(_) | Call::Answer { .. } => Act::Take(Duration::from_millis(milliseconds)),
        _ => Act::Well,
    };
    Fake::acting(id, act).with_row_bytes(bytes)
}

/// Runs a race whose rungs leave the question `some` open, which takes `bad` this long at full scale.
async fn open_race(some: u64) -> (Bench, [Fake; 2], Records) {
    let bench = bench();
    let like = [slow("good", 1, 20), uneven("bad", 60, 1, 60)];
    let fakes = [slow("good", 1, 20), uneven("bad", 60, some, 60)];
    bench.run_with(&fakes, &mut rungs(&like)).await.unwrap();
    let records = bench.records();
    (bench, fakes, records)
}

/// Returns the times of the rounds that asked the open questions.
fn open_times(records: &Records) -> Vec<&Timing> {
    let timings = records.timings().into_iter();
    timings.filter(|t| t.round >= OPEN_ROUND).collect()
}

#[tokio::test]
async fn a_design_that_is_beaten_in_its_open_question_too_is_asked_no_other_one() {
    let (_bench, fakes, records) = open_race(60).await;
    let found = dropped(&records);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&*found[0].design, &*found[0].by), ("bad", "good"));
    assert_eq!((found[0].rows, found[0].rounds), (ROWS, Some(RUNG_ROUNDS)));
    assert!(!found[0].at_rung && found[0].is_by_open_questions());
    assert_eq!(fakes[1].rows(), ROWS);
    let is_some = |(query, _): &(String, String)| query == "some";
    assert!(fakes[1].asked().iter().all(is_some));
    assert_eq!(open_times(&records).len(), 2 * RUNG_ROUNDS as usize);
    let summary = Summary::from_records(&records.0).unwrap();
    let figures = summary.design("good").unwrap().query("some").unwrap();
    assert!(figures.rounds.len() >= 5);
    assert!(figures.rounds.iter().all(|(round, _)| *round < OPEN_ROUND));
}

#[tokio::test]
async fn a_design_that_is_not_beaten_in_its_open_question_is_measured_to_the_end() {
    let (_bench, _fakes, records) = open_race(1).await;
    assert!(dropped(&records).is_empty());
    assert_eq!(open_times(&records).len(), 2 * RUNG_ROUNDS as usize);
    assert!(records.right_times("bad", "all") >= 5);
}

#[tokio::test]
async fn open_questions_go_on_where_a_killed_race_stopped() {
    let (whole, fakes, all) = open_race(60).await;
    let place = |is: fn(&Record) -> bool| all.0.iter().position(is).unwrap();
    let first = place(|r| matches!(r, Record::OpenQuestions { .. }));
    let last = place(|r| matches!(r, Record::Dropped(_)));
    let text = fs::read_to_string(whole.folder.path().join("journal.jsonl")).unwrap();
    for kept in (first..=last + 1).step_by(4) {
        let cut = bench();
        let lines: String = text.split_inclusive('\n').take(kept).collect();
        fs::write(cut.folder.path().join("journal.jsonl"), lines).unwrap();
        let again = fakes.clone().map(|fake| fake.surviving(true));
        let records = race(&cut, &again).await;
        assert_eq!(dropped(&records).len(), 1, "{kept}");
        let mut asked: Vec<_> = { open_times(&records).into_iter() }
            .map(|t| (t.design.as_str(), t.query.as_str(), t.round))
            .collect();
        asked.sort_unstable();
        asked.dedup();
        assert_eq!(open_times(&records).len(), asked.len(), "{kept}");
        assert_eq!(asked.len(), 2 * RUNG_ROUNDS as usize, "{kept}");
        assert_eq!(records.right_times("bad", "all"), 0, "{kept}");
        assert!(records.right_times("good", "all") >= 5, "{kept}");
    }
}

#[tokio::test]
async fn a_budget_that_allows_few_rows_allows_no_rungs() {
    let mut bench = bench();
    bench.settings.rows = None;
    let records = race(&bench, &[slow("good", 1, 20), slow("bad", 1, 60)]).await;
    let rungs = records.0.iter().find_map(|record| match record {
        Record::Race { rungs } => Some(rungs.len()),
        _ => None,
    });
    assert_eq!(rungs, Some(0));
}

#[tokio::test]
async fn when_all_designs_fail_the_race_ends_without_a_word_of_it() {
    let bench = bench();
    let fakes = ["a", "b"].map(|id| Fake::acting(id, |_| Act::Fail));
    let records = race(&bench, &fakes).await;
    assert!(dropped(&records).is_empty());
    assert!(records.timings().is_empty() && records.failures().len() >= 2);
}

#[tokio::test]
async fn without_the_option_nothing_is_dropped() {
    let mut bench = bench();
    bench.settings.race = false;
    let records = race(&bench, &[slow("good", 1, 20), slow("bad", 4, 60)]).await;
    assert!(dropped(&records).is_empty());
    records.assert_complete(&["good", "bad"], 6);
}
