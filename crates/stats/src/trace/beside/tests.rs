use super::super::cluster::ClusterSeen;
use super::super::fixture::{one_node_of_4_1, slow_parsing};
use super::super::record::RecordedTrace;
use super::super::traced::{Asked, ClientTimes, PageTimes};
use super::*;

fn traced(recorded: RecordedTrace, rows: u64) -> Traced {
    let asked = Asked {
        cql: "SELECT * FROM ks.t WHERE k = 1".to_owned(),
        keyspace: None,
        consistency: "LOCAL_ONE".to_owned(),
        page_rows: 5000,
        of: None,
    };
    let page = PageTimes {
        request_micros: 1_500,
        queue_micros: Some(100),
        decode_micros: 20,
        rows,
    };
    let client = ClientTimes {
        connect_micros: 40_000,
        prepare_micros: 900,
        times_micros: vec![1_520],
        pages: vec![page],
        ..ClientTimes::default()
    };
    Traced::new(asked, client, ClusterSeen::default(), recorded)
}

#[test]
fn the_step_that_took_longer_is_named_whatever_its_numbers() {
    let beside = Beside::new(&traced(slow_parsing(), 5), &traced(one_node_of_4_1(), 5));
    assert!(beside.is_same_request);
    let total = Pair {
        this: 38_926,
        other: 1_099,
    };
    assert_eq!(beside.total_micros, total);
    let queue = Pair {
        this: 100,
        other: 100,
    };
    assert_eq!(beside.queue_micros, Some(queue));
    // The coordinator of this one counts more than the client.
    let wire = Pair {
        this: 0,
        other: 301,
    };
    assert_eq!(beside.wire_micros, Some(wire));
    let parsing = StepDifference {
        activity: "Parsing SELECT * FROM ks.t WHERE k = 7".to_owned(),
        by_coordinator: true,
        micros: Pair {
            this: 26_146,
            other: 158,
        },
    };
    assert_eq!(beside.steps[0], parsing);
    assert!(beside.steps.len() <= MOST_STEPS);
    let counted: Vec<(Counted, u64, u64)> = beside
        .counts
        .iter()
        .map(|(what, pair)| (*what, pair.this, pair.other))
        .collect();
    assert_eq!(
        counted,
        [(Counted::Sstables, 9, 2), (Counted::Tombstones, 900, 1)]
    );
}

#[test]
fn equal_traces_do_not_differ() {
    let one = traced(one_node_of_4_1(), 5);
    let beside = Beside::new(&one, &one);
    assert!(
        beside.counts.is_empty() && beside.steps.is_empty(),
        "{beside:?}"
    );
    let mut other = one.clone();
    other.consistency = "ALL".to_owned();
    assert!(!Beside::new(&one, &other).is_same_request);
}

#[test]
fn words_with_digits_are_the_same_in_all_traces() {
    let same = |a: &str, b: &str| without_numbers(a) == without_numbers(b);
    assert!(same(
        "Merged data from memtables and 2 sstables",
        "Merged data from memtables and 11 sstables"
    ));
    assert!(same(
        "reading data from /10.0.0.1:7000",
        "reading data from /10.0.0.2:7000"
    ));
    assert!(!same(
        "reading data from /10.0.0.1:7000",
        "reading digest from /10.0.0.1:7000"
    ));
}
