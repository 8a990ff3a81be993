//! Plans of a mix's operations: the statements to send, and the sources of the values they bind.

use bakeoff_workload::{ColumnType, Consistency, DesignId, Operation, Version, Workload};

use super::arrays::{ArrayType, Number};
use crate::EngineError;
use crate::drive::read_rows::ReadRows;

/// The plan of an operation.
#[derive(Debug, Clone)]
pub struct OperationPlan {
    pub name: String,
    pub consistency: Option<Consistency>,
    pub work: Work,
}

/// The work of an operation.
#[derive(Debug, Clone)]
pub enum Work {
    /// Writes a number of rows at once by one statement.
    Write {
        statement: Statement,
        batch: u32,
    },
    Read(Read),
    /// Reads a partition by several requests.
    ReadParts(ReadParts),
    /// Asks the query of the workload file with this number.
    Query(usize),
    /// Sends statements as the workload file has them.
    Written(Written),
}

/// The statements of an operation as the workload file has them.
#[derive(Debug, Clone)]
pub struct Written {
    pub statements: Vec<Statement>,
    /// Statement to send if a row is missing that a statement needs.
    pub otherwise: Option<Statement>,
    /// Numbers of the table's columns that the last result is compared with.
    pub expect: Vec<usize>,
    /// Flag that the last result must have a row.
    pub expect_row: bool,
}

/// A statement that reads rows.
#[derive(Debug, Clone)]
pub struct Read {
    pub statement: Statement,
    pub rows: ReadRows,
}

/// A read of a partition by several requests, each for the rows from one on to before another one.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadParts {
    /// Statement for the whole partition, if it has too few rows to be split.
    pub whole: Statement,
    /// Statement for the rows before one.
    pub first: Statement,
    /// Statement for the rows between two.
    pub middle: Statement,
    /// Statement for the rows from one on.
    pub last: Statement,
    /// Binds of the partition key, which all statements begin with.
    pub partition: Vec<Bind>,
    /// Binds of the order key of a row that begins or ends a part.
    pub order: Vec<Bind>,
    pub requests: u32,
    /// Flag that the requests are sent at the same time.
    pub at_once: bool,
}

impl ReadParts {
    /// Lists the statements that a partition of enough rows is read by.
    pub fn statements(&self) -> Vec<&Statement> {
        match self.requests {
            1 => vec![&self.whole],
            2 => vec![&self.first, &self.last],
            _ => vec![&self.first, &self.middle, &self.last],
        }
    }
}

/// CQL with a `?` for each value, and the sources of the values.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub cql: String,
    pub binds: Vec<Bind>,
}

/// The source of a value that a statement binds.
#[derive(Debug, Clone, PartialEq)]
pub enum Bind {
    /// Binds a time to live in seconds.
    Ttl(i32),
    /// Binds the column of this number, with a null as a tombstone.
    Column(usize, Version),
    /// Binds the column of this number, and leaves it unset if it is null.
    ColumnUnlessNull(usize, Version),
    /// Binds the column of this number as the only element of a set or list.
    Element(usize, Version),
    /// Binds the list of numbers in this column, with the number of its items, in a type of CQL.
    Doubles {
        column: usize,
        version: Version,
        items: u32,
        as_type: ArrayType,
    },
    /// Binds an item of the list of numbers in this column.
    Item {
        column: usize,
        version: Version,
        item: u32,
        number: Number,
    },
    /// Binds the number of the row's bucket.
    Bucket,
    /// Binds the columns outside the key as one blob, those in `second` in their second version.
    Blob { second: Vec<usize> },
    /// Binds a column of the first row of the result before, plus a number.
    Result { column: String, plus: i64 },
    /// Binds the other one of two texts than that in the first row of the result before.
    Toggle {
        column: String,
        between: [String; 2],
    },
}

impl Bind {
    /// Returns whether the value is known before anything is sent.
    pub fn is_of_row(&self) -> bool {
        !matches!(self, Bind::Result { .. } | Bind::Toggle { .. })
    }
}

/// Makes the error for an operation that a design cannot perform.
pub fn refused(id: &DesignId, operation: &Operation, why: &str) -> EngineError {
    EngineError(format!("design {id}: operation `{}` {why}", operation.name))
}

/// Lists all statements of a mix on an engine for reports and dry runs.
pub fn statements(plans: &[OperationPlan], workload: &Workload, engine: &str) -> Vec<String> {
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
            Work::ReadParts(parts) => {
                let all = parts.statements();
                all.iter().for_each(|statement| say(&statement.cql));
            }
            Work::Query(query) => say(workload.queries[*query].sql_for(engine)),
            Work::Written(written) => {
                let all = written.statements.iter().chain(&written.otherwise);
                all.for_each(|statement| say(&statement.cql));
            }
        }
    }
    statements
}

/// Returns whether a marker of a CQL type accepts a column's values in their wire format.
pub fn takes(marker: &str, column: ColumnType) -> bool {
    let names: &[&str] = match column {
        ColumnType::Boolean => &["boolean"],
        ColumnType::Int => &["int"],
        ColumnType::Bigint => &["bigint", "counter", "timestamp", "time"],
        ColumnType::Float => &["float"],
        ColumnType::Double => &["double"],
        ColumnType::Text => &["text", "varchar", "ascii"],
        ColumnType::Uuid => &["uuid"],
        ColumnType::Timestamp => &["timestamp", "bigint"],
        ColumnType::Blob => &["blob"],
    };
    names.contains(&marker)
}
