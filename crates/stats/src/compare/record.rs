//! The records of a run: one JSON object a line in `journal.jsonl`, appended and synced as each
//! step ends. They are the only thing that reports are made from.

use serde::{Deserialize, Serialize};

use super::Concurrent;
use crate::{CpuSeconds, DesignInfo, EngineInfo, Footprint, Machine, NodesInfo, PublishedFigure};

/// Rows of the data that a run did not load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowsLeft {
    /// Those that there are, loaded ones included; no more than the count went. `None` for a
    /// generator that never ends.
    pub of: Option<u64>,
    /// Whether the count came to the end of the data.
    pub counted: bool,
    /// Whether the budget ended the loading, and not the number of rows that was asked for.
    pub by_budget: bool,
}

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum Record {
    /// Always the first line.
    Started(Box<Header>),
    /// The same command went on with this folder after a kill or an interruption.
    Resumed {
        at: String,
    },
    Engine(EngineInfo),
    /// The design's tables are there and empty. A later one for the same design forgets the slices
    /// before it: after a broken load the design is created and loaded again.
    Created {
        design: String,
    },
    /// Rows that have a later row with the same key, found in the data before loading.
    DuplicateKeys {
        rows: u64,
    },
    /// One slice of rows loaded into one design.
    /// Which rows a slice is, before any design gets it: one that is sent again is the same.
    SliceBegun {
        slice: u64,
        first_row: u64,
        rows: u64,
    },
    Loaded(LoadSlice),
    /// The rows to load are all loaded: how many there are.
    LoadingDone {
        rows: u64,
        /// Absent where the data have no further rows, and in records of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<RowsLeft>,
    },
    Settled {
        design: String,
        seconds: f64,
        how: String,
    },
    Footprint(Footprint),
    /// A complete answer was compared with the oracle's, outside of timed rounds.
    Answered(Answered),
    /// Untimed passes over all designs and queries until times were steady, or until the limit.
    WarmedUp {
        passes: u32,
        seconds: f64,
        steady: bool,
    },
    /// How many rounds will be measured.
    Rounds {
        rounds: u32,
    },
    Timed(Timing),
    /// How many sets of parameters several clients ask about at the same time, in turn.
    ParameterSets {
        sets: u32,
    },
    Concurrent(Box<Concurrent>),
    /// A design that is out of the race from here on.
    Failed {
        design: String,
        step: Step,
        query: Option<String>,
        reason: String,
    },
    /// Something that a reader of the results has to know.
    Warning {
        message: String,
    },
    Interrupted {
        at: String,
    },
    /// Always the last line of a complete run. The memory is that of Bakeoff itself.
    Finished {
        at: String,
        seconds: f64,
        peak_memory_bytes: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    Start,
    Create,
    Load,
    Settle,
    Footprint,
    Verify,
    WarmUp,
    Measure,
    Concurrent,
}

/// What was compared, with what, on what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub bakeoff_version: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// The command line, without secrets.
    pub command: String,
    /// Equal for commands that may continue each other's run.
    pub fingerprint: String,
    pub workload: String,
    pub title: String,
    /// Text of the workload file.
    pub workload_text: String,
    /// Name of a data file, or of the generator.
    pub data: String,
    pub seed: u64,
    pub table: String,
    pub columns: u32,
    pub queries: Vec<QueryInfo>,
    pub designs: Vec<DesignInfo>,
    /// Worker threads of Bakeoff and of DataFusion.
    pub threads: u32,
    /// The budget in seconds, where one was given.
    pub budget_seconds: Option<f64>,
    pub machine: Machine,
    pub scale: Scale,
    /// The nodes that were started for the run, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodesInfo>,
    /// Publication that `published` is from.
    pub published_source: Option<String>,
    pub published: Vec<PublishedFigure>,
    pub published_notes: Vec<String>,
}

impl Header {
    /// How many copies of each row the footprint of a design holds.
    pub fn copies_in(&self, design: &DesignInfo) -> u32 {
        match &self.nodes {
            Some(nodes) if nodes.hold(design) => nodes.copies,
            _ => 1,
        }
    }
}

/// Production scale that the forecast is for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    pub full_rows: u64,
    pub replication: u32,
    pub users: u32,
    pub cores: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryInfo {
    pub name: String,
    pub sql: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadSlice {
    pub design: String,
    /// Counts from 0; slices are loaded in order.
    pub slice: u64,
    pub first_row: u64,
    pub rows: u64,
    pub seconds: f64,
    pub cpu: CpuSeconds,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub design: String,
    pub query: String,
    /// The SQL with its parameters filled in.
    pub sql: String,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// Equals the oracle's answer; its number of rows.
    Right { rows: u64 },
    /// Differs: where, in words.
    Wrong { difference: String },
    /// There was no answer.
    Error { reason: String },
}

impl Outcome {
    /// What is wrong with it, if anything.
    pub fn complaint(&self) -> Option<String> {
        match self {
            Outcome::Right { .. } => None,
            Outcome::Wrong { difference } => Some(format!("wrong answer: {difference}")),
            Outcome::Error { reason } => Some(format!("no answer: {reason}")),
        }
    }
}

/// One query on one design in one round. Its answer is compared too, after the clock stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    pub design: String,
    pub query: String,
    pub round: u32,
    /// Service time: from sending the query to holding the last row of its answer.
    pub seconds: f64,
    /// Rows that the storage handed to the query engine, where that is known.
    pub rows_scanned: Option<u64>,
    pub cpu: CpuSeconds,
    pub outcome: Outcome,
}
