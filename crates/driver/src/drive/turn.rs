//! A design's turn in a round.

use std::sync::Arc;

use super::context::{DriveSettings, Trouble};
use super::trial::{Trial, Trials};
use super::{NewRows, Plan, Schedule, Stop, Target};

/// Largest number of loads in one turn, which is more than a search has.
const LOADS_OF_A_TURN: u32 = 64;

/// A design while it is driven.
pub struct DrivenDesign {
    pub target: Arc<dyn Target>,
    /// New rows of its loads so far.
    new_rows: Vec<NewRows>,
    /// Whether its server has been warmed up, or it has none.
    pub is_warm: bool,
    /// Whether the questions beside its loads were asked once, so that no answer is its first one.
    pub was_asked: bool,
    /// Whether it has failed, and is not driven any more.
    pub is_out: bool,
}

impl DrivenDesign {
    /// Makes a design that has not been driven.
    pub fn new(target: Arc<dyn Target>) -> Self {
        DrivenDesign {
            is_warm: !target.info().server,
            target,
            new_rows: Vec::new(),
            was_asked: false,
            is_out: false,
        }
    }
}

/// A design's turn in a round: one load, or all those of a search.
pub struct Turn<'a, 'b> {
    pub trials: &'a mut Trials<'b>,
    pub design: &'a mut DrivenDesign,
    pub settings: &'a DriveSettings,
    pub round: u32,
    pub stop: &'a Stop,
    /// Number of loads of this turn so far.
    pub loads: u32,
}

impl Turn<'_, '_> {
    /// Plans the next load. All designs of a round have the same operations in their nth load, and two
    /// loads of one design never have.
    pub fn plan(&self, schedule: Schedule) -> Plan {
        Plan {
            ordinal: (self.round - 1) * LOADS_OF_A_TURN + self.loads,
            schedule,
            // Only the first load waits for the given moment; the others begin when they are ready.
            start_at: self.settings.load.start_at.filter(|_| self.is_first()),
            ..self.settings.load.clone()
        }
    }

    /// Returns whether no design has been driven yet.
    fn is_first(&self) -> bool {
        self.trials.count == 0
    }

    /// Drives the next load, whose new rows come after those of the loads before.
    ///
    /// # Errors
    /// Those of [`Trials::drive`].
    pub async fn drive(&mut self, mut load: Plan) -> Result<Trial, Trouble> {
        self.loads += 1;
        load.new_rows = std::mem::take(&mut self.design.new_rows);
        let target = self.design.target.clone();
        let trial = self.trials.drive(target, self.round, &load, self.stop);
        let mut trial = trial.await?;
        self.design.new_rows = std::mem::take(&mut trial.driven.new_rows);
        Ok(trial)
    }
}
