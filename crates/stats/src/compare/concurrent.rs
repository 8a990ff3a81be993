//! The result of several clients that ask one design at the same time.

use serde::{Deserialize, Serialize};

use super::{Agreed, Outcome};
use crate::CpuSeconds;

/// Result of several clients asking one design at the same time for one of its turns, recorded once
/// all questions of the turn have ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Concurrent {
    pub design: String,
    /// Number of the design's turn, counted from 0. `None` in records of earlier versions, in which
    /// a design had a single turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    pub clients: u32,
    /// Number of permutations that were begun in the turn; each one has every query once, in a
    /// different order. It is 0 where all clients asked one query at a time.
    pub permutations: u32,
    /// Seconds during which questions were in flight, from sending the first one to receiving the
    /// last answer.
    pub seconds: f64,
    pub cpu: CpuSeconds,
    /// Queries that the design was asked, in the workload's order.
    pub queries: Vec<ConcurrentQuery>,
    /// Queries with wrong or missing answers; empty if all answers were right.
    pub bad: Vec<BadQuestions>,
    /// Permutations with which the clients go on in the design's next turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<Unfinished>,
}

impl Concurrent {
    /// Returns whether all clients asked the same query at a time.
    pub fn is_one_query_at_a_time(&self) -> bool {
        self.queries.iter().any(|query| query.seconds.is_some())
    }
}

/// Permutation that a client has asked in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    pub permutation: u32,
    /// Number of its questions that are left, which are the last ones.
    pub left: u32,
}

/// Times of the right answers to a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConcurrentQuery {
    pub query: String,
    /// Service times of the answers, from sending the question to receiving the last row.
    pub nanoseconds: Vec<u64>,
    /// Seconds during which all clients asked this query and no other; absent where they asked
    /// permutations of all queries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Comparison of the answers to sets of parameters without a right answer; absent where there are no
    /// such sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreed: Option<Agreed>,
}

/// Wrong or missing answers to a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BadQuestions {
    pub query: String,
    /// Number of questions with such an answer.
    pub questions: u32,
    /// Permutation of the first such question.
    pub permutation: u32,
    /// Outcome of the first such question.
    pub outcome: Outcome,
}
