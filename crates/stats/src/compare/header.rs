//! The first record of a run: what is compared, on which machine, and for which scale.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::decide::Rule;
use crate::{DesignInfo, EngineInfo, Machine, NodesInfo, PublishedFigure, StandbysInfo};

/// First record of a run: designs, queries, data and machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub bakeoff_version: String,
    /// Start of the run, in RFC 3339 and UTC.
    pub started_at: String,
    /// The command line, without secrets.
    pub command: String,
    /// Hash that is equal for commands that may resume each other's run.
    pub fingerprint: String,
    /// Random token that the marks of the run's tables hold; absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    pub workload: String,
    pub title: String,
    /// Text of the workload file.
    pub workload_text: String,
    /// Name of the data file or of the generator.
    pub data: String,
    pub seed: u64,
    pub table: String,
    pub columns: u32,
    pub queries: Vec<QueryInfo>,
    pub designs: Vec<DesignInfo>,
    /// Worker threads of Bakeoff and of DataFusion.
    pub threads: u32,
    /// Budget in seconds, if one was given.
    pub budget_seconds: Option<f64>,
    pub machine: Machine,
    pub scale: Scale,
    /// The nodes that were started for the run, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodesInfo>,
    /// The standbys that were started for the run, where there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standbys: Option<StandbysInfo>,
    /// Publication that the figures in `published` are from.
    pub published_source: Option<String>,
    pub published: Vec<PublishedFigure>,
    pub published_notes: Vec<String>,
    /// Rule by which a design is chosen; absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decide: Option<Decide>,
    /// Whether CPU times leave out what it takes to read those of a server; false in records of earlier versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cpu_without_reading: bool,
}

/// Rule by which a design is chosen, with the weights of the queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decide {
    pub rule: Rule,
    /// Share of each query, in the header's order.
    pub weights: Vec<f64>,
}

impl Header {
    /// Returns the number of copies of each row that the footprint of a design holds, on these engines.
    pub fn copies_in(&self, design: &DesignInfo, engines: &[EngineInfo]) -> u32 {
        match (&self.nodes, &self.standbys) {
            (Some(nodes), _) if nodes.hold(design) => design.copies().unwrap_or(nodes.copies),
            (_, Some(standbys)) if standbys.hold(design) => standbys.copies(),
            _ => copies_of_cluster(design, engines),
        }
    }
}

/// Returns the number of copies in a cluster that was running already, each of whose datacenters has all that were
/// asked for; 1 for all others.
fn copies_of_cluster(design: &DesignInfo, engines: &[EngineInfo]) -> u32 {
    let stores = design.stored_by.as_ref().unwrap_or(&design.engine);
    // A run that went on has its engine once more: the last one says how it is now.
    let engine = { engines.iter().rev() }.find(|info| info.engine == *stores);
    let cluster = engine.filter(|info| info.setting(EngineInfo::CLUSTER).is_some());
    let number = |name| cluster?.setting(name)?.parse::<u32>().ok();
    let of_cluster = number(EngineInfo::COPIES).unwrap_or(1).max(1);
    let copies = design
        .copies()
        .filter(|_| cluster.is_some())
        .unwrap_or(of_cluster);
    let datacenters = number(EngineInfo::DATACENTERS).unwrap_or(1).max(1);
    copies.saturating_mul(datacenters)
}

/// Production scale that the forecast is for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    pub full_rows: u64,
    pub replication: u32,
    pub users: u32,
    pub cores: u32,
    /// Questions per second, of all queries together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions_per_second: Option<f64>,
    /// Rows inserted per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_per_second: Option<f64>,
    /// Growth from the measured number of rows to the full one. `None` if the workload does not
    /// say although there are several ways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grows: Option<Grows>,
}

impl Scale {
    /// Returns the rows from which on the first rows of a table show how it grows.
    pub fn grows_from(&self) -> u64 {
        match self.grows {
            Some(Grows::RowsFrom { rows }) => rows,
            Some(Grows::Rows | Grows::Along { .. }) | None => 0,
        }
    }
}

/// Growth of a table to its full number of rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grows {
    /// Adds rows of the same kind, as the data has them one after the other; there is no other way.
    Rows,
    /// Does the same from so many rows on; fewer have not all of their series or times, and show nothing of it.
    RowsFrom { rows: u64 },
    /// Multiplies the number of series and the length of time by these factors.
    Along { series: f64, time: f64 },
}

/// Query of the workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryInfo {
    pub name: String,
    pub sql: String,
    /// What engines, their layouts or drivers were asked instead, by their names: texts of the workload and translated
    /// ones; absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub engine_sql: BTreeMap<String, String>,
    /// Share by which floats of an answer may differ from the right ones; absent for an exact
    /// question, and in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
}
