//! The interval of a ratio of two tables, as one of all that a run compares.
//!
//! Student's t on the logarithms of paired ratios, at the level that Bonferroni's correction leaves
//! of 5%. Signs or permutations of rounds would assume less, but seven rounds have too few of them
//! for the level of one of fifty comparisons.

use super::paired::Paired;
use crate::quantile::student;

/// Probability with which any of all intervals that are shown together may miss the truth.
const ERROR_OF_ALL: f64 = 0.05;
/// With fewer rounds, nothing is called a difference.
pub const FEWEST_ROUNDS: usize = 5;
/// Greatest correlation of a round with the next one that is allowed for.
const MOST_CORRELATED: f64 = 0.8;
/// Normal deviate of the probability of 80% with which a difference that exists is to be found.
const POWER_80_PERCENT: f64 = 0.8416;

/// What all intervals of a run have in common.
pub struct Method {
    /// Probability with which this one interval may miss the truth.
    error: f64,
    /// Factor by which the correlation of rounds makes the variance of a mean larger.
    inflation: f64,
}

/// Variance that tables of one design have, whatever number of rounds they are asked in.
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

/// Logarithm of a ratio with its interval, which is infinite where nothing may be said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub centre: f64,
    pub low: f64,
    pub high: f64,
}

impl Method {
    /// Makes the method for this number of comparisons of tables with these pairs.
    pub fn of(comparisons: usize, pairs: &[Paired]) -> Method {
        let correlations: Vec<f64> = pairs.iter().filter_map(Paired::correlation).collect();
        let mean = correlations.iter().sum::<f64>() / correlations.len().max(1) as f64;
        let correlation = mean.clamp(0.0, MOST_CORRELATED);
        Method {
            error: ERROR_OF_ALL / comparisons.max(1) as f64,
            inflation: (1.0 + correlation) / (1.0 - correlation),
        }
    }

    /// Returns the variance of the centre that is due to the rounds. Correlated rounds make the
    /// variance of a mean larger, and that within the sample smaller, by what its mean has of it.
    pub fn variance(&self, paired: &Paired) -> Option<f64> {
        let rounds = paired.rounds() as f64;
        let within = (rounds - self.inflation).max(1.0) / (rounds - 1.0);
        paired
            .variance()
            .map(|variance| variance * self.inflation / within)
    }

    /// Returns the same method for one interval by itself, of which one end alone counts.
    pub fn for_one_end(&self) -> Method {
        Method {
            error: 2.0 * ERROR_OF_ALL,
            ..*self
        }
    }

    /// Returns what the rounds add to the variance of a centre. Returns `None` for too few of them.
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

    /// Returns the interval of two tables' ratio.
    pub fn interval(&self, paired: &Paired, noise: Option<TableNoise>) -> Option<Interval> {
        let centre = paired.centre()?;
        let half = { self.error_and_deviate(paired, noise) }
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
        let of_tables = noise.map(TableNoise::part);
        let parts: Vec<Part> = [self.part(paired)?].into_iter().chain(of_tables).collect();
        Some(self.error_and_deviate_of(&parts))
    }

    /// Returns the standard error and how many of them the interval has on each side. The degrees
    /// of freedom are those of a sum of variances (Satterthwaite: An approximate distribution of
    /// estimates of variance components, 1946).
    fn error_and_deviate_of(&self, parts: &[Part]) -> (f64, f64) {
        let all: f64 = parts.iter().map(|part| part.variance).sum();
        let of_part = |part: &Part| part.variance * part.variance / part.freedom;
        let deviate = match all {
            0.0 => 0.0,
            all => student(
                self.error,
                all * all / parts.iter().map(of_part).sum::<f64>(),
            ),
        };
        (all.sqrt(), deviate)
    }
}

impl TableNoise {
    /// Returns what two tables add to the variance of their difference.
    pub fn part(self) -> Part {
        Part {
            variance: 2.0 * self.variance,
            freedom: self.freedom,
        }
    }
}
