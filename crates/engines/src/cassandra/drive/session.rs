//! The operations of one worker thread: values made before the clock starts, one request sent,
//! the reply checked after the clock stopped.

use std::cell::Cell as StdCell;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_driver::DesignError;
use bakeoff_driver::drive::{Call, Done, Failure, Session};
use bakeoff_stats::FailureKind;
use scylla::client::session::Session as Client;
use scylla::response::{PagingState, PagingStateResponse};

use super::batches::{Batches, Group};
use super::cells::Cells;
use super::check::{Checker, Pages};
use super::deadlines::{Limit, Over};
use super::direct::{Direct, DirectStatement, Outcome as DirectOutcome, RawRows};
use super::failures::failure;
use super::plan::{OperationPlan, Read, Work};
use super::queries::{Counted, Queries};
use super::rows::Rows;
use super::statements::{Prepared, prepare};
use super::written::{Outcome, StepCells, WrittenSteps};
use crate::cassandra::table::PAGE_ROWS;

/// All that one worker needs; nothing of it is shared with other threads but the rows' source.
pub struct CassandraSession {
    client: Arc<Client>,
    /// Absent where all goes through the driver.
    direct: Option<Direct>,
    operations: Vec<Operation>,
    rows: Arc<Rows>,
    limit: Limit,
    /// Bytes of the last request's values: what the next one's will be like.
    last_len: StdCell<usize>,
}

struct Operation {
    name: String,
    steps: Steps,
}

enum Steps {
    Write(Single),
    Batch(Prepared, Batches),
    /// Rows that fit one page.
    Read(Single, Read),
    ReadPages(Prepared, Read),
    Query(usize, Arc<Queries>),
    Written(WrittenSteps),
}

/// A statement that is one request with one reply.
struct Single {
    prepared: Prepared,
    direct: DirectStatement,
}

pub struct Request {
    call: Call,
    body: Body,
}

enum Body {
    Values(Cells),
    Groups(Vec<Group>),
    Sql(String),
    Steps(Vec<StepCells>),
}

pub enum Reply {
    Written,
    Rows(RawRows),
    Pages(Pages),
    Counted(Counted),
    Steps(Outcome),
}

impl CassandraSession {
    /// Prepares every statement of the operations.
    ///
    /// # Errors
    /// If the server refuses one, or if a value's type is not that of its marker.
    pub async fn new(
        client: Arc<Client>,
        plans: &[OperationPlan],
        rows: Arc<Rows>,
        queries: Option<Arc<Queries>>,
        time_limit: Duration,
    ) -> Result<Self, DesignError> {
        let mut operations = Vec::with_capacity(plans.len());
        for plan in plans {
            let steps = steps(&client, plan, &rows, queries.as_ref()).await?;
            operations.push(Operation {
                name: plan.name.clone(),
                steps,
            });
        }
        Ok(CassandraSession {
            client,
            direct: None,
            operations,
            rows,
            limit: Limit::new(time_limit),
            last_len: StdCell::new(64),
        })
    }

    /// Sends single statements on these connections instead of the driver's.
    pub fn with_direct(self, direct: Option<Direct>) -> Self {
        CassandraSession { direct, ..self }
    }

    fn values(&self, prepared: &Prepared, row: u64) -> Cells {
        let mut cells = Cells::with_capacity(self.last_len.get());
        self.rows.encode(&prepared.binds, row, &mut cells);
        self.last_len.set(cells.len());
        cells
    }

    /// To be polled as long as operations are under way: keeps time limits and connections.
    pub async fn keep(&self) {
        let connections = async {
            match &self.direct {
                Some(direct) => direct.keep().await,
                None => std::future::pending().await,
            }
        };
        tokio::join!(self.limit.keep(), connections);
    }

    async fn send_single(
        &self,
        operation: &str,
        single: &Single,
        cells: &Cells,
    ) -> Result<Reply, Failure> {
        if let Some(direct) = &self.direct {
            match direct.execute(operation, &single.direct, cells).await? {
                DirectOutcome::Rows(rows) => return Ok(Reply::Rows(rows)),
                DirectOutcome::Done => return Ok(Reply::Written),
                DirectOutcome::NotSent => {}
            }
        }
        let statement = &single.prepared.statement;
        let first = Box::pin(self.client.execute_unpaged(statement, cells)).await;
        let first = first.map_err(|e| failure(operation, &e))?;
        Ok(match first.is_rows() {
            true => Reply::Pages(Pages {
                first,
                more: Vec::new(),
            }),
            false => Reply::Written,
        })
    }

    /// What takes more than one request, or another way than a statement.
    async fn send_several(
        &self,
        operation: &Operation,
        request: &Request,
    ) -> Result<Reply, Failure> {
        let name = operation.name.as_str();
        match (&operation.steps, &request.body) {
            (Steps::ReadPages(prepared, _), Body::Values(cells)) => {
                let pages = all_pages(&self.client, name, prepared, cells).await?;
                Ok(Reply::Pages(pages))
            }
            (Steps::Batch(_, batches), Body::Groups(groups)) => {
                batches.send(&self.client, name, groups).await?;
                Ok(Reply::Written)
            }
            (Steps::Query(_, queries), Body::Sql(sql)) => {
                Ok(Reply::Counted(queries.ask(name, sql).await?))
            }
            (Steps::Written(steps), Body::Steps(cells)) => {
                Ok(Reply::Steps(steps.send(&self.client, name, cells).await?))
            }
            _ => Err(foreign(name)),
        }
    }
}

impl Single {
    fn new(prepared: Prepared, writes: bool) -> Self {
        let direct = DirectStatement::new(&prepared.statement, writes);
        Single { prepared, direct }
    }
}

impl Operation {
    fn over(&self, Over(limit): Over) -> Failure {
        let message = format!("{}: no reply within {limit:?}", self.name);
        Failure::new(FailureKind::TimedOut, message)
    }
}

async fn steps(
    client: &Client,
    plan: &OperationPlan,
    rows: &Rows,
    queries: Option<&Arc<Queries>>,
) -> Result<Steps, DesignError> {
    let consistency = plan.consistency;
    Ok(match &plan.work {
        Work::Write { statement, batch } => {
            let prepared = prepare(client, &plan.name, statement, consistency, &rows.table).await?;
            match batch {
                1 => Steps::Write(Single::new(prepared, true)),
                _ => {
                    let batches = Batches::new(&prepared, *batch, consistency);
                    Steps::Batch(prepared, batches)
                }
            }
        }
        Work::Read(read) => {
            let statement = &read.statement;
            let mut prepared =
                prepare(client, &plan.name, statement, consistency, &rows.table).await?;
            // The columns are ours and stay: the server need not send their names each time.
            prepared.statement.set_use_cached_result_metadata(true);
            let fits_a_page = |limit: u32| i64::from(limit) <= i64::from(PAGE_ROWS);
            match read.rows.limit().is_some_and(fits_a_page) {
                true => Steps::Read(Single::new(prepared, false), read.clone()),
                false => Steps::ReadPages(prepared, read.clone()),
            }
        }
        Work::Query(query) => match queries {
            Some(queries) => Steps::Query(*query, queries.clone()),
            None => {
                let why = format!(
                    "operation `{}` is a query, and there is no table",
                    plan.name
                );
                return Err(DesignError(why));
            }
        },
        Work::Written(written) => {
            Steps::Written(WrittenSteps::prepare(client, plan, written, &rows.table).await?)
        }
    })
}

/// Reads a result to its last page.
pub async fn all_pages(
    client: &Client,
    name: &str,
    prepared: &Prepared,
    cells: &Cells,
) -> Result<Pages, Failure> {
    let page = |state| client.execute_single_page(&prepared.statement, cells, state);
    let start = page(PagingState::start()).await;
    let (first, mut paging) = start.map_err(|e| failure(name, &e))?;
    let mut more = Vec::new();
    while let PagingStateResponse::HasMorePages { state } = paging {
        let (next, after) = page(state).await.map_err(|e| failure(name, &e))?;
        more.push(next);
        paging = after;
    }
    Ok(Pages { first, more })
}

impl Session for CassandraSession {
    type Request = Request;
    type Reply = Reply;

    fn request(&self, call: &Call) -> Request {
        let body = match &self.operations[call.operation].steps {
            Steps::Write(single) | Steps::Read(single, _) => {
                Body::Values(self.values(&single.prepared, call.row))
            }
            Steps::ReadPages(prepared, _) => Body::Values(self.values(prepared, call.row)),
            Steps::Batch(prepared, batches) => {
                Body::Groups(batches.groups(&self.rows, prepared, call))
            }
            Steps::Query(query, queries) => Body::Sql(queries.sql(*query, call, &self.rows)),
            Steps::Written(steps) => Body::Steps(steps.cells(&self.rows, call.row)),
        };
        Request { call: *call, body }
    }

    async fn send(&self, request: &Request) -> Result<Reply, Failure> {
        let operation = &self.operations[request.call.operation];
        let (Steps::Write(single) | Steps::Read(single, _), Body::Values(cells)) =
            (&operation.steps, &request.body)
        else {
            let sent = Box::pin(self.send_several(operation, request));
            let reply = self.limit.within(pin!(sent)).await;
            return reply.map_err(|over| operation.over(over))?;
        };
        let sent = pin!(self.send_single(&operation.name, single, cells));
        let reply = self.limit.within(sent).await;
        reply.map_err(|over| operation.over(over))?
    }

    fn check(&self, request: &Request, reply: Reply) -> Result<Done, Failure> {
        let operation = &self.operations[request.call.operation];
        let checker = Checker {
            rows: &self.rows,
            operation: &operation.name,
            call: &request.call,
        };
        match (&operation.steps, &request.body, reply) {
            (_, Body::Values(cells), Reply::Written) => Ok(Done {
                rows: 1,
                bytes: cells.value_bytes(),
                not_applied: false,
            }),
            (_, Body::Groups(groups), Reply::Written) => Ok(Group::done(groups)),
            (Steps::Read(_, read), _, Reply::Rows(rows)) => checker.read_raw(read.rows, &rows),
            (Steps::Read(_, read) | Steps::ReadPages(_, read), _, Reply::Pages(pages)) => {
                checker.read(read.rows, pages)
            }
            (_, _, Reply::Counted(counted)) => Ok(counted.done()),
            (Steps::Written(steps), _, Reply::Steps(outcome)) => steps.check(&checker, outcome),
            _ => Err(foreign(&operation.name)),
        }
    }
}

/// Requests and replies belong to the session that made them.
fn foreign(operation: &str) -> Failure {
    let message = format!("{operation}: a request of another session");
    Failure::new(FailureKind::Rejected, message)
}
