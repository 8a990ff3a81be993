//! The plan of passes, and its checks.

use super::schedule::NO_TIME_LIMIT;
use super::{Pass, Plan, PlanError, Schedule};

/// Largest number of passes of a round. Each is a load of a turn, and a warm-up makes all of them once more.
pub const MOST_PASSES: usize = 30;

/// The passes of a round, which take the place of each design's load.
#[derive(Debug, Clone)]
pub struct PassesFor {
    /// Whether the tables are dropped and created again, empty, before the first pass of each round; otherwise they
    /// are filled once, before all rounds.
    pub from_empty: bool,
    /// Passes in the order in which they are carried out.
    pub passes: Vec<Pass>,
}

impl PassesFor {
    /// Checks that each pass can be carried out on the rows of a load.
    ///
    /// # Errors
    /// Those of [`Plan::check`].
    pub fn check(&self, load: &Plan) -> Result<(), PlanError> {
        let mut passes = self.passes.iter();
        passes.try_for_each(|pass| planned(load.clone(), *pass).check())
    }
}

/// Makes the plan of a pass out of that of a load.
pub(super) fn planned(load: Plan, pass: Pass) -> Plan {
    Plan {
        schedule: Schedule::Pass(pass),
        duration: NO_TIME_LIMIT,
        ..load
    }
}
