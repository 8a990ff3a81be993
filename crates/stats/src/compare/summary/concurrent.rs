//! Figures of several clients that ask a design at the same time, in turns.

pub mod compared;
pub mod sets;

use std::collections::BTreeMap;

use serde::Serialize;

use super::Failure;
use crate::compare::{Agreed, BadQuestions, Concurrent, Outcome, Step};
use crate::quantile::place;
use crate::{CpuSeconds, Estimate};

/// Answers from which on a p99 is reported; of fewer, one in a hundred is less than one answer.
const ANSWERS_FOR_P99: usize = 100;

/// Figures of a design that several clients asked, over all of its turns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConcurrentSummary {
    pub clients: u32,
    /// Whether all clients asked the same query at a time, instead of permutations of all queries.
    pub one_query_at_a_time: bool,
    /// Number of turns in which the design answered rightly.
    pub turns: u32,
    pub permutations: u32,
    pub seconds: f64,
    pub cpu: CpuSeconds,
    /// CPU seconds for each right answer, of the design's own mix of queries; `None` without one.
    pub cpu_per_answer: Option<CpuSeconds>,
    /// Mean number of questions under way, which is below the number of clients where turns end with
    /// long questions.
    pub in_flight: Option<f64>,
    /// Answers per second if all queries are asked equally often; `None` where a query has too few
    /// answers to tell, and where one query is asked at a time.
    pub equal_mix: Option<f64>,
    /// Figures of all answers in the shares in which they were given, which differ between designs.
    pub all: ConcurrentFigures,
    pub queries: Vec<(String, ConcurrentFigures)>,
}

/// Figures of right answers; times are service times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConcurrentFigures {
    /// Number of right answers.
    pub answered: u64,
    /// Right answers per second, counted while any question to the design was in flight; of a query that
    /// is asked alone, while it was asked.
    pub per_second: f64,
    pub mean: Option<f64>,
    /// Median over the turns of their mean times, with its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_of_turns: Option<Estimate>,
    /// Median over the turns of their right answers per second, with its interval; `None` unless one query
    /// is asked at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_of_turns: Option<Estimate>,
    pub p50: Option<f64>,
    /// 99th percentile; `None` with fewer than 100 answers.
    pub p99: Option<f64>,
    pub slowest: Option<f64>,
    pub wrong: u64,
    /// Number of questions without an answer.
    pub failed: u64,
    /// What was compared among designs over all turns, where not all sets of parameters have a right answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreed: Option<Agreed>,
    /// Number of each turn with right answers and their mean, in the order of the turns.
    #[serde(skip)]
    pub turns: Vec<(u32, f64)>,
    /// Number of each turn with right answers and those per second; empty unless one query is asked at a
    /// time.
    #[serde(skip)]
    pub rates: Vec<(u32, f64)>,
    /// Nanoseconds of the right answers in each turn.
    #[serde(skip)]
    pub(in crate::compare) answers: Vec<Vec<u64>>,
    /// Number of questions without an answer in each turn.
    #[serde(skip)]
    pub(in crate::compare) unanswered: Vec<u64>,
}

/// Returns the figures of a design over its turns, which are in their order. Returns `None` if it had
/// none yet.
pub fn summary(turns: &[Concurrent]) -> Option<ConcurrentSummary> {
    let first = turns.first()?;
    let of_query = |query: &str| ConcurrentFigures::of(turns, |of| of == query);
    let all = ConcurrentFigures::of(turns, |_| true);
    let seconds: f64 = turns.iter().map(|turn| turn.seconds).sum();
    let cpu = { turns.iter().map(|turn| turn.cpu) }.reduce(|one, two| one + two);
    let cpu = cpu.unwrap_or_default();
    let answered = all.answered as f64;
    Some(ConcurrentSummary {
        clients: first.clients,
        one_query_at_a_time: first.is_one_query_at_a_time(),
        turns: u32::try_from(all.turns.len()).unwrap_or(u32::MAX),
        permutations: { turns.iter() }
            .map(|turn| turn.permutations)
            .fold(0, u32::saturating_add),
        seconds,
        cpu,
        cpu_per_answer: (answered > 0.0).then(|| CpuSeconds {
            client: cpu.client / answered,
            server: cpu.server.map(|server| server / answered),
            in_ticks: cpu.in_ticks,
        }),
        in_flight: all.mean.map(|mean| mean * all.per_second),
        equal_mix: None,
        queries: { first.queries.iter() }
            .map(|asked| (asked.query.clone(), of_query(&asked.query)))
            .collect(),
        all,
    })
}

/// Returns wrong and missing answers as failures of the design, each query's once.
pub fn failures(turns: &[Concurrent]) -> Vec<Failure> {
    let mut questions: BTreeMap<(&str, bool), (u32, &BadQuestions)> = BTreeMap::new();
    for bad in turns.iter().flat_map(|turn| &turn.bad) {
        let is_missing = !matches!(bad.outcome, Outcome::Wrong { .. });
        let kind = questions.entry((&bad.query, is_missing));
        let (questions, _) = kind.or_insert((0, bad));
        *questions = questions.saturating_add(bad.questions);
    }
    let clients = turns.first().map_or(0, |turn| turn.clients);
    let failure = |(questions, first): &(u32, &BadQuestions)| {
        let complaint = first.outcome.complaint()?;
        let questions = match questions {
            1 => "1 question".to_owned(),
            n => format!("{n} questions"),
        };
        Some(Failure {
            step: Step::Concurrent,
            query: Some(first.query.clone()),
            reason: format!("{complaint} ({questions} of {clients} clients)"),
        })
    };
    questions.values().filter_map(failure).collect()
}

impl ConcurrentSummary {
    pub fn query(&self, name: &str) -> Option<&ConcurrentFigures> {
        let found = self.queries.iter().find(|(query, _)| query == name);
        found.map(|(_, figures)| figures)
    }
}

impl ConcurrentFigures {
    /// Sums up the answers to some of the queries.
    fn of(turns: &[Concurrent], is_meant: impl Fn(&str) -> bool) -> ConcurrentFigures {
        let answers = |turn: &Concurrent| -> Vec<u64> {
            let queries = turn.queries.iter().filter(|asked| is_meant(&asked.query));
            let times = queries.flat_map(|asked| &asked.nanoseconds);
            times.copied().collect()
        };
        let number = |place: usize, turn: &Concurrent| turn.turn.unwrap_or(place as u32);
        let means = turns
            .iter()
            .enumerate()
            .filter_map(|(place, turn)| Some((number(place, turn), mean(&answers(turn))?)));
        let means: Vec<(u32, f64)> = means.collect();
        let time_of = |turn: &Concurrent| -> f64 {
            let queries = turn.queries.iter().filter(|asked| is_meant(&asked.query));
            if turn.is_one_query_at_a_time() {
                queries.filter_map(|asked| asked.seconds).sum()
            } else {
                turn.seconds
            }
        };
        let rates = turns.iter().enumerate().filter_map(|(place, turn)| {
            let (answers, seconds) = (answers(turn).len(), time_of(turn));
            let is_known = turn.is_one_query_at_a_time() && answers > 0 && seconds > 0.0;
            is_known.then(|| (number(place, turn), answers as f64 / seconds))
        });
        let rates: Vec<(u32, f64)> = rates.collect();
        let mut nanoseconds: Vec<u64> = turns.iter().flat_map(answers).collect();
        nanoseconds.sort_unstable();
        let answered = nanoseconds.len();
        let seconds: f64 = turns.iter().map(time_of).sum();
        let bad = |turn: &Concurrent, is_wrong: bool| -> u64 {
            let of_query = turn.bad.iter().filter(|bad| is_meant(&bad.query));
            let of_kind =
                of_query.filter(|bad| matches!(bad.outcome, Outcome::Wrong { .. }) == is_wrong);
            of_kind.map(|bad| u64::from(bad.questions)).sum()
        };
        let unanswered: Vec<u64> = turns.iter().map(|turn| bad(turn, false)).collect();
        ConcurrentFigures {
            answered: answered as u64,
            per_second: if seconds > 0.0 {
                answered as f64 / seconds
            } else {
                0.0
            },
            mean: mean(&nanoseconds),
            mean_of_turns: of_turns(&means),
            rate_of_turns: of_turns(&rates),
            p50: quantile(&nanoseconds, 0.5),
            p99: quantile(&nanoseconds, 0.99).filter(|_| answered >= ANSWERS_FOR_P99),
            slowest: quantile(&nanoseconds, 1.0),
            wrong: turns.iter().map(|turn| bad(turn, true)).sum(),
            failed: unanswered.iter().sum(),
            turns: means,
            rates,
            answers: turns.iter().map(answers).collect(),
            unanswered,
            agreed: agreed(turns, &is_meant),
        }
    }
}

/// Adds up what was compared among designs.
fn agreed(turns: &[Concurrent], is_meant: impl Fn(&str) -> bool) -> Option<Agreed> {
    let queries = turns.iter().flat_map(|turn| &turn.queries);
    let agreed = queries.filter(|asked| is_meant(&asked.query));
    agreed
        .filter_map(|asked| asked.agreed)
        .reduce(|one, two| Agreed {
            alone: one.alone.saturating_add(two.alone),
            confirmed: one.confirmed.saturating_add(two.confirmed),
            sets: one.sets.saturating_add(two.sets),
        })
}

/// Returns the median of a figure of the turns with its interval, if there are any.
fn of_turns(figures: &[(u32, f64)]) -> Option<Estimate> {
    let figures: Vec<f64> = figures.iter().map(|(_, figure)| *figure).collect();
    Estimate::from_samples(&figures)
}

/// Returns the mean in seconds, if there are any values.
fn mean(nanoseconds: &[u64]) -> Option<f64> {
    let sum: f64 = nanoseconds.iter().map(|&n| n as f64).sum();
    (!nanoseconds.is_empty()).then(|| sum / nanoseconds.len() as f64 / 1e9)
}

/// Returns the quantile of sorted times in seconds, if there are any.
fn quantile(sorted: &[u64], share: f64) -> Option<f64> {
    Some(sorted[place(sorted.len(), share)?] as f64 / 1e9)
}

#[cfg(test)]
mod tests;
