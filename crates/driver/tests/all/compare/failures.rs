//! One design's trouble is a record, and the others go on.

use std::time::Duration;

use bakeoff_driver::RunError;
use bakeoff_stats::{Outcome, Record, Step};

use super::bench::{Bench, QUERIES, Records};
use super::fake::{Act, Call, Fake};

/// Designs `a` and `b` that do well, beside a `bad` one that acts this way in some calls.
fn beside_bad(act: Act, when: impl Fn(&Call) -> bool + Send + Sync + 'static) -> [Fake; 3] {
    let script = move |call: &Call| if when(call) { act } else { Act::Well };
    [Fake::new("a"), Fake::acting("bad", script), Fake::new("b")]
}

/// A run in which no call may take longer than 0.3 s.
fn impatient() -> Bench {
    let mut bench = Bench::new();
    bench.settings.call_limit = Duration::from_millis(300);
    bench
}

type When = fn(&Call) -> bool;

/// Steps outside of queries, and the calls that they make.
const STEPS: [(Step, When); 4] = [
    (Step::Create, |call| *call == Call::Create),
    (Step::Load, |call| *call == Call::Load(1)),
    (Step::Settle, |call| *call == Call::Settle),
    (Step::Footprint, |call| *call == Call::Footprint),
];

/// How often a query is asked before it is timed: to verify, and in the pass that warms up.
const UNTIMED: usize = 2;

fn assert_bad_is_out(records: &Records, step: Step, reason: &str) {
    let failures = records.failures();
    assert_eq!(failures.len(), 1, "{failures:?}");
    let (design, failed, _, why) = failures[0];
    assert_eq!((design, failed), ("bad", step));
    assert!(why.contains(reason), "{why}");
    assert!(
        QUERIES
            .iter()
            .all(|query| records.answered("bad", query).is_none())
    );
    records.assert_complete(&["a", "b"], 3);
}

#[tokio::test]
async fn a_design_that_fails_in_a_step_is_out_with_its_reason() {
    for (step, when) in STEPS {
        let fakes = beside_bad(Act::Fail, when);
        let records = Bench::new().complete(&fakes).await;
        assert_bad_is_out(&records, step, "refused");
        assert!(
            when(fakes[1].calls().last().unwrap()),
            "called after its failure"
        );
    }
}

#[tokio::test]
async fn a_design_that_fails_while_loading_keeps_its_slices_on_record() {
    let fakes = beside_bad(Act::Fail, |call| *call == Call::Load(1));
    let records = Bench::new().complete(&fakes).await;
    assert_eq!(
        (records.slices("bad").len(), records.slices("a").len()),
        (1, 3)
    );
}

#[tokio::test]
async fn a_call_without_end_is_given_up() {
    for (step, when) in STEPS {
        let records = impatient().complete(&beside_bad(Act::Hang, when)).await;
        assert_bad_is_out(&records, step, "did not end within");
    }
    let fakes = beside_bad(Act::Hang, |call| call.asks("all", UNTIMED));
    let records = impatient().complete(&fakes).await;
    assert_eq!(records.failures(), []);
    assert_eq!(
        (
            records.right_times("bad", "all"),
            records.right_times("bad", "some")
        ),
        (0, 3)
    );
}

#[tokio::test]
async fn a_panic_in_a_design_is_its_own_failure() {
    for (step, when) in STEPS {
        let records = Bench::new().complete(&beside_bad(Act::Panic, when)).await;
        assert_bad_is_out(&records, step, "a bug in a design");
    }
    let fakes = beside_bad(Act::Panic, |call| call.asks("all", 0));
    let records = Bench::new().complete(&fakes).await;
    assert!(matches!(
        records.answered("bad", "all"),
        Some(Outcome::Error { .. })
    ));
    assert_eq!(
        (
            records.right_times("bad", "all"),
            records.right_times("bad", "some")
        ),
        (0, 3)
    );
}

#[tokio::test]
async fn a_wrong_answer_is_recorded_and_never_timed() {
    let fakes = beside_bad(Act::Wrong, |call| call.asks("all", 0));
    let records = Bench::new().complete(&fakes).await;
    let Some(Outcome::Wrong { difference }) = records.answered("bad", "all") else {
        panic!("a wrong answer passed");
    };
    assert!(
        difference.contains("30001") && difference.contains("30000"),
        "{difference}"
    );
    let timed = |query: &str| {
        records
            .timings()
            .iter()
            .filter(|t| t.design == "bad" && t.query == query)
            .count()
    };
    assert_eq!((timed("all"), timed("some")), (0, 3));
    assert_eq!(
        fakes[1]
            .calls()
            .iter()
            .filter(|call| call.asks("all", 0))
            .count(),
        1
    );
    assert_eq!(records.failures(), []);
}

#[tokio::test]
async fn an_answer_that_becomes_wrong_ends_the_times_of_its_query() {
    let fakes = beside_bad(Act::Wrong, |call| call.asks("all", UNTIMED + 1));
    let records = Bench::new().complete(&fakes).await;
    let outcomes: Vec<_> = records
        .timings()
        .into_iter()
        .filter(|t| t.design == "bad" && t.query == "all")
        .map(|t| (t.round, &t.outcome))
        .collect();
    assert!(
        matches!(
            outcomes[..],
            [(0, Outcome::Right { .. }), (1, Outcome::Wrong { .. })]
        ),
        "{outcomes:?}"
    );
    assert_eq!(records.right_times("bad", "some"), 3);
    assert_eq!(records.right_times("a", "all"), 3);
}

#[tokio::test]
async fn a_query_that_fails_on_a_living_design_fails_alone() {
    for nth in 0..=UNTIMED {
        let fakes = beside_bad(Act::Fail, move |call| call.asks("all", nth));
        let records = Bench::new().complete(&fakes).await;
        assert_eq!(records.failures(), []);
        assert_eq!(records.right_times("bad", "all"), 0);
        assert_eq!(records.right_times("bad", "some"), 3);
        let error = match nth {
            UNTIMED => records
                .timings()
                .into_iter()
                .find_map(|t| match &t.outcome {
                    Outcome::Error { reason } => Some(reason.as_str()),
                    _ => None,
                }),
            _ => match records.answered("bad", "all") {
                Some(Outcome::Error { reason }) => Some(reason.as_str()),
                _ => None,
            },
        };
        assert_eq!(error, Some("refused"));
        // Once refused, it is not asked again.
        assert_eq!(
            fakes[1]
                .calls()
                .iter()
                .filter(|call| call.asks("all", nth))
                .count(),
            1
        );
    }
}

#[tokio::test]
async fn a_design_whose_engine_dies_is_out_once_with_both_reasons() {
    let steps = [Step::Verify, Step::WarmUp, Step::Measure];
    for (nth, step) in steps.into_iter().enumerate() {
        // Whichever query comes first in the step meets the dying engine.
        let fakes = beside_bad(Act::Die, move |call| {
            QUERIES.iter().any(|query| call.asks(query, nth))
        });
        let records = Bench::new().complete(&fakes).await;
        let failures = records.failures();
        assert_eq!(failures.len(), 1, "{failures:?}");
        let (design, failed, query, reason) = failures[0];
        assert_eq!((design, failed), ("bad", step));
        assert!(query.is_some());
        assert_eq!(reason, "connection lost; its engine is gone");
        assert_eq!(
            fakes[1].asked().len(),
            nth * QUERIES.len() + 1,
            "asked after its end"
        );
        assert_eq!(
            (
                records.right_times("a", "all"),
                records.right_times("b", "some")
            ),
            (3, 3)
        );
    }
}

#[tokio::test]
async fn an_engine_that_dies_while_loading_is_out_with_both_reasons() {
    let records = Bench::new()
        .complete(&beside_bad(Act::Die, |c| *c == Call::Load(1)))
        .await;
    assert_bad_is_out(&records, Step::Load, "connection lost; its engine is gone");
}

#[tokio::test]
async fn a_run_in_which_all_designs_fail_ends_and_times_nothing() {
    for (_, when) in STEPS {
        let [_, bad, _] = beside_bad(Act::Fail, when);
        let records = Bench::new().complete(&[bad]).await;
        assert_eq!(records.failures().len(), 1);
        assert!(records.timings().is_empty());
    }
}

#[tokio::test]
async fn a_source_that_breaks_stops_the_run_which_goes_on_once_it_is_mended() {
    let mut bench = Bench::new();
    bench.source.broken = Some(16_000);
    let fake = Fake::new("a");
    let error = bench.run(std::slice::from_ref(&fake)).await.unwrap_err();
    assert!(matches!(error, RunError::Workload(_)), "{error}");
    assert_eq!(bench.records().slices("a").len(), 2);

    bench.source.broken = None;
    let fake = fake.surviving(true);
    let records = bench.complete(std::slice::from_ref(&fake)).await;
    records.assert_complete(&["a"], 3);
    let mut rows = records
        .slices("a")
        .into_iter()
        .map(|s| s.first_row..s.first_row + s.rows);
    let first = rows.next().unwrap();
    let all = rows.fold(first, |all, next| {
        assert_eq!(all.end, next.start);
        all.start..next.end
    });
    assert_eq!(all, 0..30_000);
}

#[tokio::test]
async fn bytes_that_cannot_be_looked_at_fail_no_design_and_hold_up_none() {
    for act in [Act::Hang, Act::Panic] {
        let fakes = beside_bad(act, |call| *call == Call::Look);
        let records = Bench::new().complete(&fakes).await;
        assert!(records.failures().is_empty());
        records.assert_complete(&["a", "bad", "b"], 3);
        let of_bad = |record: &&Record| matches!(record, Record::Space(s) if s.design == "bad");
        let Some(Record::Space(space)) = records.0.iter().find(of_bad) else {
            panic!("no record of its space");
        };
        assert_eq!((space.highest, space.is_whole), (None, false));
    }
}
