//! Machine of a measurement, the engines on it, and the CPU time that they took.

use serde::{Deserialize, Serialize};

use crate::DesignInfo;
use crate::design::earlier;

/// Machine that a measurement ran on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    pub os: String,
    pub cpu: String,
    pub cores: u32,
    pub memory_bytes: u64,
    /// Maker and model that the firmware names, which is the type of a rented machine in some clouds:
    /// `Amazon EC2 m5.large`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Machine {
    /// Returns whether nothing tells this machine from another one. Earlier versions recorded no model.
    pub fn may_be(&self, other: &Machine) -> bool {
        let is_unlike = |model: &String| other.model.as_ref().is_some_and(|there| there != model);
        let of_other = Machine {
            model: self.model.clone(),
            ..other.clone()
        };
        *self == of_other && !self.model.as_ref().is_some_and(is_unlike)
    }
}

/// Several nodes that were started of one engine, all on the machine of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodesInfo {
    /// The name of the engine.
    #[serde(default = "earlier::engine_of_nodes")]
    pub engine: String,
    pub nodes: u32,
    /// Number of copies of each row.
    pub copies: u32,
    /// Consistency level of reads and writes.
    pub consistency: String,
}

impl NodesInfo {
    /// Returns whether a design is of the engine that these nodes are of.
    pub fn are_of(&self, design: &DesignInfo) -> bool {
        design.engine == self.engine
    }

    /// Returns whether a design has its rows on nodes like these: those of its own engine, or as many of the same kind
    /// that another engine reads.
    pub fn hold(&self, design: &DesignInfo) -> bool {
        self.are_of(design) || design.stored_by.as_ref() == Some(&self.engine)
    }
}

/// Standbys that were started of a primary server, all on the machine of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StandbysInfo {
    /// The names of the engines whose servers have them, so many each.
    pub engines: Vec<String>,
    /// Number of standbys of each primary.
    pub standbys: u32,
    /// What a commit waits for, in words: the end of a sentence that begins with "a commit waits for".
    pub commit_waits_for: String,
}

impl StandbysInfo {
    /// Returns whether a design has its rows on these standbys.
    pub fn hold(&self, design: &DesignInfo) -> bool {
        self.engines.contains(&design.engine)
    }

    /// Returns the number of copies of each row, that of the primary included.
    pub fn copies(&self) -> u32 {
        self.standbys.saturating_add(1)
    }
}

/// Engine that was started for a measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EngineInfo {
    pub engine: String,
    pub version: String,
    /// Seconds from the start until the engine answered; absent if it was running already.
    pub start_seconds: Option<f64>,
    /// Names and values of settings that matter, such as heap, directories and time-outs.
    pub settings: Vec<(String, String)>,
}

impl EngineInfo {
    /// Name of the setting with the number of nodes, which only engines have that divide rows among nodes.
    pub const NODES: &'static str = "nodes";
    /// Name of the setting with the copies of each row, which is left out for a single copy.
    pub const COPIES: &'static str = "replication factor";
    /// Value of that setting for a keyspace that several processes share: it has the copies that the one chose which
    /// created it.
    pub const COPIES_OF_SHARED: &'static str = "that of the shared keyspace";
    /// Name of the setting with the number of datacenters, each of which has all copies; it is left out for one.
    pub const DATACENTERS: &'static str = "datacenters";
    /// Name of the setting that begins with the number of standbys of a server, which is left out for none.
    pub const STANDBYS: &'static str = "standbys";
    /// Name of the setting with the address of a cluster that was running already.
    pub const CLUSTER: &'static str = "cluster";
    /// Name of the setting with the address of a server that was running already.
    pub const SERVER: &'static str = "server";
    /// Name of the setting with the number of executors of a cluster that was running already, or that it is not known.
    pub const EXECUTORS: &'static str = "executors";
    /// Name of the setting with the design that alone uses a server, which is left out for one that designs share.
    pub const SERVER_OF: &'static str = "server of";
    /// Value of `server` for one whose address is not known, and which counts as another machine.
    pub const ELSEWHERE: &'static str = "elsewhere, at an address that only its driver knows";

    /// Returns the value of a setting.
    pub fn setting(&self, name: &str) -> Option<&str> {
        let found = self.settings.iter().find(|(setting, _)| setting == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// CPU time in seconds, user and system together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuSeconds {
    /// CPU time of Bakeoff itself.
    pub client: f64,
    /// CPU time of the engine's own process; absent if there is none or if Bakeoff did not start
    /// it.
    pub server: Option<f64>,
    /// Whether a process of the engine ended meanwhile, whose time is known in clock ticks only; not known of records
    /// of earlier versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_ticks: bool,
}

impl std::ops::Add for CpuSeconds {
    type Output = CpuSeconds;

    /// Adds both times; the server's is known only if it is known in both, and in ticks if one of them is.
    fn add(self, other: CpuSeconds) -> CpuSeconds {
        CpuSeconds {
            client: self.client + other.client,
            server: self.server.zip(other.server).map(|(a, b)| a + b),
            in_ticks: self.in_ticks || other.in_ticks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_model_may_be_one_with_a_model() {
        let machine = |model: Option<&str>, cores| Machine {
            os: "Linux".to_owned(),
            cpu: "CPU".to_owned(),
            cores,
            memory_bytes: 1 << 30,
            model: model.map(str::to_owned),
        };
        assert!(machine(None, 2).may_be(&machine(Some("a"), 2)));
        assert!(machine(Some("a"), 2).may_be(&machine(None, 2)));
        assert!(machine(Some("a"), 2).may_be(&machine(Some("a"), 2)));
        assert!(!machine(Some("a"), 2).may_be(&machine(Some("b"), 2)));
        assert!(!machine(None, 2).may_be(&machine(None, 4)));
    }
}
