//! Ratio of one design's cost to another's, and the conclusion that the resamples support.

use serde::Serialize;

use super::contest::{Contest, Costs};
use super::figure::interval;
use super::objective::Objective;
use crate::quantile::student;

/// Share of resamples within an interval that is shown.
const SHOWN_COVERAGE: f64 = 0.90;
/// Probability with which at least one of all comparisons of a decision may be wrong.
const ERROR_OF_ALL: f64 = 0.05;
/// Fewest rounds that may show a difference in times.
pub const FEWEST_ROUNDS: u32 = 5;

/// Comparison of one design with another, by one objective.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ratio {
    pub objective: Objective,
    /// Design that the other one is compared with.
    pub to: String,
    /// Cost as a multiple of that design's: 2 is twice the time or bytes, or half the rate.
    pub times: f64,
    /// Interval of 90%; `None` if the error is not known.
    pub interval: Option<(f64, f64)>,
    pub comparison: Comparison,
}

/// Conclusion about two designs, corrected for the number of comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// They are one and the same design.
    Itself,
    Worse,
    Better,
    /// The difference is within what the rule calls the same.
    Same,
    NotSettled,
}

impl Contest<'_> {
    /// Returns the cost of one design as a multiple of another's; `None` if either is not known.
    pub(super) fn ratio(&self, objective: Objective, one: usize, other: usize) -> Option<Ratio> {
        let (own, best) = (self.costs(objective, one)?, self.costs(objective, other)?);
        let samples = ratios(&own, &best);
        let is_known = own.is_error_known && best.is_error_known;
        let times = own.point / best.point;
        Some(Ratio {
            objective,
            to: self.input.designs[other].id.clone(),
            times,
            interval: is_known.then(|| interval(&samples, SHOWN_COVERAGE)),
            comparison: if one == other {
                Comparison::Itself
            } else if !is_known || (objective.is_timed() && self.input.rounds < FEWEST_ROUNDS) {
                Comparison::NotSettled
            } else {
                self.comparison(objective, times, &samples)
            },
        })
    }

    /// Compares two designs, with Bonferroni's correction for comparing each design with the best one by
    /// each objective. Resamples of few rounds do not extend as far as the correction needs, so the interval
    /// is Student's, with their deviation.
    fn comparison(&self, objective: Objective, times: f64, samples: &[f64]) -> Comparison {
        let rounds = if objective.is_timed() {
            f64::from(self.input.rounds)
        } else {
            samples.len().max(2) as f64
        };
        let half = self.half_of_interval(rounds, deviation(samples));
        let (low, high) = (times / half.exp(), times * half.exp());
        let same = 1.0 + self.input.rule.same_within;
        if low > same {
            Comparison::Worse
        } else if high < 1.0 / same {
            Comparison::Better
        } else if low >= 1.0 / same && high <= same {
            Comparison::Same
        } else {
            Comparison::NotSettled
        }
    }

    /// Returns half of the interval of the logarithm of a ratio whose resamples of this many rounds have this deviation.
    pub(super) fn half_of_interval(&self, rounds: f64, deviation: f64) -> f64 {
        let others = self.entrants.len().saturating_sub(1).max(1);
        let objectives = self.objectives().len().max(1);
        let error = ERROR_OF_ALL / (others * objectives) as f64;
        student(error, rounds - 1.0) * deviation * (rounds / (rounds - 1.0)).sqrt()
    }
}

/// Returns the ratio in each resample, or that of the points if neither has resamples.
pub fn ratios(own: &Costs, other: &Costs) -> Vec<f64> {
    let resamples = own.resamples.len().max(other.resamples.len());
    if resamples == 0 {
        return vec![own.point / other.point];
    }
    (0..resamples)
        .map(|index| own.at(Some(index)) / other.at(Some(index)))
        .collect()
}

/// Returns the standard deviation of the logarithms.
pub fn deviation(samples: &[f64]) -> f64 {
    let logarithms: Vec<f64> = samples.iter().map(|ratio| ratio.ln()).collect();
    let mean = logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64;
    let squares: f64 = logarithms.iter().map(|ln| (ln - mean).powi(2)).sum();
    (squares / logarithms.len().saturating_sub(1).max(1) as f64).sqrt()
}
