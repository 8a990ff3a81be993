//! First record of a sweep: designs, settings and machine.

use serde::{Deserialize, Serialize};

use super::SharedSweep;
use crate::{DesignInfo, Machine};

/// End of the id of a design whose batches hold rows of any partitions, after that of the design itself.
pub const OVER_ANY: &str = "#any-partition";

/// The first record of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepHeader {
    pub bakeoff_version: String,
    pub started_at: String,
    /// The command line, without secrets.
    pub command: String,
    pub workload: String,
    pub title: String,
    /// Text of the workload file.
    pub workload_text: String,
    /// Source of the rows, in words.
    pub data: String,
    pub seed: u64,
    /// Number of rows; absent if they never end or their number is unknown.
    pub rows: Option<u64>,
    pub designs: Vec<DesignInfo>,
    pub machine: Machine,
    /// Threads of the client, which all workers share.
    pub threads: u32,
    /// Numbers of rows of a batch, ascending.
    pub batches: Vec<u64>,
    /// Numbers of workers, ascending.
    pub workers: Vec<u32>,
    /// Seconds after the warm-up in which inserts of a cell begin.
    pub seconds: f64,
    /// Number of rounds, in each of which every setting is measured once; 1 in records of earlier
    /// versions.
    #[serde(default = "super::record::first")]
    pub rounds: u32,
    pub warm_up_seconds: f64,
    /// Longest time that one insert may take.
    pub time_out_seconds: f64,
    /// Place among the processes that sweep together; absent for a sweep of a single process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedSweep>,
}
