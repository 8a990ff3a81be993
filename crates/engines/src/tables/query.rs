//! Queries over open tables.

use std::sync::Arc;

use arrow::datatypes::{Field, SchemaRef};
use arrow::record_batch::RecordBatch;
use bakeoff_columnar::Table;
use bakeoff_workload::literal::text;
use datafusion::common::{Column, TableReference};
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use futures::StreamExt;

use super::cql_words::{self, listing, without_word_table};
use super::names::hint;
use super::{
    ChunkCounts, INFORMATION_SCHEMA, Location, NO_KEYSPACE, Progress, SqlError, TableError, Tables,
    whole_numbers, wide_numbers,
};
use crate::cassandra;
use crate::complaint::{self, Complaint, is_query};
use crate::dialect::position_of;
use crate::lengths_of_time;
use crate::plain_sql::{NotPlain, plain_sql};
use crate::statements::ambiguous::ambiguity;
use crate::statements::ignored;
use crate::statements::parse::{self, Unparsed};

/// A running query.
pub struct Query {
    pub(super) schema: SchemaRef,
    pub(super) plan: Arc<dyn ExecutionPlan>,
    pub(super) rows: SendableRecordBatchStream,
    pub(super) explains: bool,
    pub(super) columnar: Vec<Arc<Table>>,
    /// The SQL, for errors that are only found while the query runs.
    pub(super) sql: String,
}

impl Query {
    /// Returns the schema of the rows, in which numbers of any length are text.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns whether the rows are plans, each with its kind and its text of several lines.
    pub fn explains(&self) -> bool {
        self.explains
    }

    /// Returns the next batch of rows, or `None` at the end.
    ///
    /// # Errors
    /// Fails if rows cannot be read, or if a text in the SQL cannot be converted to the type that it is
    /// compared with.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        let rows = self.rows.next().await.transpose();
        let rows = rows.map_err(|error| match text_error(&self.sql, &error) {
            Some(error) => TableError::Sql(error),
            None => error.into(),
        })?;
        let shown = rows.map(|rows| wide_numbers::shown(&rows, &self.schema));
        Ok(shown.transpose().map_err(DataFusionError::from)?)
    }

    /// Returns a function that reads the progress while the query runs.
    pub fn watch(&self) -> impl Fn() -> Progress + Send + Sync + use<> {
        let plan = self.plan.clone();
        move || Progress::from_plan(plan.as_ref())
    }

    /// Returns the work on chunks so far, or `None` if no columnar table is open.
    pub fn chunks(&self) -> Option<ChunkCounts> {
        if self.columnar.is_empty() {
            return None;
        }
        let mut counts = super::progress::chunks(self.plan.as_ref());
        for table in &self.columnar {
            let cache = table.cache_statistics();
            counts.cache_hits += cache.hits;
            counts.cache_misses += cache.misses;
        }
        Some(counts)
    }

    /// Returns notes on columns that are read as another type than they have, and on columnar tables of which rows may
    /// be missing at this consistency level.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = cassandra::read_as_text(self.plan.as_ref());
        notes.dedup();
        for missed in self.columnar.iter().filter_map(|table| table.missed()) {
            if !notes.iter().any(|note| note == missed) {
                notes.push(missed.to_owned());
            }
        }
        notes
    }
}

impl Tables {
    /// Plans and starts a query, which returns at most `most_rows` rows. Tables that it names with their
    /// keyspace are opened.
    ///
    /// # Errors
    /// The outer error is one of a table that cannot be opened or read, the inner one is one of the SQL.
    pub async fn query(
        &mut self,
        sql: &str,
        most_rows: Option<usize>,
    ) -> Result<Result<Query, SqlError>, TableError> {
        if let Some(listing) = listing(sql).filter(|_| !self.describes_own(sql)) {
            return self.list(&listing, most_rows).await;
        }
        let plain = match plain_sql(sql) {
            Ok(plain) => plain,
            Err(NotPlain { position, why }) => {
                return Ok(Err(SqlError {
                    position: Some(position),
                    message: why,
                }));
            }
        };
        let asked = plain.as_deref().unwrap_or(sql);
        let query = self.plain_query(asked, most_rows).await?;
        Ok(query
            .map(|query| Query {
                sql: sql.to_owned(),
                ..query
            })
            .map_err(|error| placed(error, asked, sql)))
    }

    /// Plans and starts a query in the SQL of DataFusion, as [`Tables::query`] does.
    async fn plain_query(
        &mut self,
        sql: &str,
        most_rows: Option<usize>,
    ) -> Result<Result<Query, SqlError>, TableError> {
        let described = without_word_table(sql);
        let sql = described.as_deref().unwrap_or(sql);
        if let Err(error) = self.open_named(sql).await? {
            return Ok(Err(self.complaint_of(sql, error)));
        }
        if let Some(found) = ambiguity(sql) {
            return Ok(Err(SqlError {
                position: position_of(sql, found.word),
                message: found.why,
            }));
        }
        let plan = match parse::plan(&self.session.state(), sql).await {
            Ok(plan) => plan,
            Err(error) => return Ok(Err(self.complaint_of(sql, error))),
        };
        if let Some(refusal) = refusal(&plan) {
            return Ok(Err(refusal));
        }
        let complaint = ignored::complaint(sql).or_else(|| lengths_of_time::complaint(&plan));
        if let Some(message) = complaint {
            return Ok(Err(SqlError {
                position: None,
                message,
            }));
        }
        let plan = whole_numbers::as_written_in_plan(plan)?;
        let plan = match most_rows.filter(|_| is_query(&plan)) {
            Some(rows) => LogicalPlanBuilder::from(plan)
                .limit(0, Some(rows))?
                .build()?,
            None => plan,
        };
        let explains = matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_));
        let planned = self.session.state().create_physical_plan(&plan).await;
        let plan = match planned {
            Ok(plan) => plan,
            Err(error) => match text_error(sql, &error) {
                Some(complaint) => return Ok(Err(complaint)),
                None if is_storage_error(&error) => return Err(error.into()),
                None => return Ok(Err(self.complaint(sql, &error))),
            },
        };
        let rows = execute_stream(plan.clone(), self.session.task_ctx())?;
        Ok(Ok(Query {
            schema: wide_numbers::shown_schema(&plan.schema()),
            plan,
            rows,
            explains,
            columnar: self.columnar.clone(),
            sql: sql.to_owned(),
        }))
    }

    /// Returns whether a statement such as `DESCRIBE TABLES` describes a table that the command line has
    /// given that name.
    fn describes_own(&self, sql: &str) -> bool {
        let sql = sql.to_lowercase();
        let mut words = sql
            .trim_end_matches([';', ' ', '\n', '\t'])
            .split_whitespace();
        let (first, second) = (words.next(), words.next());
        let describes = first.is_some_and(|first| first.starts_with("desc"));
        let is_own = second.is_some_and(|name| self.names.contains_key(name));
        describes && is_own && words.next().is_none()
    }

    /// Returns the columns of an open table, given its name.
    pub(super) async fn fields(&self, table: &str) -> Result<Vec<Field>, TableError> {
        let table = self.session.table_provider(TableReference::bare(table));
        let schema = table.await?.schema();
        Ok(schema.fields().iter().map(|f| f.as_ref().clone()).collect())
    }

    /// Opens the tables that a query names with their keyspace, unless they are open. The inner error is
    /// one of the SQL.
    async fn open_named(&mut self, sql: &str) -> Result<Result<(), Unparsed>, TableError> {
        let state = self.session.state();
        let references = parse::statement(&state, sql).and_then(|statement| {
            let named = state.resolve_table_references(&statement);
            named.map_err(Unparsed::Failed)
        });
        let references = match references {
            Ok(references) => references,
            Err(error) => return Ok(Err(error)),
        };
        for reference in references {
            let TableReference::Partial { schema, table } = &reference else {
                continue;
            };
            let is_known = self
                .with_keyspace
                .contains(&(schema.to_string(), table.to_string()));
            if is_known || matches!(schema.as_ref(), NO_KEYSPACE | INFORMATION_SCHEMA) {
                continue;
            }
            let location = Location::Cassandra {
                keyspace: schema.to_string(),
                table: table.to_string(),
            };
            let (provider, _) = self.open(&location).await?;
            self.add_with_keyspace(schema, table, provider)?;
        }
        Ok(Ok(()))
    }

    fn complaint_of(&self, sql: &str, unparsed: Unparsed) -> SqlError {
        match unparsed {
            Unparsed::Refused(message) => SqlError {
                position: None,
                message,
            },
            Unparsed::Failed(error) => self.complaint(sql, &error),
        }
    }

    fn complaint(&self, sql: &str, error: &DataFusionError) -> SqlError {
        if let Some(error) = cql_words::complaint(sql) {
            return error;
        }
        let columns = |name: &str, valid: &[Column]| {
            let hint = hint(name, valid.iter().map(|c| c.name()));
            if cql_words::is_in_double_quotes(sql, name) && !hint.contains("did you mean") {
                format!("{hint}; text is written {}", text(name))
            } else {
                hint
            }
        };
        let tables = |name: &str| {
            if self.names.is_empty() {
                format!(
                    "; name it with --table KEYSPACE.{name} or --table dir:FOLDER, or write \
                 KEYSPACE.{name}"
                )
            } else {
                hint(name, self.names.keys().map(String::as_str))
            }
        };
        let Complaint { position, message } = complaint::from_planner(error, columns, tables);
        SqlError { position, message }
    }
}

/// Returns the error of SQL that was written otherwise before it was asked: with its place, if all before that is the
/// same in both.
pub(super) fn placed(error: SqlError, asked: &str, written: &str) -> SqlError {
    let is_same = |(line, column): &(usize, usize)| {
        let up_to_there = |text: &str| {
            let mut lines: Vec<String> = text.lines().take(*line).map(str::to_owned).collect();
            let last = lines.pop().unwrap_or_default();
            lines.push(last.chars().take(*column).collect());
            lines
        };
        up_to_there(asked) == up_to_there(written)
    };
    SqlError {
        position: error.position.filter(is_same),
        ..error
    }
}

/// Returns the error of a statement that does more than read, which is not carried out.
fn refusal(plan: &LogicalPlan) -> Option<SqlError> {
    let inner = match plan {
        LogicalPlan::Explain(explain) => explain.plan.as_ref(),
        LogicalPlan::Analyze(analyze) => analyze.input.as_ref(),
        LogicalPlan::DescribeTable(_) => return None,
        plan => plan,
    };
    (!is_query(inner)).then(|| SqlError {
        position: None,
        message:
            "this is not a query: only statements that read are run (SELECT, EXPLAIN, DESCRIBE, \
                  SHOW); nothing was changed"
                .to_owned(),
    })
}

/// Returns the error of a text in the SQL that cannot be converted to the type that it is compared with
/// or cast to, if that is the error.
pub(super) fn text_error(sql: &str, error: &DataFusionError) -> Option<SqlError> {
    let DataFusionError::ArrowError(error, _) = error.find_root() else {
        return None;
    };
    let message = error.to_string();
    let (place, text) = cql_words::cited_text(sql, &message)?;
    let message = if message.contains("parsing timestamp") {
        format!("'{text}' is not a time such as '2026-01-31' or '2026-01-31T12:00:00Z'")
    } else {
        message
    };
    Some(SqlError {
        position: Some(place),
        message,
    })
}

/// Returns whether a plan failed because of the stored data or its store, and not because of the SQL.
fn is_storage_error(error: &DataFusionError) -> bool {
    matches!(
        error.find_root(),
        DataFusionError::External(_)
            | DataFusionError::IoError(_)
            | DataFusionError::ArrowError(..)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_where_it_is_the_same_in_what_was_written() {
        let written = "SELECT 1,\n last(v, t), w";
        let asked = "SELECT 1,\n last_value(v ORDER BY t NULLS FIRST), w";
        let error = |position| SqlError {
            position: Some(position),
            message: "no".to_owned(),
        };
        for (place, expected) in [
            ((1, 8), Some((1, 8))),
            ((2, 2), Some((2, 2))),
            ((2, 12), None),
            ((2, 39), None),
        ] {
            assert_eq!(placed(error(place), asked, written).position, expected);
            let same = placed(error(place), asked, asked);
            assert_eq!(same.position, Some(place));
        }
    }
}
