//! Rounds: which design is driven when, and what ends one or all.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bakeoff_driver::drive::{Done, Failure, Shard};
use bakeoff_driver::{DesignError, shuffled};
use bakeoff_stats::drive::{DriveLog, DriveRun};
use bakeoff_stats::{FailureKind, JournalError};
use bakeoff_workload::{Action, Keys, Operation};

use super::bench::{Bench, Driven, Fakes, calling};
use super::fake::{Fake, MILLISECOND, mix, read};
use crate::compare::fake::Fake as Table;

const IDS: [&str; 3] = ["a", "b", "c"];

/// The number of the load that an operation is of.
fn load_of(number: u64) -> u64 {
    number >> 40
}

/// Its server dies with the `nth` operation, and all from then on fail.
fn dying(id: &str, nth: usize) -> Driven {
    let table = Table::new(id);
    let (dying, sent) = (table.clone(), AtomicUsize::new(0));
    let load = Fake::new(move |_| {
        let is_dead = sent.fetch_add(1, Ordering::Relaxed) + 1 >= nth;
        if is_dead {
            dying.die();
        }
        Box::pin(async move {
            tokio::time::sleep(MILLISECOND).await;
            if is_dead {
                Err(Failure::new(FailureKind::Connection, "connection lost"))
            } else {
                Ok(Done::default())
            }
        })
    });
    Driven::new(table, load)
}

#[tokio::test]
async fn each_design_is_driven_once_in_every_round_in_an_order_of_the_seed() {
    let mut bench = Bench::new();
    bench.settings.rounds = 4;
    let records = bench.complete(&mut Fakes::new(IDS.map(Driven::well))).await;
    let rounds = 1..=bench.settings.rounds;
    let orders: Vec<Vec<&str>> = rounds
        .clone()
        .map(|round| shuffled(IDS.to_vec(), &[bench.settings.load.seed, u64::from(round)]))
        .collect();
    assert!(orders.windows(2).any(|pair| pair[0] != pair[1]));
    let expected: Vec<(String, u32)> = rounds
        .zip(orders)
        .flat_map(|(round, order)| order.into_iter().map(move |id| (id.to_owned(), round)))
        .collect();
    assert_eq!(records.trials(), expected);
    assert_eq!(records.stopped(), [false; 12]);
    assert!(records.failures().is_empty());
}

#[tokio::test]
async fn designs_have_the_same_loads_and_each_inserts_after_the_one_before() {
    let mut bench = Bench::new();
    bench.settings.rounds = 3;
    bench.settings.load.mix = Arc::new(mix(vec![read(1.0, Keys::New)]));
    let mut fakes = Fakes::new(["a", "b"].map(Driven::well));
    bench.complete(&mut fakes).await;
    for design in &fakes.designs {
        let sent = design.load.sent.lock().unwrap();
        let loads: BTreeSet<u64> = sent.iter().map(|call| load_of(call.number)).collect();
        assert_eq!(loads, BTreeSet::from([0, 64, 128]));
        let mut rows: Vec<u64> = sent.iter().map(|call| call.row).collect();
        rows.sort_unstable();
        let expected: Vec<u64> = (1_000..1_000 + rows.len() as u64).collect();
        assert_eq!(rows, expected, "each new row once, without a gap");
    }
}

#[tokio::test]
async fn a_design_that_fails_is_out_and_the_others_are_driven() {
    let mut bench = Bench::new();
    bench.settings.rounds = 2;
    let refuse = |_| Err(DesignError::new("too many clients"));
    let bad = Fake::taking(MILLISECOND).connecting(refuse);
    let bad = Driven::new(Table::new("bad"), bad);
    let mut fakes = Fakes::new([Driven::well("a"), bad, Driven::well("c")]);
    let records = bench.complete(&mut fakes).await;
    let [("bad", reason)] = records.failures()[..] else {
        panic!("{:?}", records.failures());
    };
    assert!(reason.contains("too many clients"), "{reason}");
    let mut trials = records.trials();
    trials.sort();
    let all = [("a", 1), ("a", 2), ("c", 1), ("c", 2)];
    assert_eq!(trials, all.map(|(id, round)| (id.to_owned(), round)));
}

#[tokio::test]
async fn a_server_that_dies_during_a_load_fails_its_design_alone() {
    let mut bench = Bench::new();
    bench.settings.rounds = 2;
    let mut fakes = Fakes::new([Driven::well("a"), dying("bad", 5), Driven::well("c")]);
    let records = bench.complete(&mut fakes).await;
    let reason = "its server ended during the load: its engine is gone";
    assert_eq!(records.failures(), [("bad", reason)]);
    let of_bad = |(id, _): &&(String, u32)| id == "bad";
    let trials = records.trials();
    assert_eq!(trials.iter().filter(of_bad).count(), 1, "{trials:?}");
    assert_eq!(trials.len(), 5);
    assert_eq!(records.stopped().len(), 5, "all were ended");
}

#[tokio::test]
async fn a_load_without_a_server_ends_before_its_time() {
    let bench = Bench::endless();
    let records = bench.complete(&mut Fakes::new([dying("bad", 5)])).await;
    assert_eq!(records.stopped(), [true]);
    assert_eq!(records.failures().len(), 1);
}

#[tokio::test]
async fn a_server_that_dies_after_a_load_spoils_only_the_next_one() {
    let mut bench = Bench::new();
    bench.settings.rounds = 3;
    let design = Driven::well("a");
    let table = design.table.clone();
    bench.shown = Box::new(move || table.die());
    let records = bench.complete(&mut Fakes::new([design])).await;
    assert_eq!(records.stopped(), [false]);
    let reason = "its server ended: its engine is gone";
    assert_eq!(records.failures(), [("a", reason)]);
}

#[tokio::test]
async fn stopping_ends_the_load_that_is_under_way_and_begins_no_other() {
    let mut bench = Bench::endless();
    bench.settings.rounds = 2;
    let stop = bench.stop.clone();
    let stopping = Arc::new(calling(20, move || stop.stop()));
    let designs = ["a", "b"].map(|id| Driven {
        table: Table::new(id),
        load: stopping.clone(),
    });
    let mut fakes = Fakes::new(designs);
    let mut log = bench.log(&fakes);
    bench.drive_into(&mut log, &mut fakes).await.unwrap();
    drop(log);
    let records = bench.records();
    assert_eq!(records.trials().len(), 1);
    assert_eq!(records.stopped(), [true]);
    assert!(records.failures().is_empty(), "{:?}", records.failures());
    let sent = stopping.sent.lock().unwrap().len();
    assert!(sent >= 20, "{sent}");
    // What was measured can be read, and no other drive goes on with it.
    let run = DriveRun::open(bench.folder.path()).unwrap();
    assert_eq!(run.summary().unwrap().header.designs.len(), 2);
    let again = DriveLog::create(bench.folder.path(), run.header()).unwrap_err();
    assert!(matches!(again, JournalError::Occupied { .. }), "{again}");
}

#[tokio::test]
async fn a_stop_before_the_first_load_is_no_failure() {
    let bench = Bench::endless();
    let stop = bench.stop.clone();
    let stopping = Fake::taking(MILLISECOND).connecting(move |_| {
        stop.stop();
        Ok(())
    });
    let design = Driven::new(Table::new("a"), stopping);
    let records = bench.complete(&mut Fakes::new([design])).await;
    assert!(records.trials().is_empty(), "{:?}", records.trials());
    assert!(records.failures().is_empty(), "{:?}", records.failures());
}

#[tokio::test]
async fn a_load_that_cannot_be_written_down_ends_and_is_a_failure() {
    let bench = Bench::endless();
    let mut fakes = Fakes::new(["a", "b"].map(Driven::well));
    let mut log = bench.log(&fakes);
    // In place of the folder of histograms.
    let path = bench.folder.path().join("trials");
    std::fs::write(&path, "").unwrap();
    bench.drive_into(&mut log, &mut fakes).await.unwrap();
    let records = bench.records();
    let failures = records.failures();
    assert_eq!(failures.len(), 2, "{failures:?}");
    for (_, reason) in failures {
        assert!(reason.contains(&*path.to_string_lossy()), "{reason}");
    }
    assert!(records.trials().is_empty());
}

#[tokio::test]
async fn servers_are_warmed_up_once_before_loads_that_stay_the_same_for_all() {
    let mut bench = Bench::new();
    (bench.settings.rounds, bench.settings.warms_up) = (2, true);
    let mut fakes = Fakes::new(["a", "b"].map(Driven::on_a_server));
    let records = bench.complete(&mut fakes).await;
    for id in ["a", "b"] {
        let of_design = records.starts().into_iter().filter(|s| s.design == id);
        let warm_ups: Vec<bool> = of_design.map(|start| start.warm_up).collect();
        let loops = warm_ups.len() - 2;
        assert!((2..=6).contains(&loops), "{warm_ups:?}");
        let expected = [vec![true; loops], vec![false; 2]].concat();
        assert_eq!(warm_ups, expected);
    }
    for design in &fakes.designs {
        let sent = design.load.sent.lock().unwrap();
        let loads: BTreeSet<u64> = sent.iter().map(|call| load_of(call.number)).collect();
        assert!(loads.contains(&0) && loads.contains(&64), "{loads:?}");
    }
    let summary = DriveRun::open(bench.folder.path())
        .unwrap()
        .summary()
        .unwrap();
    for design in &summary.designs {
        assert_eq!(design.trials.len(), 2, "figures are of the rounds alone");
    }
}

#[tokio::test]
async fn shards_and_loads_that_delete_are_not_warmed_up() {
    let mut sharded = Bench::new();
    sharded.settings.load.shard = Shard { index: 1, of: 2 };
    let mut deleting = Bench::new();
    let delete = Operation {
        action: Action::DeleteRow,
        ..read(1.0, Keys::Uniform)
    };
    deleting.settings.load.mix = Arc::new(mix(vec![delete]));
    for mut bench in [sharded, deleting] {
        bench.settings.warms_up = true;
        let records = bench
            .complete(&mut Fakes::new([Driven::on_a_server("a")]))
            .await;
        assert!(records.starts().iter().all(|start| !start.warm_up));
    }
}

#[tokio::test]
async fn designs_without_a_server_are_not_warmed_up() {
    let mut bench = Bench::new();
    bench.settings.warms_up = true;
    let records = bench.complete(&mut Fakes::new([Driven::well("a")])).await;
    let starts = records.starts();
    assert!(!starts.is_empty() && starts.iter().all(|start| !start.warm_up));
}
