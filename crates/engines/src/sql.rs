//! DataFusion, the one SQL engine inside Bakeoff: sessions and answers.

use std::sync::Arc;

use arrow::datatypes::DataType;
use bakeoff_columnar::sql::ORDERED_READ_AHEAD_BYTES;
use bakeoff_driver::{Answer, DesignError, Expected, PlanText};
use datafusion::catalog::TableProvider;
use datafusion::common::config::ConfigOptions;
use datafusion::error::DataFusionError;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::newest_groups;
use crate::right_answer;
pub use crate::right_answer::ordering;
use crate::run_plan::execute;
pub use crate::run_plan::{holding_only, message, rows_scanned};
use crate::{columns_read, selected};

/// The memory that the operators of one session may use before they spill, in bytes.
const OPERATOR_MEMORY_BYTES: usize = 192 << 20;
/// The number of rows in a batch while sorting, which a merge holds of each spilled run.
const SORT_BATCH_ROWS: usize = 1_024;

/// Makes a session for one table, with bounded memory.
pub fn session(threads: usize) -> Result<SessionContext, DataFusionError> {
    with_bounded_memory(SessionConfig::from(options()).with_target_partitions(threads))
}

/// Makes a session for sorting a whole table: one sorter has all the memory, and spills the rest.
pub fn sorting_session() -> Result<SessionContext, DataFusionError> {
    sorting_session_within(OPERATOR_MEMORY_BYTES)
}

/// Makes a session for sorting within this much memory, two thirds of which are kept for merging.
///
/// Before rows are spilled, all batches in memory are merged. The merge holds each of them with the keys of its
/// rows, which may be several times as long as short columns are, and cannot spill itself. DataFusion
/// counts a batch twice while it waits, so that here the batches have a sixth of the memory, and their
/// keys may be five times as long as they are.
fn sorting_session_within(bytes: usize) -> Result<SessionContext, DataFusionError> {
    let mut options = options();
    options.execution.sort_spill_reservation_bytes = bytes / 3 * 2;
    let config = SessionConfig::from(options).with_target_partitions(1);
    with_memory(config.with_batch_size(SORT_BATCH_ROWS), bytes)
}

/// Makes a session for tables of any kind, whose operators may use `memory_bytes` before they spill. It
/// also lists its tables and columns (`SHOW TABLES`). Names without a catalog or schema get the given
/// ones.
pub fn session_for_tables(
    threads: usize,
    memory_bytes: usize,
    (catalog, schema): (&str, &str),
) -> Result<SessionContext, DataFusionError> {
    let config = SessionConfig::from(options())
        .with_target_partitions(threads)
        .with_default_catalog_and_schema(catalog, schema)
        .with_information_schema(true);
    with_memory(config, memory_bytes)
}

fn options() -> ConfigOptions {
    let mut options = ConfigOptions::new();
    options.execution.parquet.pushdown_filters = true;
    options.execution.parquet.schema_force_view_types = false;
    options.sql_parser.collect_spans = true;
    options.sql_parser.map_string_types_to_utf8view = false;
    options.execution.sort_pushdown_buffer_capacity = ORDERED_READ_AHEAD_BYTES;
    options
}

fn with_bounded_memory(config: SessionConfig) -> Result<SessionContext, DataFusionError> {
    with_memory(config, OPERATOR_MEMORY_BYTES)
}

fn with_memory(config: SessionConfig, bytes: usize) -> Result<SessionContext, DataFusionError> {
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_limit(bytes, 1.0)
        .build_arc()?;
    Ok(SessionContext::new_with_config_rt(config, runtime))
}

/// Makes a session with one table, which queries call `name`.
pub fn session_with(
    threads: usize,
    name: &str,
    table: Arc<dyn TableProvider>,
) -> Result<SessionContext, DataFusionError> {
    let session = session(threads)?;
    session.register_table(name, table)?;
    Ok(session)
}

/// A [`SessionContext`] whose queries are boxed futures.
///
/// The compiler walks through all types that a future may hold if that has to be `Send`. A
/// `SessionContext` leads to the types of plans and parsed SQL, which contain each other, so that each
/// walk takes seconds. A trait object is `Send` without a look inside, so that these seconds are spent
/// on the methods below alone.
#[derive(Clone)]
pub struct Session(Arc<dyn Holder>);

trait Holder: Send + Sync {
    fn context(&self) -> &SessionContext;
}

impl Holder for SessionContext {
    fn context(&self) -> &SessionContext {
        self
    }
}

impl From<SessionContext> for Session {
    fn from(context: SessionContext) -> Self {
        Session(Arc::new(context))
    }
}

impl Session {
    /// Returns the session itself, which no future should hold: the compiler would walk through its
    /// types.
    pub fn context(&self) -> &SessionContext {
        self.0.context()
    }

    /// Runs SQL to its last row.
    ///
    /// # Errors
    /// Fails with DataFusion's message, or with the table's own.
    pub fn answer<'a>(&'a self, sql: &'a str) -> BoxFuture<'a, Result<Answer, DesignError>> {
        Box::pin(async move {
            let session = self.context();
            let run = async { execute(session, session.sql(sql).await?).await };
            run.await.map_err(|error| DesignError(message(&error)))
        })
    }

    /// Returns the types of the columns of a query's answer, without running it.
    ///
    /// # Errors
    /// Fails with DataFusion's message for SQL that it cannot plan.
    pub fn types<'a>(&'a self, sql: &'a str) -> BoxFuture<'a, Result<Vec<DataType>, DesignError>> {
        Box::pin(async move {
            let planned = self.context().state().create_logical_plan(sql).await;
            let plan = planned.map_err(|error| DesignError(message(&error)))?;
            let fields = plan.schema().fields().iter();
            Ok(fields.map(|field| field.data_type().clone()).collect())
        })
    }

    /// Runs SQL as [`newest_groups::answer`] does, with windows of the order key.
    ///
    /// # Errors
    /// The errors of [`Session::answer`].
    pub fn answer_by_windows<'a>(
        &'a self,
        sql: &'a str,
        order_key: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Answer, DesignError>> {
        Box::pin(newest_groups::answer(self.context(), sql, order_key))
    }

    /// Plans SQL as [`Session::answer_by_windows`] does, without running it.
    ///
    /// # Errors
    /// The errors of [`Session::answer`].
    pub fn query_plan<'a>(
        &'a self,
        sql: &'a str,
        order_key: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<PlanText>, DesignError>> {
        Box::pin(async move {
            let text = newest_groups::plan(self.context(), sql, order_key).await?;
            let by = "DataFusion";
            Ok(Some(PlanText { by, text }))
        })
    }

    /// Runs SQL as [`Session::answer_by_windows`] does, on another runtime than the caller's. It is
    /// aborted when the caller stops waiting, since otherwise it would go on and load the server
    /// uncounted.
    ///
    /// # Errors
    /// The errors of [`Session::answer`].
    pub async fn answer_on(
        &self,
        runtime: &Handle,
        sql: &str,
        order_key: Option<&str>,
    ) -> Result<Answer, DesignError> {
        let (session, sql) = (self.clone(), sql.to_owned());
        let order_key = order_key.map(str::to_owned);
        // A set aborts its tasks when it is dropped.
        let mut asked = JoinSet::new();
        let answer = async move { session.answer_by_windows(&sql, order_key.as_deref()).await };
        asked.spawn_on(answer, runtime);
        match asked.join_next().await {
            Some(Ok(answer)) => answer,
            Some(Err(error)) => Err(DesignError(format!("the query ended early: {error}"))),
            None => Err(DesignError("the query was not started".to_owned())),
        }
    }

    /// Runs SQL and returns its answer with the columns that order it.
    ///
    /// # Errors
    /// The errors of [`Session::answer`].
    pub fn expected<'a>(&'a self, sql: &'a str) -> BoxFuture<'a, Result<Expected, DesignError>> {
        Box::pin(async move {
            let expected = right_answer::expected(self.context(), sql).await;
            expected.map_err(|error| DesignError(message(&error)))
        })
    }

    /// Counts the columns of a table that the queries read, as [`columns_read::count`] does.
    ///
    /// # Errors
    /// The errors of [`Session::answer`].
    pub fn columns_read<'a>(
        &'a self,
        table: &'a str,
        queries: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Option<u32>>, DesignError>> {
        Box::pin(async move {
            let counts = columns_read::count(self.context(), table, queries).await;
            counts.map_err(|error| DesignError(message(&error)))
        })
    }

    /// Counts the different values of columns of a table, as [`selected::distinct`] does.
    ///
    /// # Errors
    /// The errors of [`Session::answer`].
    pub fn distinct_values<'a>(
        &'a self,
        table: &'a str,
        columns: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Option<u64>>, DesignError>> {
        Box::pin(async move {
            let counts = selected::distinct(self.context(), table, columns).await;
            counts.map_err(|error| DesignError(message(&error)))
        })
    }

    /// Counts the rows of a table that the queries select, as [`selected::count`] does.
    ///
    /// # Errors
    /// The errors of [`Session::answer`].
    pub fn count_selected<'a>(
        &'a self,
        table: &'a str,
        queries: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Option<u64>>, DesignError>> {
        Box::pin(async move {
            let counts = selected::count(self.context(), table, queries).await;
            counts.map_err(|error| DesignError(message(&error)))
        })
    }
}

#[cfg(test)]
mod tests;
