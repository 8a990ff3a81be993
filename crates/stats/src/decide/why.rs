//! Reasons why designs and questions are left out of a decision.

use serde::Serialize;

use super::AskedOf;

/// Reason why a design is not recommended, whatever its figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyOut {
    Yardstick,
    /// The design failed before the end.
    Failed(String),
    /// A race dropped the design; holds the design that beats it, and by how much.
    Dropped(String),
    /// The design answered a question wrongly or not at all that others can answer.
    FailedQuestion {
        question: usize,
        reason: String,
    },
    RowsLost {
        rows: u64,
        keeps_rows_if: Option<String>,
    },
    /// The design has no figure by which it could be ranked.
    NotRanked(String),
}

/// Rows that every design drops, since keys repeat.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LostRows {
    /// Number of rows that the design with the fewest dropped.
    pub rows: u64,
    pub keeps_rows_if: Option<String>,
}

/// Reason why a question does not count.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyLeftOut {
    /// No design answers the question, so the question is at fault; holds the reason of the first design.
    FailsEverywhere(String),
    /// Some designs read no row for the question; holds their ids.
    FromMetadata(Vec<String>),
    AlwaysEmpty,
    /// Some designs were not asked the question, so it does not compare all of them.
    NotAskedOfAll(AskedOf),
    /// No design has a figure at the scale of interest; holds the reason.
    Unknown(String),
    /// The rule gives the question no weight.
    NoWeight,
}
