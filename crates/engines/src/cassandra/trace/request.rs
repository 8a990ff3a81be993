//! Sending a SELECT page by page, with a trace of each page.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use bakeoff_stats::trace::{ClientTimes, PageTimes, at_percentile};
use bakeoff_workload::suggestion;
use scylla::client::session::Session;
use scylla::errors::{DbError, PrepareError, RequestAttemptError};
use scylla::response::query_result::QueryResult;
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::Statement;
use scylla::statement::prepared::PreparedStatement;
use scylla::value::Row;
use uuid::Uuid;

use super::error::TraceError;
use super::marks::Marks;
use super::question::{Planned, TracedQuestion};
use super::sending::{Sending, Values};
use super::what::{Traceable, TracedRead, TracedSelect};
use super::{TraceRequest, micros};
use crate::cassandra::cluster::consistency::in_driver;
use crate::cassandra::drive::cells::Cells;
use crate::cassandra::drive::statements::Prepared;
use crate::cassandra::names::is_system_keyspace;

/// Largest number of pages that are traced of one time, since each trace is written by the cluster.
const MOST_PAGES: usize = 100;
/// Largest number of pages of all times together, but for the first page of each.
const MOST_TRACES: usize = 1000;

/// A statement that is sent to a cluster.
pub struct Request<'a> {
    session: &'a Arc<Session>,
    request: &'a TraceRequest,
}

/// The time that is shown.
pub struct ShownTime {
    pub client: ClientTimes,
    /// The trace of its slowest page.
    pub trace: Uuid,
    pub cql: String,
    /// Which request of a question it is.
    pub of: Option<String>,
}

/// One time that the statement was sent.
struct Time {
    pages: Vec<PageTimes>,
    /// The trace of each page.
    traces: Vec<Uuid>,
    has_more_pages: bool,
}

impl Time {
    fn micros(&self) -> u64 {
        let pages = self.pages.iter().map(|page| page.micros());
        pages.fold(0, u64::saturating_add)
    }
}

impl<'a> Request<'a> {
    pub fn new(session: &'a Arc<Session>, request: &'a TraceRequest) -> Self {
        Request { session, request }
    }

    /// Sends the statement as often as it is wanted. Returns what the client saw, and the trace of the slowest page of
    /// the time at the percentile.
    pub async fn send(&self) -> Result<ShownTime, TraceError> {
        let began = Instant::now();
        let planned = self.planned().await?;
        let is_question = matches!(self.request.what, Traceable::Question(_));
        let plan_micros = is_question.then(|| micros(began));
        let began = Instant::now();
        let mut sendings = self.sendings(&planned).await?;
        let prepare_micros = micros(began);
        let mut times = Vec::new();
        for sending in &sendings {
            times.push(self.send_once(sending).await?);
        }
        let times_micros: Vec<u64> = times.iter().map(Time::micros).collect();
        let nothing = || TraceError::Failed("the statement was never sent".to_owned());
        let shown_time =
            at_percentile(&times_micros, self.request.percentile).ok_or_else(nothing)?;
        let sending = sendings.swap_remove(shown_time);
        let shown = times.swap_remove(shown_time);
        let of_pages: Vec<u64> = shown.pages.iter().map(|page| page.micros()).collect();
        let shown_page = at_percentile(&of_pages, 100.0).ok_or_else(nothing)?;
        let trace = *shown.traces.get(shown_page).ok_or_else(nothing)?;
        let limit = self.request.page_time_limit;
        let compute_micros = match planned.get(shown_time % planned.len().max(1)) {
            Some(planned) if !shown.has_more_pages => planned.compute_micros(limit).await,
            _ => None,
        };
        let client = ClientTimes {
            connect_micros: 0,
            plan_micros,
            compute_micros,
            prepare_micros,
            times_micros,
            shown_time,
            pages: shown.pages,
            shown_page,
            has_more_pages: shown.has_more_pages,
        };
        Ok(ShownTime {
            client,
            trace,
            cql: sending.cql,
            of: sending.of,
        })
    }

    /// Plans a question, once it is known that there is such a table; there is nothing to plan of anything else.
    async fn planned(&self) -> Result<Vec<Planned>, TraceError> {
        match &self.request.what {
            Traceable::Question(question) => {
                check_table(self.session, question.keyspace(), question.table())?;
                question.planned(self.session).await
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Prepares what is sent at each of the times.
    async fn sendings(&self, planned: &[Planned]) -> Result<Vec<Sending>, TraceError> {
        match &self.request.what {
            Traceable::Select(select) => self.of_select(select).await,
            Traceable::Read(read) => self.of_read(read).await,
            Traceable::Question(question) => self.of_question(question, planned).await,
        }
    }

    async fn of_select(&self, select: &TracedSelect) -> Result<Vec<Sending>, TraceError> {
        let prepared = self.prepared_select(select).await?;
        let statement = self.traced(prepared.statement);
        // A SELECT has its values in its text.
        let sending = |_| Sending {
            statement: statement.clone(),
            values: Values::Cells(Cells::default()),
            cql: select.cql.clone(),
            of: None,
        };
        Ok((0..self.request.times).map(sending).collect())
    }

    async fn of_read(&self, read: &TracedRead) -> Result<Vec<Sending>, TraceError> {
        check_table(self.session, read.keyspace(), read.table())?;
        let prepared = read.prepared(self.session, self.request.level()).await?;
        let statement = self.traced(prepared.statement.clone());
        let times = self.request.times;
        let sending = |time| Sending {
            statement: statement.clone(),
            values: Values::Cells(read.values(&prepared, time, times)),
            cql: read.cql().to_owned(),
            of: None,
        };
        Ok((0..times).map(sending).collect())
    }

    async fn of_question(
        &self,
        question: &TracedQuestion,
        planned: &[Planned],
    ) -> Result<Vec<Sending>, TraceError> {
        let times = self.request.times;
        let mut prepared: HashMap<&str, PreparedStatement> = HashMap::new();
        let mut sendings = Vec::new();
        for time in 0..times {
            let Some(chosen) = question.choose(planned, time, times) else {
                continue;
            };
            let statement = match prepared.get(chosen.cql) {
                Some(statement) => statement.clone(),
                None => {
                    let statement = self.session.prepare(Statement::new(chosen.cql)).await;
                    let statement = self.traced(statement.map_err(|error| refused(&error))?);
                    prepared.insert(chosen.cql, statement.clone());
                    statement
                }
            };
            sendings.push(Sending {
                statement: chosen.request.routed(statement),
                values: Values::Request(chosen.request.clone()),
                cql: chosen.cql.to_owned(),
                of: Some(chosen.of),
            });
        }
        Ok(sendings)
    }

    /// Returns a statement that is traced, and sent as it is wanted.
    fn traced(&self, mut statement: PreparedStatement) -> PreparedStatement {
        statement.set_tracing(true);
        statement.set_consistency(in_driver(self.request.level()));
        statement.set_page_size(i32::try_from(self.request.page_rows()).unwrap_or(i32::MAX));
        statement.set_request_timeout(Some(self.request.page_time_limit));
        statement
    }

    async fn prepared_select(&self, select: &TracedSelect) -> Result<Prepared, TraceError> {
        let table = &select.table;
        let keyspace = select.table_keyspace()?;
        check_table(self.session, keyspace, &table.name)?;
        let cql = table.in_keyspace(&select.cql, keyspace);
        let prepared = self.session.prepare(Statement::new(cql)).await;
        let statement = prepared.map_err(|error| refused(&error))?;
        if statement.get_variable_col_specs().len() > 0 {
            return Err(TraceError::Asked(
                "there is no value for a marker such as :name: write the value in its place"
                    .to_owned(),
            ));
        }
        Ok(Prepared {
            statement,
            binds: Vec::new(),
        })
    }

    async fn send_once(&self, sending: &Sending) -> Result<Time, TraceError> {
        let mut time = Time {
            pages: Vec::new(),
            traces: Vec::new(),
            has_more_pages: false,
        };
        let most = (MOST_TRACES / self.request.times.max(1) as usize).clamp(1, MOST_PAGES);
        let marks = Arc::new(Marks::default());
        let mut statement = sending.statement.clone();
        statement.set_history_listener(marks.clone());
        let mut state = PagingState::start();
        loop {
            marks.begin();
            let began = Instant::now();
            let reply = self
                .session
                .execute_single_page(&statement, &sending.values, state)
                .await;
            let request_micros = micros(began);
            let (reply, next): (QueryResult, PagingStateResponse) = reply.map_err(|error| {
                TraceError::Failed(format!(
                    "the request failed after {:.1} s: {error}; see `bakeoff trace --help` for --time-out and \
                     --consistency",
                    request_micros as f64 / 1e6
                ))
            })?;
            let queue_micros = marks.micros_since(began);
            let trace = reply.tracing_id().ok_or_else(|| {
                TraceError::Failed(
                    "the server does not trace requests: it sent no id of a trace".to_owned(),
                )
            })?;
            let began = Instant::now();
            let rows = decoded(reply)?;
            time.pages.push(PageTimes {
                request_micros,
                queue_micros,
                decode_micros: micros(began),
                rows,
            });
            time.traces.push(trace);
            match next.into_paging_control_flow() {
                ControlFlow::Break(()) => return Ok(time),
                ControlFlow::Continue(_) if time.pages.len() >= most => {
                    time.has_more_pages = true;
                    return Ok(time);
                }
                ControlFlow::Continue(next) => state = next,
            }
        }
    }
}

/// Makes values of all cells of a page, and returns the number of its rows.
fn decoded(reply: QueryResult) -> Result<u64, TraceError> {
    let failed = |error: &dyn std::fmt::Display| {
        TraceError::Failed(format!("the rows of the answer cannot be read: {error}"))
    };
    let rows = reply.into_rows_result().map_err(|e| failed(&e))?;
    let mut count = 0;
    for row in rows.rows::<Row>().map_err(|e| failed(&e))? {
        row.map_err(|e| failed(&e))?;
        count += 1;
    }
    Ok(count)
}

/// Checks that a cluster has a table or view. Tables of its own views are not among those that the driver knows.
fn check_table(session: &Session, keyspace: &str, name: &str) -> Result<(), TraceError> {
    if is_system_keyspace(keyspace) {
        return Ok(());
    }
    let cluster = session.get_cluster_state();
    let Some(found) = cluster.get_keyspace(keyspace) else {
        let known = cluster.keyspaces_iter().map(|(name, _)| name);
        let hint = suggestion(keyspace, known);
        return Err(TraceError::Asked(format!(
            "there is no keyspace {keyspace}{hint}"
        )));
    };
    if found.tables.contains_key(name) || found.views.contains_key(name) {
        return Ok(());
    }
    let known = found.tables.keys().chain(found.views.keys());
    let hint = suggestion(name, known.map(String::as_str));
    Err(TraceError::Asked(format!(
        "there is no table {keyspace}.{name}{hint}"
    )))
}

/// Describes why a statement could not be prepared; it is a mistake in the statement if the server says so.
fn refused(error: &PrepareError) -> TraceError {
    let PrepareError::AllAttemptsFailed { first_attempt } = error else {
        return TraceError::Failed(format!("cannot prepare the statement: {error}"));
    };
    match first_attempt {
        RequestAttemptError::DbError(
            DbError::SyntaxError | DbError::Invalid | DbError::Unauthorized,
            reason,
        ) => TraceError::Asked(format!("Cassandra refuses the statement: {reason}")),
        other => TraceError::Failed(format!("cannot prepare the statement: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_that_the_server_refuses_is_a_mistake_of_its_writer() {
        let by_server = |error: DbError| {
            let first_attempt = RequestAttemptError::DbError(error, "line 1:7 no".to_owned());
            refused(&PrepareError::AllAttemptsFailed { first_attempt })
        };
        let TraceError::Asked(why) = by_server(DbError::SyntaxError) else {
            panic!("not a mistake");
        };
        assert!(why.contains("line 1:7 no"), "{why}");
        assert!(matches!(
            by_server(DbError::Overloaded),
            TraceError::Failed(_)
        ));
        let other = refused(&PrepareError::PreparedStatementIdsMismatch);
        assert!(matches!(other, TraceError::Failed(_)));
    }
}
