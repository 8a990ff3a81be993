use super::*;
use crate::CpuSeconds;
use crate::compare::testing::{answered, failed, footprint, loaded, run, timed, wrong};
use crate::compare::{Concurrent, ConcurrentQuery, Record, Step};

/// Makes prices at which a core-second costs a millionth (21.024 / 8 cores / 2,628,000 s) and a GiB
/// a tenth.
fn prices() -> Prices {
    Prices {
        title: "ours".to_owned(),
        currency: "EUR".to_owned(),
        machine_cores: 8,
        machine_month: 21.024,
        storage_gib_month: 0.1,
    }
}

fn asked(design: &str) -> Record {
    Record::Concurrent(Box::new(Concurrent {
        design: design.to_owned(),
        turn: None,
        clients: 4,
        permutations: 10,
        seconds: 3.0,
        cpu: CpuSeconds {
            client: 1.0,
            server: Some(4.0),
            in_ticks: false,
        },
        queries: vec![ConcurrentQuery {
            query: "scan".to_owned(),
            nanoseconds: vec![1; 10],
            seconds: None,
            agreed: None,
        }],
        bad: Vec::new(),
        unfinished: Vec::new(),
    }))
}

fn records() -> Vec<Record> {
    run([
        loaded("a/x", 0, 2.0),
        footprint("a/x", 1 << 30),
        timed("a/x", "scan", 0.2),
        timed("a/x", "key", 0.05),
        asked("a/x"),
        loaded("memory", 0, 0.1),
    ])
}

fn cost(records: &[Record]) -> Cost {
    Summary::from_records(records)
        .unwrap()
        .priced(prices())
        .cost
        .unwrap()
}

#[track_caller]
fn near(range: Option<CostRange>, low: f64, high: f64) {
    let range = range.unwrap();
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b;
    assert!(
        close(range.low, low) && close(range.high, high),
        "{range:?}"
    );
}

#[test]
fn work_costs_between_its_cpu_time_and_the_whole_machine() {
    let cost = cost(&records());
    let design = cost.design("a/x").unwrap();
    // 100 rows: 0.5 + 1 s of CPU, 2 s on 2 cores.
    near(design.million_inserts, 0.015, 0.04);
    // 10 answers: 1 + 4 s of CPU, 3 s on 2 cores.
    near(design.million_concurrent, 0.5, 0.6);
    // 0.1 s of CPU, 0.2 s on 2 cores.
    near(design.queries[0].million, 0.1, 0.4);
    // Both cores are busy all the time.
    near(design.queries[1].million, 0.1, 0.1);
}

#[test]
fn work_below_a_tick_of_cpu_time_costs_what_it_may_have_taken_at_most() {
    let mut records = records();
    for record in &mut records {
        if let Record::Concurrent(asked) = record {
            (asked.cpu.client, asked.cpu.server) = (0.0, Some(0.0));
        }
    }
    let cost = cost(&records);
    // Three ticks of each of both clocks.
    near(cost.design("a/x").unwrap().million_concurrent, 0.006, 0.6);
}

#[test]
fn a_month_is_storage_at_full_scale_and_machines_for_its_cores_and_copies() {
    let mut records = records();
    let at_16_cores = cost(&records);
    // 2 machines have 16 cores, but there are 3 copies.
    let count = |cost: &Cost| cost.designs[0].machines.known().unwrap().count;
    assert_eq!(count(&at_16_cores), 3);
    // 1 GiB for 100 rows: 300 GiB for 3 copies of 10,000.
    let design = at_16_cores.design("a/x").unwrap();
    assert!((design.storage_month.unwrap() - 30.0).abs() < 1e-9);
    assert!((design.month.unwrap() - 93.072).abs() < 1e-9);
    let Record::Started(header) = &mut records[0] else {
        panic!("no header");
    };
    header.scale.cores = 33;
    assert_eq!(count(&cost(&records)), 5);
}

#[test]
fn what_failed_or_answered_wrongly_is_no_choice() {
    for trouble in [
        failed("a/x", Step::Concurrent, None, "it ended"),
        answered("a/x", "key", wrong()),
    ] {
        let mut records = records();
        records.push(trouble);
        let cost = cost(&records);
        assert!(cost.design("a/x").is_none());
        assert!(cost.design("a/y").is_some());
    }
}

#[test]
fn what_is_not_known_or_no_choice_costs_nothing_known() {
    let mut records = records();
    let yardsticks = cost(&records);
    assert!(yardsticks.design("memory").is_none());
    assert_eq!(yardsticks.design("a/y").unwrap().million_inserts, None);
    assert_eq!(yardsticks.design("a/y").unwrap().month, None);
    let Record::Started(header) = &mut records[0] else {
        panic!("no header");
    };
    header.designs[0].server = true;
    let cost = cost(&records);
    let design = cost.design("a/x").unwrap();
    // The server's CPU time is known of the load only.
    assert!(design.million_inserts.is_some());
    assert_eq!(design.queries[0].million, None);
}

/// Two designs of which the second stores twice as much and needs a fourth of the CPU time.
fn two() -> Vec<Record> {
    let mut records = run([
        loaded("a/x", 0, 2.0),
        loaded("a/y", 0, 2.0),
        footprint("a/x", 1 << 30),
        footprint("a/y", 2 << 30),
    ]);
    for (design, cpu) in [("a/x", 0.4), ("a/y", 0.1)] {
        for query in ["scan", "key"] {
            let Record::Timed(mut timing) = timed(design, query, 1.0) else {
                unreachable!()
            };
            timing.cpu.client = cpu;
            records.push(Record::Timed(timing));
        }
    }
    let Record::Started(header) = &mut records[0] else {
        panic!("no header");
    };
    header.scale.questions_per_second = Some(96.0);
    header.scale.full_rows = 100;
    records
}

#[test]
fn the_cost_of_a_month_depends_on_the_cpu_time_of_the_design() {
    let cost = cost(&two());
    let count = |index: usize| cost.designs[index].machines.known().unwrap().count;
    // 96 questions a second of 0.4 s keep 38.4 cores busy: 64 at 60%, 8 machines.
    assert_eq!((count(0), count(1)), (8, 3));
    assert_eq!(cost.cheapest().unwrap().design, "a/y");
}

#[test]
fn a_month_that_may_cost_more_is_not_the_cheapest() {
    let mut cost = cost(&two());
    let cheapest = cost.cheapest().unwrap().design.clone();
    for design in &mut cost.designs {
        if let Needed::Machines(machines) = &mut design.machines {
            machines.is_least = design.design == cheapest;
        }
    }
    assert_eq!(cost.cheapest().unwrap().design, "a/x");
    assert_eq!(cost.flips(), [], "no price is known at which the other is");
    for design in &mut cost.designs {
        if let Needed::Machines(machines) = &mut design.machines {
            machines.is_least = true;
        }
    }
    assert_eq!(cost.cheapest(), None);
}

#[test]
fn the_order_flips_where_both_months_cost_the_same() {
    let cost = cost(&two());
    let flips = cost.flips();
    // 8 x 21.024 + 3 GiB x price = 3 x 21.024 + 6 GiB x price.
    let storage = &flips[0];
    assert_eq!(
        (storage.of, storage.design.as_str()),
        (PriceOf::Storage, "a/x")
    );
    assert!((storage.at - 35.04).abs() < 1e-9, "{storage:?}");
    let machine = &flips[1];
    assert_eq!(machine.of, PriceOf::Machine);
    assert!((machine.at - 0.06).abs() < 1e-9, "{machine:?}");
    assert_eq!(flips.len(), 2);
}
