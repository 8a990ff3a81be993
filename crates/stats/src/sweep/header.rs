//! What is swept, on what.

use serde::{Deserialize, Serialize};

use crate::{DesignInfo, Machine};

/// The first record of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepHeader {
    pub bakeoff_version: String,
    pub started_at: String,
    /// The command line; no secret is ever in it.
    pub command: String,
    pub workload: String,
    pub title: String,
    /// The workload file, whole.
    pub workload_text: String,
    /// Where rows come from, in words.
    pub data: String,
    pub seed: u64,
    /// How many rows there are; absent where they never end or nobody knows.
    pub rows: Option<u64>,
    pub designs: Vec<DesignInfo>,
    pub machine: Machine,
    /// Threads of the client that all workers share.
    pub threads: u32,
    /// Rows of a batch, ascending.
    pub batches: Vec<u64>,
    /// Workers, ascending.
    pub workers: Vec<u32>,
    /// Time in which inserts of a cell begin, after the warm-up.
    pub seconds: f64,
    pub warm_up_seconds: f64,
    /// The longest that one insert may take.
    pub time_out_seconds: f64,
}
