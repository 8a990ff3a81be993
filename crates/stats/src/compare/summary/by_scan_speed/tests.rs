use super::*;
use crate::compare::{Concurrent, ConcurrentQuery, Outcome, Planned, QueryPlan, Record, Timing};
use crate::{CpuSeconds, QueryInfo};

/// Query with its SQL, the rows that are read for it, its seconds and its CPU seconds.
type Measured = (&'static str, &'static str, Option<u64>, f64, f64);

const SCAN: Measured = ("scan", "SELECT count(v) FROM t", Some(1_000), 1.1, 2.105);
const NOTHING: Measured = (
    "nothing",
    "SELECT v FROM t WHERE k = 0",
    Some(0),
    0.1,
    0.105,
);
const PART: Measured = ("part", "SELECT v FROM t WHERE k = 1", Some(100), 0.3, 0.205);

/// Records of a run with 1,000 rows on two cores, of one design with or without a server whose CPU time is unknown.
fn records(queries: &[Measured], server: bool) -> Vec<Record> {
    let mut header = crate::compare::testing::header();
    header.queries = { queries.iter() }
        .map(|(name, sql, ..)| QueryInfo {
            name: (*name).to_owned(),
            sql: (*sql).to_owned(),
            engine_sql: std::collections::BTreeMap::new(),
            tolerance: None,
        })
        .collect();
    header.designs.truncate(1);
    header.designs[0].server = server;
    let mut records = vec![
        Record::Started(Box::new(header)),
        Record::LoadingDone {
            rows: 1_000,
            left: None,
            is_all: true,
        },
    ];
    for (query, _, rows_scanned, seconds, cpu) in queries {
        records.push(Record::Timed(Timing {
            design: "a/x".to_owned(),
            query: (*query).to_owned(),
            round: 0,
            seconds: *seconds,
            rows_scanned: *rows_scanned,
            cpu: CpuSeconds {
                client: *cpu,
                server: None,
                in_ticks: false,
            },
            outcome: Outcome::Right { rows: 1 },
        }));
    }
    records
}

fn found(queries: &[Measured], asked: ScanQuestion) -> ByScanSpeed {
    let summary = Summary::from_records(&records(queries, false)).unwrap();
    summary.by_scan_speed(asked)
}

fn asked(records: u64, users: u32, cores: u32) -> ScanQuestion {
    ScanQuestion {
        records,
        users,
        cores,
    }
}

fn near(value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 1e-9, "{value}");
}

#[test]
fn the_formula_has_two_cases() {
    assert_eq!(spread_over_cores(4_000.0, 3.0, 4.0, 500.0), 6.0);
    assert_eq!(in_one_partition(4_000.0, 3.0, 4.0, 500.0), 8.0);
    // From as many users as cores on, both are the same.
    for users in [4.0, 5.0] {
        let spread = spread_over_cores(4_000.0, users, 4.0, 500.0);
        assert_eq!(in_one_partition(4_000.0, users, 4.0, 500.0), spread);
    }
}

#[test]
fn the_time_and_cpu_of_a_question_that_reads_nothing_are_no_part_of_the_speed() {
    let found = found(&[SCAN, NOTHING, PART], asked(4_000, 3, 4));
    assert_eq!(found.unknown, []);
    let design = &found.designs[0];
    assert_eq!(design.speed.query, "scan");
    near(design.speed.rows_per_core_second, 500.0);
    near(design.speed.cores_in_use, 2.0);
    assert_eq!(design.speed.latency, 0.1);
    assert_eq!(design.speed.latency_of.as_deref(), Some("nothing"));
    // What a question takes that reads nothing is a part of every time.
    near(design.spread, 6.1);
    near(design.one_partition, 8.1);
}

#[test]
fn without_such_a_question_all_time_is_that_of_the_scan() {
    let found = found(&[SCAN, PART], asked(2_105, 1, 2));
    let speed = &found.designs[0].speed;
    assert_eq!((speed.latency, speed.latency_of.as_deref()), (0.0, None));
    near(speed.rows_per_core_second, 1_000.0 / 2.105);
    near(found.designs[0].one_partition, 2.105 * 2.105);
}

#[test]
fn other_questions_check_it_on_the_cores_of_the_run() {
    // Its cores are those of the run, whatever is asked.
    let found = found(&[SCAN, NOTHING, PART], asked(1, 50, 64));
    let [check] = found.checks.as_slice() else {
        panic!("{:?}", found.checks);
    };
    assert_eq!((check.query.as_str(), check.users), ("part", 1));
    near(check.spread, 0.2);
    near(check.one_partition, 0.3);
    near(check.spread_off_by(), 1.5);
    near(check.one_partition_off_by(), 1.0);
}

#[test]
fn a_time_that_is_too_long_is_as_far_off_as_one_that_is_too_short() {
    let (long, short) = (off_by(3.0, 1.0), off_by(1.0, 3.0));
    near(long, 3.0);
    near(short, 3.0);
}

#[test]
fn clients_who_all_ask_the_same_check_it_for_several_users() {
    let mut records = records(&[SCAN, NOTHING, PART], false);
    records.push(Record::Concurrent(Box::new(Concurrent {
        design: "a/x".to_owned(),
        turn: None,
        clients: 4,
        permutations: 0,
        seconds: 10.0,
        cpu: CpuSeconds::default(),
        queries: vec![ConcurrentQuery {
            query: "scan".to_owned(),
            nanoseconds: vec![5_000_000_000; 5],
            seconds: Some(10.0),
            agreed: None,
        }],
        bad: Vec::new(),
        unfinished: Vec::new(),
    })));
    let summary = Summary::from_records(&records).unwrap();
    let checks = summary.by_scan_speed(asked(1, 1, 1)).checks;
    let of_clients = checks.iter().find(|check| check.users == 4).unwrap();
    assert_eq!(of_clients.query, "scan");
    near(of_clients.measured, 5.0);
    near(of_clients.spread, 0.1 + 1_000.0 * 4.0 / (2.0 * 500.0));
}

#[test]
fn the_fastest_scan_by_core_counts() {
    let slow: Measured = ("slow", "SELECT sum(v) FROM t", Some(1_000), 2.2, 4.105);
    let found = found(&[slow, SCAN, NOTHING], asked(1, 1, 1));
    assert_eq!(found.designs[0].speed.query, "scan");
    assert_eq!(found.checks.len(), 1);
    near(found.checks[0].spread_off_by(), 2.0);
}

#[test]
fn what_is_not_known_has_a_reason() {
    let none = found(&[NOTHING, PART], asked(1, 1, 1));
    assert_eq!(none.designs, []);
    assert_eq!(none.unknown[0].design, "a/x");
    assert!(none.unknown[0].why.contains("read all of its rows"));
    let with_server = records(&[SCAN, NOTHING], true);
    let summary = Summary::from_records(&with_server).unwrap();
    let unknown = summary.by_scan_speed(asked(1, 1, 1)).unknown;
    assert!(unknown[0].why.contains("CPU time"), "{unknown:?}");
    // A scan in which nothing but the latency is seen has no speed.
    let short: Measured = ("scan", "SELECT count(v) FROM t", Some(1_000), 0.1, 0.105);
    let found = found(&[short, NOTHING], asked(1, 1, 1));
    assert_eq!(found.designs, []);
}

#[test]
fn cpu_time_of_more_than_the_answers_is_no_base_for_an_estimate() {
    // 6.6 ms of CPU time in 1.18 ms on two cores, and a scan with less than ten times as much.
    let (_, sql, no_rows, ..) = NOTHING;
    let impossible: Measured = ("nothing", sql, no_rows, 0.001_18, 0.006_6);
    let short: Measured = ("scan", "SELECT count(v) FROM t", Some(1_000), 0.06, 0.065);
    let unknown = found(&[short, impossible], asked(1, 1, 1));
    assert_eq!(unknown.designs, []);
    let why = &unknown.unknown[0].why;
    assert!(why.contains("CPU time"), "{why}");
    let long = found(&[SCAN, impossible], asked(1, 1, 1));
    near(long.designs[0].speed.rows_per_core_second, 1_000.0 / 2.105);
}

#[test]
fn an_answer_from_metadata_is_no_scan_to_estimate_by_but_what_nothing_takes() {
    let planned = |query: &str, text: &str| {
        Record::Planned(Planned {
            design: "a/x".to_owned(),
            query: query.to_owned(),
            plan: QueryPlan::told("DuckDB", text),
        })
    };
    let count: Measured = ("count", "SELECT count(*) FROM t", None, 0.1, 0.105);
    let sum: Measured = ("sum", "SELECT sum(v) FROM t", None, 1.1, 2.105);
    // It counts no rows, so that both would be full scans.
    let mut records = records(&[count, sum], false);
    let speed = |records: &[Record]| {
        let summary = Summary::from_records(records).unwrap();
        let found = summary.by_scan_speed(asked(1, 1, 1));
        found.designs[0].speed.clone()
    };
    assert_eq!(speed(&records).query, "count");
    records.push(planned("count", "│ COLUMN_DATA_SCAN │"));
    records.push(planned("sum", "│ UNGROUPED_AGGREGATE │\n│ SEQ_SCAN │"));
    let speed = speed(&records);
    assert_eq!(speed.query, "sum");
    assert_eq!(speed.latency_of.as_deref(), Some("count"));
    near(speed.rows_per_core_second, 500.0);
}
