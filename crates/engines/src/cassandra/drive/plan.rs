//! What each operation of a mix sends, and where the values that it sends come from.

use bakeoff_workload::{ColumnType, Consistency, DesignId, Operation, Version, Workload};

use crate::EngineError;
use crate::cassandra::names::ENGINE;

/// An operation as it is carried out.
#[derive(Debug, Clone)]
pub struct OperationPlan {
    pub name: String,
    pub consistency: Option<Consistency>,
    pub work: Work,
}

#[derive(Debug, Clone)]
pub enum Work {
    /// One statement, for so many rows at once.
    Write {
        statement: Statement,
        batch: u32,
    },
    Read(Read),
    /// A query of the workload file, by its place.
    Query(usize),
    Written(Written),
}

/// Statements as the workload file has them.
#[derive(Debug, Clone)]
pub struct Written {
    pub statements: Vec<Statement>,
    pub otherwise: Option<Statement>,
    /// Columns of the table that the last result must agree with.
    pub expect: Vec<usize>,
    pub expect_row: bool,
}

#[derive(Debug, Clone)]
pub struct Read {
    pub statement: Statement,
    pub rows: ReadRows,
}

/// Which rows a read brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadRows {
    /// The one with this key.
    One,
    /// Those of its partition.
    Partition {
        limit: Option<u32>,
        descending: bool,
    },
    /// Those of its partition from the row on.
    From { limit: u32 },
}

impl ReadRows {
    /// Rows that the server may return at most.
    pub fn limit(self) -> Option<u32> {
        match self {
            ReadRows::One => Some(1),
            ReadRows::From { limit } => Some(limit),
            ReadRows::Partition { limit, .. } => limit,
        }
    }
}

/// CQL with `?`, and where the value of each comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub cql: String,
    pub binds: Vec<Bind>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Bind {
    /// Time to live in seconds.
    Ttl(i32),
    /// A column of the table, by its place; a null is a tombstone.
    Column(usize, Version),
    /// The same; a null writes nothing.
    ColumnUnlessNull(usize, Version),
    /// The same as the one element of a set or list.
    Element(usize, Version),
    Bucket,
    /// Columns outside the key as one blob, those that `second` names in their second version.
    Blob {
        second: Vec<usize>,
    },
    /// From the first row of the statement before: this column plus a number.
    Result {
        column: String,
        plus: i64,
    },
    /// From the same row: the other one of two texts.
    Toggle {
        column: String,
        between: [String; 2],
    },
}

impl Bind {
    /// Whether the value is known before anything is sent.
    pub fn is_of_row(&self) -> bool {
        !matches!(self, Bind::Result { .. } | Bind::Toggle { .. })
    }
}

pub fn refused(id: &DesignId, operation: &Operation, why: &str) -> EngineError {
    EngineError(format!("design {id}: operation `{}` {why}", operation.name))
}

/// All statements of a mix, for the report and for a dry run.
pub fn statements(plans: &[OperationPlan], workload: &Workload) -> Vec<String> {
    let mut statements = Vec::new();
    for plan in plans {
        let mut say = |cql: &str| statements.push(format!("{cql} -- {}", plan.name));
        match &plan.work {
            Work::Write {
                statement,
                batch: 1,
            } => say(&statement.cql),
            Work::Write { statement, batch } => say(&format!(
                "BEGIN UNLOGGED BATCH {} [{batch} rows, one batch for each partition] APPLY BATCH",
                statement.cql
            )),
            Work::Read(read) => say(&read.statement.cql),
            Work::Query(query) => say(workload.queries[*query].sql_for(ENGINE)),
            Work::Written(written) => {
                let all = written.statements.iter().chain(&written.otherwise);
                all.for_each(|statement| say(&statement.cql));
            }
        }
    }
    statements
}

/// Whether a marker of this CQL type takes values of a column's type as they are on the wire.
pub fn takes(marker: &str, column: ColumnType) -> bool {
    let names: &[&str] = match column {
        ColumnType::Boolean => &["boolean"],
        ColumnType::Int => &["int"],
        ColumnType::Bigint => &["bigint", "counter", "timestamp", "time"],
        ColumnType::Double => &["double"],
        ColumnType::Text => &["text", "varchar", "ascii"],
        ColumnType::Timestamp => &["timestamp", "bigint"],
        ColumnType::Blob => &["blob"],
    };
    names.contains(&marker)
}
