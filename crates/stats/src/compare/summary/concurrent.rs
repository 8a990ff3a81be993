//! Figures of several clients that ask a design at the same time.

use serde::Serialize;

use super::Failure;
use crate::CpuSeconds;
use crate::compare::{BadQuestions, Concurrent, Outcome, Step};

/// Answers from which on a p99 is reported; of fewer, one in a hundred is less than one answer.
const ANSWERS_FOR_P99: usize = 100;

/// Summary of a [`Concurrent`] for reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConcurrentSummary {
    pub clients: u32,
    pub permutations: u32,
    pub seconds: f64,
    pub cpu: CpuSeconds,
    pub all: ConcurrentFigures,
    pub queries: Vec<(String, ConcurrentFigures)>,
}

/// Figures of right answers; times are service times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConcurrentFigures {
    /// Number of right answers.
    pub answered: u64,
    /// Right answers per second, counted while any question to the design was in flight.
    pub per_second: f64,
    pub mean: Option<f64>,
    pub p50: Option<f64>,
    /// 99th percentile; `None` with fewer than 100 answers.
    pub p99: Option<f64>,
    pub slowest: Option<f64>,
    pub wrong: u64,
    /// Number of questions without an answer.
    pub failed: u64,
}

impl Concurrent {
    pub fn summary(&self) -> ConcurrentSummary {
        let queries = self.queries.iter().map(|q| {
            let bad = self.bad.iter().filter(|bad| bad.query == q.query);
            let figures = ConcurrentFigures::new(q.nanoseconds.clone(), bad, self.seconds);
            (q.query.clone(), figures)
        });
        let all = self.queries.iter().flat_map(|q| &q.nanoseconds);
        ConcurrentSummary {
            clients: self.clients,
            permutations: self.permutations,
            seconds: self.seconds,
            cpu: self.cpu,
            all: ConcurrentFigures::new(all.copied().collect(), self.bad.iter(), self.seconds),
            queries: queries.collect(),
        }
    }

    /// Returns wrong and missing answers as failures of the design.
    pub fn failures(&self) -> impl Iterator<Item = Failure> {
        self.bad.iter().filter_map(|bad| {
            let complaint = bad.outcome.complaint()?;
            let questions = match bad.questions {
                1 => "1 question".to_owned(),
                n => format!("{n} questions"),
            };
            Some(Failure {
                step: Step::Concurrent,
                query: Some(bad.query.clone()),
                reason: format!("{complaint} ({questions} of {} clients)", self.clients),
            })
        })
    }
}

impl ConcurrentSummary {
    pub fn query(&self, name: &str) -> Option<&ConcurrentFigures> {
        let found = self.queries.iter().find(|(query, _)| query == name);
        found.map(|(_, figures)| figures)
    }
}

impl ConcurrentFigures {
    fn new<'a>(
        mut nanoseconds: Vec<u64>,
        bad: impl Iterator<Item = &'a BadQuestions>,
        seconds: f64,
    ) -> ConcurrentFigures {
        nanoseconds.sort_unstable();
        let answered = nanoseconds.len();
        let mean = nanoseconds.iter().map(|&n| n as f64).sum::<f64>() / answered as f64;
        let (mut wrong, mut failed) = (0, 0);
        for bad in bad {
            match bad.outcome {
                Outcome::Wrong { .. } => wrong += u64::from(bad.questions),
                _ => failed += u64::from(bad.questions),
            }
        }
        ConcurrentFigures {
            answered: answered as u64,
            per_second: if seconds > 0.0 {
                answered as f64 / seconds
            } else {
                0.0
            },
            mean: (answered > 0).then_some(mean / 1e9),
            p50: percentile(&nanoseconds, 50),
            p99: percentile(&nanoseconds, 99).filter(|_| answered >= ANSWERS_FOR_P99),
            slowest: percentile(&nanoseconds, 100),
            wrong,
            failed,
        }
    }
}

/// Returns a percentile in seconds: the smallest value that is not exceeded by this percentage of
/// the values (nearest rank).
fn percentile(sorted: &[u64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    let nanoseconds = sorted.get(rank.checked_sub(1)?)?;
    Some(*nanoseconds as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::ConcurrentQuery;

    fn bad(query: &str, questions: u32, outcome: Outcome) -> BadQuestions {
        BadQuestions {
            query: query.to_owned(),
            questions,
            permutation: 3,
            outcome,
        }
    }

    fn answered_in(query: &str, milliseconds: impl Iterator<Item = u64>) -> ConcurrentQuery {
        ConcurrentQuery {
            query: query.to_owned(),
            nanoseconds: milliseconds.map(|ms| ms * 1_000_000).collect(),
        }
    }

    /// Makes 200 right answers in 4 s, of 1 to 200 ms, the slowest first.
    fn asked() -> Concurrent {
        let difference = "row 1".to_owned();
        let reason = "refused".to_owned();
        Concurrent {
            design: "a".to_owned(),
            clients: 4,
            permutations: 100,
            seconds: 4.0,
            cpu: CpuSeconds::default(),
            queries: vec![
                answered_in("odd", (0..100).rev().map(|n| 2 * n + 1)),
                answered_in("even", (2..=200).step_by(2)),
            ],
            bad: vec![
                bad("odd", 2, Outcome::Wrong { difference }),
                bad("even", 1, Outcome::Error { reason }),
            ],
        }
    }

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let summary = asked().summary();
        let all = &summary.all;
        assert_eq!((all.answered, all.per_second), (200, 50.0));
        assert!((all.mean.unwrap() - 0.1005).abs() < 1e-12);
        assert_eq!((all.p50, all.p99), (Some(0.1), Some(0.198)));
        assert_eq!(all.slowest, Some(0.2));
        let odd = summary.query("odd").unwrap();
        assert_eq!((odd.p50, odd.p99), (Some(0.099), Some(0.197)));
    }

    #[test]
    fn wrong_and_missing_answers_are_counted_and_reported_but_not_timed() {
        let (asked, summary) = (asked(), asked().summary());
        let bad = |f: &ConcurrentFigures| (f.answered, f.wrong, f.failed);
        assert_eq!(bad(&summary.all), (200, 2, 1));
        assert_eq!(bad(summary.query("odd").unwrap()), (100, 2, 0));
        let reasons: Vec<_> = asked.failures().map(|f| f.reason).collect();
        assert_eq!(
            reasons,
            [
                "wrong answer: row 1 (2 questions of 4 clients)",
                "no answer: refused (1 question of 4 clients)"
            ]
        );
    }

    #[test]
    fn few_answers_have_no_p99_and_none_have_no_times() {
        let mut asked = asked();
        asked.queries[0].nanoseconds.pop();
        asked.queries[1].nanoseconds.clear();
        let summary = asked.summary();
        let odd = summary.query("odd").unwrap();
        assert_eq!((odd.p99, odd.slowest), (None, Some(0.199)));
        let even = summary.query("even").unwrap();
        assert_eq!((even.mean, even.p50, even.slowest), (None, None, None));
    }
}
