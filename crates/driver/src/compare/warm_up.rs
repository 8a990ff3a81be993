//! Warming up: every query of every design is asked until its own times are steady.
//!
//! A server compiles its code by how often that runs, so short queries are asked many times in a
//! burst: a pass over all of them, however long, would leave them cold.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bakeoff_stats::{Outcome, Record, Step};
use bakeoff_workload::Query;

use super::ask::{ask, may_time, note_trouble, pairs};
use super::context::{Context, RunError};
use super::questions::{Questions, WARM_UP_ROUND};
use crate::{Budget, Design, DesignError};

/// Cassandra's first half minute is 2-4 times slow, so warming up takes at least the first and at
/// most the second of these.
const WARM_UP_AT_LEAST: Duration = WARM_UP.0;
const WARM_UP_AT_MOST: Duration = WARM_UP.1;
/// A build without optimisation, as for tests, measures nothing and so waits for nothing.
const WARM_UP: (Duration, Duration) = if cfg!(debug_assertions) {
    (Duration::from_millis(100), Duration::from_secs(2))
} else {
    (Duration::from_secs(10), Duration::from_secs(180))
};
/// A query that takes as long is asked once: its code is compiled meanwhile.
const LONG: Duration = WARM_UP_AT_LEAST;
/// A query that took as long when it was verified is warm by that.
pub const VERY_LONG: Duration = LONG.saturating_mul(3);
/// Length of a burst of short queries; a longer query is asked once.
const BURST: Duration = if cfg!(debug_assertions) {
    Duration::from_millis(2)
} else {
    Duration::from_millis(150)
};
const MOST_OF_A_BURST: u32 = 100;
/// Sets of parameters, which all bursts ask in turn so that their times can be compared.
const PARAMETER_SETS: u32 = 8;
/// Times are steady when the later bursts took at least this share of what as many before them took.
const STEADY: f64 = 0.95;
/// Bursts on each side of that comparison: of short queries, whose code may still be compiled, and
/// of those that are long enough to be compiled while they run.
const SHORT_BURSTS: usize = 3;
const LONG_BURSTS: usize = 1;

/// Medians of the bursts of each design and query, in seconds.
type Times = HashMap<(String, String), Vec<Burst>>;

struct Burst {
    median: f64,
    asked: u32,
}

/// Asks until times are steady, or time is up, by this budget at the latest; returns how long a round is expected to
/// take.
pub async fn warm_up(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    budget: Option<Budget>,
) -> Result<Duration, RunError> {
    run.observer.phase("warming up until times are steady");
    for set in 0..PARAMETER_SETS {
        for (design, query) in pairs(run, WARM_UP_ROUND) {
            questions.sql(design, query, WARM_UP_ROUND + set)?;
        }
    }
    let began = Instant::now();
    let mut times = long_answers(run);
    let mut passes = 0;
    let steady = loop {
        let pass_began = Instant::now();
        let is_everything = began.elapsed() < WARM_UP_AT_LEAST;
        let mut asked_any = false;
        for (design, query) in pairs(run, WARM_UP_ROUND + passes) {
            let bursts = times.entry(key(design, query)).or_default();
            let is_open = !is_long(bursts) && (is_everything || !is_steady(bursts));
            if !is_open || !may_time(run, design, query) {
                continue;
            }
            asked_any = true;
            let burst = burst(run, questions, design, query, size_of_next(bursts)).await?;
            bursts.extend(burst);
        }
        passes += 1;
        let left = pairs(run, WARM_UP_ROUND);
        if !asked_any || left.is_empty() {
            break true;
        }
        let all_steady = left.iter().all(|(design, query)| {
            times
                .get(&key(*design, query))
                .is_some_and(|bursts| is_steady(bursts))
        });
        if all_steady && began.elapsed() >= WARM_UP_AT_LEAST {
            break true;
        }
        let next = pass_began.elapsed();
        let is_affordable = began.elapsed() + next <= WARM_UP_AT_MOST
            && budget.is_none_or(|budget| budget.allows_warm_up(next));
        if !is_affordable {
            break false;
        }
    };
    for set in 0..PARAMETER_SETS {
        questions.forget(WARM_UP_ROUND + set);
    }
    run.log.record(Record::WarmedUp {
        passes,
        seconds: began.elapsed().as_secs_f64(),
        steady,
    })?;
    run.observer.done(&in_words(passes), began.elapsed());
    Ok(round_length(&times))
}

/// Returns the times of the answers that took so long when they were verified that they are not asked for again.
fn long_answers(run: &Context<'_>) -> Times {
    let mut times = Times::new();
    for (design, query) in pairs(run, WARM_UP_ROUND) {
        let pair = key(design, query);
        if let Some(took) = run.long_answers.get(&pair) {
            let median = took.as_secs_f64();
            times.insert(pair, vec![Burst { median, asked: 1 }]);
        }
    }
    times
}

fn key(design: &dyn Design, query: &Query) -> (String, String) {
    (design.info().id.clone(), query.name.clone())
}

/// Returns how many times to ask next: once before anything is known.
fn size_of_next(bursts: &[Burst]) -> u32 {
    let Some(last) = bursts.last() else {
        return 1;
    };
    let fitting = BURST.as_secs_f64() / last.median.max(1e-6);
    (fitting as u32).clamp(1, MOST_OF_A_BURST)
}

/// Returns whether the query takes long, so that it is not asked again.
fn is_long(bursts: &[Burst]) -> bool {
    bursts
        .last()
        .is_some_and(|burst| burst.asked == 1 && burst.median >= LONG.as_secs_f64())
}

/// Returns whether the last bursts were not clearly shorter than as many before them, or the query takes long.
fn is_steady(bursts: &[Burst]) -> bool {
    if is_long(bursts) {
        return true;
    }
    let is_short = bursts.last().is_some_and(|burst| burst.asked > 1);
    let side = if is_short { SHORT_BURSTS } else { LONG_BURSTS };
    // The first one had to connect, to plan and to fill caches.
    let Some(compared) = bursts
        .len()
        .checked_sub(2 * side)
        .filter(|first| *first >= 1)
    else {
        return false;
    };
    let (before, after) = bursts[compared..].split_at(side);
    middle(after) >= STEADY * middle(before)
}

/// Returns the median of the medians of at least one burst.
fn middle(bursts: &[Burst]) -> f64 {
    let mut medians: Vec<f64> = bursts.iter().map(|burst| burst.median).collect();
    median(&mut medians)
}

fn median(seconds: &mut [f64]) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Asks one query several times in turn. Returns `None` if an answer failed, after which it is not
/// asked again.
async fn burst(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    design: &dyn Design,
    query: &Query,
    size: u32,
) -> Result<Option<Burst>, RunError> {
    let mut seconds = Vec::with_capacity(size as usize);
    for number in 0..size {
        let sql = questions.sql(design, query, WARM_UP_ROUND + number % PARAMETER_SETS)?;
        let asked = ask(run, design, &sql).await;
        if let Err(error) = asked.answer {
            lose(run, design, query, sql, error)?;
            return Ok(None);
        }
        seconds.push(asked.took.as_secs_f64());
    }
    Ok(Some(Burst {
        median: median(&mut seconds),
        asked: size,
    }))
}

/// Returns how long one round of what was asked will take, by the last burst of each.
fn round_length(times: &Times) -> Duration {
    let last = times.values().filter_map(|bursts| bursts.last());
    Duration::from_secs_f64(last.map(|burst| burst.median).sum())
}

fn in_words(passes: u32) -> String {
    match passes {
        1 => "warmed up in 1 pass".to_owned(),
        passes => format!("warmed up in {passes} passes"),
    }
}

/// Records a query that failed while warming up, which is not asked again.
fn lose(
    run: &mut Context<'_>,
    design: &dyn Design,
    query: &Query,
    sql: String,
    error: DesignError,
) -> Result<(), RunError> {
    let outcome = Outcome::Error { reason: error.0 };
    note_trouble(run, design, query, Step::WarmUp, &outcome)?;
    Ok(run.log.record(Record::Answered(bakeoff_stats::Answered {
        design: design.info().id.clone(),
        query: query.name.clone(),
        sql,
        outcome,
    }))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bursts(medians: &[f64], asked: u32) -> Vec<Burst> {
        let burst = |median: &f64| Burst {
            median: *median,
            asked,
        };
        medians.iter().map(burst).collect()
    }

    #[test]
    fn short_queries_are_steady_when_three_bursts_gain_nothing_on_three_before() {
        let falling = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0];
        assert!(!is_steady(&bursts(&falling, 10)));
        let even = [9.0, 3.0, 3.1, 2.9, 3.0, 3.1, 2.9];
        assert!(is_steady(&bursts(&even, 10)));
        assert!(
            !is_steady(&bursts(&even[..6], 10)),
            "the first one does not count"
        );
    }

    #[test]
    fn a_slow_fall_of_two_percent_a_burst_is_seen() {
        let falling: Vec<f64> = (0..7).map(|n| 0.98f64.powi(n)).collect();
        assert!(!is_steady(&bursts(&falling, 10)));
    }

    #[test]
    fn long_queries_need_three_requests() {
        let of_burst = |times: &[f64]| {
            let burst = BURST.as_secs_f64();
            let seconds: Vec<f64> = times.iter().map(|time| time * burst).collect();
            is_steady(&bursts(&seconds, 1))
        };
        assert!(!of_burst(&[4.0, 3.0]));
        assert!(of_burst(&[4.0, 3.0, 3.0]));
        assert!(!of_burst(&[4.0, 3.0, 2.0]));
    }

    #[test]
    fn a_query_that_takes_long_is_asked_once() {
        let long = LONG.as_secs_f64();
        assert!(is_steady(&bursts(&[long], 1)));
        assert!(!is_steady(&bursts(&[0.9 * long], 1)));
        assert!(!is_steady(&bursts(&[long], 10)), "short ones together");
    }

    #[test]
    fn bursts_have_the_size_that_their_time_allows() {
        assert_eq!(size_of_next(&[]), 1);
        assert_eq!(size_of_next(&bursts(&[100.0], 1)), 1);
        assert_eq!(size_of_next(&bursts(&[1e-9], 1)), MOST_OF_A_BURST);
    }
}
