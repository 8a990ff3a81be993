//! A node that was added to the servers of a design while a load ran.

use serde::{Deserialize, Serialize};

/// A node that was added to the servers of a design while a load ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeAdded {
    pub trial: u32,
    pub design: String,
    /// Seconds from the start of the load until the node was started.
    pub began: f64,
    /// Seconds from the start of the load until the node had joined, or could not; `None` if the load ended before.
    pub ended: Option<f64>,
    /// Reason why the node did not join; `None` if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Bytes that the other nodes sent it until it had joined; `None` if it does not say.
    pub streamed_bytes: Option<u64>,
    /// Parts of the load that last at least a second, in their order.
    pub parts: Vec<LoadPart>,
}

/// A part of a load, and what its operations did in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadPart {
    pub part: PartOfLoad,
    /// First second of the part, counted from 0.
    pub from: u32,
    /// First second after the part.
    pub to: u32,
    /// Figures of each operation, in the header's order.
    pub operations: Vec<PartFigures>,
}

/// Position of a part of a load relative to the joining of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartOfLoad {
    /// From the end of the warm-up until the node was started.
    Before,
    /// Until the node had joined, or could not.
    During,
    /// Until the last operation was due.
    After,
}

/// Figures of one operation in a part of a load. Times are response times in nanoseconds; `None` if none succeeded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartFigures {
    pub successes: u64,
    pub failed: u64,
    pub p50_ns: Option<u64>,
    pub p99_ns: Option<u64>,
    pub max_ns: Option<u64>,
}

impl NodeAdded {
    /// Returns the seconds that joining took; `None` if the node did not join.
    pub fn joining_seconds(&self) -> Option<f64> {
        let ended = self.ended.filter(|_| self.failed.is_none())?;
        Some(ended - self.began)
    }
}

impl LoadPart {
    /// Returns the length of the part in seconds.
    pub fn seconds(&self) -> u32 {
        self.to.saturating_sub(self.from)
    }
}
