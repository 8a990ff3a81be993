//! Limits that the recommended design has to keep.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The limit as the workload has it.
    pub text: String,
    pub of: LimitOf,
    /// Seconds, bytes or rows a second.
    pub bound: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitOf {
    /// Bytes to buy, at most.
    Storage,
    /// Rows a second, at least.
    Load,
    /// Seconds of the question with this index, at most: of a quantile, else of the median.
    Question { index: usize, quantile: Option<f64> },
}

/// How a design stands to a limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitState {
    Kept,
    /// The estimate keeps it, but its interval does not.
    ProbablyKept,
    /// The estimate breaks it by this factor, but its interval does not.
    ProbablyBroken(f64),
    /// It is broken by this factor.
    Broken(f64),
    /// There is no figure to compare with it.
    NotKnown,
}

impl LimitState {
    pub fn is_broken(self) -> bool {
        matches!(self, LimitState::Broken(_) | LimitState::ProbablyBroken(_))
    }
}
