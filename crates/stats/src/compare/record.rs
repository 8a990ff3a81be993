//! Records of a run: one JSON object a line in `journal.jsonl`, appended and synced as each step
//! ends. Reports are made from nothing else.

use serde::{Deserialize, Serialize};

use super::{Agreed, Axes, Claim, Dropped, Instance, Planned, QuerySets, Stopped};
use crate::decide::Rule;
use crate::drive::Partitions;
use crate::{
    CpuSeconds, DesignInfo, EngineInfo, Footprint, Machine, NodesInfo, PublishedFigure, Space,
    StandbysInfo,
};

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
    /// the slices before it, since the design is created and loaded again after a broken load.
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
    /// Number of sets of parameters whose right answers were computed before clients asked.
    ParameterSets {
        sets: u32,
        /// Sets of each query. Empty where clients ask about no others, and in records of earlier
        /// versions.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        queries: Vec<QuerySets>,
    },
    Concurrent(Box<Concurrent>),
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
}

/// Rule by which a design is chosen, with the weights of the queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decide {
    pub rule: Rule,
    /// Share of each query, in the header's order.
    pub weights: Vec<f64>,
}

impl Header {
    /// Returns the number of copies of each row that the footprint of a design holds.
    pub fn copies_in(&self, design: &DesignInfo) -> u32 {
        match (&self.nodes, &self.standbys) {
            (Some(nodes), _) if nodes.hold(design) => nodes.copies,
            (_, Some(standbys)) if standbys.hold(design) => standbys.copies(),
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

/// Growth of a table to its full number of rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grows {
    /// Adds rows of the same kind, as the data has them one after the other; there is no other way.
    Rows,
    /// Multiplies the number of series and the length of time by these factors.
    Along { series: f64, time: f64 },
}

/// Query of the workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryInfo {
    pub name: String,
    pub sql: String,
    /// Share by which floats of an answer may differ from the right ones; absent for an exact
    /// question, and in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
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

/// Complete answer of a design to a query, with its comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub design: String,
    pub query: String,
    /// The SQL with its parameters filled in.
    pub sql: String,
    pub outcome: Outcome,
}

/// Comparison of an answer with the oracle's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// The answer equals the oracle's; holds its number of rows.
    Right { rows: u64 },
    /// The answer differs from the oracle's; describes where.
    Wrong { difference: String },
    /// There was no answer.
    Error { reason: String },
}

impl Outcome {
    /// Describes what is wrong with the answer, if anything.
    pub fn complaint(&self) -> Option<String> {
        match self {
            Outcome::Right { .. } => None,
            Outcome::Wrong { difference } => Some(format!("wrong answer: {difference}")),
            Outcome::Error { reason } => Some(format!("no answer: {reason}")),
        }
    }
}

/// Time of one query on one design in one round. The answer is compared after the clock was
/// stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    pub design: String,
    pub query: String,
    pub round: u32,
    /// Service time, from sending the query to receiving the last row of its answer.
    pub seconds: f64,
    /// Rows that the storage passed to the query engine, if their number is known.
    pub rows_scanned: Option<u64>,
    pub cpu: CpuSeconds,
    pub outcome: Outcome,
}

/// Result of several clients asking one design at the same time for one of its turns, recorded once
/// all questions of the turn have ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Concurrent {
    pub design: String,
    /// Number of the design's turn, counted from 0. `None` in records of earlier versions, in which
    /// a design had a single turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    pub clients: u32,
    /// Number of permutations that were begun in the turn; each one has every query once, in a
    /// different order. It is 0 where all clients asked one query at a time.
    pub permutations: u32,
    /// Seconds during which questions were in flight, from sending the first one to receiving the
    /// last answer.
    pub seconds: f64,
    pub cpu: CpuSeconds,
    /// Queries that the design was asked, in the workload's order.
    pub queries: Vec<ConcurrentQuery>,
    /// Queries with wrong or missing answers; empty if all answers were right.
    pub bad: Vec<BadQuestions>,
    /// Permutations with which the clients go on in the design's next turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<Unfinished>,
}

impl Concurrent {
    /// Returns whether all clients asked the same query at a time.
    pub fn is_one_query_at_a_time(&self) -> bool {
        self.queries.iter().any(|query| query.seconds.is_some())
    }
}

/// Permutation that a client has asked in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    pub permutation: u32,
    /// Number of its questions that are left, which are the last ones.
    pub left: u32,
}

/// Times of the right answers to a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConcurrentQuery {
    pub query: String,
    /// Service times of the answers, from sending the question to receiving the last row.
    pub nanoseconds: Vec<u64>,
    /// Seconds during which all clients asked this query and no other; absent where they asked
    /// permutations of all queries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Comparison of the answers to sets of parameters without a right answer; absent where there are no
    /// such sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreed: Option<Agreed>,
}

/// Wrong or missing answers to a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BadQuestions {
    pub query: String,
    /// Number of questions with such an answer.
    pub questions: u32,
    /// Permutation of the first such question.
    pub permutation: u32,
    /// Outcome of the first such question.
    pub outcome: Outcome,
}
