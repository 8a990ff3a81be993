//! Differences between tables of one design, from twins.

use super::method::{FEWEST_ROUNDS, Method, TableNoise};
use super::paired::Paired;

/// Differences of twins in one query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Twins {
    /// Logarithm of the ratio of each twin to its design, and the part of its variance that is due to
    /// rounds.
    differences: Vec<(f64, f64)>,
}

impl Twins {
    /// Gathers the pairs of designs with their twins that have enough rounds.
    pub fn from_pairs(method: &Method, pairs: &[Paired]) -> Twins {
        let pairs = pairs.iter().filter(|p| p.rounds() >= FEWEST_ROUNDS);
        Twins {
            differences: pairs
                .filter_map(|p| Some((p.centre()?, method.variance(p)?)))
                .collect(),
        }
    }

    /// Gathers known differences, each with the variance of its error.
    pub fn from_differences(differences: Vec<(f64, f64)>) -> Twins {
        Twins { differences }
    }

    /// Returns these differences together with those of another run.
    pub fn and(&self, other: &Twins) -> Twins {
        let all = self.differences.iter().chain(&other.differences);
        Twins {
            differences: all.copied().collect(),
        }
    }

    /// Returns the differences without the variance of their rounds, so that it counts as noise of tables.
    /// If there are few differences, subtracting it would too often leave no noise at all.
    pub fn whole(self) -> Twins {
        let whole = self.differences.into_iter().map(|(ln, _)| (ln, 0.0));
        Twins {
            differences: whole.collect(),
        }
    }

    /// Returns the largest relative difference.
    pub fn largest(&self) -> Option<f64> {
        let largest = self.differences.iter().map(|(ln, _)| ln.abs());
        largest.max_by(f64::total_cmp).map(f64::exp_m1)
    }

    /// Returns the variance of a table: half of that of a difference, after subtracting the part that is due
    /// to rounds.
    fn variance(&self) -> Option<f64> {
        let parts = self.differences.iter().map(|(ln, rounds)| ln * ln - rounds);
        let mean = parts.sum::<f64>() / self.differences.len() as f64;
        (!self.differences.is_empty()).then_some(mean.max(0.0) / 2.0)
    }
}

/// Returns the noise of tables in each query. Since there are few twins, it is the larger one of the noise
/// in the query itself and of that in all queries together.
pub fn noise(queries: &[Twins]) -> Vec<Option<TableNoise>> {
    let all = Twins {
        differences: queries
            .iter()
            .flat_map(|q| q.differences.iter().copied())
            .collect(),
    };
    let freedom = all.differences.len() as f64;
    let of_query = |twins: &Twins| {
        let pooled = all.variance()?;
        Some(TableNoise {
            variance: twins.variance().map_or(pooled, |own| own.max(pooled)),
            freedom,
        })
    };
    queries.iter().map(of_query).collect()
}

impl TableNoise {
    /// Returns the standard deviation of the logarithm of a table's times.
    pub fn deviation(self) -> f64 {
        self.variance.sqrt()
    }

    /// Returns the root mean square of the relative difference between two tables of one design.
    pub fn floor(self) -> f64 {
        (2.0 * self.variance).sqrt().exp_m1()
    }
}
