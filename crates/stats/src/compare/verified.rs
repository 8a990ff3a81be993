//! Results of a check of the questions alone: their right answers, and whether wrong ones are caught.

use serde::{Deserialize, Serialize};

/// Share of the wrong answers that a comparison has to catch.
pub const ENOUGH_CAUGHT: f64 = 0.995;

/// Results for the questions of a workload over its first rows, without any design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    pub workload: String,
    pub rows: u64,
    pub questions: Vec<VerifiedQuestion>,
    /// Score of each kind of wrong answers; empty if none were made.
    pub mutations: Vec<MutationScore>,
}

/// Results for one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerifiedQuestion {
    pub query: String,
    /// Number of right answers that were computed, one for each set of parameters.
    pub answers: u32,
    /// Number of rows of the largest right answer.
    pub rows: u64,
    /// Reason why there is no right answer; absent if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Those of the first right answer that has some, if it is not too large to be held.
    #[serde(default)]
    pub first: FirstRows,
}

/// The first rows of a right answer, as texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstRows {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Number of all rows of the answer.
    pub of: u64,
}

/// Number of wrong answers of a kind that were made of right ones, and of those that the comparison caught.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutationScore {
    pub kind: MutationKind,
    pub tried: u64,
    pub caught: u64,
}

/// An error that an engine may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MutationKind {
    DroppedRow,
    DuplicatedRow,
    /// Two rows that the query orders have changed places.
    SwappedRows,
    /// A value is that of another row.
    StaleValue,
    /// A number or time is one too large.
    OffByOne,
    NullForValue,
    ValueForNull,
    /// A float is too large by a millionth.
    RelativeError,
    EmptyAnswer,
    ExchangedColumns,
}

impl MutationKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [MutationKind; 10] = [
        MutationKind::DroppedRow,
        MutationKind::DuplicatedRow,
        MutationKind::SwappedRows,
        MutationKind::StaleValue,
        MutationKind::OffByOne,
        MutationKind::NullForValue,
        MutationKind::ValueForNull,
        MutationKind::RelativeError,
        MutationKind::EmptyAnswer,
        MutationKind::ExchangedColumns,
    ];

    /// Describes what is wrong, in words.
    pub fn name(self) -> &'static str {
        match self {
            MutationKind::DroppedRow => "a row dropped",
            MutationKind::DuplicatedRow => "a row twice",
            MutationKind::SwappedRows => "two rows swapped",
            MutationKind::StaleValue => "another row's value",
            MutationKind::OffByOne => "off by one",
            MutationKind::NullForValue => "null for a value",
            MutationKind::ValueForNull => "a value for null",
            MutationKind::RelativeError => "off by a millionth",
            MutationKind::EmptyAnswer => "an empty answer",
            MutationKind::ExchangedColumns => "two columns exchanged",
        }
    }
}

impl MutationScore {
    pub fn new(kind: MutationKind) -> MutationScore {
        MutationScore {
            kind,
            tried: 0,
            caught: 0,
        }
    }

    /// Adds a wrong answer, which was caught or not.
    pub fn note(&mut self, is_caught: bool) {
        self.tried += 1;
        self.caught += u64::from(is_caught);
    }
}

impl Verified {
    /// Returns the number of wrong answers that were made, and the number of those that were caught.
    pub fn total(&self) -> (u64, u64) {
        let tried = self.mutations.iter().map(|score| score.tried).sum();
        let caught = self.mutations.iter().map(|score| score.caught).sum();
        (tried, caught)
    }

    /// Returns whether [`ENOUGH_CAUGHT`] of the wrong answers were caught, if any were made.
    pub fn catches_enough(&self) -> bool {
        let (tried, caught) = self.total();
        caught as f64 >= ENOUGH_CAUGHT * tried as f64
    }
}
