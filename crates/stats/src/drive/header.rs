//! First record of a load: designs, operations, schedule and machine.

use serde::{Deserialize, Serialize};

use super::{Beside, Passes};
use crate::decide::Rule;
use crate::{DesignInfo, Machine, NodesInfo, PublishedFigure};

/// First record of a load: designs, operations, schedule and machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriveHeader {
    pub bakeoff_version: String,
    /// Start of the load, in RFC 3339 and UTC.
    pub started_at: String,
    /// The command line, without secrets.
    pub command: String,
    pub workload: String,
    pub title: String,
    /// Text of the workload file.
    pub workload_text: String,
    pub seed: u64,
    /// Rows that exist before the load begins, over all shards.
    pub rows: u64,
    /// Operations in the order of the workload's mix.
    pub operations: Vec<OperationInfo>,
    pub designs: Vec<DesignInfo>,
    pub machine: Machine,
    /// Worker threads of this process.
    pub threads: u32,
    /// Number of this process, from 0, and number of processes that drive the table.
    pub shard: (u32, u32),
    /// Description of the schedule of all shards together.
    pub schedule: String,
    /// Most operations of this process that may be in flight at a time.
    pub in_flight: u32,
    /// Most attempts after the first one that an operation may have.
    #[serde(default)]
    pub retries: u32,
    /// Seconds without an answer after which an operation has failed; 0 in folders of versions that
    /// did not record them.
    #[serde(default)]
    pub time_out_seconds: f64,
    /// Address of a cluster that was running already, as it was given; absent if a server was
    /// started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The nodes that were started for the load, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodesInfo>,
    /// Keyspace that several processes share; absent if the run has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyspace: Option<String>,
    /// Description of the objective of a search for the highest rate.
    pub objective: Option<String>,
    /// Planned duration of each trial; 0 for passes and for a number of operations, which last as long as they
    /// take.
    pub seconds: f64,
    /// Passes that take the place of loads; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<Passes>,
    /// Questions that are asked beside some of the loads; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
    /// Published figures that are shown alongside the measured ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
    /// Rule by which designs are compared; absent in folders of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decide: Option<Rule>,
    /// Processes whose folders were joined; empty for the folder of a single one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// Figures of a publication on the same question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Published {
    pub source: String,
    pub figures: Vec<PublishedFigure>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperationInfo {
    pub name: String,
    /// Description of what the operation does.
    pub action: String,
    /// Whether its bytes go to the server, rather than come from it.
    pub writes: bool,
    pub weight_percent: f64,
    /// Consistency level as CQL names it; empty for the engine's default.
    pub consistency: String,
    pub ttl_seconds: Option<u32>,
}

/// One of several processes that drove a table together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Number of the process, counted from 0.
    pub shard: u32,
    pub command: String,
    pub machine: Machine,
    pub threads: u32,
    pub in_flight: u32,
}

impl DriveHeader {
    pub fn operation_names(&self) -> Vec<String> {
        self.operations.iter().map(|o| o.name.clone()).collect()
    }

    /// Returns the planned duration of each trial in seconds; `None` where it lasts as long as it takes.
    pub fn planned_seconds(&self) -> Option<f64> {
        (self.seconds > 0.0).then_some(self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_without_published_figures_is_one_of_before_they_were_kept() {
        let header = crate::drive::testing::header();
        let json = serde_json::to_string(&header).unwrap();
        assert!(
            !json.contains("published") && !json.contains("decide"),
            "{json}"
        );
        let published = DriveHeader {
            published: Some(Published {
                source: "A study".to_owned(),
                figures: Vec::new(),
                notes: vec!["A finding".to_owned()],
            }),
            ..header.clone()
        };
        let shared = DriveHeader {
            cluster: Some("cass-0".to_owned()),
            keyspace: Some("bakeoff_shared".to_owned()),
            ..header.clone()
        };
        for header in [header, published, shared] {
            let json = serde_json::to_string(&header).unwrap();
            assert_eq!(serde_json::from_str::<DriveHeader>(&json).unwrap(), header);
        }
    }
}
