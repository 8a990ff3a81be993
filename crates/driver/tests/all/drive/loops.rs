//! Closed and open loops: how many operations, when, and how their times are counted.

use std::collections::BTreeSet;
use std::time::Duration;

use bakeoff_driver::drive::{Schedule, Shard, Stop};
use bakeoff_workload::{Background, Keys};

use super::fake::{Fake, MILLISECOND, MS, Outcome, mix, plan, read, run, run_here};
use crate::compare::fake::Fake as Table;

#[tokio::test(start_paused = true)]
async fn a_closed_loop_sends_the_next_operation_when_one_ends() {
    let mut plan = plan("closed", 3);
    plan.in_flight = 4;
    let outcome = run_here(Fake::taking(10 * MILLISECOND), &plan)
        .await
        .unwrap();
    // Four at a time, 100 of each in a second; the last ones end with the load.
    let (driven, seconds) = (&outcome.driven, &outcome.seconds);
    assert!(driven.sent.abs_diff(1_200) <= 12, "{}", driven.sent);
    assert!((driven.rate_reached - 400.0).abs() < 5.0);
    assert_eq!(driven.scheduled, driven.sent);
    assert_eq!(
        (driven.unsent, driven.queued, driven.limited_seconds),
        (0, 0, 0)
    );
    let total = seconds.total();
    assert_eq!(total.successes(), driven.sent);
    assert_eq!(total.response.max(), total.service.max());
    for second in &seconds.successes()[..3] {
        assert!(second.abs_diff(400) <= 8, "{second}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_number_of_operations_ends_with_the_last_one() {
    let mut plan = plan("closed", 3_600);
    plan.schedule = Schedule::Operations { count: 1_001 };
    plan.in_flight = 4;
    let outcome = run_here(Fake::taking(10 * MILLISECOND), &plan)
        .await
        .unwrap();
    let driven = &outcome.driven;
    assert_eq!((driven.sent, driven.scheduled), (1_001, 1_001));
    assert_eq!(outcome.seconds.total().successes(), 1_001);
    assert!(!driven.stopped);
    // 250 times four at a time, and the last one.
    let seconds = driven.duration.as_secs_f64();
    assert!((seconds - 2.51).abs() < 0.05, "{seconds}");
}

#[tokio::test(start_paused = true)]
async fn an_open_loop_sends_all_operations_when_they_are_due() {
    let outcome = run_here(Fake::taking(2 * MILLISECOND), &plan("1k", 3))
        .await
        .unwrap();
    let (driven, seconds) = (&outcome.driven, &outcome.seconds);
    assert_eq!(
        (driven.scheduled, driven.sent, driven.unsent),
        (3_000, 3_000, 0)
    );
    assert_eq!((driven.queued, driven.limited_seconds), (0, 0));
    assert_eq!(driven.rate_reached, 1_000.0);
    assert_eq!(driven.duration, Duration::from_secs(3));
    // Due on whole milliseconds, where the paused clock is exact.
    assert_eq!(driven.lateness.len(), 3_000);
    assert_eq!(driven.lateness.max(), 0);
    let total = seconds.total();
    assert_eq!(total.successes(), 3_000);
    for times in [&total.response, &total.service] {
        assert!(times.max().abs_diff(2 * MS) < 10_000 && times.min() > 1_990_000);
    }
    // Those that are sent in the last two milliseconds end in the next second.
    assert_eq!(seconds.successes(), [998, 1_000, 1_000, 2]);
}

#[tokio::test(start_paused = true)]
async fn one_operation_more_or_less_is_no_matter_of_the_in_flight_limit() {
    // One slot, which is free again just when the next operation is due.
    let mut plan = plan("100", 2);
    plan.in_flight = 1;
    let outcome = run_here(Fake::taking(10 * MILLISECOND), &plan)
        .await
        .unwrap();
    assert_eq!((outcome.driven.sent, outcome.driven.queued), (200, 0));
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_operations_in_flight_is_reported_with_the_rate_reached() {
    let mut plan = plan("1k", 4);
    // Two at a time, 10 ms each: 200 per second at most.
    plan.in_flight = 2;
    plan.drain_limit = Duration::from_secs(2);
    let outcome = run_here(Fake::taking(10 * MILLISECOND), &plan)
        .await
        .unwrap();
    let driven = &outcome.driven;
    assert_eq!(driven.scheduled, 4_000);
    assert!(
        driven.sent.abs_diff(1_200) <= 4,
        "4 s and 2 s of draining: {}",
        driven.sent
    );
    assert_eq!(driven.unsent, driven.scheduled - driven.sent);
    assert!(
        (driven.rate_reached - 200.0).abs() < 2.0,
        "{}",
        driven.rate_reached
    );
    // All but the first two, those that were never sent included.
    assert_eq!(driven.queued, driven.scheduled - 2);
    assert_eq!(outcome.seconds.queued(), driven.sent - 2);
    assert_eq!(driven.lateness.len(), 2);
    assert!(driven.limited_seconds >= 6);
    // The last ones of those were due 1.2 s after the start, and sent 4.8 s later.
    assert!(outcome.seconds.total().response.max() > 4_700 * MS);
    assert!(outcome.seconds.total().service.max() < 11 * MS);
}

#[tokio::test(start_paused = true)]
async fn ramps_steps_and_random_arrivals_are_driven_whole() {
    for (schedule, expected) in [("0..1k", 1_000), ("100,900", 1_000)] {
        let outcome = run_here(Fake::taking(MILLISECOND), &plan(schedule, 2))
            .await
            .unwrap();
        let total = outcome.seconds.total().successes();
        assert!(total.abs_diff(expected) <= 1, "{schedule}: {total}");
        assert_eq!(total, outcome.driven.scheduled);
    }
    let mut random = plan("1k", 10);
    random.schedule = Schedule::parse("1k").unwrap().at_random().unwrap();
    let outcome = run_here(Fake::taking(MILLISECOND), &random).await.unwrap();
    // Standard deviation 100; five of them.
    assert!(outcome.driven.sent.abs_diff(10_000) < 500);
    assert_eq!(outcome.driven.unsent, 0);
}

/// Number, operation and row of all calls, in the order of their numbers.
fn calls(outcome: &Outcome) -> Vec<(u64, usize, u64)> {
    let mut calls: Vec<_> = outcome
        .sent()
        .iter()
        .map(|c| (c.number, c.operation, c.row))
        .collect();
    calls.sort_unstable();
    calls
}

#[tokio::test(start_paused = true)]
async fn operations_do_not_depend_on_threads_or_time() {
    let mut all = Vec::new();
    for (threads, millis) in [(1, 1), (3, 5)] {
        let mut plan = plan("300", 2);
        plan.mix = std::sync::Arc::new(mix(vec![read(0.7, Keys::Uniform), read(0.3, Keys::New)]));
        plan.threads = threads;
        let outcome = run_here(Fake::taking(millis * MILLISECOND), &plan)
            .await
            .unwrap();
        let mut calls = calls(&outcome);
        assert_eq!(calls.len(), 600);
        let rows: BTreeSet<u64> = calls.iter().filter(|c| c.1 == 1).map(|c| c.2).collect();
        assert_eq!(
            rows.len(),
            calls.iter().filter(|c| c.1 == 1).count(),
            "new rows differ"
        );
        // Which of the new rows a thread takes is its own matter.
        calls.iter_mut().filter(|c| c.1 == 1).for_each(|c| c.2 = 0);
        all.push(calls);
    }
    assert_eq!(all[0], all[1]);
}

#[tokio::test(start_paused = true)]
async fn shards_together_are_the_whole() {
    let mut numbers = Vec::new();
    let mut whole = plan("333", 3);
    for index in 0..3 {
        whole.shard = Shard { index, of: 3 };
        let outcome = run_here(Fake::taking(MILLISECOND), &whole).await.unwrap();
        let rows = whole.shard.rows(whole.rows);
        assert!(outcome.sent().iter().all(|call| rows.contains(&call.row)));
        numbers.extend(outcome.sent().iter().map(|call| call.number));
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (0..999).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_load_that_is_stopped_ends_soon_and_says_so() {
    for schedule in ["closed", "1k"] {
        let mut plan = plan(schedule, 60);
        plan.in_flight = 10;
        let stop = Stop::new();
        let stopping = async {
            tokio::time::sleep(Duration::from_millis(2_520)).await;
            stop.stop();
        };
        let began = tokio::time::Instant::now();
        let fake = Fake::taking(5 * MILLISECOND);
        let (outcome, ()) = futures::join!(run(fake, &plan, &stop, false), stopping);
        let outcome = outcome.unwrap();
        assert!(
            began.elapsed() < Duration::from_secs(4),
            "{:?}",
            began.elapsed()
        );
        let driven = &outcome.driven;
        assert!(driven.stopped);
        assert!(driven.duration.abs_diff(Duration::from_millis(2_500)) < MILLISECOND);
        assert_eq!(driven.scheduled, driven.sent + driven.unsent);
        assert_eq!(driven.sent, outcome.seconds.total().successes());
        let expected = if schedule == "closed" { 5_000 } else { 2_500 };
        // The worker looks ten times a second.
        assert!(driven.sent.abs_diff(expected) < 250, "{}", driven.sent);
        assert_eq!(outcome.seconds.all.len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn every_second_has_a_sample_of_the_server_unless_that_takes_too_long() {
    let outcome = run_here(Fake::taking(MILLISECOND), &plan("100", 5))
        .await
        .unwrap();
    let seen = |outcome: &Outcome| {
        let seconds = outcome.seconds.all.iter();
        seconds.filter(|s| s.server.cpu_seconds.is_some()).count()
    };
    assert!(seen(&outcome) >= 4, "{}", seen(&outcome));
    assert_eq!(outcome.driven.cpu.server, Some(0.0));
    let mut slow = Fake::taking(MILLISECOND);
    slow.sampling = Duration::from_millis(3_500);
    let outcome = run_here(slow, &plan("100", 8)).await.unwrap();
    assert_eq!(outcome.driven.sent, 800);
    assert!((1..=3).contains(&seen(&outcome)), "{}", seen(&outcome));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_somebody_else_runs_is_sampled_every_other_second() {
    let sampled = async |table: Table| {
        let mut fake = Fake::taking(MILLISECOND);
        fake.table = Some(table);
        let outcome = run_here(fake, &plan("100", 7)).await.unwrap();
        let seconds = outcome.seconds.all.iter();
        let sampled = seconds.filter(|s| s.server.cpu_seconds.is_some());
        sampled.map(|s| s.second).collect::<Vec<u32>>()
    };
    // The load may have ended before the last one.
    let theirs = sampled(Table::new("a")).await;
    assert_eq!(theirs[..3], [0, 2, 4], "{theirs:?}");
    assert!(!theirs.contains(&5), "{theirs:?}");
    let own = sampled(Table::new("a").with_samples()).await;
    assert!(own.len() >= 6, "{own:?}");
}

#[tokio::test(start_paused = true)]
async fn background_statements_run_at_their_period_and_failures_are_told() {
    let mut plan = plan("10", 10);
    let mut with_background = mix(vec![read(1.0, Keys::Uniform)]);
    with_background.background.push(Background {
        every: Duration::from_secs(3),
        statements: vec![
            "CREATE t_${number}".to_owned(),
            "DROP t_${number}".to_owned(),
        ],
        cycle: 2,
    });
    plan.mix = std::sync::Arc::new(with_background);
    let failing = |statement: &str| match statement {
        "DROP t_1" => Err(bakeoff_driver::DesignError::new("no such table")),
        _ => Ok(()),
    };
    let fake = Fake::taking(MILLISECOND).executing(failing);
    let outcome = run_here(fake, &plan).await.unwrap();
    let statements = outcome.fake.statements.lock().unwrap().clone();
    let expected = [
        "CREATE t_0",
        "DROP t_0",
        "CREATE t_1",
        "DROP t_1",
        "CREATE t_0",
        "DROP t_0",
        "CREATE t_1",
        "DROP t_1",
    ];
    assert_eq!(statements, expected);
    let background = &outcome.driven.background;
    assert_eq!((background.statements, background.failed), (8, 2));
    assert_eq!(background.messages[0], "DROP t_1: no such table");
    // Another shard leaves them to the first one.
    plan.shard = Shard { index: 1, of: 2 };
    let outcome = run_here(Fake::taking(MILLISECOND), &plan).await.unwrap();
    assert!(outcome.fake.statements.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn loads_of_one_drive_have_rows_of_their_own_and_equal_ones_the_same() {
    let mut plan = plan("300", 2);
    plan.mix = std::sync::Arc::new(mix(vec![read(0.7, Keys::Uniform), read(0.3, Keys::New)]));
    let first = run_here(Fake::taking(MILLISECOND), &plan).await.unwrap();
    let again = run_here(Fake::taking(MILLISECOND), &plan).await.unwrap();
    assert_eq!(calls(&first), calls(&again));
    plan.ordinal = 1;
    plan.new_rows = first.driven.new_rows.clone();
    let next = run_here(Fake::taking(MILLISECOND), &plan).await.unwrap();
    let rows = |outcome: &Outcome, operation| -> Vec<u64> {
        let calls = calls(outcome).into_iter();
        calls.filter(|c| c.1 == operation).map(|c| c.2).collect()
    };
    assert_ne!(rows(&first, 0), rows(&next, 0));
    let mut new = [rows(&first, 1), rows(&next, 1)].concat();
    new.sort_unstable();
    let expected: Vec<u64> = (1_000..1_000 + new.len() as u64).collect();
    assert_eq!(new, expected, "each new row once, without a gap");
}

#[tokio::test(start_paused = true)]
async fn the_latest_rows_are_those_of_when_an_operation_is_due() {
    // A slot takes its next operation half a second before that is due.
    let mut plan = plan("100", 5);
    plan.in_flight = 50;
    let latest = read(0.5, Keys::Latest { exponent: 0.99 });
    plan.mix = std::sync::Arc::new(mix(vec![latest, read(0.5, Keys::New)]));
    let outcome = run_here(Fake::taking(MILLISECOND), &plan).await.unwrap();
    let (mut newest, mut reads, mut of_newest) = (None, 0, 0);
    for call in outcome.sent() {
        match call.operation {
            0 => {
                reads += 1;
                of_newest += u64::from(newest == Some(call.row));
            }
            _ => newest = Some(call.row),
        }
    }
    // One in 7.5 has the first of 1000 ranks.
    assert!(of_newest > reads / 20, "{of_newest} of {reads}");
}
