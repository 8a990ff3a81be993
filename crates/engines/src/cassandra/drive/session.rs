//! The session of one worker thread, which makes values before the clock starts, sends requests, and
//! checks replies after the clock has stopped.

use std::cell::Cell as StdCell;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_driver::DesignError;
use bakeoff_driver::drive::{Call, Done, Failure, Session};
use bakeoff_stats::FailureKind;
use scylla::client::session::Session as Client;

use super::batches::Group;
use super::cells::{Cell, Cells};
use super::direct::{Direct, Outcome as DirectOutcome, RawRows};
use super::operations::{Operation, Single, Steps};
use super::pages::{Pages, all_pages};
use super::parts::WHOLE;
use super::plan::{Bind, OperationPlan};
use super::queries::{Counted, Queries};
use super::statements::Prepared;
use crate::cassandra::as_written::step::StepCells;
use crate::cassandra::as_written::steps::Outcome;
use crate::cassandra::cluster::failures::failure;
use crate::cassandra::write::buckets::BucketsWritten;
use crate::deadlines::Limit;
use crate::drive::check::Checker;
use crate::drive::rows::Rows;

/// The state of one worker, which shares only the rows and the written buckets with other threads.
pub struct CassandraSession {
    client: Arc<Client>,
    /// Direct connections; `None` if the driver sends everything.
    direct: Option<Direct>,
    operations: Vec<Operation>,
    rows: Arc<Rows>,
    /// Written buckets, if queries have to know them.
    buckets: Option<Arc<BucketsWritten>>,
    limit: Limit,
    /// Bytes of the last request's values, as a capacity for the next one's.
    last_len: StdCell<usize>,
}

/// A request that is ready to be sent.
pub struct Request {
    call: Call,
    body: Body,
}

enum Body {
    Values(Cells),
    Groups(Vec<Group>),
    /// The values of each request for a part of a partition.
    Parts(Vec<Cells>),
    Sql(String),
    Steps(Vec<StepCells>),
}

/// A reply that is not checked yet.
pub enum Reply {
    Written,
    Rows(RawRows),
    Pages(Box<Pages>),
    Counted(Counted),
    Steps(Outcome),
}

impl CassandraSession {
    /// Prepares every statement of the operations, which are given with their queries if they are
    /// queries.
    ///
    /// # Errors
    /// Fails under the conditions of [`Operation::prepare`].
    pub async fn new(
        client: Arc<Client>,
        plans: &[(OperationPlan, Option<Arc<Queries>>)],
        rows: Arc<Rows>,
        time_limit: Duration,
    ) -> Result<Self, DesignError> {
        let mut operations = Vec::with_capacity(plans.len());
        for (plan, queries) in plans {
            let prepared = Operation::prepare(&client, plan, &rows, queries.as_ref()).await?;
            operations.push(prepared);
        }
        Ok(CassandraSession {
            client,
            direct: None,
            operations,
            rows,
            buckets: None,
            limit: Limit::new(time_limit),
            last_len: StdCell::new(64),
        })
    }

    /// Sends single statements on direct connections instead of the driver's.
    pub fn with_direct(self, direct: Option<Direct>) -> Self {
        CassandraSession { direct, ..self }
    }

    /// Notes the buckets that are written, for queries.
    pub fn with_buckets(self, buckets: Option<Arc<BucketsWritten>>) -> Self {
        CassandraSession { buckets, ..self }
    }

    fn note_bucket(&self, prepared: &Prepared, cells: &Cells) {
        let Some(buckets) = &self.buckets else { return };
        let number = prepared.binds.iter().position(|bind| *bind == Bind::Bucket);
        if let Some(Cell::Value(bytes)) = number.and_then(|number| cells.iter().nth(number))
            && let Ok(bytes) = bytes.try_into()
        {
            buckets.note(i64::from_be_bytes(bytes));
        }
    }

    fn values(&self, prepared: &Prepared, row: u64) -> Cells {
        let mut cells = Cells::with_capacity(self.last_len.get());
        self.rows.encode(&prepared.binds, row, &mut cells);
        self.last_len.set(cells.len());
        cells
    }

    /// Enforces time limits and replaces broken connections, and never ends: it has to be polled
    /// while operations are in flight.
    pub async fn keep(&self) {
        tokio::join!(self.limit.keep(), self.keep_connections());
    }

    async fn keep_connections(&self) {
        if let Some(direct) = &self.direct {
            direct.keep().await;
        }
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
        Ok(if first.is_rows() {
            Reply::Pages(Box::new(Pages {
                first,
                more: Vec::new(),
            }))
        } else {
            Reply::Written
        })
    }

    /// Sends an operation that takes several requests, a batch or a query.
    async fn send_several(
        &self,
        operation: &Operation,
        request: &Request,
    ) -> Result<Reply, Failure> {
        let name = operation.name.as_str();
        match (&operation.steps, &request.body) {
            (Steps::ReadPages(prepared, _), Body::Values(cells)) => {
                let pages = all_pages(&self.client, name, prepared, cells).await?;
                Ok(Reply::Pages(Box::new(pages)))
            }
            (Steps::ReadParts(parts), Body::Parts(requests)) => {
                let pages = parts.send(&self.client, name, requests).await?;
                let pages = pages.ok_or_else(|| foreign(name))?;
                Ok(Reply::Pages(Box::new(pages)))
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

impl Session for CassandraSession {
    type Request = Request;
    type Reply = Reply;

    fn request(&self, call: &Call) -> Request {
        let body = match &self.operations[call.operation].steps {
            Steps::Write(single) => {
                let cells = self.values(&single.prepared, call.row);
                self.note_bucket(&single.prepared, &cells);
                Body::Values(cells)
            }
            Steps::Read(single, _) => Body::Values(self.values(&single.prepared, call.row)),
            Steps::ReadPages(prepared, _) => Body::Values(self.values(prepared, call.row)),
            Steps::ReadParts(parts) => Body::Parts(parts.cells(&self.rows, call.row)),
            Steps::Batch(prepared, batches) => {
                let groups = batches.groups(&self.rows, prepared, call);
                let firsts = groups.iter().filter_map(Group::first);
                firsts.for_each(|cells| self.note_bucket(prepared, cells));
                Body::Groups(groups)
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
                checker.read(read.rows, *pages)
            }
            (Steps::ReadParts(_), _, Reply::Pages(pages)) => checker.read(WHOLE, *pages),
            (_, _, Reply::Counted(counted)) => Ok(counted.done()),
            (Steps::Written(steps), _, Reply::Steps(outcome)) => steps.check(&checker, outcome),
            _ => Err(foreign(&operation.name)),
        }
    }
}

/// Makes the failure for a request or reply that another session has made.
fn foreign(operation: &str) -> Failure {
    let message = format!("{operation}: a request of another session");
    Failure::new(FailureKind::Rejected, message)
}
