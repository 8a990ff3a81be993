//! One statement of an operation that is written in CQL.

use std::borrow::Cow;

use bakeoff_driver::DesignError;
use bakeoff_driver::drive::Failure;
use bakeoff_stats::FailureKind;
use bakeoff_workload::Table;
use scylla::client::session::Session;
use scylla::deserialize::row::ColumnIterator;

use super::replies::StepReply;
use super::results::{number_plus, toggled};
use crate::cassandra::cluster::failures::failure;
use crate::cassandra::drive::cells::Cells;
use crate::cassandra::drive::pages::{Pages, all_pages};
use crate::cassandra::drive::plan::{Bind, OperationPlan, Statement};
use crate::cassandra::drive::statements::{Prepared, prepare};
use crate::drive::rows::Rows;

/// A prepared statement of an operation.
pub struct Step {
    prepared: Prepared,
    /// Flag of a SELECT, whose result may have several pages.
    reads: bool,
}

/// The values of one statement, as far as they are known before the operation.
pub enum StepCells {
    Ready(Cells),
    /// One entry for each bind marker, `None` where the value comes from an earlier result.
    Waiting(Vec<Option<Cells>>),
}

impl Step {
    pub async fn prepare(
        client: &Session,
        plan: &OperationPlan,
        statement: &Statement,
        table: &Table,
    ) -> Result<Self, DesignError> {
        let mut prepared = prepare(client, &plan.name, statement, plan.consistency, table).await?;
        let first_word = statement.cql.split_whitespace().next().unwrap_or_default();
        let reads = first_word.eq_ignore_ascii_case("select");
        // A conditional write returns other columns than its preparation announced.
        prepared.statement.set_use_cached_result_metadata(reads);
        Ok(Step { prepared, reads })
    }

    /// Encodes the values that do not depend on earlier results.
    pub fn cells(&self, rows: &Rows, row: u64) -> StepCells {
        let binds = &self.prepared.binds;
        if binds.iter().all(Bind::is_of_row) {
            return StepCells::Ready(encode(rows, binds, row));
        }
        let mut waiting = Vec::with_capacity(binds.len());
        for bind in binds {
            let is_known = bind.is_of_row();
            waiting.push(is_known.then(|| encode(rows, std::slice::from_ref(bind), row)));
        }
        StepCells::Waiting(waiting)
    }

    /// Checks that the result has all expected columns, if the server announced its columns.
    pub fn check_columns<'n>(
        &self,
        operation: &str,
        mut expected: impl Iterator<Item = &'n String>,
    ) -> Result<(), DesignError> {
        let specs = self.prepared.statement.get_current_result_set_col_specs();
        let specs = specs.get();
        let is_known = self.reads && specs.iter().next().is_some();
        let lacks = |name: &&String| is_known && specs.get_by_name(name).is_none();
        match expected.find(lacks) {
            None => Ok(()),
            Some(name) => Err(DesignError(format!(
                "operation `{operation}`: its last result has no column `{name}`, which is in \
                 expect: select it, or leave it out of expect"
            ))),
        }
    }

    /// Completes the values with those of the result before; `None` if that has no row, or null in
    /// place of a needed value.
    pub fn values<'c>(
        &self,
        name: &str,
        cells: &'c StepCells,
        before: Option<&mut StepReply>,
    ) -> Result<Option<Cow<'c, Cells>>, Failure> {
        let waiting = match cells {
            StepCells::Ready(cells) => return Ok(Some(Cow::Borrowed(cells))),
            StepCells::Waiting(waiting) => waiting,
        };
        let Some(before) = before else {
            return Ok(None);
        };
        let Some(page) = before
            .first_page()
            .map_err(|e| unreadable(name, e.as_ref()))?
        else {
            return Ok(None);
        };
        let row = page.maybe_first_row::<ColumnIterator<'_, '_>>();
        let Some(row) = row.map_err(|e| unreadable(name, &e))? else {
            return Ok(None);
        };
        let mut values = Cells::with_capacity(64);
        for (bind, cell) in self.prepared.binds.iter().zip(waiting) {
            match cell {
                Some(cell) => values.append(cell),
                None => {
                    let Some(value) = from_result(name, bind, row.clone())? else {
                        return Ok(None);
                    };
                    values.push_bytes(&value);
                }
            }
        }
        Ok(Some(Cow::Owned(values)))
    }

    /// Sends the statement, and receives all pages of a SELECT.
    pub async fn send(
        &self,
        client: &Session,
        name: &str,
        cells: &Cells,
    ) -> Result<StepReply, Failure> {
        let sent_bytes = cells.value_bytes();
        if self.reads {
            let pages = all_pages(client, name, &self.prepared, cells).await?;
            return Ok(StepReply::new(true, sent_bytes, pages));
        }
        let reply = client
            .execute_unpaged(&self.prepared.statement, cells)
            .await;
        let pages = Pages {
            first: reply.map_err(|e| failure(name, &e))?,
            more: Vec::new(),
        };
        Ok(StepReply::new(false, sent_bytes, pages))
    }
}

fn encode(rows: &Rows, binds: &[Bind], row: u64) -> Cells {
    let mut cells = Cells::with_capacity(64);
    rows.encode(binds, row, &mut cells);
    cells
}

/// Takes the value of a bind from a row of the result before; `None` for null.
fn from_result(
    name: &str,
    bind: &Bind,
    row: ColumnIterator<'_, '_>,
) -> Result<Option<Vec<u8>>, Failure> {
    let (Bind::Result { column, .. } | Bind::Toggle { column, .. }) = bind else {
        return Ok(None);
    };
    for cell in row {
        let cell = cell.map_err(|e| unreadable(name, &e))?;
        if cell.spec.name() != column {
            continue;
        }
        let Some(bytes) = cell.slice.map(|s| s.as_slice()) else {
            return Ok(None);
        };
        let value = match bind {
            Bind::Toggle { between, .. } => Some(toggled(bytes, between)),
            Bind::Result { plus, .. } => number_plus(cell.spec.typ(), bytes, *plus),
            _ => None,
        };
        if value.is_none() {
            let message = format!(
                "{name}: `{column}` is not an int, bigint or counter to which that number can be \
                 added"
            );
            return Err(Failure::new(FailureKind::Rejected, message));
        }
        return Ok(value);
    }
    let message = format!("{name}: the result before has no column `{column}`");
    Err(Failure::new(FailureKind::Rejected, message))
}

fn unreadable(name: &str, error: &dyn std::error::Error) -> Failure {
    let message = format!("{name}: a result cannot be read: {error}");
    Failure::new(FailureKind::Rejected, message)
}
