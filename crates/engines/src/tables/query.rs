//! A query over tables that are open, row by row.

use std::sync::Arc;

use arrow::datatypes::{Field, SchemaRef};
use arrow::record_batch::RecordBatch;
use bakeoff_columnar::Table;
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
};
use crate::cassandra;
use crate::complaint::{self, Complaint, is_query};

/// A query that runs.
pub struct Query {
    pub(super) schema: SchemaRef,
    pub(super) plan: Arc<dyn ExecutionPlan>,
    pub(super) rows: SendableRecordBatchStream,
    pub(super) explains: bool,
    pub(super) columnar: Vec<Arc<Table>>,
    /// As it was asked, for what is only found while it runs.
    pub(super) sql: String,
}

impl Query {
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Whether its rows are plans: their kind, and their text in many lines.
    pub fn explains(&self) -> bool {
        self.explains
    }

    /// Some of the rows that come next; `None` at the end.
    ///
    /// # Errors
    /// What cannot be read, and texts in the SQL that cannot be what they are compared with.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        let rows = self.rows.next().await.transpose();
        rows.map_err(|error| match of_text(&self.sql, &error) {
            Some(error) => TableError::Sql(error),
            None => error.into(),
        })
    }

    /// To be asked while it runs.
    pub fn watch(&self) -> impl Fn() -> Progress + Send + Sync + use<> {
        let plan = self.plan.clone();
        move || Progress::of(plan.as_ref())
    }

    /// `None` where no columnar table is open.
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

    /// What its user has to know of columns that are not read as what they are.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = cassandra::read_as_text(self.plan.as_ref());
        notes.dedup();
        notes
    }
}

impl Tables {
    /// Plans a query and begins to run it; no more than this many of its rows come. Tables that it
    /// names with their keyspace are opened.
    ///
    /// # Errors
    /// The outer ones are of tables that cannot be opened or read, the inner ones of the SQL.
    pub async fn query(
        &mut self,
        sql: &str,
        most_rows: Option<usize>,
    ) -> Result<Result<Query, SqlError>, TableError> {
        if let Some(listing) = listing(sql).filter(|_| !self.describes_own(sql)) {
            return self.list(&listing, most_rows).await;
        }
        let described = without_word_table(sql);
        let sql = described.as_deref().unwrap_or(sql);
        if let Err(error) = self.open_named(sql).await? {
            return Ok(Err(self.complaint(sql, &error)));
        }
        let plan = match self.session.state().create_logical_plan(sql).await {
            Ok(plan) => plan,
            Err(error) => return Ok(Err(self.complaint(sql, &error))),
        };
        if let Some(refusal) = refusal(&plan) {
            return Ok(Err(refusal));
        }
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
            Err(error) => match of_text(sql, &error) {
                Some(complaint) => return Ok(Err(complaint)),
                None if is_of_storage(&error) => return Err(error.into()),
                None => return Ok(Err(self.complaint(sql, &error))),
            },
        };
        let rows = execute_stream(plan.clone(), self.session.task_ctx())?;
        Ok(Ok(Query {
            schema: plan.schema(),
            plan,
            rows,
            explains,
            columnar: self.columnar.clone(),
            sql: sql.to_owned(),
        }))
    }

    /// Whether `DESCRIBE TABLES`, or the like, is about a table that the command line calls so.
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

    /// The columns of a table that is open, by the name that it was given.
    pub(super) async fn fields(&self, table: &str) -> Result<Vec<Field>, TableError> {
        let table = self.session.table_provider(TableReference::bare(table));
        let schema = table.await?.schema();
        Ok(schema.fields().iter().map(|f| f.as_ref().clone()).collect())
    }

    /// Opens the tables that a query names with their keyspace, and that are not open yet.
    async fn open_named(&mut self, sql: &str) -> Result<Result<(), DataFusionError>, TableError> {
        let state = self.session.state();
        let dialect = state.config().options().sql_parser.dialect;
        let references = { state.sql_to_statement(sql, &dialect) }
            .and_then(|statement| state.resolve_table_references(&statement));
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

    fn complaint(&self, sql: &str, error: &DataFusionError) -> SqlError {
        if let Some(of_cql) = cql_words::complaint(sql) {
            return of_cql;
        }
        let columns = |name: &str, valid: &[Column]| {
            let hint = hint(name, valid.iter().map(|c| c.name()));
            if cql_words::is_in_double_quotes(sql, name) && !hint.contains("did you mean") {
                format!("{hint}; text is written '{}'", name.replace('\'', "''"))
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
        let Complaint { position, message } = complaint::of_planner(error, columns, tables);
        SqlError { position, message }
    }
}

/// Why a statement is not carried out, if it is none that only reads.
fn refusal(plan: &LogicalPlan) -> Option<SqlError> {
    let inner = match plan {
        LogicalPlan::Explain(explain) => explain.plan.as_ref(),
        LogicalPlan::Analyze(analyze) => analyze.input.as_ref(),
        LogicalPlan::DescribeTable(_) => return None,
        plan => plan,
    };
    (!is_query(inner)).then(|| SqlError {
        position: None,
        message: "this is no query: only what reads is carried out (SELECT, EXPLAIN, DESCRIBE, \
                  SHOW); nothing was changed"
            .to_owned(),
    })
}

/// A text of the SQL that cannot be what it is compared with or cast to.
fn of_text(sql: &str, error: &DataFusionError) -> Option<SqlError> {
    let DataFusionError::ArrowError(error, _) = error.find_root() else {
        return None;
    };
    let message = error.to_string();
    let (place, text) = cql_words::cited_text(sql, &message)?;
    let message = if message.contains("parsing timestamp") {
        format!("'{text}' is no time such as '2026-01-31' or '2026-01-31T12:00:00Z'")
    } else {
        message
    };
    Some(SqlError {
        position: Some(place),
        message,
    })
}

/// Whether a plan failed because of what is stored, or of where: not because of its SQL.
fn is_of_storage(error: &DataFusionError) -> bool {
    matches!(
        error.find_root(),
        DataFusionError::External(_)
            | DataFusionError::IoError(_)
            | DataFusionError::ArrowError(..)
    )
}
