//! Figures of a setting over the rounds in which it was measured.

use serde::Serialize;

use super::record::first;
use super::{Cell, Check, Failures, Inserted};
use crate::Estimate;
use crate::counts::{add, total};
use crate::estimate::median;
use crate::rounds::table::Table;

/// Most messages of failures that are kept.
const MESSAGES: usize = 3;

/// Setting of a design over all rounds in which it was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepSetting {
    /// Results of all rounds: counts and failures are added up, times are medians over the rounds, and the
    /// check is the worst one. Its round is the first one.
    #[serde(flatten)]
    pub cell: Cell,
    /// Rows per second, median over the rounds that have inserted any, with its interval. It is left out of
    /// JSON for a single round, of which it says no more than the results do.
    #[serde(skip_serializing_if = "is_of_one_round")]
    pub rate: Option<Estimate>,
    /// Results of each round, in the order of the rounds.
    #[serde(skip)]
    pub rounds: Vec<Cell>,
}

fn is_of_one_round(rate: &Option<Estimate>) -> bool {
    rate.is_none_or(|rate| rate.observations == 1)
}

impl SweepSetting {
    /// Joins the results of the rounds; returns `None` if there are none.
    pub fn new(mut rounds: Vec<Cell>) -> Option<SweepSetting> {
        rounds.sort_by_key(|cell| cell.round);
        let rates: Vec<f64> = inserted(&rounds).map(Inserted::rows_per_second).collect();
        Some(SweepSetting {
            cell: joined(&rounds)?,
            rate: Estimate::from_samples(&rates),
            rounds,
        })
    }

    /// Returns rows per second, if any were inserted.
    pub fn rows_per_second(&self) -> Option<f64> {
        self.rate.map(|rate| rate.median)
    }

    /// Returns whether the setting is complete in every round, then its rate, by which settings are ranked.
    /// One whose rows do not exist has no rank. One with failures comes after all others, since the failed
    /// inserts may have been the hardest ones, and so does one whose rows ran out, since workers without
    /// rows did nothing.
    pub fn rank(&self) -> Option<(bool, f64)> {
        let is_wrong = |cell: &Cell| cell.check.as_ref().is_some_and(Check::is_wrong);
        let is_whole = |cell: &Cell| {
            let inserted = cell.inserted.as_ref();
            cell.failures.count() == 0 && inserted.is_some_and(|i| !i.rows_ran_out)
        };
        let rate = self.rows_per_second()?;
        let rounds = &self.rounds;
        (!rounds.iter().any(is_wrong)).then(|| (rounds.iter().all(is_whole), rate))
    }

    /// Returns whether the setting is complete in every round.
    pub fn is_whole(&self) -> bool {
        self.rank().is_some_and(|(is_whole, _)| is_whole)
    }

    /// Returns seconds for a row by round, as comparisons within rounds need them.
    pub fn table(&self, may_be_best: bool) -> Option<Table> {
        let seconds = |cell: &Cell| {
            let rate = cell.inserted.as_ref()?.rows_per_second();
            Some((cell.round, rate.recip()))
        };
        Some(Table {
            design: self.cell.design.clone(),
            rounds: self.rounds.iter().filter_map(seconds).collect(),
            median: self.rows_per_second()?.recip(),
            may_be_best,
        })
    }
}

fn inserted(rounds: &[Cell]) -> impl Iterator<Item = &Inserted> {
    rounds.iter().filter_map(|cell| cell.inserted.as_ref())
}

fn joined(rounds: &[Cell]) -> Option<Cell> {
    let one = rounds.first()?;
    Some(Cell {
        design: one.design.clone(),
        batch_rows: one.batch_rows,
        workers: one.workers,
        round: first(),
        inserted: joined_inserts(&inserted(rounds).collect::<Vec<_>>()),
        failures: joined_failures(rounds.iter().map(|cell| &cell.failures)),
        check: worst_check(rounds),
        reason: rounds.iter().find_map(|cell| cell.reason.clone()),
    })
}

fn joined_inserts(rounds: &[&Inserted]) -> Option<Inserted> {
    if rounds.is_empty() {
        return None;
    }
    let sum = |of: fn(&Inserted) -> u64| total(rounds.iter().map(|i| of(i)));
    let over = |of: fn(&Inserted) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(|i| of(i)).collect();
        values.sort_by(f64::total_cmp);
        median(&values)
    };
    let has_p99 = rounds.iter().all(|i| i.p99.is_some());
    Some(Inserted {
        inserts: sum(|i| i.inserts),
        rows: sum(|i| i.rows),
        seconds: rounds.iter().map(|i| i.seconds).sum(),
        mean: over(|i| i.mean),
        p50: over(|i| i.p50),
        p99: has_p99.then(|| over(|i| i.p99.unwrap_or_default())),
        max: rounds.iter().map(|i| i.max).fold(0.0, f64::max),
        waited_share: over(|i| i.waited_share),
        rows_ran_out: rounds.iter().any(|i| i.rows_ran_out),
    })
}

/// Adds failures up, and keeps the first few messages.
pub fn joined_failures<'a>(of_all: impl IntoIterator<Item = &'a Failures>) -> Failures {
    let mut all = Failures::default();
    for failures in of_all {
        for (kind, count) in &failures.kinds {
            match all.kinds.iter_mut().find(|(known, _)| known == kind) {
                Some((_, sum)) => add(sum, *count),
                None => all.kinds.push((*kind, *count)),
            }
        }
        add(&mut all.rows, failures.rows);
        for message in &failures.messages {
            if all.messages.len() < MESSAGES && !all.messages.contains(message) {
                all.messages.push(message.clone());
            }
        }
    }
    all
}

/// Returns the first check that is wrong or not done, or else the sums of the right ones.
fn worst_check(rounds: &[Cell]) -> Option<Check> {
    let checks = || rounds.iter().filter_map(|cell| cell.check.as_ref());
    let right = |check: &Check| match check {
        Check::Right {
            counted,
            acknowledged,
        } => Some((*counted, *acknowledged)),
        _ => None,
    };
    let wrong = checks().find(|check| check.is_wrong());
    let not_done = checks().find(|check| right(check).is_none());
    let sums = checks().filter_map(right);
    let sum = sums.reduce(|(a, b), (c, d)| (a + c, b + d));
    let sum = sum.map(|(counted, acknowledged)| Check::Right {
        counted,
        acknowledged,
    });
    wrong.or(not_done).cloned().or(sum)
}
