//! Place of a process among those that sweep one table together.

use serde::{Deserialize, Serialize};

use crate::Machine;

/// Place of a process among those that sweep one table together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedSweep {
    /// Number of this process, from 0, and number of processes. A joined folder has the number of the first one.
    pub shard: (u32, u32),
    /// Moment at which the first setting begins, in milliseconds since 1970.
    pub start_at_ms: u64,
    /// Seconds between the end of a setting and the begin of the next one.
    pub pause_seconds: f64,
    /// Address of the cluster, as it was given.
    pub cluster: Option<String>,
    pub keyspace: Option<String>,
    /// Consistency level that was asked for; absent for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consistency: Option<String>,
    /// Processes whose folders were joined; empty for the folder of a single one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<SweepPart>,
}

/// One of several processes that swept a table together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepPart {
    /// Number of the process, counted from 0.
    pub shard: u32,
    pub command: String,
    pub machine: Machine,
    pub threads: u32,
    /// Numbers of workers of this process, ascending.
    pub workers: Vec<u32>,
}

impl SharedSweep {
    /// Returns whether the folders of several processes were joined.
    pub fn is_joined(&self) -> bool {
        !self.parts.is_empty()
    }
}
