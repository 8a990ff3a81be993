//! What a race dropped, when it ended, and what ten more minutes would settle.

use serde::Serialize;

use super::Summary;
use crate::compare::{Dropped, Instance, InstanceKind, Stopped};
use crate::decide::{DecisionInput, Settling, TEN_MINUTES};

/// Rounds after which a race looks at its figures.
pub const LOOKS: [u32; 5] = [5, 8, 12, 18, 27];

/// Returns how many times the error that all intervals may have is the part of the look after this many
/// rounds: 2 for the first look, then 4, 8 and so on. All parts together are no more than the whole, so
/// intervals hold whichever look is the last. The first look gets most: with few rounds, a smaller part
/// makes intervals much wider, with many hardly. An end between two looks is the later one of them.
pub fn parts_of_error(rounds: usize) -> usize {
    let before = LOOKS
        .iter()
        .filter(|look| (**look as usize) < rounds)
        .count();
    2usize.pow((before.min(LOOKS.len()) + 1) as u32)
}

/// Summary of a race.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RaceSummary {
    /// Rows of the smaller tables at which designs were dropped, the fewest first.
    pub rungs: Vec<u64>,
    /// In the header's order, controls included.
    pub dropped: Vec<Dropped>,
    /// Designs that were dropped, and whose winner may not be recommended: nothing is known to beat them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfounded: Vec<Dropped>,
    /// `None` until the race ended.
    pub stopped: Option<Stopped>,
    /// Comparisons that ten more minutes would settle; `None` where that is not known.
    pub ten_minutes: Option<Settling>,
}

impl RaceSummary {
    /// Adds the tables of rungs, of which there may be none.
    pub(super) fn add_rungs(&mut self, tables: &[Instance]) {
        let rows = tables.iter().filter_map(|table| match table.kind {
            InstanceKind::Smaller { rows } => Some(rows),
            InstanceKind::Twin | InstanceKind::Part { .. } => None,
        });
        self.rungs.extend(rows);
        self.rungs.sort_unstable();
        self.rungs.dedup();
    }
}

impl Summary {
    /// Fills in what a race found.
    pub(super) fn finish_race(&mut self) {
        let Some(race) = &self.race else {
            return;
        };
        let dropped = self
            .designs
            .iter()
            .filter_map(|design| design.dropped.clone());
        let input: Option<DecisionInput> = self.decision_input();
        self.race = Some(RaceSummary {
            rungs: race.rungs.clone(),
            dropped: dropped.collect(),
            unfounded: race.unfounded.clone(),
            stopped: race.stopped,
            ten_minutes: input.and_then(|input| Settling::within(&input, TEN_MINUTES)),
        });
    }
}
