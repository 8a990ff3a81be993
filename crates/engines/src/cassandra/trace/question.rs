//! A question of a workload, by the statements with which a design reads the rows of its table.

use std::sync::Arc;
use std::time::Duration;

use bakeoff_workload::{Consistency, DesignId, Drawn, Query, Workload};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use futures::StreamExt;
use scylla::client::session::Session;

use super::error::TraceError;
use crate::cassandra::layout::CassandraLayout;
use crate::cassandra::names::ENGINE;
use crate::cassandra::read::request::{Request, Sent};
use crate::cassandra::read::scan::CassandraScan;
use crate::cassandra::read::server_aggregate::ServerAggregateExec;
use crate::cassandra::request::DesignRequest;
use crate::cassandra::rows::layout::TableLayout;
use crate::cassandra::rows::{rows_session, table_layout};
use crate::newest_groups;
use crate::sql::message;
use crate::stored_columns::Stored;
use crate::{Context, EngineError};

/// A question that a design answers from rows of one table of Cassandra, which is there and loaded.
pub struct TracedQuestion {
    name: String,
    layout: TableLayout,
    keyspace: String,
    threads: usize,
    /// The question with the parameters of one of the times after another.
    sql: Vec<String>,
}

/// The first statement of a question with some parameters.
pub(super) struct Planned {
    sent: Sent,
    /// Number of statements that the question needs.
    statements: usize,
    plan: Arc<dyn ExecutionPlan>,
    /// What the plan is run with.
    task: Arc<TaskContext>,
}

impl Planned {
    /// Answers the question once more, and returns the microseconds that DataFusion computed, all of its threads
    /// together and without reading rows. `None` if it takes more than one request, or if it fails or takes longer
    /// than this, since others than the one that is traced are not worth their load.
    pub async fn compute_micros(&self, limit: Duration) -> Option<u64> {
        if self.statements != 1 || self.sent.requests.len() != 1 {
            return None;
        }
        let mut rows = execute_stream(Arc::clone(&self.plan), Arc::clone(&self.task)).ok()?;
        let reading = async {
            while let Some(batch) = rows.next().await {
                batch.ok()?;
            }
            Some(())
        };
        tokio::time::timeout(limit, reading).await.ok()??;
        let nanos = computed_nanos(&self.plan);
        (nanos > 0).then(|| nanos.div_ceil(1_000))
    }
}

/// A request of a question.
pub(super) struct Chosen<'a> {
    pub cql: &'a str,
    pub request: &'a Request,
    /// Which request of the question this is.
    pub of: String,
}

impl TracedQuestion {
    /// Lays out the table of a design in the keyspace of the context, and binds the question's parameters of each time.
    ///
    /// # Errors
    /// Fails if the design does not keep rows as rows of a table of Cassandra, or too few columns for the question.
    pub fn new(
        design: &DesignId,
        workload: &Workload,
        context: &Context,
        query: &Query,
        drawn: &[Drawn],
    ) -> Result<Self, TraceError> {
        if design.engine != ENGINE {
            return Err(TraceError::Asked(format!(
                "design {design}: only designs of {ENGINE} are traced"
            )));
        }
        let asked = |error: EngineError| TraceError::Asked(error.0);
        let CassandraLayout::Rows(shape) = CassandraLayout::from_id(design).map_err(asked)? else {
            return Err(TraceError::Asked(format!(
                "design {design}: only layouts that keep rows as rows of a table read them by statements of a \
                 question: trace {ENGINE}/narrow, {ENGINE}/wide, {ENGINE}/blob or {ENGINE}/compact"
            )));
        };
        let stored = Stored::of(design, workload).map_err(asked)?;
        let mut answered = stored.workload().queries.iter();
        if !answered.any(|other| other.name == query.name) {
            return Err(TraceError::Asked(format!(
                "design {design} stores too few columns for the question `{}`",
                query.name
            )));
        }
        let request = DesignRequest::new(design, stored.workload(), context).map_err(asked)?;
        let id = design.to_string();
        Ok(TracedQuestion {
            name: query.name.clone(),
            layout: table_layout(&request, shape).map_err(asked)?,
            keyspace: request.keyspace.name.clone(),
            threads: context.threads,
            sql: drawn.iter().map(|drawn| query.bind(&id, drawn)).collect(),
        })
    }

    pub(super) fn keyspace(&self) -> &str {
        &self.keyspace
    }

    pub(super) fn table(&self) -> &str {
        &self.layout.name
    }

    pub(super) fn level(&self) -> Consistency {
        let own = self.layout.reading.consistency;
        own.unwrap_or(Consistency::LocalOne)
    }

    pub(super) fn page_rows(&self) -> i32 {
        self.layout.reading.page_rows
    }

    /// Plans the question with each of its parameters as the design does, without asking it. Parameters for which it
    /// reads no row are left out.
    ///
    /// # Errors
    /// Fails if it cannot be planned, or reads no row at all.
    pub(super) async fn planned(&self, session: &Arc<Session>) -> Result<Vec<Planned>, TraceError> {
        let sql = rows_session(session, &self.layout, &self.keyspace, self.threads)?;
        let order_key = self.layout.clustering_key();
        let order_key = order_key.first().copied();
        let mut planned = Vec::new();
        for text in &self.sql {
            let plan = newest_groups::first_plan(sql.context(), text, order_key).await;
            let plan = plan.map_err(|error| TraceError::Failed(error.0))?;
            let task = sql.context().task_ctx();
            planned.extend(first_statement(&plan, task).await?);
        }
        if planned.is_empty() {
            return Err(TraceError::Failed(format!(
                "the question `{}` reads no row of {}.{}, so that there is nothing to trace: see that the table is \
                 loaded, and that a row can answer the question",
                self.name,
                self.keyspace,
                self.table()
            )));
        }
        Ok(planned)
    }

    /// Chooses the request of one of several times: other parameters each time, and other requests of a statement that
    /// is sent for many, spread evenly over all.
    pub(super) fn choose<'a>(
        &self,
        planned: &'a [Planned],
        time: u32,
        times: u32,
    ) -> Option<Chosen<'a>> {
        let (time, times) = (time as usize, times.max(1) as usize);
        let plan = planned.get(time % planned.len().max(1))?;
        let requests = &plan.sent.requests;
        let place = time * requests.len() / times;
        Some(Chosen {
            cql: &plan.sent.cql,
            request: requests.get(place)?,
            of: in_words(&self.name, place, requests.len(), plan.statements),
        })
    }
}

/// Returns the first statement of a plan; `None` if it sends none.
async fn first_statement(
    plan: &Arc<dyn ExecutionPlan>,
    task: Arc<TaskContext>,
) -> Result<Option<Planned>, TraceError> {
    let mut readers = Vec::new();
    add_readers(plan, &mut readers);
    let Some(first) = readers.first() else {
        return Ok(None);
    };
    let sent = sent(first).await?;
    let planned = sent.map(|sent| Planned {
        sent,
        statements: readers.len(),
        plan: Arc::clone(plan),
        task,
    });
    Ok(planned.filter(|planned| !planned.sent.requests.is_empty()))
}

/// Says which request of a question it is.
fn in_words(name: &str, place: usize, requests: usize, statements: usize) -> String {
    let request = match requests {
        1 => "the only request of its statement".to_owned(),
        several => format!("request {} of {several} with the same statement", place + 1),
    };
    match statements {
        1 => format!("{name}: {request}"),
        several => format!("{name}: {request}, the first of {several} statements"),
    }
}

/// Adds the nodes of a plan that ask Cassandra, in the order of the plan.
fn add_readers(plan: &Arc<dyn ExecutionPlan>, readers: &mut Vec<Arc<dyn ExecutionPlan>>) {
    if is_reader(plan) {
        readers.push(Arc::clone(plan));
    }
    for child in plan.children() {
        add_readers(child, readers);
    }
}

/// Returns whether a node of a plan asks Cassandra.
fn is_reader(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let is_scan = plan.downcast_ref::<CassandraScan>().is_some();
    is_scan || plan.downcast_ref::<ServerAggregateExec>().is_some()
}

/// Returns the nanoseconds that the nodes of a plan which was run have computed, but for those that ask Cassandra.
fn computed_nanos(plan: &Arc<dyn ExecutionPlan>) -> u64 {
    let metrics = plan.metrics().filter(|_| !is_reader(plan));
    let own = metrics.and_then(|metrics| metrics.elapsed_compute());
    let own = own.map_or(0, |nanos| nanos as u64);
    let children = plan.children().into_iter().map(computed_nanos);
    children.fold(own, u64::saturating_add)
}

/// Returns what a node of a plan that asks Cassandra sends.
async fn sent(reader: &Arc<dyn ExecutionPlan>) -> Result<Option<Sent>, TraceError> {
    if let Some(aggregate) = reader.downcast_ref::<ServerAggregateExec>() {
        let sent = aggregate.sent().await;
        return sent
            .map(Some)
            .map_err(|error| TraceError::Failed(message(&error)));
    }
    Ok(reader
        .downcast_ref::<CassandraScan>()
        .map(CassandraScan::sent))
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;

    use super::*;

    #[tokio::test]
    async fn what_is_computed_is_that_of_all_nodes_once_they_have_run() {
        let context = SessionContext::new();
        let sum = "SELECT v % 2, sum(v) FROM (VALUES (1), (2), (3)) AS t(v) GROUP BY v % 2";
        let plan = context.sql(sum).await.unwrap();
        let plan = plan.create_physical_plan().await.unwrap();
        assert_eq!(computed_nanos(&plan), 0);
        let mut rows = execute_stream(Arc::clone(&plan), context.task_ctx()).unwrap();
        while let Some(batch) = rows.next().await {
            batch.unwrap();
        }
        assert!(computed_nanos(&plan) > 0);
    }

    #[test]
    fn it_is_said_which_request_is_shown() {
        let alone = in_words("mean", 0, 1, 1);
        assert_eq!(alone, "mean: the only request of its statement");
        let of_many = in_words("mean", 4, 16, 2);
        assert_eq!(
            of_many,
            "mean: request 5 of 16 with the same statement, the first of 2 statements"
        );
    }
}
