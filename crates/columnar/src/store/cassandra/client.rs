//! Requests to Cassandra: limited in number, and retried where that may help.

use std::fmt;
use std::sync::Arc;

use futures::stream::{self, StreamExt, TryStreamExt};
use scylla::client::session::Session;
use scylla::deserialize::row::DeserializeRow;
use scylla::policies::retry::FallthroughRetryPolicy;
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
use super::time::{Clocks, compare_clocks, now_milliseconds};
use crate::id::Place;
use crate::{Error, Result};

/// The number of times that a node is asked what its clock says, as long as its answers take too long to
/// tell.
const CLOCKS_COMPARED_AT_MOST: usize = 5;

/// The session of the caller, and how it is used for a table.
pub(super) struct Client {
    session: Arc<Session>,
    pub(super) names: Names,
    pub(super) options: Options,
    requests: Semaphore,
}

/// The action that is being done, for the texts of errors.
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

    /// Returns a task on a place.
    pub(super) fn task(&self, what: &'static str, place: Place, part: Part) -> Task<'_> {
        Task {
            what,
            place: Some(place),
            names: &self.names,
            part,
        }
    }

    /// Returns a task that is not on one place.
    pub(super) fn task_of_all(&self, what: &'static str, part: Part) -> Task<'_> {
        Task {
            what,
            place: None,
            names: &self.names,
            part,
        }
    }

    /// Prepares a statement.
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

    /// Compares the clock of this machine with that of a node.
    ///
    /// # Errors
    /// Fails if they differ too much, or if the node never answers soon enough to tell.
    pub(super) async fn compare_clocks(&self) -> Result<()> {
        let task = self.task_of_all("comparing clocks", Part::Catalogue);
        for _ in 0..CLOCKS_COMPARED_AT_MOST {
            match self.compare_clocks_once(&task).await? {
                Clocks::Agree => return Ok(()),
                Clocks::Apart(reason) => return Err(server(&task, reason)),
                Clocks::Unclear => {}
            }
        }
        let reason = format!(
            "a node took so long to say what its clock says, {CLOCKS_COMPARED_AT_MOST} times in a row, \
             that it may differ too much from that of this machine; check that the nodes are up and not \
             overloaded (`nodetool status`), compare the clocks, and try again"
        );
        Err(server(&task, reason))
    }

    async fn compare_clocks_once(&self, task: &Task<'_>) -> Result<Clocks> {
        let cql = "SELECT toUnixTimestamp(now()) FROM system.local";
        let before = now_milliseconds();
        let answer = as_rows(task, self.once(task, cql, ()).await?)?;
        let after = now_milliseconds();
        let there = each_row(task, &answer, |row: (i64,)| Ok(row.0))?;
        let compare = |there: &i64| compare_clocks(before, *there, after);
        Ok(there.first().map_or(Clocks::Unclear, compare))
    }

    /// Sends a statement that is needed only once, such as one about the schema.
    pub(super) async fn once(
        &self,
        task: &Task<'_>,
        cql: &str,
        values: impl SerializeRow + Sync,
    ) -> Result<QueryResult> {
        let mut statement = Statement::new(cql);
        statement.set_is_idempotent(true);
        statement.set_consistency(self.options.read_consistency);
        let (read, write) = (
            self.options.read_consistency,
            self.options.write_consistency,
        );
        statement.set_serial_consistency(Some(serial_consistency(read, write)));
        // Changes of the schema wait until all nodes agree.
        statement.set_request_timeout(Some(self.options.attempt_time_limit * 3));
        let send = || async { self.session.query_unpaged(statement.clone(), &values).await };
        retried(task, send).await
    }

    /// Sends a statement and returns its whole answer.
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

    /// Sends a statement and returns one page of its answer.
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

    /// Sends statements of one partition, which take effect together or, if they are too many, in several
    /// parts. `bytes` returns the approximate size of a statement's values.
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
        let sends: Vec<_> = parts
            .into_iter()
            .map(|part| self.together(task, part))
            .collect();
        // The number of batches that are assembled at the same time is limited, too.
        let sent = stream::iter(sends).buffer_unordered(self.options.requests_at_once);
        sent.try_collect().await
    }

    /// Sends statements of one partition, which take effect together.
    pub(super) async fn together<V: SerializeRow + Sync>(
        &self,
        task: &Task<'_>,
        statements: &[(&PreparedStatement, V)],
    ) -> Result<()> {
        if let [(statement, values)] = statements {
            return self.execute(task, statement, values).await.map(drop);
        }
        let (batch, values) = self.batch(statements);
        let send = || async {
            let _permit = self.requests.acquire().await;
            self.session.batch(&batch, &values).await
        };
        retried(task, send).await.map(drop)
    }

    /// Sends statements of one partition, which take effect together, as long as `may_send` says so right
    /// before each attempt. Returns whether they were sent.
    pub(super) async fn together_while<V: SerializeRow + Sync>(
        &self,
        task: &Task<'_>,
        statements: &[(&PreparedStatement, V)],
        may_send: impl Fn() -> bool + Sync,
    ) -> Result<bool> {
        let (mut batch, values) = self.batch(statements);
        // The driver would send it again without asking, however long the machine has slept.
        batch.set_retry_policy(Some(Arc::new(FallthroughRetryPolicy::new())));
        let send = || async {
            let _permit = self.requests.acquire().await;
            if !may_send() {
                return Ok(None);
            }
            self.session.batch(&batch, &values).await.map(Some)
        };
        Ok(retried(task, send).await?.is_some())
    }

    /// Returns a batch of statements with their values.
    fn batch<'a, V>(&self, statements: &'a [(&PreparedStatement, V)]) -> (Batch, Vec<&'a V>) {
        let mut batch = Batch::new(BatchType::Unlogged);
        batch.set_consistency(self.options.write_consistency);
        batch.set_is_idempotent(true);
        batch.set_request_timeout(Some(self.options.attempt_time_limit));
        let mut values = Vec::with_capacity(statements.len());
        for (statement, row) in statements {
            batch.append_statement((*statement).clone());
            values.push(row);
        }
        (batch, values)
    }
}

/// Returns how many of the statements fit a batch, which is at least one.
fn batch_len<S, V>(statements: &[(S, V)], bytes: impl Fn(&V) -> usize) -> usize {
    let mut total = 0_usize;
    let fits = |(_, values): &&(S, V)| {
        total = total.saturating_add(bytes(values));
        total <= BATCH_BYTES_AT_MOST
    };
    let most = statements.iter().take(BATCH_STATEMENTS_AT_MOST);
    most.take_while(fits).count().max(1)
}

/// Returns the rows of an answer.
pub(super) fn as_rows(task: &Task<'_>, answer: QueryResult) -> Result<QueryRowsResult> {
    let rows = answer.into_rows_result();
    rows.map_err(|error| server(task, error.to_string()))
}

/// Converts each row of an answer.
pub(super) fn each_row<'a, R, T>(
    task: &Task<'_>,
    rows: &'a QueryRowsResult,
    mut make: impl FnMut(R) -> Result<T>,
) -> Result<Vec<T>>
where
    R: DeserializeRow<'a, 'a>,
{
    let typed = rows.rows::<R>().map_err(|error| unexpected(task, &error))?;
    let made = typed.map(|row| make(row.map_err(|error| unexpected(task, &error))?));
    made.collect()
}

/// Returns the error of a table with other columns.
fn unexpected(task: &Task<'_>, error: &dyn fmt::Display) -> Error {
    server(
        task,
        format!("the answer is not of the columns that the table was made with: {error}"),
    )
}

/// Returns the consistency of conditional writes: within a datacenter if everything else is.
fn serial_consistency(read: Consistency, write: Consistency) -> SerialConsistency {
    let is_local = |level| matches!(level, Consistency::LocalQuorum | Consistency::LocalOne);
    if is_local(read) && is_local(write) {
        SerialConsistency::LocalSerial
    } else {
        SerialConsistency::Serial
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditional_writes_are_agreed_on_in_one_datacenter_only_if_everything_else_is() {
        let (local, all) = (Consistency::LocalQuorum, Consistency::Quorum);
        assert_eq!(
            serial_consistency(local, local),
            SerialConsistency::LocalSerial
        );
        for (read, write) in [(local, all), (all, local), (all, all)] {
            let agreed = serial_consistency(read, write);
            assert_eq!(agreed, SerialConsistency::Serial, "{read:?}, {write:?}");
        }
    }
}
