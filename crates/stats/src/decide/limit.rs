//! Limits that the recommended design has to keep.

use serde::{Deserialize, Serialize};

/// Limit on a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// Text of the limit in the workload.
    pub text: String,
    pub of: LimitOf,
    /// Bound in seconds, bytes or rows per second.
    pub bound: f64,
}

/// Figure that a limit is on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitOf {
    /// Largest number of bytes to buy.
    Storage,
    /// Smallest number of rows loaded per second.
    Load,
    /// Longest time of the question with this index, in seconds: a quantile or, without one, the median.
    Question { index: usize, quantile: Option<f64> },
}

/// State of a limit for a design.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitState {
    Kept,
    /// The estimate keeps the limit, but its interval extends beyond it.
    ProbablyKept,
    /// The estimate breaks the limit by this factor, but its interval extends below it.
    ProbablyBroken(f64),
    /// The limit is broken by this factor.
    Broken(f64),
    /// There is no figure to compare with the limit.
    NotKnown,
}

impl LimitState {
    /// Returns whether the estimate breaks the limit.
    pub fn is_broken(self) -> bool {
        matches!(self, LimitState::Broken(_) | LimitState::ProbablyBroken(_))
    }

    /// Returns whether the interval of the figure has the limit in it.
    pub fn is_unsure(self) -> bool {
        matches!(
            self,
            LimitState::ProbablyKept | LimitState::ProbablyBroken(_)
        )
    }
}
