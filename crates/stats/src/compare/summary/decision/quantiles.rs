//! Quantiles of the answers that several clients got, for the limits that the rule has on them. Rounds are too few for
//! any quantile but the median.

use super::RESAMPLES;
use crate::compare::summary::{ConcurrentFigures, DesignSummary, Summary};
use crate::decide::{Figure, LimitOf};
use crate::quantile::rank;
use crate::random::SplitMix64;

/// Number of answers that have to be expected beyond a quantile for it to be judged: of fewer, chance decides.
const FEWEST_SLOWER: f64 = 10.0;
/// Seed of the resamples of turns. All designs have the same turns in a resample.
const TURNS_SEED: u64 = 0x0007_0195;
/// Nanoseconds of a question without an answer: longer than any answer takes.
const NEVER: u64 = u64::MAX;

/// Questions of a turn that took equally long.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Asked {
    nanoseconds: u64,
    turn: usize,
    number: u64,
}

impl Summary {
    /// Returns the quantiles of a query that the rule limits, as far as clients had enough answers from the design.
    pub(super) fn quantiles(&self, design: &DesignSummary, query: &str) -> Vec<(f64, Figure)> {
        let asked = design.concurrent.as_ref();
        let Some((figures, decide)) = { asked.and_then(|asked| asked.query(query)) }
            .filter(|figures| figures.wrong == 0)
            .zip(self.header.decide.as_ref())
        else {
            return Vec::new();
        };
        let is_of_query = |index: usize| {
            let asked = self.header.queries.get(index);
            asked.is_some_and(|asked| asked.name == query)
        };
        let wanted = decide
            .rule
            .limits
            .iter()
            .filter_map(|limit| match limit.of {
                LimitOf::Question { index, quantile } if is_of_query(index) => quantile,
                _ => None,
            });
        wanted
            .filter_map(|quantile| Some((quantile, figure(figures, quantile)?)))
            .collect()
    }
}

/// Returns a quantile of all answers, with resamples that draw the turns with replacement. Questions without an answer
/// are slower than all others. Returns `None` if there are too few.
fn figure(figures: &ConcurrentFigures, quantile: f64) -> Option<Figure> {
    let turns: Vec<(&Vec<u64>, u64)> = { figures.answers.iter() }
        .zip(figures.unanswered.iter().copied())
        .filter(|(answers, missing)| !answers.is_empty() || *missing > 0)
        .collect();
    let mut sorted: Vec<Asked> = Vec::new();
    for (turn, (answers, missing)) in turns.iter().enumerate() {
        let asked = |nanoseconds: u64, number: u64| Asked {
            nanoseconds,
            turn,
            number,
        };
        sorted.extend(answers.iter().map(|nanoseconds| asked(*nanoseconds, 1)));
        sorted.push(asked(NEVER, *missing));
    }
    let number: u64 = sorted.iter().map(|asked| asked.number).sum();
    let slower = number as f64 * (1.0 - quantile);
    if slower < FEWEST_SLOWER - 1e-6 {
        return None;
    }
    sorted.sort_unstable();
    let point = nearest_rank(&sorted, &vec![1; turns.len()], quantile)?;
    if turns.len() < 2 {
        return Some(Figure::once(point));
    }
    let mut random = SplitMix64::new(TURNS_SEED);
    let resamples: Option<Vec<f64>> = (0..RESAMPLES)
        .map(|_| {
            let mut times = vec![0; turns.len()];
            for _ in &turns {
                times[random.below(turns.len())] += 1;
            }
            nearest_rank(&sorted, &times, quantile)
        })
        .collect();
    Some(Figure::resampled(point, resamples?))
}

/// Returns the smallest time in seconds that this share of the questions does not exceed. Those of each turn count as
/// many times as is given.
fn nearest_rank(sorted: &[Asked], times: &[u64], quantile: f64) -> Option<f64> {
    let number_of = |asked: &Asked| times[asked.turn].saturating_mul(asked.number);
    let number: u64 = sorted.iter().map(number_of).fold(0, u64::saturating_add);
    let rank = rank(number as f64, quantile) as u64;
    let mut passed: u64 = 0;
    let found = sorted.iter().find(|&asked| {
        passed = passed.saturating_add(number_of(asked));
        passed >= rank
    });
    found.map(|asked| asked.nanoseconds as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::testing::{footprint, header, loaded, timed};
    use crate::compare::{BadQuestions, Concurrent, ConcurrentQuery, Decide, Outcome, Record};
    use crate::decide::{Certainty, Doubt, Limit, LimitState, Minimise, Recommendation, Rule};
    use crate::{CpuSeconds, Timing};

    const MS: u64 = 1_000_000;

    /// Seven turns of this many answers to `scan`, of 1 to 100 ms, times this factor.
    fn clients(design: &str, answers: u64, factor: u64) -> Vec<Record> {
        let turn = |turn: u32| {
            let nanoseconds = (0..answers).map(|n| (n % 100 + 1) * factor * MS);
            Record::Concurrent(Box::new(Concurrent {
                design: design.to_owned(),
                turn: Some(turn),
                clients: 4,
                permutations: 100,
                seconds: 1.0,
                cpu: CpuSeconds::default(),
                queries: vec![ConcurrentQuery {
                    query: "scan".to_owned(),
                    nanoseconds: nanoseconds.collect(),
                    seconds: None,
                    agreed: None,
                }],
                bad: Vec::new(),
                unfinished: Vec::new(),
            }))
        };
        (0..7).map(turn).collect()
    }

    /// Two designs of which `a/x` answers in half the time, with a limit of 150 ms on this quantile of `scan`.
    fn records(quantile: f64) -> Vec<Record> {
        let mut header = header();
        header.scale.full_rows = 100;
        let of = LimitOf::Question {
            index: 0,
            quantile: Some(quantile),
        };
        let limit = Limit {
            text: "scan quantile < 150ms".to_owned(),
            of,
            bound: 0.15,
        };
        let rule = Rule {
            is_stated: true,
            minimise: Minimise::Time,
            has_weights: false,
            limits: vec![limit],
            same_within: 0.05,
            baseline: None,
        };
        let weights = vec![0.5, 0.5];
        header.decide = Some(Decide { rule, weights });
        let mut records = vec![Record::Started(Box::new(header))];
        for (design, factor) in [("a/x", 1.0), ("a/y", 2.0)] {
            records.extend([loaded(design, 0, 1.0), footprint(design, 500)]);
            for round in 0..7 {
                for query in ["scan", "key"] {
                    let seconds = 0.1 * factor * (1.0 + f64::from(round % 3) / 50.0);
                    let Record::Timed(timing) = timed(design, query, seconds) else {
                        unreachable!()
                    };
                    records.push(Record::Timed(Timing { round, ..timing }));
                }
            }
        }
        records
    }

    fn recommended(records: &[Record]) -> Recommendation {
        let summary = Summary::from_records(records).unwrap();
        summary.decision.unwrap().recommendation.unwrap()
    }

    #[test]
    fn the_median_is_that_of_the_rounds_under_the_name_of_p50_too() {
        let found = recommended(&records(0.5));
        assert_eq!(found.limits, [LimitState::Kept]);
        assert_eq!(found.doubts, []);
    }

    #[test]
    fn a_limit_on_a_quantile_is_judged_by_the_answers_of_clients() {
        let mut records = records(0.99);
        // p99 of a/x is 198 ms and that of a/y 99 ms, though a/x is faster alone.
        records.extend(clients("a/x", 200, 2));
        records.extend(clients("a/y", 200, 1));
        let found = recommended(&records);
        assert_eq!(found.design, "a/y");
        assert_eq!(found.limits, [LimitState::Kept]);
        let summary = Summary::from_records(&records).unwrap();
        let limits = &summary.decision.unwrap().designs[0].limits;
        let by = match limits[0] {
            LimitState::Broken(by) => by,
            other => panic!("{other:?}"),
        };
        assert!((by - 1.32).abs() < 1e-9, "{by}");
    }

    #[test]
    fn few_answers_and_no_clients_judge_no_quantile() {
        let unknown = |records: &[Record]| {
            let found = recommended(records);
            assert_eq!(found.limits, [LimitState::NotKnown]);
            let text = "scan quantile < 150ms".to_owned();
            assert_eq!(found.doubts, [Doubt::LimitsNotKnown(vec![text])]);
        };
        unknown(&records(0.99));
        let mut few = records(0.99);
        few.extend(clients("a/x", 142, 1));
        unknown(&few);
    }

    #[test]
    fn no_design_wins_since_it_is_too_slow_to_be_judged() {
        let mut records = records(0.99);
        records.extend(clients("a/x", 200, 3));
        records.extend(clients("a/y", 20, 1));
        // The median of a/y, of which p99 is not known, is 200 ms.
        let broken = Summary::from_records(&records).unwrap().decision.unwrap();
        let limits = &broken.design("a/y").unwrap().limits;
        assert!(matches!(limits[0], LimitState::Broken(_)), "{limits:?}");
        let Some(Record::Started(header)) = records.first_mut() else {
            panic!("no header");
        };
        header.decide.as_mut().unwrap().rule.limits[0].bound = 0.25;
        let found = recommended(&records);
        assert_eq!(
            (found.design.as_str(), found.certainty),
            ("a/y", Certainty::NotSettled)
        );
        assert_eq!(found.limits, [LimitState::NotKnown]);
        let text = "scan quantile < 150ms".to_owned();
        assert!(found.doubts.contains(&Doubt::LimitsOfOthers(vec![text])));
    }

    /// State of the limit on p80 if clients of `a/x` have so many questions with this outcome in each turn, besides 200
    /// right answers.
    fn with_bad(questions: u32, outcome: &Outcome) -> LimitState {
        let mut records = records(0.8);
        for mut record in clients("a/x", 200, 1) {
            if let Record::Concurrent(turn) = &mut record {
                turn.bad.push(BadQuestions {
                    query: "scan".to_owned(),
                    questions,
                    permutation: 3,
                    outcome: outcome.clone(),
                });
            }
            records.push(record);
        }
        let summary = Summary::from_records(&records).unwrap();
        summary.decision.unwrap().designs[0].limits[0]
    }

    #[test]
    fn a_question_without_an_answer_is_slower_than_every_answer() {
        let missing = Outcome::Error {
            reason: "time-out".to_owned(),
        };
        assert_eq!(with_bad(1, &missing), LimitState::Kept);
        let broken = with_bad(100, &missing);
        assert!(matches!(broken, LimitState::Broken(_)), "{broken:?}");
        let wrong = Outcome::Wrong {
            difference: "row 1".to_owned(),
        };
        assert_eq!(with_bad(1, &wrong), LimitState::NotKnown);
    }
}
