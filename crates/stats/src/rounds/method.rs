//! The interval of a ratio of two tables, corrected for all comparisons of a run.
//!
//! It is Student's interval on the logarithms of paired ratios, at the level of 5% divided by the number
//! of comparisons (Bonferroni). Tests on signs or permutations of rounds would assume less, but seven
//! rounds have too few of them for one of fifty comparisons.

use super::paired::Paired;
use crate::quantile::student;

/// Probability with which any of the intervals that are shown together may miss the truth.
const ERROR_OF_ALL: f64 = 0.05;
/// Fewest rounds that may show a difference.
pub const FEWEST_ROUNDS: usize = 5;
/// Greatest correlation of a round with the next one that is allowed for.
const MOST_CORRELATED: f64 = 0.8;
/// Normal deviate of the probability of 80% with which a difference that exists is to be found.
const POWER_80_PERCENT: f64 = 0.8416;

/// Method by which all intervals of a run are computed.
pub struct Method {
    /// Probability with which a single interval may miss the truth.
    error: f64,
    /// Factor by which the correlation of rounds makes the variance of a mean larger.
    inflation: f64,
}

/// Variance between tables of one design, which no number of rounds makes smaller.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableNoise {
    /// Variance of the logarithm of a table's times.
    pub variance: f64,
    /// Number of differences that the variance was found from.
    pub freedom: f64,
}

/// Part of the variance of an estimate, with its degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    pub variance: f64,
    pub freedom: f64,
}

/// Logarithm of a ratio with its interval, which is infinite if the figures support no conclusion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub centre: f64,
    pub low: f64,
    pub high: f64,
}

impl Method {
    /// Makes the method for this number of comparisons of tables with these pairs.
    pub fn new(comparisons: usize, pairs: &[Paired]) -> Method {
        let correlations: Vec<f64> = pairs.iter().filter_map(Paired::correlation).collect();
        let mean = correlations.iter().sum::<f64>() / correlations.len().max(1) as f64;
        let correlation = mean.clamp(0.0, MOST_CORRELATED);
        Method {
            error: ERROR_OF_ALL / comparisons.max(1) as f64,
            inflation: (1.0 + correlation) / (1.0 - correlation),
        }
    }

    /// Returns the variance of the centre that is due to the rounds. Correlated rounds make the variance
    /// of a mean larger. They make the variance within the sample smaller, since its mean follows them.
    pub fn variance(&self, paired: &Paired) -> Option<f64> {
        let rounds = paired.rounds() as f64;
        let within = (rounds - self.inflation).max(1.0) / (rounds - 1.0);
        paired
            .variance()
            .map(|variance| variance * self.inflation / within)
    }

    /// Returns the same method for a single interval of which only one end counts.
    pub fn for_one_end(&self) -> Method {
        Method {
            error: 2.0 * ERROR_OF_ALL,
            ..*self
        }
    }

    /// Returns the variance that the rounds add to a centre. Returns `None` for too few of them.
    pub fn part(&self, paired: &Paired) -> Option<Part> {
        let freedom = paired.rounds().checked_sub(1)? as f64;
        let variance = self.variance(paired)?;
        (paired.rounds() >= FEWEST_ROUNDS).then_some(Part { variance, freedom })
    }

    /// Returns the interval of an estimate whose variance is the sum of these parts.
    pub fn interval_of(&self, centre: f64, parts: &[Part]) -> Interval {
        let (error, deviate) = self.error_and_deviate_of(parts);
        Interval {
            centre,
            low: centre - error * deviate,
            high: centre + error * deviate,
        }
    }

    /// Returns the interval of the ratio of two tables.
    pub fn interval(&self, paired: &Paired, noise: Option<TableNoise>) -> Option<Interval> {
        let centre = paired.centre()?;
        let half = self
            .error_and_deviate(paired, noise)
            .map_or(f64::INFINITY, |(error, deviate)| error * deviate);
        Some(Interval {
            centre,
            low: centre - half,
            high: centre + half,
        })
    }

    /// Returns the logarithm of the smallest ratio whose interval would not hold 1 four times out of
    /// five.
    pub fn smallest_shown(&self, paired: &Paired, noise: Option<TableNoise>) -> Option<f64> {
        let (error, deviate) = self.error_and_deviate(paired, noise)?;
        Some(error * (deviate + POWER_80_PERCENT))
    }

    fn error_and_deviate(&self, paired: &Paired, noise: Option<TableNoise>) -> Option<(f64, f64)> {
        let mut parts = vec![self.part(paired)?];
        parts.extend(noise.map(TableNoise::part));
        Some(self.error_and_deviate_of(&parts))
    }

    /// Returns the standard error, and the number of standard errors that the interval has on each side.
    /// The degrees of freedom are those of a sum of variances (Satterthwaite: An approximate distribution
    /// of estimates of variance components, 1946).
    fn error_and_deviate_of(&self, parts: &[Part]) -> (f64, f64) {
        let variance: f64 = parts.iter().map(|part| part.variance).sum();
        if variance == 0.0 {
            return (0.0, 0.0);
        }
        let denominator: f64 = parts
            .iter()
            .map(|part| part.variance * part.variance / part.freedom)
            .sum();
        let freedom = variance * variance / denominator;
        (variance.sqrt(), student(self.error, freedom))
    }
}

impl TableNoise {
    /// Returns the variance that two tables add to their difference.
    pub fn part(self) -> Part {
        Part {
            variance: 2.0 * self.variance,
            freedom: self.freedom,
        }
    }
}
