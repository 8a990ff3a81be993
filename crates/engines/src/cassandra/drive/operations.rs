//! Operations of a mix, prepared for one session as the kinds of requests that they need.

use std::sync::Arc;

use bakeoff_driver::DesignError;
use bakeoff_driver::drive::Failure;
use bakeoff_stats::FailureKind;
use scylla::client::session::Session as Client;

use super::batches::Batches;
use super::direct::DirectStatement;
use super::parts::Parts;
use super::plan::{OperationPlan, Read, Work};
use super::queries::Queries;
use super::reads::prepare_read;
use super::statements::{Prepared, prepare};
use crate::cassandra::as_written::steps::WrittenSteps;
use crate::deadlines::Over;
use crate::drive::rows::Rows;

/// An operation of the mix, prepared for one session.
pub struct Operation {
    pub name: String,
    pub steps: Steps,
}

/// The requests of an operation.
pub enum Steps {
    Write(Single),
    Batch(Prepared, Batches),
    /// Reads rows that fit into one page.
    Read(Single, Read),
    /// Reads rows that may take several pages.
    ReadPages(Prepared, Read),
    /// Reads a partition by several requests.
    ReadParts(Box<Parts>),
    /// Asks the query of this number.
    Query(usize, Arc<Queries>),
    /// Sends statements as the workload file has them.
    Written(WrittenSteps),
}

/// A statement that is one request with one reply.
pub struct Single {
    pub prepared: Prepared,
    pub direct: DirectStatement,
}

impl Single {
    fn new(prepared: Prepared, writes: bool) -> Self {
        let direct = DirectStatement::new(&prepared.statement, writes);
        Single { prepared, direct }
    }
}

impl Operation {
    /// Prepares the statements of an operation.
    ///
    /// # Errors
    /// Fails if the server refuses one, or if a value's type does not fit its marker.
    pub async fn prepare(
        client: &Client,
        plan: &OperationPlan,
        rows: &Rows,
        queries: Option<&Arc<Queries>>,
    ) -> Result<Self, DesignError> {
        Ok(Operation {
            name: plan.name.clone(),
            steps: steps(client, plan, rows, queries).await?,
        })
    }

    /// Makes the failure of an operation that exceeded its time limit.
    pub fn over(&self, Over(limit): Over) -> Failure {
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
            let prepared = prepare_read(client, plan, &read.statement, rows).await?;
            let fits_a_page = |limit: u32| i64::from(limit) <= i64::from(rows.page_rows);
            if read.rows.limit().is_some_and(fits_a_page) {
                Steps::Read(Single::new(prepared, false), read.clone())
            } else {
                Steps::ReadPages(prepared, read.clone())
            }
        }
        Work::ReadParts(parts) => {
            let parts = Parts::prepare(client, plan, parts, rows).await?;
            Steps::ReadParts(Box::new(parts))
        }
        Work::Query(query) => match queries {
            Some(queries) => Steps::Query(*query, queries.clone()),
            None => {
                let why = format!(
                    "operation `{}` is a query, which cassandra/as-written cannot answer: use \
                     another layout such as cassandra/wide",
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
