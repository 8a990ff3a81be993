//! Scans of a columnar table in shares, which separate processes read.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use bakeoff_columnar::sql::{self as columnar, ColumnarTable, is_of_the_row, parts_read};
use bakeoff_columnar::{Error, Part, Share, Table, shares};
use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema};
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::{Expr, ExprSchemable, Volatility};
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::SessionContext;
use futures::StreamExt;

use super::names::hint;
use super::query::{placed, text_error};
use super::{
    Access, CATALOG, ColumnarOptions, Connection, Location, NO_KEYSPACE, Options, SqlError,
    TableError, whole_numbers,
};
use crate::complaint::{self, Complaint};
use crate::plain_sql::{NotPlain, plain_sql};
use crate::sql::session_for_tables;
use crate::statements::parse::{self, Unparsed};

/// The refusal of a condition that shares could answer differently, or that reads more than the row.
const NOT_OF_THE_ROW: &str = "a condition may look at the columns of one row only: no subquery, no \
    aggregate, and no function whose value changes, such as now(); write the value instead";

/// The columns and rows of a table that are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanRequest {
    /// The names of the columns, in this order; all columns of the table if there is none.
    pub columns: Vec<String>,
    /// The condition of the rows in SQL; all rows if it is `None`.
    pub condition: Option<String>,
}

/// A columnar table that is scanned in shares.
pub struct Scanner {
    table: Arc<Table>,
    session: SessionContext,
    location: Location,
}

/// The rows of a share.
pub struct Scan {
    schema: SchemaRef,
    rows: SendableRecordBatchStream,
    condition: Option<String>,
}

impl Scanner {
    /// Opens a columnar table.
    ///
    /// # Errors
    /// Fails if there is no such table, or if the cluster does not answer.
    pub async fn open(
        connection: &Connection,
        location: &Location,
        options: &Options,
    ) -> Result<Scanner, TableError> {
        let table_options = ColumnarOptions {
            consistency: options.consistency,
            // Nothing is read twice.
            cache_bytes: 0,
            rate_limit: None,
        };
        let opened = connection.open_columnar(location, Access::Read, &table_options);
        let Some(table) = opened.await? else {
            return Err(connection.not_columnar(location).await?);
        };
        let names = (CATALOG, NO_KEYSPACE);
        let session = session_for_tables(options.threads, options.memory_bytes, names)?;
        Ok(Scanner {
            table,
            session: columnar::session(&session),
            location: location.clone(),
        })
    }

    /// Looks at the table as it is now, and divides what is wanted of it among this number of shares.
    ///
    /// # Errors
    /// Fails if there is no such column, the condition is not one, or the table cannot be read.
    pub async fn shares(
        &self,
        request: &ScanRequest,
        count: u32,
    ) -> Result<Vec<Share>, TableError> {
        let columns = self.columns(&request.columns)?;
        let condition = request.condition.as_deref();
        let table = ColumnarTable::new(Arc::clone(&self.table), self.location.to_string());
        let plan = self.plan(table, &columns, condition).await?;
        let parts: Vec<(Part, u64)> = parts_read(&plan)?;
        let definition = self.table.definition();
        Ok(shares(definition, &columns, condition, parts, count)?)
    }

    /// Returns what shares may miss of what others have written at `QUORUM`, since the consistency level is too low for
    /// the copies that there were when the table was opened, in words. `None` if each read meets each such write.
    pub fn missed(&self) -> Option<&str> {
        self.table.missed()
    }

    /// Returns a share as a text, for another process.
    ///
    /// # Errors
    /// Fails if the share is too large.
    pub fn token(&self, share: &Share) -> Result<String, TableError> {
        Ok(share.to_token(self.table.definition())?)
    }

    /// Returns the share of a token.
    ///
    /// # Errors
    /// Fails if the token is torn, or that of another table.
    pub fn share(&self, token: &str) -> Result<Share, TableError> {
        Ok(Share::from_token(token, self.table.definition())?)
    }

    /// Begins to read the rows of a share.
    ///
    /// # Errors
    /// Fails if the share asks for what the table does not have.
    pub async fn read(&self, share: Share) -> Result<Scan, TableError> {
        let Share {
            columns,
            condition,
            parts,
            ..
        } = share;
        let columns = self.columns(&columns)?;
        let (table, name) = (Arc::clone(&self.table), self.location.to_string());
        let table = ColumnarTable::of_parts(table, name, parts);
        let plan = self.plan(table, &columns, condition.as_deref()).await?;
        let rows = execute_stream(plan, self.session.task_ctx())?;
        Ok(Scan {
            schema: self.schema_of(&columns),
            rows,
            condition,
        })
    }

    /// Checks the names of columns, and replaces none at all by those of the whole table.
    fn columns(&self, wanted: &[String]) -> Result<Vec<String>, TableError> {
        let definition = self.table.definition();
        let all = || definition.columns.iter().map(|column| &column.name);
        if wanted.is_empty() {
            return Ok(all().cloned().collect());
        }
        let mut seen = BTreeSet::new();
        for name in wanted {
            if definition.index_of(name).is_none() {
                let hint = hint(name, all().map(String::as_str));
                return Err(TableError::Asked(format!(
                    "{} has no column `{name}`{hint}",
                    self.location
                )));
            }
            if !seen.insert(name) {
                return Err(TableError::Asked(format!(
                    "column `{name}` is wanted twice: name it once"
                )));
            }
        }
        Ok(wanted.to_vec())
    }

    /// Returns the schema of columns that the table has.
    fn schema_of(&self, columns: &[String]) -> SchemaRef {
        let definition = self.table.definition();
        let all = self.table.schema();
        let numbers = columns.iter().filter_map(|name| definition.index_of(name));
        let fields = numbers.map(|number| Arc::clone(&all.fields()[number]));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    async fn plan(
        &self,
        table: ColumnarTable,
        columns: &[String],
        condition: Option<&str>,
    ) -> Result<Arc<dyn ExecutionPlan>, TableError> {
        let condition = match condition {
            None => None,
            Some(sql) => Some((sql, self.condition(sql, &table)?)),
        };
        let mut wanted = self.session.read_table(Arc::new(table))?;
        let sql = condition.as_ref().map_or("", |(sql, _)| *sql);
        if let Some((_, condition)) = condition {
            wanted = wanted.filter(condition)?;
        }
        let column = |name: &String| Expr::Column(Column::new_unqualified(name));
        let columns: Vec<Expr> = columns.iter().map(column).collect();
        let planned = wanted.select(columns)?.create_physical_plan().await;
        planned.map_err(|error| failed_plan(sql, error))
    }

    /// Reads a condition, in which functions and clauses of other systems are those of DataFusion, as in a query.
    /// Refuses what is none.
    fn condition(&self, sql: &str, table: &ColumnarTable) -> Result<Expr, TableError> {
        let refused = |message: String| {
            TableError::Sql(SqlError {
                position: None,
                message,
            })
        };
        let plain = plain_sql(sql).map_err(|NotPlain { position, why }| {
            TableError::Sql(SqlError {
                position: Some(position),
                message: why,
            })
        })?;
        let asked = plain.as_deref().unwrap_or(sql);
        let complained = |error: &DataFusionError| match complaint(asked, error) {
            TableError::Sql(error) => TableError::Sql(placed(error, asked, sql)),
            other => other,
        };
        let schema = DFSchema::try_from(table.schema())?;
        let read = parse::expression(&self.session.state(), asked, &schema);
        let condition = read.map_err(|unparsed| match unparsed {
            Unparsed::Refused(why) => refused(why),
            Unparsed::Failed(error) => complained(&error),
        })?;
        if !is_of_the_row(&condition) || !is_the_same_later(&condition) {
            return Err(refused(NOT_OF_THE_ROW.to_owned()));
        }
        let condition = whole_numbers::as_written(condition, &schema)?.data;
        match condition.get_type(&schema) {
            Ok(DataType::Boolean) => Ok(condition),
            Ok(other) => Err(refused(format!(
                "this is no condition, but a value of type {other}: compare it with something"
            ))),
            Err(error) => Err(complained(&error)),
        }
    }
}

/// Returns whether an expression has the same value for the same row whenever it is evaluated. A plan is
/// made at one time, and its shares are read at others.
fn is_the_same_later(expr: &Expr) -> bool {
    let mut same = true;
    let visited = expr.apply(|expr| {
        if let Expr::ScalarFunction(function) = expr {
            same &= function.func.signature().volatility == Volatility::Immutable;
        }
        Ok(TreeNodeRecursion::Continue)
    });
    visited.is_ok() && same
}

impl Scan {
    /// Returns the schema of the rows: that of the table, with the columns that are wanted.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the next batch of rows, or `None` at the end.
    ///
    /// # Errors
    /// Fails if rows cannot be read: a chunk that is gone since the plan was made is never left out.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        let sql = self.condition.as_deref().unwrap_or_default();
        let rows = self.rows.next().await.transpose();
        let rows = rows.map_err(|error| failed_read(sql, error))?;
        let Some(rows) = rows else {
            return Ok(None);
        };
        // The plan may know more of a column, such as that it has no nulls, than the table says.
        let rows = RecordBatch::try_new(Arc::clone(&self.schema), rows.columns().to_vec());
        Ok(Some(rows.map_err(DataFusionError::from)?))
    }
}

/// Converts an error of planning: one of the condition, or of the table.
fn failed_plan(sql: &str, error: DataFusionError) -> TableError {
    match error.find_root() {
        DataFusionError::External(_) | DataFusionError::IoError(_) => failed_read(sql, error),
        _ => match text_error(sql, &error) {
            Some(error) => TableError::Sql(error),
            None => complaint(sql, &error),
        },
    }
}

fn failed_read(sql: &str, error: DataFusionError) -> TableError {
    if let Some(error) = text_error(sql, &error) {
        return TableError::Sql(error);
    }
    match of_the_table(&error) {
        Some(Error::Gone { chunk, place, .. }) => TableError::Failed(format!(
            "chunk {chunk} of {place} is gone: it was dropped, or replaced and swept away, since the plan \
             was made; make a new plan (`bakeoff scan --plan`), and sweep with a longer --grace"
        )),
        _ => error.into(),
    }
}

/// Returns the error of the columnar table that an error is, if it is one.
fn of_the_table(error: &DataFusionError) -> Option<&Error> {
    match error.find_root() {
        DataFusionError::External(error) => error.downcast_ref(),
        _ => None,
    }
}

/// Converts an error of the planner in a condition.
fn complaint(sql: &str, error: &DataFusionError) -> TableError {
    if let Some(error) = text_error(sql, error) {
        return TableError::Sql(error);
    }
    let columns = |name: &str, valid: &[Column]| hint(name, valid.iter().map(|c| c.name()));
    let tables = |_: &str| "; a condition may not look at tables".to_owned();
    let Complaint { position, message } = complaint::from_planner(error, columns, tables);
    TableError::Sql(SqlError { position, message })
}

#[cfg(test)]
mod tests;
