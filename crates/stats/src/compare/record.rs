//! Records of a run: one JSON object a line in `journal.jsonl`, appended and synced as each step
//! ends. Reports are made from nothing else.

use serde::{Deserialize, Serialize};

use super::{
    Answered, Axes, Claim, Concurrent, Dropped, Header, Instance, Planned, QuerySets, Stopped,
    Stored, Timing,
};
use crate::drive::Partitions;
use crate::{AccountAt, CpuSeconds, EngineInfo, Footprint, Profile, ServerWindow, Space};

/// Rows of the data that a run did not load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowsLeft {
    /// Number of rows in the data, loaded ones included, as far as they were counted; `None` for a
    /// generator that never ends.
    pub of: Option<u64>,
    /// Whether the count reached the end of the data.
    pub counted: bool,
    /// Whether the budget ended the loading, rather than the number of rows that was asked for.
    pub by_budget: bool,
}

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum Record {
    /// First line of every journal.
    Started(Box<Header>),
    /// The same command resumed the run in this folder after a kill or an interruption.
    Resumed {
        at: String,
    },
    Engine(EngineInfo),
    /// The design's tables exist and are empty. Another such record for the same design discards
    /// the slices before it, since the design is created and loaded again after a broken load. Designs that read
    /// its table have such a record before it, too.
    Created {
        design: String,
    },
    /// Number of rows that have a later row with the same key, found in the data that are loaded.
    DuplicateKeys {
        rows: u64,
        /// Designs that keep only the last row of a key; none in records of earlier versions.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lost_by: Vec<String>,
        /// Column with which the key would not repeat, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told_apart_by: Option<String>,
    },
    /// Bounds of a slice, recorded before any design gets it, so that a slice that is sent again
    /// has the same rows.
    SliceBegun {
        slice: u64,
        first_row: u64,
        rows: u64,
    },
    Loaded(LoadSlice),
    /// All rows to load are loaded; holds their number.
    LoadingDone {
        rows: u64,
        /// Rows that were not loaded; absent if the data have no further rows, and in records of
        /// earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<RowsLeft>,
        /// Whether the data has no more rows; unknown in records of earlier versions.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_all: bool,
    },
    Settled {
        design: String,
        seconds: f64,
        how: String,
    },
    /// Bytes of a table before it was at rest; absent in records of earlier versions.
    Space(Space),
    Footprint(Footprint),
    /// Sizes of a design's partitions. Absent for designs without any, or where nothing is known of them, and in
    /// records of earlier versions.
    Partitions(Partitions),
    /// Further tables of the designs that will be loaded; their records have these ids in place of
    /// a design's. Absent in records of earlier versions, which made none.
    Instances {
        instances: Vec<Instance>,
    },
    /// Axes along which the table grows. Absent where the workload names none, and in records of
    /// earlier versions.
    Axes(Axes),
    /// Rows that the queries select, counted by the oracle. Absent where no query has a condition that can be
    /// counted, and in records of earlier versions.
    Selected {
        queries: Vec<Selected>,
    },
    /// Number of columns of the table that each query reads. Absent where no query can be planned without its
    /// parameters, and in records of earlier versions.
    ColumnsRead {
        queries: Vec<ColumnsRead>,
    },
    /// About how many different values the columns have of which a design has an index, counted by the oracle. Absent
    /// where there are none, and in records of earlier versions.
    Distinct {
        columns: Vec<DistinctValues>,
    },
    /// Plan of a query. Absent for designs that tell none, and in records of earlier versions.
    Planned(Planned),
    /// First rows of a design as they are stored. Absent where nobody asked for them, for designs that do not tell,
    /// and in records of earlier versions.
    Stored(Stored),
    /// A complete answer was compared with the oracle's, outside of timed rounds.
    Answered(Answered),
    /// Untimed passes over all designs and queries ended, because times were steady or the limit
    /// was reached.
    WarmedUp {
        passes: u32,
        seconds: f64,
        steady: bool,
    },
    /// A race began: all designs are compared at these smaller tables first, of which there may be
    /// none. Their records have these ids in place of a design's.
    Race {
        rungs: Vec<Instance>,
    },
    /// Before the rounds, the designs of these claims are asked the questions that the rungs left open.
    OpenQuestions {
        claims: Vec<Claim>,
    },
    /// The design is measured no further, but for a control.
    Dropped(Box<Dropped>),
    /// A dropped design takes part again, since the one that beat it failed.
    Returned {
        design: String,
    },
    /// The race ended measuring.
    Stopped(Stopped),
    /// Number of rounds that will be measured; of several such records the last one holds.
    Rounds {
        rounds: u32,
    },
    Timed(Timing),
    /// Figures of a design's server while a slice was loaded, the table settled, or a question answered. Absent for
    /// designs without a server that tells any, and in records of earlier versions.
    Server(ServerWindow),
    /// What the server of an engine counts of its own work, at a moment at which nothing is under way. Absent for
    /// engines without a server that tells it, and in records of earlier versions.
    Account(AccountAt),
    /// Number of sets of parameters whose right answers were computed before clients asked.
    ParameterSets {
        sets: u32,
        /// Sets of each query. Empty where clients ask about no others, and in records of earlier
        /// versions.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        queries: Vec<QuerySets>,
    },
    Concurrent(Box<Concurrent>),
    /// Methods that the server of a design ran while its questions were asked, after all that was timed. Absent where
    /// nobody asked for them, and in records of earlier versions.
    Profile(Profile),
    /// The design failed and takes no further part in the run.
    Failed {
        design: String,
        step: Step,
        query: Option<String>,
        reason: String,
    },
    /// Message that a reader of the results has to know.
    Warning {
        message: String,
    },
    Interrupted {
        at: String,
    },
    /// Last line of a complete run; the memory is that of Bakeoff itself.
    Finished {
        at: String,
        seconds: f64,
        peak_memory_bytes: u64,
    },
}

/// Step of the protocol in which a design failed.
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

impl Step {
    /// Returns whether the step makes, loads or measures a table, which other designs may read.
    pub fn is_of_table(self) -> bool {
        match self {
            Step::Create | Step::Load | Step::Settle | Step::Footprint => true,
            Step::Start | Step::Verify | Step::WarmUp | Step::Measure | Step::Concurrent => false,
        }
    }
}

/// Slice of rows that was loaded into a design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadSlice {
    pub design: String,
    /// Number of the slice, counted from 0; slices are loaded in order.
    pub slice: u64,
    pub first_row: u64,
    pub rows: u64,
    pub seconds: f64,
    pub cpu: CpuSeconds,
}

/// Rows of the table that satisfy the WHERE clause of a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selected {
    pub query: String,
    /// Their number with the parameters of each of the first rounds; one number for a query without
    /// parameters.
    pub rows: Vec<u64>,
}

/// Number of different values of a column, to about two in a hundred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DistinctValues {
    pub column: String,
    pub about: u64,
}

/// Number of columns of the table that a query reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnsRead {
    pub query: String,
    pub columns: u32,
}
