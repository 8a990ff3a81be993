//! Requests to Cassandra: bounded in number, tried again where that may help.

use std::fmt;
use std::sync::Arc;

use futures::stream::{self, StreamExt, TryStreamExt};
use scylla::client::session::Session;
use scylla::deserialize::row::DeserializeRow;
use scylla::response::query_result::{QueryResult, QueryRowsResult};
use scylla::response::{PagingState, PagingStateResponse};
use scylla::serialize::row::SerializeRow;
use scylla::statement::batch::{Batch, BatchType};
use scylla::statement::prepared::PreparedStatement;
use scylla::statement::unprepared::Statement;
use scylla::statement::{Consistency, SerialConsistency};
use tokio::sync::Semaphore;

use super::names::{Names, Part};
use super::options::{BATCH_BYTES_AT_MOST, BATCH_STATEMENTS_AT_MOST, Options};
use super::retry::{retried, server};
use crate::definition::Place;
use crate::{Error, Result};

/// The caller's session, and how it is used.
pub(super) struct Client {
    session: Arc<Session>,
    pub(super) names: Names,
    pub(super) options: Options,
    requests: Semaphore,
}

/// What is being done, for messages.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    what: &'static str,
    place: Option<Place>,
    names: &'a Names,
    part: Part,
}

impl fmt::Display for Task<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)?;
        if let Some(place) = self.place {
            write!(f, " of {place}")?;
        }
        write!(f, " in {}", self.names.shown(self.part))
    }
}

impl Client {
    pub(super) fn new(session: Arc<Session>, names: Names, options: Options) -> Self {
        let requests = Semaphore::new(options.requests_at_once.min(Semaphore::MAX_PERMITS));
        Client {
            session,
            names,
            options,
            requests,
        }
    }

    pub(super) fn task(&self, what: &'static str, place: Place, part: Part) -> Task<'_> {
        Task {
            what,
            place: Some(place),
            names: &self.names,
            part,
        }
    }

    /// A task that is not of one place.
    pub(super) fn task_of_all(&self, what: &'static str, part: Part) -> Task<'_> {
        Task {
            what,
            place: None,
            names: &self.names,
            part,
        }
    }

    pub(super) async fn prepare(
        &self,
        part: Part,
        cql: &str,
        consistency: Consistency,
    ) -> Result<PreparedStatement> {
        let task = self.task_of_all("preparing statements", part);
        let prepare = || async { Ok(self.session.prepare(cql).await?) };
        let mut statement: PreparedStatement = retried(&task, prepare).await?;
        statement.set_consistency(consistency);
        statement.set_is_idempotent(true);
        statement.set_request_timeout(Some(self.options.attempt_time_limit));
        Ok(statement)
    }

    /// Sends a statement that is needed once, such as one about the schema.
    pub(super) async fn once(
        &self,
        task: &Task<'_>,
        cql: &str,
        values: impl SerializeRow + Sync,
    ) -> Result<QueryResult> {
        let mut statement = Statement::new(cql);
        statement.set_is_idempotent(true);
        statement.set_consistency(self.options.read_consistency);
        statement.set_serial_consistency(Some(SerialConsistency::LocalSerial));
        // Changes of the schema wait until all nodes agree.
        statement.set_request_timeout(Some(self.options.attempt_time_limit * 3));
        let send = || async { self.session.query_unpaged(statement.clone(), &values).await };
        retried(task, send).await
    }

    /// Sends a statement and takes its answer whole.
    pub(super) async fn execute(
        &self,
        task: &Task<'_>,
        statement: &PreparedStatement,
        values: impl SerializeRow + Sync,
    ) -> Result<QueryResult> {
        let send = || async {
            let _permit = self.requests.acquire().await;
            self.session.execute_unpaged(statement, &values).await
        };
        retried(task, send).await
    }

    /// One page of an answer.
    pub(super) async fn page(
        &self,
        task: &Task<'_>,
        statement: &PreparedStatement,
        values: impl SerializeRow + Sync,
        from: PagingState,
    ) -> Result<(QueryRowsResult, PagingStateResponse)> {
        let send = || async {
            let _permit = self.requests.acquire().await;
            let session = &self.session;
            session
                .execute_single_page(statement, &values, from.clone())
                .await
        };
        let (answer, next) = retried(task, send).await?;
        Ok((as_rows(task, answer)?, next))
    }

    /// Sends statements of one partition that take effect together or, where they are too many,
    /// in several parts. `bytes` is about what a statement's values take.
    pub(super) async fn in_batches<V: SerializeRow + Sync>(
        &self,
        task: &Task<'_>,
        statements: &[(&PreparedStatement, V)],
        bytes: impl Fn(&V) -> usize,
    ) -> Result<()> {
        let mut parts = Vec::new();
        let mut rest = statements;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(batch_len(rest, &bytes));
            parts.push(now);
            rest = later;
        }
        let sends = parts.into_iter().map(|part| self.together(task, part));
        let sends: Vec<_> = sends.collect();
        // Only so many batches are put together at a time.
        let sent = stream::iter(sends).buffer_unordered(self.options.requests_at_once);
        sent.try_collect().await
    }

    /// Sends statements of one partition that take effect together.
    pub(super) async fn together<V: SerializeRow + Sync>(
        &self,
        task: &Task<'_>,
        statements: &[(&PreparedStatement, V)],
    ) -> Result<()> {
        if let [(statement, values)] = statements {
            return self.execute(task, statement, values).await.map(drop);
        }
        let mut batch = Batch::new(BatchType::Unlogged);
        batch.set_consistency(self.options.write_consistency);
        batch.set_is_idempotent(true);
        batch.set_request_timeout(Some(self.options.attempt_time_limit));
        let mut values = Vec::with_capacity(statements.len());
        for (statement, row) in statements {
            batch.append_statement((*statement).clone());
            values.push(row);
        }
        let send = || async {
            let _permit = self.requests.acquire().await;
            self.session.batch(&batch, &values).await
        };
        retried(task, send).await.map(drop)
    }
}

/// How many of the statements fit a batch, at least one.
fn batch_len<S, V>(statements: &[(S, V)], bytes: impl Fn(&V) -> usize) -> usize {
    let mut total = 0_usize;
    let fits = |(_, values): &&(S, V)| {
        total = total.saturating_add(bytes(values));
        total <= BATCH_BYTES_AT_MOST
    };
    let most = statements.iter().take(BATCH_STATEMENTS_AT_MOST);
    most.take_while(fits).count().max(1)
}

pub(super) fn as_rows(task: &Task<'_>, answer: QueryResult) -> Result<QueryRowsResult> {
    let rows = answer.into_rows_result();
    rows.map_err(|error| server(task, error.to_string()))
}

/// The rows of an answer, each made into something else.
pub(super) fn each_row<'a, R, T>(
    task: &Task<'_>,
    rows: &'a QueryRowsResult,
    mut make: impl FnMut(R) -> Result<T>,
) -> Result<Vec<T>>
where
    R: DeserializeRow<'a, 'a>,
{
    let typed = rows.rows::<R>();
    let typed = typed.map_err(|error| unexpected(task, &error))?;
    let made = typed.map(|row| make(row.map_err(|error| unexpected(task, &error))?));
    made.collect()
}

fn unexpected(task: &Task<'_>, error: &dyn fmt::Display) -> Error {
    server(
        task,
        format!("the answer is not of the columns that the table was made with: {error}"),
    )
}
