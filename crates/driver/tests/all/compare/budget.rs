//! A budget decides how many rows are loaded, how long is warmed up, and how many rounds follow.
//!
//! Calls take at least as long as they are told to, so that what is asserted holds on a slow
//! machine as well.

use std::time::{Duration, Instant};

use bakeoff_driver::Budget;

use super::bench::{Bench, spent};
use super::fake::{Act, Call, Fake};

/// A run whose rows and rounds are up to the budget.
fn limited_by(budget: Budget) -> Bench {
    let mut bench = Bench::new();
    (bench.settings.rows, bench.settings.rounds) = (None, None);
    bench.settings.budget = Some(budget);
    bench
}

fn slow(when: impl Fn(&Call) -> bool + Send + Sync + 'static, time: Duration) -> [Fake; 2] {
    let script = move |call: &Call| {
        if when(call) {
            Act::Take(time)
        } else {
            Act::Well
        }
    };
    [Fake::new("a"), Fake::acting("b", script)]
}

fn is_answer(call: &Call) -> bool {
    matches!(call, Call::Answer { .. })
}

#[tokio::test]
async fn a_spent_budget_still_loads_one_slice_and_measures_five_rounds() {
    let records = limited_by(spent()).complete(&[Fake::new("a")]).await;
    assert_eq!(records.loaded_rows(), Some(5_000));
    assert_eq!(records.warm_up_passes(), Some(1));
    assert_eq!(records.rounds(), Some(5));
    records.assert_complete(&["a"], 5);
}

#[tokio::test]
async fn loading_ends_before_a_slice_that_would_take_too_long() {
    // A fifth of the budget is for loading: 0.4 s. The first slice takes 0.3 s, so the next one,
    // twice as long, is not begun.
    let bench = limited_by(Budget::new(Instant::now(), Duration::from_secs(2)));
    let fakes = slow(
        |call| matches!(call, Call::Load(_)),
        Duration::from_millis(300),
    );
    let records = bench.complete(&fakes).await;
    assert_eq!(records.loaded_rows(), Some(5_000));
    assert_eq!(records.slices("a").len(), 1);
}

#[tokio::test]
async fn an_ample_budget_loads_up_to_the_full_scale() {
    let mut bench = limited_by(Budget::new(Instant::now(), Duration::from_secs(3600)));
    bench.settings.rounds = Some(0);
    // Without a design that can be asked there is nothing to warm up for.
    let unable = Fake::acting("a", |call| {
        if is_answer(call) {
            Act::Fail
        } else {
            Act::Well
        }
    });
    let records = bench.complete(&[unable]).await;
    let full = bench.workload.scale.full_rows;
    assert!(full < bench.source.end);
    assert_eq!(records.loaded_rows(), Some(full));
}

#[tokio::test]
async fn it_is_recorded_whether_the_data_has_more_rows() {
    for (end, is_all) in [(20_001, false), (20_000, true), (9_000, true)] {
        let mut bench = limited_by(spent());
        bench.settings.rows = Some(20_000);
        bench.source.end = end;
        let records = bench.complete(&[Fake::new("a")]).await;
        assert_eq!(records.has_all_rows(), Some(is_all), "{end}");
    }
}

#[tokio::test]
async fn rows_on_the_command_line_outweigh_the_budget() {
    let mut bench = limited_by(spent());
    bench.settings.rows = Some(20_000);
    assert_eq!(
        bench.complete(&[Fake::new("a")]).await.loaded_rows(),
        Some(20_000)
    );
}

#[tokio::test]
async fn as_many_rounds_are_measured_as_fit() {
    // 94 s of 100 are for measuring, and 93.5 s are over: not more than 5 rounds of 0.1 s fit.
    let long_ago = Instant::now() - Duration::from_millis(93_500);
    let bench = limited_by(Budget::new(long_ago, Duration::from_secs(100)));
    let records = bench
        .complete(&slow(is_answer, Duration::from_millis(50)))
        .await;
    let rounds = records.rounds().unwrap();
    assert!((3..=5).contains(&rounds), "{rounds}");
    records.assert_complete(&["a", "b"], rounds);
}

#[tokio::test]
async fn a_resumed_run_warms_up_again_although_round_zero_is_over() {
    // Half of it is for warming up: enough for many passes of 0.04 s, or of what they take here.
    for seconds in [2, 20, 200] {
        if warm_up_passes_after_a_kill(Duration::from_secs(seconds)).await > 1 {
            return;
        }
    }
    panic!("it never warmed up again");
}

async fn warm_up_passes_after_a_kill(budget: Duration) -> u32 {
    let mut bench = Bench::new();
    let in_round_1 = |call: &Call| call.asks("all", 3);
    let killed = ["a", "b"].map(|id| Fake::hanging(id, in_round_1));
    bench.kill_in(&killed, in_round_1).await;

    let fakes = slow(is_answer, Duration::from_millis(20)).map(|fake| fake.surviving(true));
    for (fake, killed) in fakes.iter().zip(&killed) {
        fake.table().slices = killed.table().slices.clone();
    }
    bench.settings.budget = Some(Budget::new(Instant::now(), budget));
    let records = bench.complete(&fakes).await;
    records.assert_complete(&["a", "b"], 3);
    records.warm_up_passes().unwrap()
}
