//! `[mix]`: operations that are performed at the same time, on which rows, how often.

mod choice;
mod keys;
mod scatter;

use std::fmt;

use std::time::Duration;

pub use choice::OperationChooser;
pub use keys::{RowChooser, shard_rows};

/// Operations with their shares, and what holds for all of them.
#[derive(Debug, Clone)]
pub struct Mix {
    pub operations: Vec<Operation>,
    /// CQL statements that make the tables of a workload written in CQL, with `${keyspace}` where
    /// the keyspace goes; empty where the layout of a design makes the table.
    pub schema: Vec<String>,
    /// The statements that insert row by row what a workload written in CQL holds before the load
    /// begins.
    pub populate: Vec<CqlStatement>,
    /// Statements that run beside the operations at a fixed period.
    pub background: Vec<Background>,
}

#[derive(Debug, Clone)]
pub struct Operation {
    pub name: String,
    /// Share of all operations, in 0..=1. The shares of a mix add up to 1.
    pub weight: f64,
    pub action: Action,
    pub keys: Keys,
    /// As CQL names it; the engine's own default where absent.
    pub consistency: Option<Consistency>,
    /// Time to live of what is written, in seconds.
    pub ttl_seconds: Option<u32>,
    /// Rows that one operation writes as an unlogged batch, 1 or more.
    pub batch: u32,
}

/// What an operation does with the row that was drawn for it.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Writes the whole row in its first version, also over one that is there.
    Insert,
    /// Writes these columns (none of the key) in their second version.
    Update {
        columns: Vec<String>,
    },
    DeleteRow,
    DeletePartition,
    /// Reads the row by its whole key.
    ReadRow,
    /// Reads the row's partition, at most `limit` rows, newest (highest order key) first if asked.
    ReadPartition {
        limit: Option<u32>,
        newest_first: bool,
    },
    /// Reads up to so many rows of the partition in order, from the row on.
    ReadRange {
        rows: u32,
    },
    /// Asks a query of the workload file, by its place in `Workload::queries`.
    Query {
        query: usize,
    },
    /// Statements as written.
    Cql(CqlOperation),
}

/// CQL statements as the workload file has them, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct CqlOperation {
    /// All but the last may be needed for values of the next ones.
    pub statements: Vec<CqlStatement>,
    /// Instead of the rest, where a value of an earlier result is needed and there was no row.
    pub otherwise: Option<CqlStatement>,
    /// Columns of the last result that must equal the row's value of the same name.
    pub expect: Vec<String>,
    /// Whether no row in the last result is an error.
    pub expect_row: bool,
}

/// One statement, prepared, with `?` for each value.
#[derive(Debug, Clone, PartialEq)]
pub struct CqlStatement {
    /// With `?` markers, and `${keyspace}` where the keyspace goes.
    pub cql: String,
    /// What is bound to the markers, in their order.
    pub values: Vec<CqlValue>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CqlValue {
    /// The drawn row's value of this column (an index into `Workload::table.columns`), in the
    /// first or (`second_version`) the second version.
    Column { column: usize, second_version: bool },
    /// From the first row of the statement before: this column, plus `plus` (numbers only).
    Result { column: String, plus: i64 },
    /// From the first row of the statement before: the other one of two texts.
    Toggle {
        column: String,
        between: [String; 2],
    },
}

/// Statements that run one after the other at a fixed period, unprepared; `${keyspace}`, and
/// `${number}` for the number of the run modulo `cycle`.
#[derive(Debug, Clone)]
pub struct Background {
    pub every: Duration,
    pub statements: Vec<String>,
    pub cycle: u64,
}

/// Which row an operation is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Keys {
    /// The next row that is not there yet.
    New,
    /// Every row that was loaded, alike.
    Uniform,
    /// The rows that were loaded one after the other, from the start again at the end.
    Sequential,
    /// Few rows often: rank k with a probability in proportion to 1 / k^exponent, ranks scattered
    /// over the rows that were loaded (YCSB's scrambled Zipfian).
    Zipf { exponent: f64 },
    /// Normal around the middle of the rows that were loaded, with this standard deviation as a
    /// share of their number.
    Normal { deviation: f64 },
    /// The newest row most often, older ones as in `Zipf`, without scattering (YCSB's "latest").
    Latest { exponent: f64 },
}

/// How many replicas have to answer; named as in CQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consistency {
    Any,
    One,
    Two,
    Three,
    Quorum,
    All,
    LocalQuorum,
    EachQuorum,
    LocalOne,
}

impl Consistency {
    pub const ALL: [(&'static str, Consistency); 9] = [
        ("ANY", Consistency::Any),
        ("ONE", Consistency::One),
        ("TWO", Consistency::Two),
        ("THREE", Consistency::Three),
        ("QUORUM", Consistency::Quorum),
        ("ALL", Consistency::All),
        ("LOCAL_QUORUM", Consistency::LocalQuorum),
        ("EACH_QUORUM", Consistency::EachQuorum),
        ("LOCAL_ONE", Consistency::LocalOne),
    ];
}

impl fmt::Display for Consistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Consistency::ALL.iter().find(|(_, level)| level == self);
        f.write_str(known.map_or("", |(name, _)| name))
    }
}

impl Action {
    pub fn writes(&self) -> bool {
        match self {
            Action::Insert
            | Action::Update { .. }
            | Action::DeleteRow
            | Action::DeletePartition => true,
            Action::ReadRow
            | Action::ReadPartition { .. }
            | Action::ReadRange { .. }
            | Action::Query { .. } => false,
            Action::Cql(cql) => cql.statements.iter().any(CqlStatement::writes),
        }
    }
}

impl CqlStatement {
    pub fn writes(&self) -> bool {
        let first = self.cql.split_whitespace().next().unwrap_or_default();
        !first.eq_ignore_ascii_case("select")
    }
}

impl Mix {
    /// Whether a row that was loaded may rightly be gone.
    pub fn may_remove_rows(&self) -> bool {
        self.operations.iter().any(|o| {
            let removes = matches!(o.action, Action::DeleteRow | Action::DeletePartition);
            removes || (o.ttl_seconds.is_some() && o.action.writes())
        })
    }

    /// Whether a column may rightly hold its second version.
    pub fn may_update(&self, column: &str) -> bool {
        self.operations.iter().any(|o| match &o.action {
            Action::Update { columns } => columns.iter().any(|c| c == column),
            _ => false,
        })
    }
}
