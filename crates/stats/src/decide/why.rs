//! Why designs and questions are left out of a decision.

use serde::Serialize;

/// Why a design is not recommended, whatever its figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyOut {
    Yardstick,
    /// It did not get to the end.
    Failed(String),
    /// A race dropped it: the design that beats it, and by how much.
    Dropped(String),
    /// It answered a question wrongly or not at all, which others can answer.
    FailedQuestion {
        question: usize,
        reason: String,
    },
    RowsLost {
        rows: u64,
        keeps_rows_if: Option<String>,
    },
    /// It has no figure by which it could be ranked.
    NotRanked(String),
}

/// Rows that no design has, since keys repeat.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LostRows {
    /// The number that the design with the most rows lost.
    pub rows: u64,
    pub keeps_rows_if: Option<String>,
}

/// Why a question does not count.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyLeftOut {
    /// No design answers it, so that the question is at fault: the reason of the first design.
    FailsEverywhere(String),
    /// These designs read no row for it.
    FromMetadata(Vec<String>),
    AlwaysEmpty,
    /// No design has a figure at the scale of interest: the reason.
    Unknown(String),
    /// The rule gives it no weight.
    NoWeight,
}
