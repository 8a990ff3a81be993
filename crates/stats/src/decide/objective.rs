//! Objectives by which designs are compared.

use serde::Serialize;

use super::Minimise;

/// Objective by which designs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    Month,
    Storage,
    /// Weighted geometric mean of the times of all questions that count.
    Time,
    Load,
    /// Time of the question with this index.
    Question(usize),
}

impl Objective {
    /// Objectives that concern a whole table.
    pub const OF_TABLES: [Objective; 4] = [
        Objective::Time,
        Objective::Storage,
        Objective::Load,
        Objective::Month,
    ];

    /// Returns whether its figures come from rounds.
    pub(super) fn is_timed(self) -> bool {
        matches!(
            self,
            Objective::Time | Objective::Month | Objective::Question(_)
        )
    }
}

/// Objective that replaces the rule's one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Fallback {
    pub wanted: Minimise,
    pub instead: Minimise,
}

impl Minimise {
    pub(super) fn objective(self) -> Objective {
        match self {
            Minimise::Month => Objective::Month,
            Minimise::Storage => Objective::Storage,
            Minimise::Time => Objective::Time,
            Minimise::Load => Objective::Load,
        }
    }
}
