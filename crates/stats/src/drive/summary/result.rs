//! Which designs of a load have a result, and which of those may be the best one.

use super::{DriveDesign, DriveSummary, TrialSummary};
use crate::drive::TrialEnd;

/// Share of failed operations above which times and rates are not those of the whole load.
const MOST_FAILED: f64 = 1e-3;

impl DriveSummary {
    /// Returns whether a design's figures are an answer to what was asked. A load that was cut short by
    /// the end of its server is none, and of one that failed for the most part no times at a rate are.
    pub fn has_result(&self, design: &DriveDesign, at_a_rate: bool) -> bool {
        let mut ends = self.rounds_of(design).filter_map(|t| t.end.as_ref());
        let failed = { design.figures.as_ref() }.is_some_and(|f| f.too_many_failed());
        (ends.any(TrialEnd::is_complete) || design.failures.is_empty()) && !(at_a_rate && failed)
    }

    /// Returns whether a design was driven to the end of a load and did not fail itself, whatever failed in the load.
    pub fn was_driven_to_its_end(&self, design: &DriveDesign) -> bool {
        let mut ends = self.rounds_of(design).filter_map(|t| t.end.as_ref());
        design.failures.is_empty() && ends.any(TrialEnd::is_complete)
    }

    /// Returns the trials that the figures of a design are made of.
    pub fn rounds_of<'a>(
        &'a self,
        design: &'a DriveDesign,
    ) -> impl Iterator<Item = &'a TrialSummary> {
        design.trials.iter().filter_map(|trial| self.trial(*trial))
    }

    /// Returns the designs that may be the best one: those that did all that was asked of them, or, where
    /// no design did it without a failed operation, those with few of them.
    pub fn may_be_best(&self) -> Vec<&DriveDesign> {
        let only_yardsticks = self.designs.iter().all(|d| d.info.is_yardstick());
        let is_choice = |d: &&DriveDesign| only_yardsticks || !d.info.is_yardstick();
        let designs = self.designs.iter().filter(is_choice);
        let whole: Vec<&DriveDesign> = designs.filter(|d| self.did_all(d)).collect();
        let failed = |d: &&DriveDesign| d.figures.as_ref().is_some_and(|f| f.failed() > 0);
        if whole.iter().all(failed) {
            whole
        } else {
            whole.into_iter().filter(|d| !failed(d)).collect()
        }
    }

    /// Returns whether a design neither failed nor was held back in any round, and was steady in most.
    fn did_all(&self, design: &DriveDesign) -> bool {
        let rounds = self.rounds_of(design).count();
        let steady = self.rounds_of(design).filter(|t| t.is_steady()).count();
        let held_back = self.rounds_of(design).any(TrialSummary::is_held_back);
        let few_failed =
            { design.figures.as_ref() }.is_some_and(|f| f.failed_share() <= MOST_FAILED);
        design.failures.is_empty() && few_failed && !held_back && 2 * steady > rounds
    }
}

impl TrialSummary {
    /// Returns whether the trial is not known to have been unsteady.
    pub fn is_steady(&self) -> bool {
        self.steady != Some(false)
    }

    /// Returns whether less was sent than was due, or much of it failed.
    pub fn is_held_back(&self) -> bool {
        let unsent = self.end.as_ref().is_some_and(|end| end.unsent > 0);
        unsent || self.capped().is_some() || self.figures.failed_share() > MOST_FAILED
    }
}
