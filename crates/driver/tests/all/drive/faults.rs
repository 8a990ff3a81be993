//! Operations that fail, and plans that cannot be.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use bakeoff_driver::drive::{Done, DriveError, Failure, Plan, PlanError, Shard, Stop};
use bakeoff_stats::FailureKind;
use bakeoff_workload::Keys;

use super::fake::{Fake, MILLISECOND, MS, mix, plan, read, run, run_here};

#[tokio::test(start_paused = true)]
async fn failures_are_counted_by_kind_and_are_in_no_histogram() {
    let fake = Fake::new(|call| {
        Box::pin(async move {
            tokio::time::sleep(MILLISECOND).await;
            let kinds = FailureKind::ALL;
            match kinds.get((call.number % 10) as usize) {
                Some(kind) => Err(Failure::new(*kind, format!("operation {}", call.number))),
                None => Ok(Done::default()),
            }
        })
    });
    let outcome = run_here(fake, &plan("100", 2)).await.unwrap();
    let total = outcome.seconds.total();
    assert_eq!(total.failures, [20; 8]);
    assert_eq!((total.successes(), total.service.len()), (40, 40));
    assert_eq!(outcome.driven.sent, 200);
    // The first five messages of each kind.
    let messages = &outcome.driven.failures;
    assert_eq!(messages.len(), 40);
    assert_eq!(
        messages[0],
        Failure::new(FailureKind::TimedOut, "operation 0")
    );
    assert_eq!(messages[39].message, "operation 47");
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_wrong_is_a_failure() {
    let wrong = |call: &bakeoff_driver::drive::Call| {
        (call.number == 7).then(|| Failure::new(FailureKind::Wrong, "5 instead of 6"))
    };
    let fake = Fake::taking(MILLISECOND).checking(wrong);
    let outcome = run_here(fake, &plan("100", 1)).await.unwrap();
    let total = outcome.seconds.total();
    assert_eq!((total.successes(), total.failed()), (99, 1));
    assert_eq!(outcome.driven.failures[0].message, "5 instead of 6");
}

/// Of each operation the first two attempts fail.
fn failing_twice(kind: FailureKind) -> Fake {
    let attempts: Vec<AtomicU32> = (0..10_000).map(|_| AtomicU32::new(0)).collect();
    let attempts = Arc::new(attempts);
    Fake::new(move |call| {
        let attempt = attempts[call.number as usize].fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            tokio::time::sleep(MILLISECOND).await;
            match attempt {
                0 | 1 => Err(Failure::new(kind, "not yet")),
                _ => Ok(Done::default()),
            }
        })
    })
}

#[tokio::test(start_paused = true)]
async fn operations_are_tried_again_only_if_asked_and_if_that_may_help() {
    let attempts = async |kind, retries| {
        let mut plan = plan("100", 1);
        plan.retries = retries;
        let outcome = run_here(failing_twice(kind), &plan).await.unwrap();
        let total = outcome.seconds.total();
        (
            outcome.sent().len(),
            total.successes(),
            total.failed(),
            total.retries,
        )
    };
    assert_eq!(attempts(FailureKind::TimedOut, 0).await, (100, 0, 100, 0));
    assert_eq!(attempts(FailureKind::TimedOut, 1).await, (200, 0, 100, 100));
    assert_eq!(attempts(FailureKind::TimedOut, 5).await, (300, 100, 0, 200));
    assert_eq!(
        attempts(FailureKind::Overloaded, 2).await,
        (300, 100, 0, 200)
    );
    assert_eq!(attempts(FailureKind::Conflict, 2).await, (300, 100, 0, 200));
    assert_eq!(attempts(FailureKind::Rejected, 5).await, (100, 0, 100, 0));
    assert_eq!(attempts(FailureKind::Wrong, 5).await, (100, 0, 100, 0));
}

#[tokio::test(start_paused = true)]
async fn both_times_span_all_attempts() {
    let mut plan = plan("10", 1);
    plan.retries = 2;
    let outcome = run_here(failing_twice(FailureKind::Unavailable), &plan)
        .await
        .unwrap();
    let total = outcome.seconds.total();
    // Three attempts of 1 ms, and waits of 10 and 20 ms.
    for times in [&total.response, &total.service] {
        assert!(
            times.min() >= 32 * MS && times.max() <= 34 * MS,
            "{}",
            times.max()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn operations_without_a_reply_are_given_up_and_counted() {
    let fake = Fake::new(|call| {
        Box::pin(async move {
            if call.number % 10 == 3 {
                std::future::pending::<()>().await;
            }
            Ok(Done::default())
        })
    });
    let mut plan = plan("100", 1);
    plan.drain_limit = Duration::from_secs(2);
    let outcome = run_here(fake, &plan).await.unwrap();
    let total = outcome.seconds.total();
    assert_eq!((total.successes(), total.failed()), (90, 10));
    assert_eq!(total.failures[FailureKind::TimedOut as usize], 10);
    assert_eq!(outcome.driven.failures.len(), 5);
    let message = &outcome.driven.failures[0].message;
    assert!(
        message.contains("within 2s after the last operation was sent"),
        "{message}"
    );
    // 1 s of load, 2 s for sending what is left, 2 s for replies.
    assert_eq!(outcome.seconds.all.len(), 6);
    assert_eq!(outcome.driven.sent, 100);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_gone_for_a_while_is_seen_and_the_load_goes_on() {
    let began = tokio::time::Instant::now();
    let fake = Fake::new(move |_| {
        Box::pin(async move {
            let gone = (2..4).contains(&began.elapsed().as_secs());
            tokio::time::sleep(MILLISECOND).await;
            if gone {
                Err(Failure::new(FailureKind::Connection, "connection reset"))
            } else {
                Ok(Done::default())
            }
        })
    });
    let outcome = run_here(fake, &plan("100", 6)).await.unwrap();
    let failed: Vec<u64> = outcome
        .seconds
        .all
        .iter()
        .map(|second| second.operations[0].failed())
        .collect();
    assert_eq!(outcome.driven.sent, 600);
    assert_eq!(failed.iter().sum::<u64>(), 200);
    assert!(failed[2] > 90 && failed[0] + failed[5] == 0, "{failed:?}");
}

async fn refused(plan: &Plan) -> PlanError {
    match run_here(Fake::taking(MILLISECOND), plan).await {
        Err(DriveError::Plan(error)) => error,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("driven"),
    }
}

#[tokio::test(start_paused = true)]
async fn plans_that_cannot_be_are_refused_with_advice() {
    let good = || plan("100", 1);
    let plan = Plan {
        threads: 0,
        ..good()
    };
    assert_eq!(refused(&plan).await, PlanError::NoThreads);
    let plan = Plan {
        threads: 8,
        in_flight: 7,
        ..good()
    };
    let error = refused(&plan).await;
    assert_eq!(
        error,
        PlanError::InFlight {
            in_flight: 7,
            threads: 8
        }
    );
    assert!(error.to_string().contains("--in-flight 8"), "{error}");
    let plan = Plan {
        duration: Duration::ZERO,
        ..good()
    };
    assert_eq!(refused(&plan).await, PlanError::NoDuration);
    let plan = Plan {
        mix: Arc::new(mix(Vec::new())),
        ..good()
    };
    assert_eq!(refused(&plan).await, PlanError::NoOperations);
    let plan = Plan { rows: 0, ..good() };
    assert_eq!(refused(&plan).await, PlanError::NoRows("read".to_owned()));
    let plan = Plan {
        rows: 3,
        shard: Shard { index: 0, of: 8 },
        ..good()
    };
    let error = refused(&plan).await;
    assert!(
        matches!(error, PlanError::NoOwnRows { rows: 3, of: 8, .. }),
        "{error}"
    );
    let mut batches = read(1.0, Keys::Sequential);
    batches.batch = 2_000;
    let plan = Plan {
        mix: Arc::new(mix(vec![batches])),
        ..good()
    };
    assert!(matches!(refused(&plan).await, PlanError::Batch { .. }));
    // New rows need none that are there.
    let inserts = mix(vec![read(1.0, Keys::New)]);
    let plan = Plan {
        mix: Arc::new(inserts),
        rows: 0,
        ..good()
    };
    assert!(run_here(Fake::taking(MILLISECOND), &plan).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_start_that_is_past_is_refused() {
    let mut plan = plan("100", 1);
    plan.start_at = SystemTime::now().checked_sub(Duration::from_secs(60));
    let error = run_here(Fake::taking(MILLISECOND), &plan)
        .await
        .err()
        .unwrap();
    assert!(
        matches!(error, DriveError::TooLate(late) if late.as_secs() == 60),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn operations_are_not_tried_again_when_nothing_more_is_to_be_sent() {
    // When the last attempt was sent.
    let last = |stop_after: Option<Duration>| async move {
        let began = tokio::time::Instant::now();
        let sent_at = Arc::new(std::sync::Mutex::new(Duration::ZERO));
        let seen = sent_at.clone();
        let fake = Fake::new(move |_| {
            *seen.lock().unwrap() = began.elapsed();
            Box::pin(async {
                tokio::time::sleep(MILLISECOND).await;
                Err(Failure::new(FailureKind::Overloaded, "later"))
            })
        });
        let mut plan = plan("10", 3);
        plan.retries = 100;
        plan.drain_limit = Duration::from_secs(2);
        let stop = Stop::new();
        let stopping = async {
            if let Some(after) = stop_after {
                tokio::time::sleep(after).await;
                stop.stop();
            }
        };
        let (outcome, ()) = futures::join!(run(fake, &plan, &stop, false), stopping);
        let driven = outcome.unwrap().driven;
        let given_up = |f: &Failure| f.message.contains("no reply");
        assert!(
            !driven.failures.iter().any(given_up),
            "each ended by itself"
        );
        *sent_at.lock().unwrap()
    };
    let whole = last(None).await;
    assert!(
        (4_000..5_030).contains(&whole.as_millis()),
        "3 s and 2 s of draining: {whole:?}"
    );
    let stopped = last(Some(Duration::from_millis(1_500))).await;
    assert!(stopped < Duration::from_millis(1_630), "{stopped:?}");
}
