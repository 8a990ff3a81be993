//! Worker threads on the real clock: they begin together, and one that fails is told.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use bakeoff_driver::DesignError;
use bakeoff_driver::drive::{Done, DriveError, Plan, Stop, drive};
use bakeoff_stats::FailureKind;

use super::fake::{Fake, MILLISECOND, Outcome, plan, run_on_threads};

/// After this long it is no longer slowness.
const PATIENCE: Duration = Duration::from_secs(120);

/// Half a second on four threads.
fn short(schedule: &str) -> Plan {
    Plan {
        threads: 4,
        in_flight: 32,
        duration: Duration::from_millis(500),
        drain_limit: PATIENCE,
        ..plan(schedule, 1)
    }
}

#[tokio::test]
async fn all_operations_of_all_threads_are_counted_once() {
    let outcome = run_on_threads(Fake::taking(MILLISECOND), &short("2k"))
        .await
        .unwrap();
    let driven = &outcome.driven;
    assert_eq!(
        (driven.scheduled, driven.sent, driven.unsent),
        (1_000, 1_000, 0)
    );
    assert_eq!(outcome.seconds.total().successes(), 1_000);
    let numbers: BTreeSet<u64> = outcome.sent().iter().map(|call| call.number).collect();
    assert_eq!(numbers, (0..1_000).collect());
    assert!(driven.worker_failures.is_empty());
    assert!(driven.cpu.client > 0.0);
}

#[tokio::test]
async fn a_closed_loop_on_threads_is_counted_as_it_was_sent() {
    let outcome = run_on_threads(Fake::taking(MILLISECOND), &short("closed"))
        .await
        .unwrap();
    assert_eq!(outcome.sent().len() as u64, outcome.driven.sent);
    assert_eq!(outcome.seconds.total().successes(), outcome.driven.sent);
    assert!(outcome.driven.lateness.is_empty());
}

#[tokio::test]
async fn all_threads_begin_together_when_the_last_one_is_connected() {
    let first: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let seen = first.clone();
    let fake = Fake::new(move |call| {
        // The first operation of each of the four threads.
        if call.number < 4 {
            seen.lock().unwrap().push(Instant::now());
        }
        Box::pin(async { Ok(Done::default()) })
    });
    let fake = fake.connecting(|before| {
        std::thread::sleep(Duration::from_millis(if before == 2 { 1_000 } else { 0 }));
        Ok(())
    });
    let began = Instant::now();
    let outcome = run_on_threads(fake, &short("8")).await.unwrap();
    assert_eq!(outcome.driven.sent, 4);
    let first = first.lock().unwrap();
    // None began before the one that connected last.
    let starts = first.iter().min().unwrap().duration_since(began);
    assert!(starts >= Duration::from_secs(1), "{starts:?}");
    let connecting = &outcome.driven.connecting;
    assert_eq!(connecting.len(), 4);
    assert!(
        connecting
            .iter()
            .any(|time| *time >= Duration::from_secs(1)),
        "{connecting:?}"
    );
}

#[tokio::test]
async fn a_load_begins_at_the_time_that_was_set() {
    let (at, outcome) = begun_after_connecting().await;
    let started = outcome.seconds.started.unwrap();
    assert_eq!(started, outcome.driven.started_at);
    assert!(started >= at, "{started:?} is before {at:?}");
    assert!(SystemTime::now().duration_since(at).unwrap() >= Duration::from_millis(490));
}

/// A load that begins at a time by which its workers are ready, however slow the machine is.
async fn begun_after_connecting() -> (SystemTime, Outcome) {
    for milliseconds in [700, 7_000, 70_000] {
        let at = SystemTime::now() + Duration::from_millis(milliseconds);
        let plan = Plan {
            start_at: Some(at),
            ..short("100")
        };
        match run_on_threads(Fake::taking(MILLISECOND), &plan).await {
            Err(DriveError::TooLate(_)) => {}
            outcome => return (at, outcome.unwrap()),
        }
    }
    panic!("the workers are not ready after a minute");
}

#[tokio::test]
async fn a_worker_that_panics_is_told_and_the_others_go_on() {
    let fake = Fake::new(|call| {
        assert!(call.number != 401, "a bug in row 401");
        Box::pin(async { Ok(Done::default()) })
    });
    let outcome = run_on_threads(fake, &short("2k")).await.unwrap();
    let driven = &outcome.driven;
    let failure =
        "worker thread 2: a bug in Bakeoff or in a library of this engine: a bug in row 401";
    assert_eq!(driven.worker_failures, [failure]);
    // The other three did all of theirs. What it did before is kept: operations 1, 5, ... 397, but
    // for those that its seven other slots may have been about to send.
    let kept = outcome.seconds.total().successes() - 750;
    assert!((93..=100).contains(&kept), "{kept}");
}

#[tokio::test]
async fn a_worker_that_cannot_connect_ends_the_load_before_it_begins() {
    let fake = Fake::taking(MILLISECOND).connecting(|before| match before {
        3 => Err(DesignError::new("connecting to 127.0.0.1:9042: refused")),
        _ => Ok(()),
    });
    let fake = Arc::new(fake);
    let mut seconds = super::fake::Seconds::default();
    let load = drive(fake.clone(), &short("2k"), &Stop::new(), &mut seconds).await;
    let error = load.unwrap_err();
    assert!(
        matches!(&error, DriveError::Workers(reasons) if reasons.len() == 1),
        "{error}"
    );
    assert!(
        error.to_string().contains("127.0.0.1:9042: refused"),
        "{error}"
    );
    assert!(seconds.started.is_none() && fake.sent.lock().unwrap().is_empty());
    assert_eq!(Arc::strong_count(&fake), 1, "no thread is left");
}

#[tokio::test]
async fn without_any_worker_there_is_no_load() {
    let refuse = |_| Err(DesignError::new("refused"));
    let fake = Fake::taking(MILLISECOND).connecting(refuse);
    match run_on_threads(fake, &short("2k")).await {
        Err(DriveError::Workers(reasons)) => assert_eq!(reasons.len(), 4),
        other => panic!("{:?}", other.map(|outcome| outcome.driven)),
    }
    let panicking = Fake::taking(MILLISECOND).connecting(|_| panic!("no such file"));
    let error = run_on_threads(panicking, &short("2k")).await.err().unwrap();
    assert!(error.to_string().contains("no such file"), "{error}");
}

#[tokio::test]
async fn stopping_ends_workers_that_connect_and_that_wait_before_it_returns() {
    // One thread is held up until the end has been asked for.
    let is_asked = Arc::new(AtomicBool::new(false));
    let held_up = Arc::clone(&is_asked);
    let fake = Fake::taking(MILLISECOND).connecting(move |before| {
        while before == 3 && !held_up.load(Ordering::SeqCst) {
            std::thread::sleep(MILLISECOND);
        }
        Ok(())
    });
    let fake = Arc::new(fake);
    let stop = Stop::new();
    let stopping = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.stop();
        is_asked.store(true, Ordering::SeqCst);
    };
    let plan = short("2k");
    let mut seconds = super::fake::Seconds::default();
    let load = drive(fake.clone(), &plan, &stop, &mut seconds);
    let (driven, ()) = futures::join!(load, stopping);
    assert!(matches!(driven, Err(DriveError::Stopped)));
    // Each worker holds the target until it ends.
    assert_eq!(Arc::strong_count(&fake), 1);
}

#[tokio::test]
async fn a_driver_that_is_dropped_ends_its_workers() {
    let fake = Arc::new(Fake::taking(MILLISECOND));
    let plan = Plan {
        duration: 10 * PATIENCE,
        ..short("2k")
    };
    let mut seconds = super::fake::Seconds::default();
    let stop = Stop::new();
    let load = drive(fake.clone(), &plan, &stop, &mut seconds);
    // A search drives loads from a trait whose futures go from thread to thread.
    fn goes_from_thread_to_thread<T: Send>(future: T) -> T {
        future
    }
    let load = goes_from_thread_to_thread(load);
    tokio::time::timeout(Duration::from_millis(300), load)
        .await
        .unwrap_err();
    // Each worker holds the target until it ends.
    let ended = async {
        while Arc::strong_count(&fake) > 1 {
            tokio::time::sleep(10 * MILLISECOND).await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.unwrap();
}

#[tokio::test]
async fn failures_of_all_threads_are_counted_and_five_messages_kept() {
    let outcome = run_on_threads(Fake::failing(FailureKind::Unavailable), &short("2k"))
        .await
        .unwrap();
    let total = outcome.seconds.total();
    assert_eq!((total.successes(), total.failed()), (0, 1_000));
    assert_eq!(total.failures[FailureKind::Unavailable as usize], 1_000);
    assert_eq!(outcome.driven.failures.len(), 5);
}

#[tokio::test]
async fn an_observer_that_is_slow_loses_nothing() {
    const OPERATIONS: usize = 4_000;

    /// Is not done with the first second before all operations of the load were sent: never, if
    /// workers waited for it.
    struct Slow {
        fake: Arc<Fake>,
        successes: u64,
    }
    impl bakeoff_driver::drive::DriveObserver for Slow {
        fn second(&mut self, second: bakeoff_driver::drive::Second) {
            let began = Instant::now();
            while self.fake.sent.lock().unwrap().len() < OPERATIONS {
                assert!(began.elapsed() < PATIENCE, "the workers are held up");
                std::thread::sleep(MILLISECOND);
            }
            self.successes += second.operations[0].successes();
        }
    }
    let fake = Arc::new(Fake::taking(MILLISECOND));
    let plan = Plan {
        duration: Duration::from_secs(4),
        ..short("1k")
    };
    let mut slow = Slow {
        fake: Arc::clone(&fake),
        successes: 0,
    };
    let driven = drive(fake, &plan, &Stop::new(), &mut slow).await.unwrap();
    assert_eq!((driven.sent, slow.successes), (4_000, 4_000));
}
