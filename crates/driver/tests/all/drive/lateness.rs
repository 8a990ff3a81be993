//! A server that stalls, and a clock that jumps: nothing is left out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bakeoff_driver::drive::Done;
use bakeoff_stats::Tally;
use tokio::time::Instant;

use super::fake::{Fake, MILLISECOND, MS, plan, run_here, run_on_threads};

/// Operations take a millisecond, but those that are sent in this span of time take until its end.
fn stalling(from: Duration, to: Duration, sent_meanwhile: Arc<AtomicU64>) -> Fake {
    let began = Instant::now();
    Fake::new(move |_| {
        let sent_meanwhile = sent_meanwhile.clone();
        Box::pin(async move {
            let now = began.elapsed();
            if (from..to).contains(&now) {
                sent_meanwhile.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep_until(began + to).await;
            }
            tokio::time::sleep(MILLISECOND).await;
            Ok(Done::default())
        })
    })
}

fn slower_than(times: &Tally, nanoseconds: u64) -> (u64, u64) {
    let slower = |histogram: &hdrhistogram::Histogram<u64>| {
        histogram.len() - histogram.count_between(0, nanoseconds)
    };
    (slower(&times.response), slower(&times.service))
}

#[tokio::test(start_paused = true)]
async fn a_stall_of_a_second_delays_all_operations_that_were_due_in_it() {
    let sent = Arc::new(AtomicU64::new(0));
    let (from, to) = (Duration::from_secs(2), Duration::from_secs(3));
    let mut plan = plan("5k", 6);
    plan.in_flight = 64;
    let outcome = run_here(stalling(from, to, sent.clone()), &plan)
        .await
        .unwrap();
    let (driven, total) = (&outcome.driven, outcome.seconds.total());
    assert_eq!((driven.sent, driven.unsent), (30_000, 0));
    assert_eq!(total.successes(), 30_000);
    let (late_response, late_service) = slower_than(&total, 10 * MS);
    // And some hundred more, which had to wait until those were sent.
    assert!((4_900..5_500).contains(&late_response), "{late_response}");
    assert!(total.response.max() >= 990 * MS, "{}", total.response.max());
    // From the send, only those that were on their way when it stalled were slow: that alone would
    // have hidden the stall.
    assert_eq!(late_service, sent.load(Ordering::Relaxed));
    assert_eq!(late_service, 64);
    assert!(total.service.value_at_quantile(0.99) < 2 * MS);
    assert!(total.response.value_at_quantile(0.99) > 500 * MS);
    assert!(driven.queued > 4_800 && driven.limited_seconds >= 1);
}

#[tokio::test(start_paused = true)]
async fn with_room_in_flight_a_stall_is_in_both_times() {
    let sent = Arc::new(AtomicU64::new(0));
    let (from, to) = (Duration::from_secs(1), Duration::from_secs(2));
    let mut plan = plan("1k", 4);
    plan.in_flight = 2_000;
    let outcome = run_here(stalling(from, to, sent), &plan).await.unwrap();
    let (late_response, late_service) = slower_than(&outcome.seconds.total(), 10 * MS);
    assert_eq!(late_response, late_service);
    assert!((980..1_000).contains(&late_response), "{late_response}");
    assert_eq!(outcome.driven.queued, 0);
}

#[tokio::test(start_paused = true)]
async fn response_is_never_shorter_than_service() {
    let began = Instant::now();
    let fake = Fake::new(move |call| {
        let time = Duration::from_millis(1 + call.number % 37);
        Box::pin(async move {
            tokio::time::sleep(time).await;
            Ok(Done::default())
        })
    });
    let mut plan = plan("1k", 3);
    plan.in_flight = 16;
    let outcome = run_here(fake, &plan).await.unwrap();
    assert!(began.elapsed() > Duration::from_secs(3));
    for second in &outcome.seconds.all {
        for tally in &second.operations {
            for quantile in [0.0, 0.1, 0.5, 0.9, 0.99, 1.0] {
                let of = |times: &hdrhistogram::Histogram<u64>| times.value_at_quantile(quantile);
                assert!(of(&tally.response) >= of(&tally.service));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn when_the_clock_jumps_everything_is_late_and_nothing_is_lost() {
    let jump = async {
        tokio::time::sleep(Duration::from_millis(2_500)).await;
        // As after a suspended machine: nobody ran meanwhile.
        tokio::time::advance(Duration::from_secs(5)).await;
    };
    let plan = plan("1k", 10);
    let (outcome, ()) = futures::join!(run_here(Fake::taking(MILLISECOND), &plan), jump);
    let outcome = outcome.unwrap();
    let total = outcome.seconds.total();
    assert_eq!((outcome.driven.sent, outcome.driven.unsent), (10_000, 0));
    assert_eq!(total.successes(), 10_000);
    let (late, _) = slower_than(&total, 10 * MS);
    assert!((4_980..5_020).contains(&late), "{late}");
    assert!(total.response.max() > 4_900 * MS);
    // Slots were free when they became due: that is the driver's lateness, not the limit.
    let driven = &outcome.driven;
    assert!(driven.queued < 10, "{}", driven.queued);
    let late = driven.lateness.len() - driven.lateness.count_between(0, 10 * MS);
    assert!((4_960..5_020).contains(&late), "{late}");
    // The seconds of the jump are there, with nothing in them.
    assert_eq!(outcome.seconds.successes()[3..7], [0, 0, 0, 0]);
    assert_eq!(outcome.seconds.all.len(), 11);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_past_the_end_leaves_what_cannot_be_sent_counted() {
    let jump = async {
        tokio::time::sleep(Duration::from_millis(1_000)).await;
        tokio::time::advance(Duration::from_secs(3_600)).await;
    };
    let mut plan = plan("1k", 4);
    plan.in_flight = 8;
    let (outcome, ()) = futures::join!(run_here(Fake::taking(MILLISECOND), &plan), jump);
    let driven = outcome.unwrap().driven;
    assert_eq!(driven.scheduled, 4_000);
    assert_eq!(driven.unsent, 4_000 - driven.sent);
    assert!((900..1_100).contains(&driven.sent), "{}", driven.sent);
}

#[tokio::test]
async fn a_rate_beyond_the_driver_is_its_lateness_and_not_the_limit_in_flight() {
    let mut plan = plan("1G", 1);
    plan.duration = Duration::from_millis(200);
    plan.drain_limit = Duration::from_millis(100);
    let at_once = Fake::new(|_| Box::pin(async { Ok(Done::default()) }));
    let driven = run_on_threads(at_once, &plan).await.unwrap().driven;
    assert!(driven.unsent > 0 && driven.rate_reached < 0.9e9);
    assert_eq!((driven.queued, driven.limited_seconds), (0, 0));
    let late = driven.lateness.value_at_quantile(0.99);
    assert!(late > 20 * MS, "{late} ns");
}
