//! A run that is killed after any of its records goes on from there.

use std::fs;
use std::time::{Duration, Instant};

use bakeoff_driver::Budget;
use bakeoff_stats::Record;
use bakeoff_workload::RowSource;

use super::bench::{Bench, QUERIES, Records, spent};
use super::fake::{Act, Call, Fake};

const DESIGNS: [&str; 2] = ["a", "b"];
pub const ROUNDS: u32 = 2;

/// What a kill leaves of the designs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Left {
    /// Everything that is recorded.
    Recorded,
    /// What is recorded, and the step after it, whose record was not written any more.
    OneStepMore,
    /// Nothing of `a`, everything of `b`.
    OnlyB,
    Nothing,
}

impl Left {
    fn survives(self, design: &str) -> bool {
        match self {
            Left::Recorded | Left::OneStepMore => true,
            Left::OnlyB => design == "b",
            Left::Nothing => false,
        }
    }
}

pub fn bench() -> Bench {
    let mut bench = Bench::new();
    (bench.settings.rows, bench.settings.rounds) = (Some(15_000), Some(ROUNDS));
    bench
}

/// A folder that holds the first records of a run only.
pub fn cut(whole: &Bench, records: usize) -> Bench {
    let cut = bench();
    let journal = |bench: &Bench| bench.folder.path().join("journal.jsonl");
    let text = fs::read_to_string(journal(whole)).unwrap();
    let lines: String = text.split_inclusive('\n').take(records).collect();
    fs::write(journal(&cut), lines).unwrap();
    cut
}

/// A design of a new process, holding what these records say; `whole` has all rows.
pub fn revived(whole: &Fake, records: &[Record], survives: bool) -> Fake {
    let id = whole.id();
    let fake = Fake::new(id).surviving(survives);
    for record in records.iter().filter(|_| survives) {
        if let Record::Loaded(slice) = record
            && slice.design == id
        {
            let rows = whole.table().slices[&slice.slice].clone();
            fake.table().slices.insert(slice.slice, rows);
        }
    }
    fake
}

fn loads(fake: &Fake) -> Vec<u64> {
    let slice = |call| match call {
        Call::Load(slice) => Some(slice),
        _ => None,
    };
    fake.calls().into_iter().filter_map(slice).collect()
}

async fn whole_run() -> (Bench, [Fake; 2], Records) {
    let (bench, fakes) = (bench(), DESIGNS.map(Fake::new));
    let records = bench.complete(&fakes).await;
    records.assert_complete(&DESIGNS, ROUNDS);
    (bench, fakes, records)
}

/// Goes on after `kept` records and checks that the end is as if nothing had happened.
async fn go_on(whole: &(Bench, [Fake; 2], Records), kept: usize, left: Left) {
    let (bench, fakes, all) = whole;
    let done = &all.0[..kept];
    let in_store = match left {
        Left::OneStepMore => &all.0[..kept + 1],
        _ => done,
    };
    let bench = cut(bench, kept);
    let fakes = fakes
        .each_ref()
        .map(|fake| revived(fake, in_store, left.survives(fake.id())));
    let records = bench.complete(&fakes).await;

    records.assert_complete(&DESIGNS, ROUNDS);
    for (fake, id) in fakes.iter().zip(DESIGNS) {
        let recorded = Records(done.to_vec());
        let first = if left.survives(id) {
            recorded.slices(id).len()
        } else {
            0
        };
        let loaded = loads(fake);
        let last = first + loaded.len();
        assert_eq!(
            loaded,
            (first as u64..last as u64).collect::<Vec<_>>(),
            "{id}"
        );
        assert_eq!(fake.table().slices.len(), last);
        assert_eq!(fake.rows(), 15_000, "{id}");
        let created =
            |record: &Record| matches!(record, Record::Created { design } if design == id);
        let creates = fake.calls().contains(&Call::Create);
        assert_eq!(
            creates,
            !(done.iter().any(created) && left.survives(id)),
            "{id}"
        );
    }
}

async fn go_on_after_every_record(left: Left) {
    let whole = whole_run().await;
    let all = whole.2.0.len();
    assert!(all > 20, "{all}");
    let last = if left == Left::OneStepMore {
        all - 1
    } else {
        all
    };
    for kept in 1..=last {
        println!("{kept} of {all} records, {left:?}");
        go_on(&whole, kept, left).await;
    }
}

#[tokio::test]
async fn a_killed_run_goes_on_where_designs_keep_what_is_recorded() {
    go_on_after_every_record(Left::Recorded).await;
}

#[tokio::test]
async fn a_killed_run_goes_on_where_a_step_was_done_but_not_recorded() {
    go_on_after_every_record(Left::OneStepMore).await;
}

#[tokio::test]
async fn a_killed_run_loads_a_design_again_that_lost_its_rows() {
    go_on_after_every_record(Left::OnlyB).await;
}

#[tokio::test]
async fn a_killed_run_loads_everything_again_where_all_is_lost() {
    go_on_after_every_record(Left::Nothing).await;
}

#[tokio::test]
async fn rows_that_are_loaded_again_are_verified_again() {
    let whole = whole_run().await;
    let bench = cut(&whole.0, whole.2.0.len() - 1);
    let [a, b] = DESIGNS.map(Fake::new);
    bench.complete(&[a.clone(), b.clone()]).await;
    for fake in [a, b] {
        assert!(
            QUERIES
                .iter()
                .all(|query| fake.calls().iter().any(|call| call.asks(query, 0)))
        );
    }
}

#[tokio::test]
async fn rows_of_an_unrecorded_slice_do_not_stay_when_a_budget_ends_loading_before_them() {
    let mut bench = bench();
    bench.settings.rows = None;
    bench.settings.budget = Some(Budget::new(Instant::now(), Duration::from_secs(3600)));
    let upserts = |fake: Fake| fake.upserting().surviving(true);
    let in_slice_1 = |call: &Call| *call == Call::Load(1);
    let killed = [upserts(Fake::hanging("a", in_slice_1))];
    bench.kill_in(&killed, in_slice_1).await;
    assert_eq!(bench.records().slices("a").len(), 1);

    bench.settings.budget = Some(spent());
    let next = upserts(Fake::new("a"));
    next.table().slices = killed[0].table().slices.clone();
    let mut unrecorded = bench.source.read(5_000, 10_000).unwrap();
    let rows = unrecorded.next().unwrap().unwrap().rows;
    next.table().slices.insert(1, rows);
    let records = bench.complete(&[next]).await;
    assert_eq!(records.loaded_rows(), Some(5_000));
    records.assert_complete(&["a"], ROUNDS);
}

#[tokio::test]
async fn a_failed_design_is_left_alone_by_a_later_process() {
    let bench = bench();
    let bad = Fake::acting("bad", |call| match call {
        Call::Load(1) => Act::Fail,
        _ => Act::Well,
    });
    bench.complete(&[Fake::new("a"), bad]).await;
    let mended = Fake::new("bad");
    let records = bench.complete(&[Fake::new("a"), mended.clone()]).await;
    assert_eq!(mended.calls(), []);
    records.assert_complete(&["a"], ROUNDS);
}

#[tokio::test]
async fn a_wrong_answer_is_not_asked_again_by_a_later_process() {
    let (bench, script) = (bench(), |call: &Call| {
        if call.asks("all", 0) {
            Act::Wrong
        } else {
            Act::Well
        }
    });
    let wrong = Fake::acting("a", script);
    bench.complete(std::slice::from_ref(&wrong)).await;
    let whole = bench.records();
    let mended = revived(&wrong, &whole.0, true);
    let bench = cut(&bench, whole.0.len() - 1);
    let records = bench.complete(std::slice::from_ref(&mended)).await;
    assert!(!mended.calls().iter().any(|call| call.asks("all", 0)));
    assert_eq!(records.right_times("a", "some"), ROUNDS as usize);
}

#[tokio::test]
async fn a_run_with_nothing_left_to_time_asks_nothing() {
    let (bench, fakes, before) = whole_run().await;
    let again = fakes.each_ref().map(|fake| revived(fake, &before.0, true));
    let records = bench.complete(&again).await;
    assert_eq!(again[0].calls(), []);
    assert_eq!(records.0, before.0);
}

/// A design may have a part of it that it does not load again.
#[tokio::test]
async fn a_slice_that_no_design_had_to_its_end_has_the_same_rows_again() {
    let bench = Bench::new();
    let last = |call: &Call| *call == Call::Load(2);
    let killed = DESIGNS.map(|id| Fake::hanging(id, last));
    bench.kill_in(&killed, last).await;
    let before = bench.records().0;
    let revived = killed.each_ref().map(|fake| revived(fake, &before, true));
    let records = bench.complete(&revived).await;
    for id in DESIGNS {
        let rows: Vec<u64> = records.slices(id).iter().map(|s| s.rows).collect();
        assert_eq!(rows, [5_000, 10_000, 15_000], "{id}");
    }
}
