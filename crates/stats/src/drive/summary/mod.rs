//! Summary of a load with everything that a report shows, computed from its folder alone.

use std::collections::BTreeMap;

use serde::Serialize;

mod beside;
mod collect;
mod compared;
mod passes;
mod per_node;
mod result;

pub use beside::{
    AskedInRound, BesideFigures, Harm, OperationBeside, QuestionBeside, WithAndWithout,
};
pub use collect::warm_up_of;
pub use compared::{FigureComparison, LoadChoice, LoadComparison, LoadFigure};
pub use passes::PassFigures;

use super::{
    AnsweringEnded, DriveHeader, DriveRun, FoundRate, LoadFigures, NodeAdded, Partitions,
    PassRecord, ProbeRecord, SecondCounts, TrialEnd, TrialStart,
};
use crate::design::{DesignsBySetting, by_setting};
use crate::per_node::{PerNode, Wanted};
use crate::{DesignInfo, EngineInfo, Estimate, Footprint, JournalError, Profile};
use collect::Collected;

/// Summary of a load. Designs are in the header's order.
#[derive(Debug, Clone, Serialize)]
pub struct DriveSummary {
    pub header: DriveHeader,
    pub engines: Vec<EngineInfo>,
    pub designs: Vec<DriveDesign>,
    /// Trials in the order in which they were driven.
    pub trials: Vec<TrialSummary>,
    /// Sizes of the partitions of each design of which some are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<Partitions>,
    /// Figures of each pass of each design, if passes took the place of loads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<PassFigures>,
    /// What questions beside the load cost each design, by who answered them, if some were asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<BesideFigures>,
    /// Designs that could answer no more questions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answering_ended: Vec<AnsweringEnded>,
    /// Nodes that were added while a load ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes_added: Vec<NodeAdded>,
    /// Comparison of the designs within rounds; empty for a search and for passes.
    pub comparison: LoadComparison,
    /// Reads of all trials whose copies disagreed and were made equal before the answer, by design, as far as it is
    /// known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub read_repairs: BTreeMap<String, u64>,
    /// Methods that servers ran during trials, where that was recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<Profile>,
    pub warnings: Vec<String>,
    pub finished: bool,
    pub interrupted: bool,
    pub seconds: Option<f64>,
    pub peak_memory_bytes: Option<u64>,
    /// Operations per second and node; `None` for loads at a given rate, which may be below what a node does, and for
    /// passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_node: Option<PerNode>,
}

/// Figures of a design over its rounds.
#[derive(Debug, Clone, Serialize)]
pub struct DriveDesign {
    pub info: DesignInfo,
    /// Number of rows before the load.
    pub rows: Option<u64>,
    pub load_seconds: Option<f64>,
    pub footprint: Option<Footprint>,
    /// Footprint after the last load; `None` where the server tells no statistics of its tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footprint_after: Option<Footprint>,
    /// Trials that the figures are made of: the rounds; for a search, the last trials at the rates
    /// that it found. Passes are none of them.
    pub trials: Vec<u32>,
    /// Figures of the joined histograms and counts of these trials.
    pub figures: Option<LoadFigures>,
    /// Operations per second, over rounds.
    pub rate: Option<Estimate>,
    /// Response time p99 of each operation in seconds, over rounds.
    pub response_p99: Vec<Option<Estimate>>,
    /// Trials of searches, in the order in which they were driven.
    pub probes: Vec<ProbeRecord>,
    /// Results of searches, one for each round.
    pub found: Vec<FoundRate>,
    /// Highest rate within the objective, over rounds; `None` if a round has none.
    pub highest_rate: Option<Estimate>,
    pub failures: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct TrialSummary {
    pub start: TrialStart,
    /// End of the trial; `None` if it was cut short by a kill.
    pub end: Option<TrialEnd>,
    pub probe: Option<ProbeRecord>,
    /// What the pass took that the trial was; `None` for any other trial.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass: Option<PassRecord>,
    /// Counts by second, the warm-up included.
    #[serde(skip)]
    pub seconds: Vec<SecondCounts>,
    /// Number of leading seconds that are left out.
    pub warm_up_seconds: u32,
    /// Whether the rest is steady; `None` if the trial is too short or its rate was not even.
    pub steady: Option<bool>,
    /// Seconds in which operations became due.
    pub duration: f64,
    pub figures: LoadFigures,
}

/// Inconsistency in records that no load would write, or a log that is missing.
#[derive(Debug, thiserror::Error)]
pub enum DriveSummaryError {
    #[error(
        "record {record} is about the design `{design}`, which the load's header does not have"
    )]
    UnknownDesign { design: String, record: usize },
    #[error("record {record} is about trial {trial}, which has not started")]
    UnknownTrial { trial: u32, record: usize },
    #[error("record {record} has {found} operations, the load's header {expected}")]
    Operations {
        record: usize,
        found: usize,
        expected: usize,
    },
    #[error(transparent)]
    Log(#[from] JournalError),
}

impl DriveDesign {
    /// Returns a design of which nothing is known yet.
    fn new(info: &DesignInfo) -> DriveDesign {
        DriveDesign {
            info: info.clone(),
            rows: None,
            load_seconds: None,
            footprint: None,
            footprint_after: None,
            trials: Vec::new(),
            figures: None,
            rate: None,
            response_p99: Vec::new(),
            probes: Vec::new(),
            found: Vec::new(),
            highest_rate: None,
            failures: Vec::new(),
        }
    }
}

impl DriveRun {
    /// Sums up the records.
    ///
    /// # Errors
    /// The records contradict the header, or a histogram log is missing or damaged.
    pub fn summary(&self) -> Result<DriveSummary, DriveSummaryError> {
        let mut collected = Collected::new(self.header());
        for (index, record) in self.records().iter().enumerate() {
            collected.take(index + 1, record)?;
        }
        let mut summary = collected.summary(self.dir())?;
        summary.per_node = PerNode::new(summary.node_rates(), &Wanted::default(), &[]);
        Ok(summary)
    }
}

impl DriveSummary {
    pub fn design(&self, id: &str) -> Option<&DriveDesign> {
        self.designs.iter().find(|d| d.info.id == id)
    }

    /// Returns the designs by each setting in which at least three of them differ alone, and whose values are
    /// numbers, sizes or durations.
    pub fn by_setting(&self) -> Vec<DesignsBySetting> {
        let infos: Vec<&DesignInfo> = self.designs.iter().map(|design| &design.info).collect();
        by_setting(&infos, None)
    }

    pub fn trial(&self, trial: u32) -> Option<&TrialSummary> {
        self.trials.iter().find(|t| t.start.trial == trial)
    }
}

impl TrialSummary {
    /// Returns the rate at which operations became due and the one at which they were sent, if the
    /// latter is more than 1% lower. Random arrivals are counted as they came, not as they were
    /// expected.
    pub fn capped(&self) -> Option<(f64, f64)> {
        let (_, end) = (self.start.scheduled_rate?, self.end.as_ref()?);
        let due = end.scheduled as f64 / end.seconds;
        (end.rate_reached < 0.99 * due).then_some((due, end.rate_reached))
    }

    /// Returns whether operations waited for the limit of operations in flight; otherwise late
    /// operations were delayed by the driver itself.
    pub fn is_limited(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.queued > 0)
    }
}

#[cfg(test)]
mod tests;
