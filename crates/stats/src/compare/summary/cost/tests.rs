use super::*;
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
        clients: 4,
        permutations: 10,
        seconds: 3.0,
        cpu: CpuSeconds {
            client: 1.0,
            server: Some(4.0),
        },
        queries: vec![ConcurrentQuery {
            query: "scan".to_owned(),
            nanoseconds: vec![1; 10],
        }],
        bad: Vec::new(),
    }))
}

fn records() -> Vec<Record> {
    run([
        loaded("a/x", 0, 2.0),
        footprint("a/x", 1 << 30),
        timed("a/x", "scan", 0.2),
        timed("a/x", "key", 0.001),
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
    // A tick of 0.1 s of CPU in a millisecond there cannot have been.
    near(design.queries[1].million, 0.002, 0.002);
}

#[test]
fn work_below_a_tick_of_cpu_time_has_no_price() {
    let mut records = records();
    for record in &mut records {
        if let Record::Concurrent(asked) = record {
            (asked.cpu.client, asked.cpu.server) = (0.0, Some(0.0));
        }
    }
    let cost = cost(&records);
    assert_eq!(cost.design("a/x").unwrap().million_concurrent, None);
}

#[test]
fn a_month_is_storage_at_full_scale_and_machines_for_its_cores_and_copies() {
    let mut records = records();
    let at_16_cores = cost(&records);
    // 2 machines have 16 cores, but there are 3 copies.
    assert_eq!(at_16_cores.machines, 3);
    // 1 GiB for 100 rows: 300 GiB for 3 copies of 10,000.
    let design = at_16_cores.design("a/x").unwrap();
    assert!((design.storage_month.unwrap() - 30.0).abs() < 1e-9);
    assert!((design.month.unwrap() - 93.072).abs() < 1e-9);
    let Record::Started(header) = &mut records[0] else {
        panic!("no header");
    };
    header.scale.cores = 33;
    assert_eq!(cost(&records).machines, 5);
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
