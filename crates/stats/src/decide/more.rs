//! What more measuring would settle.

use serde::Serialize;

use super::contest::{Contest, Costs};
use super::ratio::ratios;

/// The probability with which a difference that exists is to be found: its normal deviate.
const POWER_80_PERCENT: f64 = 0.8416;
const ERROR: f64 = 0.05;
/// The smallest relative difference that more rounds are planned for.
const LEAST_DIFFERENCE: f64 = 0.01;
/// Beyond this multiple of the rounds there were, more of them are no advice.
const MOST_TIMES: f64 = 100.0;

/// The rounds that would tell two designs apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MoreRounds {
    /// The design to be told apart from the recommended one.
    pub against: String,
    /// Rounds in addition to those that there were.
    pub rounds: u64,
    /// How long they take, where that is known.
    pub seconds: Option<f64>,
}

/// By `n = (z + 0.84)² s² / ln²(1 + δ)`, with the variance of the difference of logarithms that the
/// resamples have. `None` where the error is not known, or where rounds are of no help, as to a forecast, whose
/// error is that of the fit.
pub fn rounds(
    contest: &Contest<'_>,
    own: &Costs,
    other: &Costs,
    against: usize,
) -> Option<MoreRounds> {
    let input = contest.input;
    let samples = ratios(own, other);
    let is_forecast = input.rows != input.measured_rows;
    if is_forecast
        || input.rounds == 0
        || samples.len() < 2
        || !(own.is_error_known && other.is_error_known)
    {
        return None;
    }
    let logarithms: Vec<f64> = samples.iter().map(|ratio| ratio.ln()).collect();
    let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
    let squares: f64 = logarithms.iter().map(|ln| (ln - mean).powi(2)).sum();
    let variance_of_mean = squares / (logarithms.len() - 1) as f64;
    let comparisons = contest.entrants.len().saturating_sub(1).max(1);
    let deviate = normal_deviate(1.0 - ERROR / (2.0 * comparisons as f64)) + POWER_80_PERCENT;
    let tolerance = (1.0 + input.rule.same_within.max(LEAST_DIFFERENCE)).ln();
    let difference = tolerance.max(mean.abs());
    let times = (deviate / difference).powi(2) * variance_of_mean;
    let needed = (times * f64::from(input.rounds)).ceil();
    let more = needed - f64::from(input.rounds);
    (times.is_finite() && times <= MOST_TIMES && more >= 1.0).then(|| MoreRounds {
        against: input.designs[against].id.clone(),
        rounds: more as u64,
        seconds: input.seconds_a_round.map(|seconds| seconds * more),
    })
}

/// The quantile of the normal distribution for a probability from 0.5 to below 1, to within 0.0005
/// (Abramowitz, Stegun: Handbook of Mathematical Functions, 26.2.23).
fn normal_deviate(probability: f64) -> f64 {
    let t = (-2.0 * (1.0 - probability).ln()).sqrt();
    let above = 2.515_517 + 0.802_853 * t + 0.010_328 * t * t;
    let below = 1.0 + 1.432_788 * t + 0.189_269 * t * t + 0.001_308 * t.powi(3);
    t - above / below
}

#[cfg(test)]
mod tests {
    use super::normal_deviate;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (probability, deviate) in [(0.5, 0.0), (0.975, 1.95996), (0.995, 2.57583)] {
            assert!((normal_deviate(probability) - deviate).abs() < 5e-4);
        }
    }
}
