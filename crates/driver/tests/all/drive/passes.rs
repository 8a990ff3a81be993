//! Passes: each row once, to the end, on tables that are made anew, and what is recorded of them.

use std::sync::Arc;
use std::time::Duration;

use bakeoff_driver::drive::{Pass, PassesFor, Schedule, Stop};
use bakeoff_stats::FailureKind;
use bakeoff_stats::drive::{DriveRecord, PassRecord};
use bakeoff_workload::{Action, Keys, Operation};

use super::bench::{Bench, Driven, Fakes, Records, calling};
use super::fake::{Fake, MILLISECOND, mix, plan, read, run, run_here, run_on_threads};
use crate::compare::fake::{Call, Fake as Table};

fn insert() -> Operation {
    Operation {
        name: "insert".to_owned(),
        action: Action::Insert,
        ..read(0.5, Keys::New)
    }
}

fn pass(operation: usize, rows: u64) -> Pass {
    Pass { operation, rows }
}

/// Inserts 60 rows, reads them, and reads the first 20 again.
fn passes(from_empty: bool) -> PassesFor {
    PassesFor {
        from_empty,
        passes: vec![pass(1, 60), pass(0, 60), pass(0, 20)],
    }
}

fn bench(from_empty: bool) -> Bench {
    let mut bench = Bench::new();
    let operations = vec![read(0.5, Keys::Uniform), insert()];
    bench.settings.load.mix = Arc::new(mix(operations));
    bench.settings.passes = Some(passes(from_empty));
    bench
}

fn recorded(records: &Records) -> Vec<&PassRecord> {
    let passes = records.0.iter().filter_map(|record| match record {
        DriveRecord::Pass(pass) => Some(pass),
        _ => None,
    });
    passes.collect()
}

#[tokio::test(start_paused = true)]
async fn a_pass_ends_with_its_last_row_and_lasts_until_then() {
    let mut plan = plan("closed", 1);
    plan.schedule = Schedule::Pass(pass(0, 1000));
    plan.duration = Duration::from_secs(3_600);
    plan.in_flight = 4;
    let outcome = run_here(Fake::taking(10 * MILLISECOND), &plan)
        .await
        .unwrap();
    let driven = &outcome.driven;
    assert!(!driven.stopped);
    assert_eq!(
        (driven.scheduled, driven.sent, driven.unsent),
        (1000, 1000, 0)
    );
    let mut rows: Vec<u64> = outcome.sent().iter().map(|call| call.row).collect();
    rows.sort_unstable();
    assert_eq!(rows, (0..1000).collect::<Vec<u64>>());
    // Four at a time for 10 ms each; the paused clock goes in milliseconds.
    let expected = Duration::from_millis(2_500);
    assert!(driven.duration >= expected, "{:?}", driven.duration);
    assert!(driven.duration < expected * 2, "{:?}", driven.duration);
    assert_eq!(outcome.seconds.total().successes(), 1000);
}

#[tokio::test]
async fn threads_share_a_pass_out() {
    let mut plan = plan("closed", 60);
    plan.schedule = Schedule::Pass(pass(0, 1000));
    (plan.threads, plan.in_flight) = (3, 7);
    let outcome = run_on_threads(Fake::failing(FailureKind::Missing), &plan);
    let outcome = outcome.await.unwrap();
    let mut rows: Vec<u64> = outcome.sent().iter().map(|call| call.row).collect();
    rows.sort_unstable();
    assert_eq!(rows, (0..1000).collect::<Vec<u64>>());
    assert_eq!(outcome.seconds.total().failed(), 1000);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_pass_says_so() {
    let mut plan = plan("closed", 1);
    plan.schedule = Schedule::Pass(pass(0, 1000));
    plan.duration = Duration::from_secs(3_600);
    plan.in_flight = 1;
    let stop = Stop::new();
    let asked = stop.clone();
    let fake = Fake::new(move |call| {
        if call.row == 10 {
            asked.stop();
        }
        Box::pin(async {
            tokio::time::sleep(MILLISECOND).await;
            Ok(Default::default())
        })
    });
    let driven = run(fake, &plan, &stop, false).await.unwrap().driven;
    assert!(driven.stopped && driven.sent < 1000, "{}", driven.sent);
}

#[tokio::test]
async fn every_round_makes_all_passes_on_tables_made_anew() {
    let mut bench = bench(true);
    bench.settings.rounds = 2;
    let mut fakes = Fakes::new(["a", "b"].map(Driven::well));
    let records = bench.complete(&mut fakes).await;
    for id in ["a", "b"] {
        let of_design: Vec<&PassRecord> = recorded(&records)
            .into_iter()
            .filter(|pass| pass.design == id)
            .collect();
        let places: Vec<(u32, usize)> = of_design.iter().map(|p| (p.round, p.place)).collect();
        assert_eq!(places, [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]);
        let counts: Vec<(u64, u64)> = of_design.iter().map(|p| (p.succeeded, p.failed)).collect();
        assert_eq!(counts[..3], [(60, 0), (60, 0), (20, 0)]);
        assert!(of_design.iter().all(|pass| pass.real > 0.0));
        // The server of a fake is not sampled.
        assert!(of_design.iter().all(|pass| pass.server_cpu.is_none()));
    }
    // Nothing is loaded. Made once to begin with, and once for each round.
    assert!(records.populated().is_empty());
    for design in &fakes.designs {
        assert_eq!(
            design.table.calls(),
            [Call::Create, Call::Create, Call::Create]
        );
        let sent = design.load.sent.lock().unwrap();
        let operations: Vec<usize> = sent[..140].iter().map(|call| call.operation).collect();
        let expected = [vec![1; 60], vec![0; 80]].concat();
        assert_eq!(operations, expected, "one pass after the other");
    }
    assert!(records.failures().is_empty());
}

#[tokio::test]
async fn passes_on_filled_tables_keep_them() {
    let bench = bench(false);
    let mut fakes = Fakes::new([Driven::well("a")]);
    let records = bench.complete(&mut fakes).await;
    assert_eq!(records.populated(), [("a", 1000)]);
    let made = fakes.designs[0].table.calls();
    let made = made.iter().filter(|call| **call == Call::Create);
    assert_eq!((made.count(), recorded(&records).len()), (1, 3));
}

#[tokio::test]
async fn a_server_makes_all_passes_once_before_they_count() {
    let mut bench = bench(true);
    bench.settings.warms_up = true;
    let mut fakes = Fakes::new([Driven::on_a_server("a")]);
    let records = bench.complete(&mut fakes).await;
    let warm_ups: Vec<bool> = records.starts().iter().map(|start| start.warm_up).collect();
    assert_eq!(warm_ups, [true, true, true, false, false, false]);
    assert_eq!(recorded(&records).len(), 3);
    let schedules: Vec<&str> = records
        .starts()
        .iter()
        .map(|s| s.schedule.as_str())
        .collect();
    assert_eq!(schedules[0], "insert, each of 60 rows once");
}

#[tokio::test]
async fn failures_of_a_pass_are_counted_and_the_next_one_is_made() {
    let bench = bench(true);
    let fake = Fake::taking(MILLISECOND).checking(|call| {
        let is_wrong = call.operation == 0 && call.row == 7;
        is_wrong.then(|| bakeoff_driver::drive::Failure::new(FailureKind::Wrong, "another value"))
    });
    let mut fakes = Fakes::new([Driven::new(Table::new("a"), fake)]);
    let records = bench.complete(&mut fakes).await;
    let failed: Vec<u64> = recorded(&records).iter().map(|pass| pass.failed).collect();
    assert_eq!(failed, [0, 1, 1]);
    assert_eq!(recorded(&records)[1].succeeded, 59);
}

#[tokio::test]
async fn a_pass_that_is_stopped_is_not_recorded() {
    let mut bench = bench(true);
    bench.settings.load.in_flight = 1;
    let stop = bench.stop.clone();
    let fake = calling(70, move || stop.stop());
    let mut fakes = Fakes::new([Driven::new(Table::new("a"), fake)]);
    let records = bench.complete(&mut fakes).await;
    let places: Vec<usize> = recorded(&records).iter().map(|pass| pass.place).collect();
    assert_eq!(places, [0], "only the first pass had ended");
    assert!(records.failures().is_empty());
}
