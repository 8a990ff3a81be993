//! Everything that a report shows of a load, computed from its folder alone.

use serde::Serialize;

use super::collect::Collected;
use super::{
    DriveHeader, DriveRun, FoundRate, LoadFigures, ProbeRecord, SecondCounts, TrialEnd, TrialStart,
};
use crate::{DesignInfo, EngineInfo, Estimate, Footprint, JournalError};

/// A load as its reader sees it. Designs are in the header's order.
#[derive(Debug, Clone, Serialize)]
pub struct DriveSummary {
    pub header: DriveHeader,
    pub engines: Vec<EngineInfo>,
    pub designs: Vec<DriveDesign>,
    /// In the order in which they were driven.
    pub trials: Vec<TrialSummary>,
    pub warnings: Vec<String>,
    pub finished: bool,
    pub interrupted: bool,
    pub seconds: Option<f64>,
    pub peak_memory_bytes: Option<u64>,
}

/// A design over its rounds.
#[derive(Debug, Clone, Serialize)]
pub struct DriveDesign {
    pub info: DesignInfo,
    /// Rows that it held before the load.
    pub rows: Option<u64>,
    pub load_seconds: Option<f64>,
    pub footprint: Option<Footprint>,
    /// The trials that the figures are of: its rounds; of a search the last load at the rate that
    /// it found.
    pub trials: Vec<u32>,
    /// Histograms and counts of these trials joined.
    pub figures: Option<LoadFigures>,
    /// Operations a second, over rounds.
    pub rate: Option<Estimate>,
    /// Response time p99 of each operation in seconds, over rounds.
    pub response_p99: Vec<Option<Estimate>>,
    /// In the order in which they were driven.
    pub probes: Vec<ProbeRecord>,
    /// One for each round of a search.
    pub found: Vec<FoundRate>,
    /// The highest rate that held, over rounds; `None` where a round has none.
    pub highest_rate: Option<Estimate>,
    pub failures: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct TrialSummary {
    pub start: TrialStart,
    /// `None` for a trial that was cut short by a kill.
    pub end: Option<TrialEnd>,
    pub probe: Option<ProbeRecord>,
    /// Second by second, the warm-up included.
    #[serde(skip)]
    pub seconds: Vec<SecondCounts>,
    /// Leading seconds that are left out.
    pub warm_up_seconds: u32,
    /// Whether the rest is steady. `None`: too short, or not the same rate all the time.
    pub steady: Option<bool>,
    /// How long operations became due, in seconds.
    pub duration: f64,
    pub figures: LoadFigures,
}

/// Records that no load writes, or logs that are not there.
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

impl DriveSummary {
    /// # Errors
    /// The records contradict the header, or a histogram log is missing or damaged.
    pub fn of(run: &DriveRun) -> Result<DriveSummary, DriveSummaryError> {
        let mut collected = Collected::new(run.header());
        for (index, record) in run.records().iter().enumerate() {
            collected.take(index + 1, record)?;
        }
        collected.summary(run.dir())
    }

    pub fn design(&self, id: &str) -> Option<&DriveDesign> {
        self.designs.iter().find(|d| d.info.id == id)
    }

    pub fn trial(&self, trial: u32) -> Option<&TrialSummary> {
        self.trials.iter().find(|t| t.start.trial == trial)
    }
}

impl TrialSummary {
    /// The rate at which operations became due and the one at which they were sent, where that is
    /// more than 1% less. Of arrivals at random those that came count, not those that were expected.
    pub fn capped(&self) -> Option<(f64, f64)> {
        let (_, end) = (self.start.scheduled_rate?, self.end.as_ref()?);
        let due = end.scheduled as f64 / end.seconds;
        (end.rate_reached < 0.99 * due).then_some((due, end.rate_reached))
    }

    /// Whether operations waited for the limit of operations in flight. Else what was late was so
    /// by the driver itself.
    pub fn is_limited(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.queued > 0)
    }
}

#[cfg(test)]
mod tests;
