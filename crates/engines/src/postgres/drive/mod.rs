//! Mixed loads on PostgreSQL and TimescaleDB. Each worker thread prepares the statements of the mix on its own
//! connections, on which requests are pipelined; each operation is a transaction of its own.
//!
//! Replies are compared with the rows that were written in the same way as those of Cassandra, and PostgreSQL tells in
//! addition how many rows a statement has written.

mod check;
mod connections;
mod plan;
mod queries;
mod session;
mod unanswered;
mod values;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bakeoff_driver::drive::{Target, Worker};
use bakeoff_driver::{Design, DesignError};
use bakeoff_stats::{DesignInfo, ServerSample};
use bakeoff_workload::{Action, DesignId, Mix, Operation, Table, Workload};

use super::deployment::Deployment;
use super::layout::TableLayout;
use super::load_connections::LoadConnections;
use super::schema::Schema;
use super::session_settings;
use crate::drive::query_texts::QueryTexts;
use crate::drive::rows::Rows;
use crate::{EngineError, TargetOptions};
pub use check::{check_drive, for_drive};
use connections::{Connecting, Connections};
use plan::{OperationPlan, Work, plan_operations};
use queries::{Queries, in_postgres, literal};
use session::PostgresSession;

/// Returns the statement of each operation of a workload's mix.
///
/// # Errors
/// Those of [`plan_operations`] and [`in_postgres`].
pub fn statements(
    id: &DesignId,
    layout: &TableLayout,
    schema: &Schema,
    (workload, mix): (&Workload, &Mix),
) -> Result<Vec<String>, EngineError> {
    let translated = in_postgres(id, workload, mix)?;
    let plans = plan_operations(id, layout, &schema.name, (mix, &translated.queries))?;
    let plans = plans.iter();
    Ok(plans
        .map(|plan| format!("{} -- {}", plan.sql, plan.name))
        .collect())
}

/// Returns the setting that reports show of how the operations of a mix are sent.
pub fn setting(connections: LoadConnections, mix: &Mix) -> (String, String) {
    let is_query = |operation: &Operation| matches!(operation.action, Action::Query { .. });
    let queries = if mix.operations.iter().any(is_query) {
        "; queries on as many others"
    } else {
        ""
    };
    let how = format!(
        "each a transaction, pipelined on {} connections{queries}",
        connections.all()
    );
    ("operations".to_owned(), how)
}

/// The parts of a [`PostgresTarget`].
pub struct Parts {
    pub deployment: Arc<Deployment>,
    pub design: Box<dyn Design>,
    pub id: DesignId,
    pub schema: Schema,
    pub layout: TableLayout,
    pub workload: Workload,
    pub options: TargetOptions,
    pub connections: LoadConnections,
    /// Number of processes that answer a query.
    pub threads: usize,
}

/// A design on PostgreSQL that a mix is driven on.
pub struct PostgresTarget {
    deployment: Arc<Deployment>,
    design: Box<dyn Design>,
    connecting: Connecting,
    connections: LoadConnections,
    /// The workload with its queries in the SQL of PostgreSQL.
    workload: Workload,
    /// Statements that set up a connection for queries.
    query_settings: String,
    rows: Arc<Rows>,
    options: TargetOptions,
}

impl PostgresTarget {
    /// Plans the operations of a mix on a design whose schema has been claimed.
    ///
    /// # Errors
    /// Those of [`plan_operations`].
    pub fn new(parts: Parts) -> Result<Self, EngineError> {
        let (layout, options) = (&parts.layout, &parts.options);
        let workload = in_postgres(&parts.id, &parts.workload, &options.mix)?;
        let operations = (&*options.mix, workload.queries.as_slice());
        let plans = plan_operations(&parts.id, layout, &parts.schema.name, operations)?;
        let extension = parts.deployment.extension.as_ref();
        let settings = |threads| {
            let settings = session_settings(&parts.schema, extension, threads);
            load_settings(&settings, options.request_time_limit)
        };
        Ok(PostgresTarget {
            connecting: Connecting {
                server: parts.deployment.address.clone(),
                settings: settings(1),
                plans: Arc::new(plans),
            },
            query_settings: settings(parts.threads),
            workload,
            rows: Arc::new(rows(&layout.table, options)),
            deployment: parts.deployment,
            design: parts.design,
            connections: parts.connections,
            options: parts.options,
        })
    }

    fn plans(&self) -> &Arc<Vec<OperationPlan>> {
        &self.connecting.plans
    }

    /// Connects a worker, which needs no more connections than it has operations in flight.
    async fn session(&self) -> Result<PostgresSession, DesignError> {
        let in_flight = self.options.in_flight_per_worker.max(1);
        let count = in_flight.min(self.connections.of_thread as usize);
        let connections = Connections::open(self.connecting.clone(), count).await?;
        let queries = self.queries(count).await?;
        let (plans, rows) = (self.plans().clone(), self.rows.clone());
        let limit = self.options.request_time_limit;
        let connected = (connections, queries);
        Ok(PostgresSession::new(connected, plans, rows, limit))
    }

    /// Connects a worker for the queries of the mix, if it has some.
    async fn queries(&self, connections: usize) -> Result<Option<Queries>, DesignError> {
        let is_query = |plan: &OperationPlan| matches!(plan.work, Work::Query(_));
        if !self.plans().iter().any(is_query) {
            return Ok(None);
        }
        let texts = QueryTexts::new(&self.design.info().id, &self.workload, literal);
        let (server, settings) = (self.deployment.questions.clone(), &self.query_settings);
        let queries = Queries::open(server, settings, texts, connections).await?;
        Ok(Some(queries))
    }
}

#[async_trait]
impl Target for PostgresTarget {
    fn info(&self) -> &DesignInfo {
        self.design.info()
    }

    fn design(&self) -> Option<&dyn Design> {
        Some(self.design.as_ref())
    }

    /// Prepares every statement once, so that one that the server refuses is reported before any worker starts.
    async fn prepare(&self) -> Result<(), DesignError> {
        self.connecting.connect().await.map(drop)
    }

    fn work<'a>(
        &'a self,
        worker: Worker,
    ) -> Pin<Box<dyn Future<Output = Result<(), DesignError>> + 'a>> {
        Box::pin(async move {
            let session = self.session().await?;
            tokio::select! {
                biased;
                () = worker.run(&session) => {}
                () = session.keep() => {}
            }
            Ok(())
        })
    }

    async fn sample(&self) -> ServerSample {
        self.deployment.sample().await
    }

    async fn execute(&self, statement: &str) -> Result<(), DesignError> {
        Err(DesignError(format!(
            "`{statement}` is written in CQL, which PostgreSQL does not speak"
        )))
    }
}

/// Adds to the settings of a connection that the server gives a statement up when its operation has failed, since the
/// next ones on the connection wait for it.
fn load_settings(settings: &str, time_limit: Duration) -> String {
    let millis = time_limit.as_millis().clamp(1, i32::MAX as u128);
    format!("{settings}; SET statement_timeout TO '{millis}ms'")
}

/// Makes the rows of a table.
fn rows(table: &Table, options: &TargetOptions) -> Rows {
    let mut rows = Rows::of_table(table, options);
    // An update of a row that is gone writes nothing, where Cassandra makes a row of the written cells.
    rows.nulls_appear = false;
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_ends_a_statement_with_its_operation() {
        let settings = |limit| load_settings("SET search_path TO s", limit);
        assert_eq!(
            settings(Duration::from_secs(10)),
            "SET search_path TO s; SET statement_timeout TO '10000ms'"
        );
        // 0 would be no limit.
        let shortest = settings(Duration::from_micros(20));
        assert!(shortest.ends_with("'1ms'"), "{shortest}");
    }
}
