//! Mix of operations that are performed at the same time (`[mix]`): their rows and shares.

mod choice;
mod keys;
mod scatter;

use std::fmt;

use std::time::Duration;

pub use choice::OperationChooser;
pub use keys::{RowChooser, shard_rows};

/// Operations with their shares, and settings for all of them.
#[derive(Debug, Clone)]
pub struct Mix {
    pub operations: Vec<Operation>,
    /// CQL statements that create the tables of a workload written in CQL, with `${keyspace}` at the
    /// position of the keyspace; empty if the layout of a design creates the table.
    pub schema: Vec<String>,
    /// Statements that insert, row by row, the rows that a workload written in CQL has before the
    /// load begins.
    pub populate: Vec<CqlStatement>,
    /// Statements that run alongside the operations at a fixed period.
    pub background: Vec<Background>,
}

/// Operation of a mix.
#[derive(Debug, Clone)]
pub struct Operation {
    pub name: String,
    /// Share of all operations, in 0..=1. The shares of a mix add up to 1.
    pub weight: f64,
    pub action: Action,
    pub keys: Keys,
    /// Consistency level; the engine's own default if absent.
    pub consistency: Option<Consistency>,
    /// Time to live of written rows, in seconds.
    pub ttl_seconds: Option<u32>,
    /// Number of rows that one operation writes as an unlogged batch, 1 or more.
    pub batch: u32,
}

/// Action of an operation on the row that was drawn for it.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Writes the whole row in its first version, even over an existing one.
    Insert,
    /// Writes these columns (none of the key) in their second version.
    Update {
        columns: Vec<String>,
    },
    DeleteRow,
    DeletePartition,
    /// Reads the row by its whole key.
    ReadRow,
    /// Reads the row's partition or up to `limit` rows of it, optionally from the newest (the highest order
    /// key) on.
    ReadPartition {
        limit: Option<u32>,
        newest_first: bool,
    },
    /// Reads all rows of the row's partition by this many requests, each for a range of its order key,
    /// one after the other or all at once.
    ReadParts {
        requests: u32,
        at_once: bool,
    },
    /// Reads up to `rows` rows of the partition in order, from the row on.
    ReadRange {
        rows: u32,
    },
    /// Asks a query of the workload file, by its index in `Workload::queries`.
    Query {
        query: usize,
    },
    /// Executes statements as written.
    Cql(CqlOperation),
}

/// CQL statements of the workload file, executed one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct CqlOperation {
    /// Statements; results of all but the last may provide values for the next ones.
    pub statements: Vec<CqlStatement>,
    /// Statement that replaces the rest if a value of an earlier result is needed and there was no
    /// row.
    pub otherwise: Option<CqlStatement>,
    /// Columns of the last result that must equal the row's value of the same name.
    pub expect: Vec<String>,
    /// Whether a last result without rows is an error.
    pub expect_row: bool,
}

/// One prepared statement, with `?` for each value.
#[derive(Debug, Clone, PartialEq)]
pub struct CqlStatement {
    /// Text with `?` markers, and `${keyspace}` at the position of the keyspace.
    pub cql: String,
    /// Values that are bound to the markers, in their order.
    pub values: Vec<CqlValue>,
}

/// Value that is bound to a marker of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum CqlValue {
    /// Value of this column (an index into `Workload::table.columns`) in the drawn row, in the
    /// first or (`second_version`) the second version.
    Column { column: usize, second_version: bool },
    /// List of numbers in this column, with the number of its items.
    Doubles {
        column: usize,
        second_version: bool,
        items: u32,
    },
    /// Item of the list of numbers in this column, counted from 0.
    Item {
        column: usize,
        second_version: bool,
        item: u32,
    },
    /// Value of this column in the first row of the previous statement, plus `plus` (numbers only).
    Result { column: String, plus: i64 },
    /// Other one of two texts than this column has in the first row of the previous statement.
    Toggle {
        column: String,
        between: [String; 2],
    },
}

/// Statements that run one after the other at a fixed period, unprepared, with `${keyspace}`, and
/// `${number}` for the number of the run modulo `cycle`.
#[derive(Debug, Clone)]
pub struct Background {
    /// Period of the statements.
    pub every: Duration,
    pub statements: Vec<String>,
    /// Number of runs after which `${number}` starts again at 0.
    pub cycle: u64,
}

/// Law by which the row of an operation is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Keys {
    /// Takes the next row that does not exist yet.
    New,
    /// Draws every loaded row with the same probability.
    Uniform,
    /// Takes the loaded rows one after the other, starting again after the last one.
    Sequential,
    /// Draws few rows often: rank k with a probability in proportion to 1 / k^exponent, with ranks
    /// scattered over the loaded rows (YCSB's scrambled Zipfian).
    Zipf { exponent: f64 },
    /// Draws normally around the middle of the loaded rows, with this standard deviation as a share
    /// of their number.
    Normal { deviation: f64 },
    /// Draws the newest row most often, older ones as in `Zipf`, without scattering (YCSB's
    /// "latest").
    Latest { exponent: f64 },
}

/// Number of replicas that have to answer, named as in CQL.
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
    /// All levels with their names.
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
    /// Returns whether the action writes rows.
    pub fn writes(&self) -> bool {
        match self {
            Action::Insert
            | Action::Update { .. }
            | Action::DeleteRow
            | Action::DeletePartition => true,
            Action::ReadRow
            | Action::ReadPartition { .. }
            | Action::ReadParts { .. }
            | Action::ReadRange { .. }
            | Action::Query { .. } => false,
            Action::Cql(cql) => cql.statements.iter().any(CqlStatement::writes),
        }
    }
}

impl CqlStatement {
    /// Returns whether the statement is anything but a SELECT.
    pub fn writes(&self) -> bool {
        let first = self.cql.split_whitespace().next().unwrap_or_default();
        !first.eq_ignore_ascii_case("select")
    }
}

impl Mix {
    /// Returns whether a loaded row may rightly be missing.
    pub fn may_remove_rows(&self) -> bool {
        self.operations.iter().any(|o| {
            let removes = matches!(o.action, Action::DeleteRow | Action::DeletePartition);
            removes || (o.ttl_seconds.is_some() && o.action.writes())
        })
    }

    /// Returns whether a column may rightly have its second version.
    pub fn may_update(&self, column: &str) -> bool {
        self.operations.iter().any(|o| match &o.action {
            Action::Update { columns } => columns.iter().any(|c| c == column),
            _ => false,
        })
    }
}
