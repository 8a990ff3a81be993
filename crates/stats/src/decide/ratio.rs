//! How many times worse one design is than another, with what the resamples allow.

use serde::Serialize;

use super::contest::{Contest, Costs};
use super::figure::interval;
use super::objective::Objective;
use crate::quantile::student;

const SHOWN_COVERAGE: f64 = 0.90;
/// The probability with which at least one of all comparisons of a decision may be wrong.
const ERROR_OF_ALL: f64 = 0.05;
/// With fewer rounds nothing that is timed is called a difference.
pub const FEWEST_ROUNDS: u32 = 5;

/// One design against another, by one objective.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ratio {
    pub objective: Objective,
    /// The design that the ratio is to.
    pub to: String,
    /// How many times the other's cost: 2 is twice the time or bytes, or half the rate.
    pub times: f64,
    /// The 90% interval; `None` where the error is not known.
    pub interval: Option<(f64, f64)>,
    pub comparison: Comparison,
}

/// What may be said about two designs, corrected for the number of comparisons.
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
    /// The cost of one design as a multiple of another's. `None` if either is not known.
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

    /// Bonferroni's correction for comparing each design with the best one by each objective. Resamples of
    /// few rounds do not reach as far out as it asks for, so that the interval is Student's, with their
    /// deviation.
    fn comparison(&self, objective: Objective, times: f64, samples: &[f64]) -> Comparison {
        let others = self.entrants.len().saturating_sub(1).max(1);
        let objectives = self.objectives().len().max(1);
        let error = ERROR_OF_ALL / (others * objectives) as f64;
        let rounds = if objective.is_timed() {
            f64::from(self.input.rounds)
        } else {
            samples.len().max(2) as f64
        };
        let deviation = deviation(samples) * (rounds / (rounds - 1.0)).sqrt();
        let half = student(error, rounds - 1.0) * deviation;
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
}

/// The ratio in each resample; the one of the points where neither has resamples.
pub fn ratios(own: &Costs, other: &Costs) -> Vec<f64> {
    let resamples = own.resamples.len().max(other.resamples.len());
    if resamples == 0 {
        return vec![own.point / other.point];
    }
    (0..resamples)
        .map(|index| own.at(Some(index)) / other.at(Some(index)))
        .collect()
}

/// The standard deviation of the logarithms.
pub fn deviation(samples: &[f64]) -> f64 {
    let logarithms: Vec<f64> = samples.iter().map(|ratio| ratio.ln()).collect();
    let mean = logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64;
    let squares: f64 = logarithms.iter().map(|ln| (ln - mean).powi(2)).sum();
    (squares / logarithms.len().saturating_sub(1).max(1) as f64).sqrt()
}
