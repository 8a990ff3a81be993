//! The machine of a measurement, the engines on it, and the CPU time that they took.

use serde::{Deserialize, Serialize};

use crate::{DesignInfo, earlier};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    pub os: String,
    pub cpu: String,
    pub cores: u32,
    pub memory_bytes: u64,
}

/// Several nodes that were started of one engine, all on the machine of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodesInfo {
    /// The name of the engine.
    #[serde(default = "earlier::engine_of_nodes")]
    pub engine: String,
    pub nodes: u32,
    /// Of each row.
    pub copies: u32,
    /// Of reads and writes.
    pub consistency: String,
}

impl NodesInfo {
    /// Returns whether a design has its rows on these nodes.
    pub fn hold(&self, design: &DesignInfo) -> bool {
        design.engine == self.engine
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EngineInfo {
    pub engine: String,
    pub version: String,
    /// Seconds from start until it answered; absent for an engine that already ran.
    pub start_seconds: Option<f64>,
    /// Settings that matter (heap, directories, time-outs), name and value.
    pub settings: Vec<(String, String)>,
}

/// User and system seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuSeconds {
    /// Of Bakeoff itself.
    pub client: f64,
    /// Of the engine's own process; absent where it has none or is not ours.
    pub server: Option<f64>,
}

impl std::ops::Add for CpuSeconds {
    type Output = CpuSeconds;

    /// The server's share is known only where both have one.
    fn add(self, other: CpuSeconds) -> CpuSeconds {
        CpuSeconds {
            client: self.client + other.client,
            server: self.server.zip(other.server).map(|(a, b)| a + b),
        }
    }
}
