//! Plans of a mix's operations: the statement of each, the values that it binds, and what its reply has to be.

use bakeoff_workload::{Action, ColumnType, DesignId, Keys, Mix, Operation, Query, Version};
use tokio_postgres::types::Type;

use crate::EngineError;
use crate::drive::read_rows::ReadRows;
use crate::postgres::layout::{Shape, TableLayout, qualified, quoted};

/// Most values that one statement of PostgreSQL's protocol binds.
const MOST_VALUES: usize = 65_535;

/// The plan of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationPlan {
    pub name: String,
    /// SQL with `$1` for the first of the values, and so on.
    pub sql: String,
    /// Values of a row. A statement that writes several rows binds them for one row after the other.
    pub binds: Vec<Bind>,
    pub work: Work,
}

/// A value that a statement binds.
#[derive(Debug, Clone, PartialEq)]
pub struct Bind {
    /// Number of the column in the table.
    pub column: usize,
    pub version: Version,
    kind: ColumnType,
}

/// The work of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Writes so many whole rows.
    Insert {
        rows: u32,
    },
    /// Updates or deletes the drawn row.
    ChangeRow,
    /// Deletes the rows of the drawn row's partition.
    DeletePartition,
    Read(ReadRows),
    /// Asks the query of this number in the workload.
    Query(usize),
}

impl OperationPlan {
    /// Returns how many rows the statement binds values of.
    pub fn rows(&self) -> u32 {
        match self.work {
            Work::Insert { rows } => rows,
            Work::ChangeRow | Work::DeletePartition | Work::Read(_) | Work::Query(_) => 1,
        }
    }

    /// Returns the types of all values, in order.
    pub fn types(&self) -> Vec<Type> {
        let of_row = || self.binds.iter().map(|bind| sql_type(bind.kind));
        (0..self.rows()).flat_map(|_| of_row()).collect()
    }
}

/// Plans the operations of a mix on a table. The queries are those of the workload, in the SQL of PostgreSQL.
///
/// # Errors
/// Fails with the first operation that PostgreSQL, or this layout, has no statement for, and what to write instead.
pub fn plan_operations(
    id: &DesignId,
    layout: &TableLayout,
    schema: &str,
    (mix, queries): (&Mix, &[Query]),
) -> Result<Vec<OperationPlan>, EngineError> {
    if !mix.schema.is_empty() || !mix.background.is_empty() {
        return Err(EngineError(format!(
            "design {id}: the mix has statements in CQL (schema or background), which PostgreSQL does not speak: leave \
             them out, or drive designs of cassandra alone with --designs"
        )));
    }
    let operations = mix.operations.iter();
    let planned = operations.map(|operation| {
        let planner = Planner {
            id,
            layout,
            schema,
            queries,
            operation,
        };
        planner.plan()
    });
    planned.collect()
}

/// The planner of one operation.
struct Planner<'a> {
    id: &'a DesignId,
    layout: &'a TableLayout,
    schema: &'a str,
    queries: &'a [Query],
    operation: &'a Operation,
}

impl Planner<'_> {
    fn plan(&self) -> Result<OperationPlan, EngineError> {
        if self.operation.ttl_seconds.is_some() {
            return Err(self.refused(
                "has a `ttl`, and rows of PostgreSQL stay until they are deleted: leave `ttl` out, or delete rows by \
                 an operation `delete-row` or `delete-partition`",
            ));
        }
        let (sql, binds, work) = match &self.operation.action {
            Action::Insert => self.insert()?,
            Action::Update { columns } => self.update(columns)?,
            Action::DeleteRow => self.delete(true),
            Action::DeletePartition => self.delete(false),
            Action::ReadRow => self.read(ReadRows::One),
            Action::ReadPartition {
                limit,
                newest_first,
            } => self.read(self.several(ReadRows::Partition {
                limit: *limit,
                descending: *newest_first,
            })),
            Action::ReadRange { rows } => self.read(self.several(ReadRows::From { limit: *rows })),
            Action::ReadParts { .. } => {
                return Err(self.refused(
                    "reads a partition by several requests, which only designs of cassandra do: leave `requests` out \
                     of it",
                ));
            }
            Action::Query { query } => {
                let sql = self.queries[*query].sql_for(&self.id.to_string());
                (sql.trim().to_owned(), Vec::new(), Work::Query(*query))
            }
            Action::Cql(_) => {
                return Err(self.refused(
                    "is written in CQL, which PostgreSQL does not speak: write it as an action such as insert, update \
                     or read-row, or drive designs of cassandra alone with --designs",
                ));
            }
        };
        Ok(OperationPlan {
            name: self.operation.name.clone(),
            sql,
            binds,
            work,
        })
    }

    fn insert(&self) -> Result<(String, Vec<Bind>, Work), EngineError> {
        self.check_insert()?;
        let table = &self.layout.table;
        let rows = self.operation.batch.max(1);
        let width = table.columns.len();
        if width * rows as usize > MOST_VALUES {
            return Err(self.refused(&format!(
                "writes {rows} rows of {width} columns at once, and PostgreSQL takes {MOST_VALUES} values: give it a \
                 smaller `batch`"
            )));
        }
        let values: Vec<String> = (0..rows as usize)
            .map(|row| markers(row * width, width))
            .collect();
        let names: Vec<String> = table.columns.iter().map(|c| quoted(&c.name)).collect();
        let sql = format!(
            "INSERT INTO {} ({}) VALUES {}{}",
            self.table(),
            names.join(", "),
            values.join(", "),
            self.overwriting()
        );
        let binds = (0..width).map(|column| self.bind(column, Version::First));
        Ok((sql, binds.collect(), Work::Insert { rows }))
    }

    /// Checks that what is inserted has a place, and is not there already.
    fn check_insert(&self) -> Result<(), EngineError> {
        let is_new = self.operation.keys == Keys::New;
        if !is_new && !self.layout.unique {
            return Err(self.refused(
                "inserts over rows that are there, of which this design would keep both: drive a design whose inserts \
                 overwrite, such as postgres/plain?unique=on, or write keys = \"new\"",
            ));
        }
        if is_new && matches!(self.layout.shape, Shape::Partitioned(_)) {
            return Err(self.refused(
                "inserts new rows, for which this design has no partitions: drive postgres/plain, or \
                 timescale/hypertable, which makes its chunks as rows come",
            ));
        }
        Ok(())
    }

    /// Returns the clause by which an insert replaces the row that has its key, if keys are unique.
    fn overwriting(&self) -> String {
        if !self.layout.unique {
            return String::new();
        }
        let table = &self.layout.table;
        let key: Vec<String> = table.key().map(quoted).collect();
        let names = table.columns.iter().map(|c| c.name.as_str());
        let mut written: Vec<&str> = names.filter(|name| !table.is_key(name)).collect();
        if written.is_empty() {
            // Some column has to be written, so that each row counts.
            written.extend(table.key().take(1));
        }
        let assigned = written.into_iter().map(|name| {
            let name = quoted(name);
            format!("{name} = EXCLUDED.{name}")
        });
        let assigned: Vec<String> = assigned.collect();
        format!(
            " ON CONFLICT ({}) DO UPDATE SET {}",
            key.join(", "),
            assigned.join(", ")
        )
    }

    fn update(&self, columns: &[String]) -> Result<(String, Vec<Bind>, Work), EngineError> {
        let columns: Vec<usize> = columns.iter().filter_map(|c| self.column(c)).collect();
        if columns.is_empty() {
            return Err(self.refused("updates no column: the table has none outside its key"));
        }
        let assigned = columns.iter().zip(1..).map(|(column, marker)| {
            let name = &self.layout.table.columns[*column].name;
            format!("{} = ${marker}", quoted(name))
        });
        let assigned: Vec<String> = assigned.collect();
        let (condition, key) = self.where_key(true, columns.len());
        let sql = format!(
            "UPDATE {} SET {} WHERE {condition}",
            self.table(),
            assigned.join(", ")
        );
        let second = columns.into_iter();
        let second = second.map(|column| self.bind(column, Version::Second));
        Ok((sql, second.chain(key).collect(), Work::ChangeRow))
    }

    fn delete(&self, whole_key: bool) -> (String, Vec<Bind>, Work) {
        let (condition, binds) = self.where_key(whole_key, 0);
        let sql = format!("DELETE FROM {} WHERE {condition}", self.table());
        // Without an order key a partition is one row.
        let work = if whole_key || self.layout.table.order_key.is_empty() {
            Work::ChangeRow
        } else {
            Work::DeletePartition
        };
        (sql, binds, work)
    }

    /// Returns these rows, or the only one where a partition has one.
    fn several(&self, rows: ReadRows) -> ReadRows {
        if self.layout.table.order_key.is_empty() {
            ReadRows::One
        } else {
            rows
        }
    }

    fn read(&self, rows: ReadRows) -> (String, Vec<Bind>, Work) {
        let (condition, binds) = match rows {
            ReadRows::One => self.where_key(true, 0),
            ReadRows::Partition { .. } => self.where_key(false, 0),
            ReadRows::From { .. } => self.where_from(),
        };
        let order = match rows {
            ReadRows::One => String::new(),
            ReadRows::Partition { descending, .. } => self.order_by(descending),
            ReadRows::From { .. } => self.order_by(false),
        };
        let limit = match (rows, rows.limit()) {
            (ReadRows::One, _) | (_, None) => String::new(),
            (_, Some(limit)) => format!(" LIMIT {limit}"),
        };
        let columns = self.layout.table.columns.iter();
        let columns: Vec<String> = columns.map(|c| quoted(&c.name)).collect();
        let sql = format!(
            "SELECT {} FROM {} WHERE {condition}{order}{limit}",
            columns.join(", "),
            self.table()
        );
        (sql, binds, Work::Read(rows))
    }

    fn order_by(&self, descending: bool) -> String {
        let word = if descending { " DESC" } else { "" };
        let columns = self.layout.table.order_key.iter();
        let columns: Vec<String> = columns.map(|c| format!("{}{word}", quoted(c))).collect();
        format!(" ORDER BY {}", columns.join(", "))
    }

    /// Returns the condition that selects a partition, or with `whole_key` one row of it, and its binds, whose markers
    /// come after so many others.
    fn where_key(&self, whole_key: bool, after: usize) -> (String, Vec<Bind>) {
        let table = &self.layout.table;
        let order = table.order_key.iter().filter(|_| whole_key);
        let names = table.partition_key.iter().chain(order);
        let conditions = names
            .clone()
            .zip(after + 1..)
            .map(|(name, marker)| format!("{} = ${marker}", quoted(name)));
        let conditions: Vec<String> = conditions.collect();
        (conditions.join(" AND "), self.key_binds(names))
    }

    /// Returns the condition that selects a partition from a row on, and its binds.
    fn where_from(&self) -> (String, Vec<Bind>) {
        let order_key = &self.layout.table.order_key;
        let (partition, mut binds) = self.where_key(false, 0);
        let names: Vec<String> = order_key.iter().map(|name| quoted(name)).collect();
        let bound = match names.as_slice() {
            [name] => format!("{name} >= ${}", binds.len() + 1),
            names => format!(
                "({}) >= {}",
                names.join(", "),
                markers(binds.len(), names.len())
            ),
        };
        binds.extend(self.key_binds(order_key.iter()));
        (format!("{partition} AND {bound}"), binds)
    }

    fn key_binds<'n>(&self, names: impl Iterator<Item = &'n String>) -> Vec<Bind> {
        names
            .filter_map(|name| Some(self.bind(self.column(name)?, Version::First)))
            .collect()
    }

    fn bind(&self, column: usize, version: Version) -> Bind {
        Bind {
            column,
            version,
            kind: self.layout.table.columns[column].kind,
        }
    }

    fn column(&self, name: &str) -> Option<usize> {
        let columns = &self.layout.table.columns;
        columns.iter().position(|c| c.name == name)
    }

    fn table(&self) -> String {
        qualified(self.schema, &self.layout.table.name)
    }

    fn refused(&self, why: &str) -> EngineError {
        EngineError(format!(
            "design {}: operation `{}` {why}",
            self.id, self.operation.name
        ))
    }
}

/// Returns `($3, $4)` for two markers after two others.
fn markers(after: usize, count: usize) -> String {
    let markers = (after + 1..=after + count).map(|marker| format!("${marker}"));
    let markers: Vec<String> = markers.collect();
    format!("({})", markers.join(", "))
}

/// Returns the type of a column's values in PostgreSQL.
fn sql_type(kind: ColumnType) -> Type {
    match kind {
        ColumnType::Boolean => Type::BOOL,
        ColumnType::Int => Type::INT4,
        ColumnType::Bigint => Type::INT8,
        ColumnType::Float => Type::FLOAT4,
        ColumnType::Double => Type::FLOAT8,
        ColumnType::Text => Type::TEXT,
        ColumnType::Uuid => Type::UUID,
        ColumnType::Timestamp => Type::TIMESTAMP,
        ColumnType::Blob => Type::BYTEA,
    }
}

#[cfg(test)]
mod tests;
