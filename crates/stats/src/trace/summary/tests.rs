use super::super::fixture::{
    FIRST, SECOND, THIRD, mismatch_of_5_0, one_node_of_4_1, recorded, scan_of_5_0, slow_parsing,
};
use super::*;

fn replica(node: &str, asked_for: AskedFor, speculative: bool) -> Replica {
    Replica {
        node: node.to_owned(),
        asked_for,
        speculative,
    }
}

fn slowest(trace: &Trace) -> (u64, &str, &str) {
    let step = trace.slowest_step().unwrap();
    (step.micros, step.node.as_str(), step.activity.as_str())
}

#[test]
fn a_read_by_one_node_is_summed_up() {
    let trace = Trace::new(&one_node_of_4_1());
    assert!(trace.complete);
    assert_eq!(
        (trace.coordinator.as_str(), trace.total_micros),
        (FIRST, 1_099)
    );
    assert_eq!(trace.replicas, [replica(FIRST, AskedFor::Data, false)]);
    let work = NodeWork {
        node: FIRST.to_owned(),
        sstables: 2,
        skipped_sstables: 1,
        live_rows: 5,
        tombstones: 1,
    };
    assert_eq!(trace.work, [work]);
    assert_eq!(
        (
            trace.digest_mismatches,
            trace.repair_writes,
            trace.speculative_retries
        ),
        (0, 0, 0)
    );
    // From the last event to the end.
    assert_eq!(slowest(&trace).0, 339);
    let micros: u64 = trace.steps.iter().map(|step| step.micros).sum();
    assert_eq!(micros, 1_099 - 75);
}

#[test]
fn the_slowest_step_is_the_one_after_which_nothing_is_said_for_longest() {
    let trace = Trace::new(&slow_parsing());
    let expected = (26_146, FIRST, "Parsing SELECT * FROM ks.t WHERE k = 7");
    assert_eq!(slowest(&trace), expected);
}

#[test]
fn mismatch_repair_and_one_more_replica_are_found() {
    let trace = Trace::new(&mismatch_of_5_0());
    let expected = [
        replica(FIRST, AskedFor::Data, false),
        replica(SECOND, AskedFor::Digest, false),
        replica(THIRD, AskedFor::Data, true),
    ];
    assert_eq!(trace.replicas, expected);
    assert_eq!(
        (
            trace.digest_mismatches,
            trace.repair_reads,
            trace.repair_writes,
            trace.speculative_retries
        ),
        (1, 1, 1, 1)
    );
    assert_eq!(trace.work_of_all().live_rows, 3);
    assert_eq!(slowest(&trace).0, 9_000 - 3_500);
}

#[test]
fn events_of_other_nodes_are_placed_where_they_were_asked() {
    let trace = Trace::new(&mismatch_of_5_0());
    let starts = |node: &str| {
        let own = trace.steps.iter().filter(|step| step.node == node);
        own.map(|step| step.start_micros).collect::<Vec<_>>()
    };
    assert_eq!(starts(SECOND), [370, 440]);
    // It was asked twice, and counted from zero each time.
    assert_eq!(starts(THIRD), [2_060, 2_250, 2_280, 2_310, 2_815, 3_015]);
    assert!(trace.steps.is_sorted_by_key(|step| step.start_micros));
}

/// Events are kept in the order of their nodes' clocks, so that those of a node whose clock is minutes behind come
/// before all others, and those of one that is ahead after them.
#[test]
fn clocks_that_are_minutes_apart_change_nothing() {
    let right = mismatch_of_5_0();
    let expected = Trace::new(&right);
    for order in [
        [SECOND, FIRST, THIRD],
        [THIRD, SECOND, FIRST],
        [FIRST, THIRD, SECOND],
    ] {
        let of_node = |node: &str| {
            let own = right.events.iter().filter(|event| event.node == *node);
            own.cloned().collect::<Vec<_>>()
        };
        let mut apart = right.clone();
        apart.events = order.into_iter().flat_map(of_node).collect();
        assert_ne!(apart.events, right.events);
        let trace = Trace::new(&apart);
        assert_eq!(trace.replicas, expected.replicas, "{order:?}");
        assert_eq!(trace.work, expected.work, "{order:?}");
        assert_eq!(trace.total_micros, expected.total_micros, "{order:?}");
        assert_eq!(slowest(&trace), slowest(&expected), "{order:?}");
        let places = |trace: &Trace| {
            let steps = trace.steps.iter();
            let mut places: Vec<_> = steps
                .map(|step| (step.start_micros, step.node.clone(), step.activity.clone()))
                .collect();
            places.sort();
            places
        };
        assert_eq!(places(&trace), places(&expected), "{order:?}");
    }
}

/// A node that was asked for a digest stands still, and goes on when the coordinator has long had other answers.
#[test]
fn what_a_node_does_after_the_end_takes_none_of_the_time() {
    let mut late = mismatch_of_5_0();
    late.events.extend(
        recorded(
            None,
            &[(SECOND, 900_000, "Read 1 live rows and 0 tombstone cells")],
        )
        .events,
    );
    let trace = Trace::new(&late);
    assert_eq!(trace.total_micros, 9_000);
    assert_eq!(slowest(&trace).0, 9_000 - 3_500);
    let last = trace.steps.last().unwrap();
    assert_eq!((last.start_micros, last.micros), (900_350, 0));
}

#[test]
fn a_scan_of_several_nodes_is_summed_up() {
    let trace = Trace::new(&scan_of_5_0());
    assert_eq!(trace.ranges, Some(3));
    let expected = [
        replica(SECOND, AskedFor::Data, false),
        replica(FIRST, AskedFor::Data, false),
    ];
    assert_eq!(trace.replicas, expected);
    let sstables: Vec<_> = trace
        .work
        .iter()
        .map(|work| (work.node.as_str(), work.sstables))
        .collect();
    assert_eq!(sstables, [(FIRST, 2), (SECOND, 4)]);
    let all = trace.work_of_all();
    assert_eq!((all.live_rows, all.tombstones), (120, 30));
    // Without the event of a message, it is placed where the coordinator decided to send it.
    let received = trace.steps.iter().find(|step| step.node == SECOND).unwrap();
    assert_eq!(received.start_micros, 380);
}

#[test]
fn a_trace_that_was_never_completed_ends_with_its_last_event() {
    let mut open = one_node_of_4_1();
    open.total_micros = None;
    let trace = Trace::new(&open);
    assert!(!trace.complete);
    assert_eq!(trace.total_micros, 760);
    assert_eq!(trace.steps.last().unwrap().micros, 0);

    let empty = Trace::new(&recorded(None, &[]));
    assert_eq!((empty.total_micros, empty.slowest), (0, None));
    assert_eq!(empty.slowest_step(), None);
}

#[test]
fn answers_that_did_not_come_are_kept_in_the_server_s_words() {
    let trace = Trace::new(&recorded(
        Some(5_000_000),
        &[
            (FIRST, 10, "reading data from /127.0.0.2:7000"),
            (
                SECOND,
                4_000_000,
                "Scanned over 100001 tombstones for query SELECT 1; query aborted",
            ),
            (FIRST, 5_000_000, "Timed out; received 0 of 1 responses"),
        ],
    ));
    assert_eq!(trace.lacking, ["Timed out; received 0 of 1 responses"]);
    assert_eq!(trace.gave_up_after_tombstones, Some(100_001));
}

#[test]
fn no_figure_of_a_trace_is_too_large() {
    let most = u64::MAX;
    let text = format!("Read {most} live rows and {most} tombstone cells");
    let trace = Trace::new(&recorded(
        Some(1),
        &[
            (FIRST, most, text.as_str()),
            (SECOND, most, text.as_str()),
            (
                FIRST,
                most,
                "Sending READ_REQ message to /127.0.0.2:7000 message size 1 bytes",
            ),
        ],
    ));
    assert_eq!(trace.work_of_all().tombstones, most);
}
