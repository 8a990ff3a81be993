//! Records of a sweep, one for each step.

use serde::{Deserialize, Serialize};

use super::{SavedTally, SweepHeader};
use crate::counts::total;
use crate::{EngineInfo, FailureKind, Footprint, ServerWindow};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum SweepRecord {
    Started(Box<SweepHeader>),
    Engine(EngineInfo),
    Warning {
        message: String,
    },
    Cell(Cell),
    /// Inserts of the cell that follows it, in a sweep that several processes make together.
    Part(CellPart),
    /// Figures of the design's server while the cell that follows was measured. Absent for designs without a server
    /// that tells any, and in records of earlier versions.
    Server(ServerWindow),
    /// Bytes of the design's table with the rows of the cell that follows. Absent unless they were asked for, and then
    /// of one setting of each design.
    AtRest(AtRest),
    /// The design failed and takes no further part in the sweep.
    Failed {
        design: String,
        reason: String,
    },
    Interrupted {
        at: String,
    },
    Finished {
        at: String,
        seconds: f64,
        peak_memory_bytes: u64,
    },
}

/// Results of a design with one batch size and one number of workers in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub design: String,
    pub batch_rows: u64,
    pub workers: u32,
    /// Number of the round, counted from 1. It is left out of records of the first one, which are all
    /// that earlier versions have.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub round: u32,
    /// Inserts that were acknowledged after the warm-up; absent if there were none.
    pub inserted: Option<Inserted>,
    /// Inserts that failed, including those during the warm-up.
    pub failures: Failures,
    /// Whether the rows that were acknowledged exist; absent if there was no table to ask.
    pub check: Option<Check>,
    /// Reason why results are missing or fewer than asked for.
    pub reason: Option<String>,
}

/// Bytes of the table of a setting that was brought to rest when its rows had been counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AtRest {
    pub batch_rows: u64,
    pub workers: u32,
    /// Number of the round, counted from 1.
    pub round: u32,
    /// Rows that were acknowledged, those of the warm-up included.
    pub rows: u64,
    /// How the table was brought to rest, such as `flushed, then compacted by nodetool`.
    pub how: String,
    pub footprint: Footprint,
}

/// Acknowledged inserts of one process in one setting, whole instead of summed up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellPart {
    pub design: String,
    pub batch_rows: u64,
    /// Workers of this process, or of all processes in a joined folder.
    pub workers: u32,
    /// Number of the round, counted from 1.
    #[serde(default = "first")]
    pub round: u32,
    /// Moment at which the measured time began, by the clock of this machine, in nanoseconds since 1970.
    pub began_at_ns: u64,
    pub inserts: SavedTally,
}

/// Returns the number of the first round.
pub fn first() -> u32 {
    1
}

fn is_first(round: &u32) -> bool {
    *round == first()
}

/// Inserts that were acknowledged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inserted {
    pub inserts: u64,
    pub rows: u64,
    /// Seconds from the begin of the measured time to the last acknowledgement, including time
    /// spent waiting for rows.
    pub seconds: f64,
    /// Seconds from handing over a batch to its acknowledgement.
    pub mean: f64,
    pub p50: f64,
    /// 99th percentile; `None` if there are so few inserts that it would be the maximum.
    pub p99: Option<f64>,
    pub max: f64,
    /// Share of the workers' time that was spent waiting for rows to be generated.
    pub waited_share: f64,
    /// Whether the rows ended before the time did.
    pub rows_ran_out: bool,
}

impl Inserted {
    pub fn rows_per_second(&self) -> f64 {
        self.rows as f64 / self.seconds
    }
}

/// Inserts that were not acknowledged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Failures {
    /// Number of failures of each kind, without kinds that did not occur.
    pub kinds: Vec<(FailureKind, u64)>,
    /// Rows in these inserts, each of which may or may not exist.
    pub rows: u64,
    /// First few messages, without repetitions.
    pub messages: Vec<String>,
}

impl Failures {
    pub fn count(&self) -> u64 {
        total(self.kinds.iter().map(|(_, count)| *count))
    }
}

/// Rows of the table, counted when all workers had ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "check", rename_all = "kebab-case")]
pub enum Check {
    /// The table has the rows that were acknowledged, and at most those of failed inserts in
    /// addition.
    Right { counted: u64, acknowledged: u64 },
    /// Acknowledged rows are missing, or there are rows that were never inserted.
    Wrong { counted: u64, acknowledged: u64 },
    /// The expected number of rows is unknown.
    NotDone { why: String },
    /// The rows could not be counted.
    Failed { why: String },
}

impl Check {
    /// Compares the rows that were counted with those that were acknowledged; rows of failed
    /// inserts may or may not exist.
    pub fn new(counted: u64, acknowledged: u64, failed: u64) -> Check {
        if (acknowledged..=acknowledged.saturating_add(failed)).contains(&counted) {
            Check::Right {
                counted,
                acknowledged,
            }
        } else {
            Check::Wrong {
                counted,
                acknowledged,
            }
        }
    }

    /// Returns whether the rows are not proven to exist, which is also the case if they could not
    /// be counted.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Check::Wrong { .. } | Check::Failed { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledged_rows_have_to_be_there_and_failed_ones_may_be() {
        assert!(!Check::new(100, 100, 0).is_wrong());
        assert!(!Check::new(110, 100, 10).is_wrong());
        assert!(Check::new(99, 100, 10).is_wrong());
        assert!(Check::new(111, 100, 10).is_wrong());
    }
}
