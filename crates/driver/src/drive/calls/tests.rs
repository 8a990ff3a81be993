use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_workload::{Action, Mix, Operation};

use super::*;
use crate::drive::{Schedule, Shard};

fn operation(action: Action, keys: Keys, weight: f64, batch: u32) -> Operation {
    Operation {
        name: format!("{action:?}"),
        weight,
        action,
        keys,
        consistency: None,
        ttl_seconds: None,
        batch,
    }
}

fn plan(operations: Vec<Operation>, threads: u32, shard: Shard) -> Plan {
    let mix = Mix {
        operations,
        schema: Vec::new(),
        populate: Vec::new(),
        background: Vec::new(),
    };
    Plan {
        mix: Arc::new(mix),
        seed: 3,
        ordinal: 0,
        rows: 100,
        new_rows: Vec::new(),
        shard,
        threads,
        in_flight: threads,
        schedule: Schedule::ClosedLoop,
        duration: Duration::from_secs(1),
        drain_limit: Duration::from_secs(1),
        retries: 0,
        start_at: None,
    }
}

fn reads_and_inserts(batch: u32) -> Vec<Operation> {
    let latest = Keys::Latest { exponent: 0.99 };
    vec![
        operation(Action::ReadRow, Keys::Uniform, 0.4, 1),
        operation(Action::ReadRow, latest, 0.3, 1),
        operation(Action::Insert, Keys::New, 0.3, batch),
    ]
}

fn workers(threads: u32, shards: u32) -> Vec<Calls> {
    let mut workers = Vec::new();
    for index in 0..shards {
        let shard = Shard { index, of: shards };
        for thread in 0..threads {
            workers.push(Calls::new(
                &plan(reads_and_inserts(1), threads, shard),
                thread,
            ));
        }
    }
    workers
}

#[test]
fn a_pass_goes_through_each_row_once_whatever_the_keys() {
    // Operation 2 inserts new rows, and operation 1 would read the latest ones.
    for (operation, threads) in [(0, 1), (1, 3), (2, 3)] {
        let mut plan = plan(reads_and_inserts(1), threads, Shard::WHOLE);
        plan.schedule = Schedule::Pass(Pass {
            operation,
            rows: 70,
        });
        let mut rows = Vec::new();
        for thread in 0..threads {
            let mut calls = Calls::new(&plan, thread);
            while !calls.are_over() {
                let call = calls.next();
                assert_eq!((call.operation, call.row_step), (operation, 1));
                assert!(call.row_exists && !calls.wants_latest(&call));
                calls.ended(&call, true);
                rows.push(call.row);
            }
            assert_eq!(calls.into_new_rows().taken, 0);
        }
        rows.sort_unstable();
        assert_eq!(rows, (0..70).collect::<Vec<u64>>());
    }
}

#[test]
fn workers_share_a_number_of_operations_which_are_the_first_ones_of_a_longer_load() {
    let mut plan = plan(reads_and_inserts(1), 3, Shard::WHOLE);
    plan.schedule = Schedule::Operations { count: 70 };
    let mut numbers = Vec::new();
    for thread in 0..3 {
        let mut calls = Calls::new(&plan, thread);
        while !calls.are_over() {
            numbers.push(calls.next().number);
        }
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (0..70).collect::<Vec<u64>>());
    plan.schedule = Schedule::Operations { count: 0 };
    let error = plan.check().unwrap_err().to_string();
    assert!(error.contains("--operations 1"), "{error}");
}

#[test]
fn batches_of_a_pass_follow_one_another() {
    let mut plan = plan(reads_and_inserts(20), 2, Shard::WHOLE);
    plan.schedule = Schedule::Pass(Pass {
        operation: 2,
        rows: 100,
    });
    assert_eq!(plan.check(), Ok(()));
    let first_rows = |thread| {
        let mut calls = Calls::new(&plan, thread);
        let mut rows = Vec::new();
        while !calls.are_over() {
            rows.push(calls.next().row);
        }
        rows
    };
    assert_eq!(
        [first_rows(0), first_rows(1)],
        [vec![0, 40, 80], vec![20, 60]]
    );
}

#[test]
fn impossible_passes_are_refused() {
    let refused = |operation, rows| {
        let mut plan = plan(reads_and_inserts(20), 1, Shard::WHOLE);
        plan.schedule = Schedule::Pass(Pass { operation, rows });
        plan.check().unwrap_err().to_string()
    };
    assert!(refused(0, 0).contains("has no rows"));
    assert!(refused(0, 101).contains("101 rows, and there are only 100"));
    assert!(refused(2, 30).contains("a multiple of 20"));
}

#[test]
fn an_operation_depends_on_its_number_alone() {
    let by_number = |threads, shards| {
        let mut all: Vec<(u64, usize)> = workers(threads, shards)
            .iter_mut()
            .flat_map(|calls| {
                (0..600 / threads / shards)
                    .map(|_| calls.next())
                    .map(|call| (call.number, call.operation))
                    .collect::<Vec<_>>()
            })
            .collect();
        all.sort_unstable();
        all
    };
    let alone = by_number(1, 1);
    assert_eq!(alone.len(), 600);
    assert_eq!(alone, by_number(3, 1));
    assert_eq!(alone, by_number(2, 3));
}

#[test]
fn uniform_rows_do_not_depend_on_the_number_of_threads() {
    let rows = |threads| {
        let mut rows: Vec<(u64, u64)> = workers(threads, 1)
            .iter_mut()
            .flat_map(|calls| (0..600 / threads).map(|_| calls.next()).collect::<Vec<_>>())
            .filter(|call| call.operation == 0)
            .map(|call| (call.number, call.row))
            .collect();
        rows.sort_unstable();
        rows
    };
    assert_eq!(rows(1), rows(4));
}

#[test]
fn new_rows_of_all_workers_differ_also_in_batches() {
    let mut seen = BTreeSet::new();
    for index in 0..2 {
        for thread in 0..3 {
            let plan = plan(reads_and_inserts(4), 3, Shard { index, of: 2 });
            let mut calls = Calls::new(&plan, thread);
            for call in (0..300).map(|_| calls.next()) {
                if call.operation == 2 {
                    let rows = (0..4).map(|i| call.row + i * call.row_step);
                    assert!(rows.into_iter().all(|row| row >= 100 && seen.insert(row)));
                }
            }
        }
    }
    assert!(seen.len() > 300);
}

#[test]
fn loaded_rows_are_there_unless_the_mix_removes_some() {
    let mut calls = Calls::new(&plan(reads_and_inserts(1), 1, Shard::WHOLE), 0);
    for call in (0..100).map(|_| calls.next()) {
        assert_eq!(call.row_exists, call.operation != 2, "{call:?}");
    }
    let mut removing = reads_and_inserts(1);
    removing.push(operation(Action::DeleteRow, Keys::Uniform, 0.1, 1));
    let mut calls = Calls::new(&plan(removing, 1, Shard::WHOLE), 0);
    assert!((0..100).all(|_| !calls.next().row_exists));
}

#[test]
fn batches_stay_in_the_block_of_their_shard() {
    let batches = vec![operation(Action::Insert, Keys::Uniform, 1.0, 10)];
    let mut calls = Calls::new(&plan(batches, 1, Shard { index: 1, of: 4 }), 0);
    for call in (0..1000).map(|_| calls.next()) {
        assert!(call.row >= 25 && call.row + 10 <= 50, "{call:?}");
        assert_eq!(call.row_step, 1);
    }
}

#[test]
fn the_latest_rows_are_those_whose_inserts_ended() {
    let mut calls = Calls::new(&plan(reads_and_inserts(1), 1, Shard::WHOLE), 0);
    let mut open = Vec::new();
    for call in (0..200).map(|_| calls.next()) {
        assert!(
            call.operation == 2 || call.row < 100,
            "none has ended: {call:?}"
        );
        if call.operation == 2 {
            open.push(call);
        }
    }
    // The first one stays open: nothing new is there for certain.
    open[1..].iter().for_each(|call| calls.ended(call, true));
    assert!(
        (0..200)
            .map(|_| calls.next())
            .all(|c| c.operation == 2 || c.row < 100)
    );
    // It fails: its row may be missing, all others are there.
    calls.ended(&open[0], false);
    let latest: Vec<Call> = (0..2000)
        .map(|_| calls.next())
        .filter(|c| c.operation == 1)
        .collect();
    assert!(latest.iter().any(|c| c.row > 100 && c.row_exists));
    let newest = 100 + open.len() as u64;
    assert!(latest.iter().all(|c| c.row < newest));
    assert!(latest.iter().all(|c| c.row_exists == (c.row != 100)));
}

/// The calls of one thread's load, all of which succeed.
fn load(plan: &Plan, count: usize) -> (Vec<Call>, NewRows) {
    let mut calls = Calls::new(plan, 0);
    let all = (0..count).map(|_| {
        let call = calls.next();
        calls.ended(&call, true);
        call
    });
    let all = all.collect();
    (all, calls.into_new_rows())
}

#[test]
fn each_load_has_rows_of_its_own_and_an_equal_one_the_same() {
    let of_load = |ordinal| {
        let mut plan = plan(reads_and_inserts(1), 1, Shard::WHOLE);
        plan.ordinal = ordinal;
        load(&plan, 300).0
    };
    assert_eq!(of_load(2), of_load(2));
    let (first, second) = (of_load(0), of_load(1));
    let same = first.iter().zip(&second).filter(|(a, b)| a.row == b.row);
    assert!(same.count() < 30);
    let numbers: BTreeSet<u64> = first.iter().chain(&second).map(|c| c.number).collect();
    assert_eq!(numbers.len(), 600, "what is drawn from them differs, too");
}

#[test]
fn rows_in_sequence_begin_elsewhere_in_a_later_load_at_one_place_for_all_threads() {
    let first = |ordinal, thread| {
        let sequence = vec![operation(Action::ReadRow, Keys::Sequential, 1.0, 1)];
        let mut plan = plan(sequence, 2, Shard::WHOLE);
        plan.ordinal = ordinal;
        Calls::new(&plan, thread).next().row
    };
    assert_eq!((first(0, 0), first(0, 1)), (0, 1));
    assert_ne!(first(1, 0), 0);
    assert_eq!(first(1, 1), (first(1, 0) + 1) % 100);
}

#[test]
fn new_rows_go_on_after_those_of_earlier_loads() {
    let mut plan = plan(reads_and_inserts(1), 1, Shard::WHOLE);
    let (first, new_rows) = load(&plan, 300);
    let inserted = first.iter().filter(|c| c.operation == 2).count() as u64;
    (plan.ordinal, plan.new_rows) = (1, vec![new_rows]);
    let (second, _) = load(&plan, 300);
    let new: Vec<u64> = second
        .iter()
        .filter(|c| c.operation == 2)
        .map(|c| c.row)
        .collect();
    assert_eq!(new[0], 100 + inserted);
    // The latest are those of the first load at once, and they are there.
    let latest = second.iter().filter(|c| c.operation == 1);
    assert!(latest.clone().all(|c| c.row_exists));
    let latest: Vec<u64> = latest.map(|c| c.row).collect();
    assert!(latest[..5].iter().any(|row| *row >= 100), "{latest:?}");
}

#[test]
fn inserts_that_never_ended_do_not_hold_up_the_next_load() {
    let mut plan = plan(reads_and_inserts(1), 1, Shard::WHOLE);
    let mut calls = Calls::new(&plan, 0);
    let inserts: Vec<Call> = (0..300)
        .map(|_| calls.next())
        .filter(|c| c.operation == 2)
        .collect();
    inserts[1..].iter().for_each(|call| calls.ended(call, true));
    plan.new_rows = vec![calls.into_new_rows()];
    let mut calls = Calls::new(&plan, 0);
    let latest: Vec<Call> = (0..3000)
        .map(|_| calls.next())
        .filter(|c| c.operation == 1)
        .collect();
    assert!(latest.iter().any(|c| c.row > 100));
    assert!(latest.iter().all(|c| c.row_exists == (c.row != 100)));
}
