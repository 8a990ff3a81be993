//! The first record of a load: what was driven, how, on what.

use serde::{Deserialize, Serialize};

use crate::{DesignInfo, Machine, NodesInfo, PublishedFigure};

/// What is driven, how, on what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriveHeader {
    pub bakeoff_version: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// The command line, without secrets.
    pub command: String,
    pub workload: String,
    pub title: String,
    /// Text of the workload file.
    pub workload_text: String,
    pub seed: u64,
    /// Rows that are there before the load begins, over all shards.
    pub rows: u64,
    /// In the order of the workload's mix.
    pub operations: Vec<OperationInfo>,
    pub designs: Vec<DesignInfo>,
    pub machine: Machine,
    /// Worker threads of this process.
    pub threads: u32,
    /// This process's number, from 0, and how many processes drive the table.
    pub shard: (u32, u32),
    /// In words, of all shards together.
    pub schedule: String,
    /// Operations of this process that may be on their way at a time.
    pub in_flight: u32,
    /// Attempts after the first one that an operation may have.
    #[serde(default)]
    pub retries: u32,
    /// An operation without an answer for so long has failed; 0 in folders that do not say.
    #[serde(default)]
    pub time_out_seconds: f64,
    /// Of a cluster that ran already, as it was named; absent where a server was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The nodes that were started for the load, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodesInfo>,
    /// A keyspace that processes share; absent where it is the run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyspace: Option<String>,
    /// In words, of a search for the highest rate.
    pub objective: Option<String>,
    /// How long each trial is to last.
    pub seconds: f64,
    /// Of others, to be shown beside what is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
    /// The processes whose folders were joined; empty for the folder of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// What a publication says of the same question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Published {
    pub source: String,
    pub figures: Vec<PublishedFigure>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperationInfo {
    pub name: String,
    /// What it does, in words.
    pub action: String,
    /// Whether its bytes go to the server, not from it.
    pub writes: bool,
    pub weight_percent: f64,
    /// As CQL names it; empty for the engine's default.
    pub consistency: String,
    pub ttl_seconds: Option<u32>,
}

/// One of several processes that drove a table together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Counts from 0.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_without_published_figures_is_one_of_before_they_were_kept() {
        let header = crate::drive::testing::header();
        let json = serde_json::to_string(&header).unwrap();
        assert!(!json.contains("published"), "{json}");
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
