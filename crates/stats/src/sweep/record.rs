//! What happens in a sweep, step by step.

use serde::{Deserialize, Serialize};

use super::SweepHeader;
use crate::{EngineInfo, FailureKind};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum SweepRecord {
    Started(Box<SweepHeader>),
    Engine(EngineInfo),
    Warning {
        message: String,
    },
    Cell(Cell),
    /// A design that is out from here on.
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

/// A design with one batch size and one number of workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub design: String,
    pub batch_rows: u64,
    pub workers: u32,
    /// What was acknowledged after the warm-up; absent if nothing was.
    pub inserted: Option<Inserted>,
    /// What failed, also in the warm-up.
    pub failures: Failures,
    /// Whether the rows that were acknowledged are there; absent if there was no table to ask.
    pub check: Option<Check>,
    /// Why there is nothing to show, or less than was asked for.
    pub reason: Option<String>,
}

/// Inserts that were acknowledged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inserted {
    pub inserts: u64,
    pub rows: u64,
    /// From the begin of the measured time to the last acknowledgement; waiting for rows is in it.
    pub seconds: f64,
    /// Seconds from handing a batch over to its acknowledgement.
    pub mean: f64,
    pub p50: f64,
    /// `None` of so few that it would be their maximum.
    pub p99: Option<f64>,
    pub max: f64,
    /// Share of the workers' time that went into waiting for rows to be made.
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
    /// How many of each kind, where there were any.
    pub kinds: Vec<(FailureKind, u64)>,
    /// Rows in them, each of which may be there or not.
    pub rows: u64,
    /// The first few messages, each once.
    pub messages: Vec<String>,
}

impl Failures {
    pub fn count(&self) -> u64 {
        self.kinds.iter().map(|(_, count)| count).sum()
    }
}

/// The rows of the table, counted when all workers had ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "check", rename_all = "kebab-case")]
pub enum Check {
    /// As many as were acknowledged, or more by rows of inserts that failed.
    Right { counted: u64, acknowledged: u64 },
    /// Acknowledged rows are missing, or there are rows that nobody inserted.
    Wrong { counted: u64, acknowledged: u64 },
    /// Nobody knows how many there should be.
    NotDone { why: String },
    /// There was no answer.
    Failed { why: String },
}

impl Check {
    /// Of rows that were counted; `failed` ones may be there or not.
    pub fn of(counted: u64, acknowledged: u64, failed: u64) -> Check {
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

    /// Also if the rows could not be counted: nothing says that they are there.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Check::Wrong { .. } | Check::Failed { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledged_rows_have_to_be_there_and_failed_ones_may_be() {
        assert!(!Check::of(100, 100, 0).is_wrong());
        assert!(!Check::of(110, 100, 10).is_wrong());
        assert!(Check::of(99, 100, 10).is_wrong());
        assert!(Check::of(111, 100, 10).is_wrong());
    }
}
