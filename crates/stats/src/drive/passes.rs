//! Passes: operations that go through the rows once, each to its end, with the time and the resources
//! that they took.

use serde::{Deserialize, Serialize};

/// Passes that take the place of loads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passes {
    /// Whether the tables are dropped and created again, empty, before the first pass of each round.
    pub from_empty: bool,
    /// Passes in the order in which they are carried out.
    pub passes: Vec<PassInfo>,
}

/// One pass, as it was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassInfo {
    /// Name of the operation.
    pub operation: String,
    /// Number of rows that it goes through.
    pub rows: u64,
    /// What is compared of each reply, in words.
    pub checked: String,
}

/// Record of a pass that came to its end. Times are in seconds, sizes in bytes; a server has them where
/// Bakeoff started it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassRecord {
    pub trial: u32,
    pub design: String,
    pub round: u32,
    /// Place of the pass in the header's list, counted from 0.
    pub place: usize,
    pub succeeded: u64,
    pub failed: u64,
    /// Conditional writes whose condition did not hold.
    pub not_applied: u64,
    /// Rows returned or written.
    pub rows: u64,
    /// Bytes of values returned or written.
    pub bytes: u64,
    /// Time from the first operation to the last reply.
    pub real: f64,
    /// CPU time of Bakeoff in user mode, with that of making values and comparing replies.
    pub user: f64,
    /// CPU time of Bakeoff in the kernel.
    pub system: f64,
    pub server_cpu: Option<f64>,
    pub disk_read: Option<u64>,
    pub disk_written: Option<u64>,
    /// Time for which garbage collections paused the server.
    pub gc: Option<f64>,
    /// Number of those garbage collections.
    pub gc_count: Option<u64>,
}

impl PassInfo {
    /// What is compared of a reply that is only counted.
    pub const NOTHING: &str = "nothing";
}

impl PassRecord {
    /// Returns the CPU time of the client, in user mode and in the kernel together.
    pub fn client_cpu(&self) -> f64 {
        self.user + self.system
    }

    /// Returns whether every operation of the pass succeeded, and there were some.
    pub fn is_whole(&self) -> bool {
        self.failed == 0 && self.succeeded > 0
    }
}
