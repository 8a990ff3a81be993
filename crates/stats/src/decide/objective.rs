//! What designs are compared by.

use serde::Serialize;

use super::Minimise;

/// What designs are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    Month,
    Storage,
    /// The weighted geometric mean of the times of all questions that count.
    Time,
    Load,
    /// The time of the question with this index.
    Question(usize),
}

impl Objective {
    pub const OF_TABLES: [Objective; 4] = [
        Objective::Time,
        Objective::Storage,
        Objective::Load,
        Objective::Month,
    ];

    /// Whether its figures come from rounds.
    pub(super) fn is_timed(self) -> bool {
        matches!(
            self,
            Objective::Time | Objective::Month | Objective::Question(_)
        )
    }
}

/// The objective that stands in for the rule's one.
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
