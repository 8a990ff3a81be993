//! The session of one worker thread, which makes values before the clock starts, sends requests, and checks replies
//! after the clock has stopped.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_driver::drive::{Call, Done, Failure, Session};
use bakeoff_stats::FailureKind;
use bakeoff_workload::Column;
use futures::TryStreamExt;
use tokio_postgres::{Error, Row};

use super::connections::Connections;
use super::plan::{OperationPlan, Work};
use super::queries::{Counted, Queries};
use super::values::{Cell, in_cql};
use crate::deadlines::{Limit, Over};
use crate::drive::check::Checker;
use crate::drive::read_rows::ReadRows;
use crate::drive::rows::Rows;
use crate::postgres::connect::reason;
use crate::postgres::decode;
use crate::postgres::inserts;

/// The state of one worker, which shares only plans and rows with other threads.
pub struct PostgresSession {
    connections: Connections,
    /// `None` if the mix has none.
    queries: Option<Queries>,
    plans: Arc<Vec<OperationPlan>>,
    rows: Arc<Rows>,
    limit: Limit,
}

/// A request that is ready to be sent.
pub struct Request {
    call: Call,
    values: Vec<Cell>,
    /// SQL of a query, or the reason why it is not asked.
    sql: Option<Result<String, String>>,
}

/// A reply that is not checked yet.
pub enum Reply {
    /// Number of rows that were written or deleted.
    Changed(u64),
    Rows(Vec<Row>),
    /// Size of a query's answer.
    Counted(Counted),
}

impl PostgresSession {
    /// Makes a session on connections that have all statements of these plans, and queries if they have some.
    pub fn new(
        (connections, queries): (Connections, Option<Queries>),
        plans: Arc<Vec<OperationPlan>>,
        rows: Arc<Rows>,
        time_limit: Duration,
    ) -> Self {
        PostgresSession {
            connections,
            queries,
            plans,
            rows,
            limit: Limit::new(time_limit),
        }
    }

    /// Enforces time limits and replaces broken connections, and never ends: it has to be polled while operations are
    /// in flight.
    pub async fn keep(&self) {
        tokio::join!(self.limit.keep(), self.connections.keep());
    }

    async fn send_any(&self, plan: &OperationPlan, request: &Request) -> Result<Reply, Failure> {
        match (&request.sql, &self.queries) {
            (Some(Err(why)), _) => {
                let message = format!("{}: {why}", plan.name);
                Err(Failure::new(FailureKind::Rejected, message))
            }
            (Some(Ok(sql)), Some(queries)) => {
                let counted = Box::pin(queries.ask(&plan.name, sql)).await?;
                Ok(Reply::Counted(counted))
            }
            _ => self.send_on_one(plan, request).await,
        }
    }

    async fn send_on_one(&self, plan: &OperationPlan, request: &Request) -> Result<Reply, Failure> {
        let Some(connection) = self.connections.least_busy().await else {
            let message = format!("{}: all connections to PostgreSQL are broken", plan.name);
            return Err(Failure::new(FailureKind::Connection, message));
        };
        let (client, values) = (&connection.client, &request.values);
        let Some(statement) = &connection.statements[request.call.operation] else {
            return Err(foreign(&plan.name));
        };
        let in_flight = connection.unanswered.begin();
        let reply = match plan.work {
            Work::Read(_) => match client.query_raw(statement, values).await {
                Ok(rows) => rows.try_collect().await.map(Reply::Rows),
                Err(error) => Err(error),
            },
            _ => client
                .execute_raw(statement, values)
                .await
                .map(Reply::Changed),
        };
        in_flight.answered();
        reply.map_err(|error| failure(&plan.name, &error))
    }

    fn check_read(
        &self,
        checker: &Checker<'_>,
        wanted: ReadRows,
        rows: &[Row],
    ) -> Result<Done, Failure> {
        let columns = &self.rows.table.columns;
        let all: Vec<_> = rows.iter().map(|row| cells_of(columns, row)).collect();
        let bytes = rows.iter().map(|row| decode::bytes(row) as u64).sum();
        checker.read_cells(wanted, &all, bytes)
    }

    /// Checks how many rows were written or deleted, which PostgreSQL tells of every statement.
    fn check_changed(
        &self,
        checker: &Checker<'_>,
        work: Work,
        changed: u64,
    ) -> Result<(), Failure> {
        match work {
            Work::Insert { rows } if changed != u64::from(rows) => {
                Err(checker.wrong(format!("{changed} rows were written, not {rows}")))
            }
            Work::ChangeRow if changed > 1 => Err(checker.wrong(format!(
                "{changed} rows have the key of row {}",
                checker.call.row
            ))),
            Work::ChangeRow
                if changed == 0 && checker.call.row_exists && !self.rows.rows_vanish =>
            {
                Err(checker.missing())
            }
            _ => Ok(()),
        }
    }
}

impl Session for PostgresSession {
    type Request = Request;
    type Reply = Reply;

    fn request(&self, call: &Call) -> Request {
        let plan = &self.plans[call.operation];
        let rows = u64::from(plan.rows());
        let mut values = Vec::with_capacity(plan.binds.len() * rows as usize);
        for number in 0..rows {
            let row = call.row + number * call.row_step;
            let of_row = plan.binds.iter();
            values
                .extend(of_row.map(|bind| {
                    Cell::from(self.rows.values.value(bind.column, row, bind.version))
                }));
        }
        let sql = match (plan.work, &self.queries) {
            (Work::Query(query), Some(queries)) => Some(queries.sql(query, call, &self.rows)),
            _ => None,
        };
        Request {
            call: *call,
            values,
            sql,
        }
    }

    async fn send(&self, request: &Request) -> Result<Reply, Failure> {
        let plan = &self.plans[request.call.operation];
        let sent = pin!(self.send_any(plan, request));
        let reply = self.limit.within(sent).await;
        reply.map_err(|Over(limit)| {
            let message = format!("{}: no reply within {limit:?}", plan.name);
            Failure::new(FailureKind::TimedOut, message)
        })?
    }

    fn check(&self, request: &Request, reply: Reply) -> Result<Done, Failure> {
        let plan = &self.plans[request.call.operation];
        let checker = Checker {
            rows: &self.rows,
            operation: &plan.name,
            call: &request.call,
        };
        match (plan.work, reply) {
            (Work::Read(wanted), Reply::Rows(rows)) => self.check_read(&checker, wanted, &rows),
            (work, Reply::Changed(changed)) => {
                self.check_changed(&checker, work, changed)?;
                Ok(Done {
                    rows: changed,
                    bytes: request.values.iter().map(Cell::bytes).sum(),
                    not_applied: false,
                })
            }
            (_, Reply::Counted(Counted { rows, bytes })) => Ok(Done {
                rows,
                bytes,
                not_applied: false,
            }),
            (_, Reply::Rows(_)) => Err(foreign(&plan.name)),
        }
    }
}

/// Makes the failure for a request or reply that another session has made.
fn foreign(operation: &str) -> Failure {
    let message = format!("{operation}: a request of another session");
    Failure::new(FailureKind::Rejected, message)
}

/// Returns the cells of a row as CQL has them on the wire.
fn cells_of<'r>(columns: &[Column], row: &'r Row) -> Vec<Option<Cow<'r, [u8]>>> {
    let cells = columns.iter().enumerate().map(|(place, column)| {
        let bytes = decode::raw(row, place)?;
        Some(in_cql(column.kind, bytes))
    });
    cells.collect()
}

/// Makes a failure of an operation from the client's error, with the server's own message.
fn failure(operation: &str, error: &Error) -> Failure {
    let kind = inserts::kind(error.code());
    Failure::new(kind, format!("{operation}: {}", reason(error)))
}
