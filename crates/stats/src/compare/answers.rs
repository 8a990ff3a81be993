//! Answers of designs to queries: their comparison with the oracle's, and their times.

use serde::{Deserialize, Serialize};

use crate::CpuSeconds;

/// Complete answer of a design to a query, with its comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub design: String,
    pub query: String,
    /// The SQL with its parameters filled in.
    pub sql: String,
    pub outcome: Outcome,
}

/// Comparison of an answer with the oracle's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// The answer equals the oracle's; holds its number of rows.
    Right { rows: u64 },
    /// The answer differs from the oracle's; describes where.
    Wrong { difference: String },
    /// There was no answer.
    Error { reason: String },
}

impl Outcome {
    /// Describes what is wrong with the answer, if anything.
    pub fn complaint(&self) -> Option<String> {
        match self {
            Outcome::Right { .. } => None,
            Outcome::Wrong { difference } => Some(format!("wrong answer: {difference}")),
            Outcome::Error { reason } => Some(format!("no answer: {reason}")),
        }
    }
}

/// Time of one query on one design in one round. The answer is compared after the clock was
/// stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    pub design: String,
    pub query: String,
    pub round: u32,
    /// Service time, from sending the query to receiving the last row of its answer.
    pub seconds: f64,
    /// Rows that the storage passed to the query engine, if their number is known.
    pub rows_scanned: Option<u64>,
    pub cpu: CpuSeconds,
    pub outcome: Outcome,
}
