//! Operations whose statements are sent one after the other, as the workload file has them.

use bakeoff_driver::DesignError;
use bakeoff_driver::drive::{Done, Failure};
use bakeoff_stats::FailureKind;
use bakeoff_workload::{ColumnType, Table};
use scylla::client::session::Session;
use scylla::deserialize::row::ColumnIterator;

use super::replies::StepReply;
use super::step::{Step, StepCells};
use crate::cassandra::drive::arrays::ArrayType;
use crate::cassandra::drive::plan::{OperationPlan, Written};
use crate::drive::check::Checker;
use crate::drive::rows::Rows;

/// The prepared statements of one operation.
pub struct WrittenSteps {
    steps: Vec<Step>,
    otherwise: Option<Step>,
    expect: Vec<usize>,
    expect_row: bool,
}

/// The replies to the statements of one operation, and the reason why it ended.
pub struct Outcome {
    /// Replies to the statements that were sent, in order.
    replies: Vec<StepReply>,
    end: End,
}

enum End {
    /// All statements were sent.
    Last,
    /// A row was missing, and `otherwise` was sent.
    Otherwise,
    /// A row was missing that the statement of this number (from 1) needs.
    NoRow(usize),
}

impl WrittenSteps {
    /// Prepares all statements of an operation.
    ///
    /// # Errors
    /// Fails if the server refuses one, or if the last result lacks an expected column.
    pub async fn prepare(
        client: &Session,
        plan: &OperationPlan,
        written: &Written,
        table: &Table,
    ) -> Result<Self, DesignError> {
        let mut steps = Vec::with_capacity(written.statements.len());
        for statement in &written.statements {
            steps.push(Step::prepare(client, plan, statement, table).await?);
        }
        if let Some(last) = steps.last() {
            let expected = written
                .expect
                .iter()
                .map(|column| &table.columns[*column].name);
            last.check_columns(&plan.name, expected)?;
        }
        let otherwise = match &written.otherwise {
            Some(statement) => Some(Step::prepare(client, plan, statement, table).await?),
            None => None,
        };
        Ok(WrittenSteps {
            steps,
            otherwise,
            expect: written.expect.clone(),
            expect_row: written.expect_row,
        })
    }

    /// Encodes the values of all statements, with those of `otherwise` last.
    pub fn cells(&self, rows: &Rows, row: u64) -> Vec<StepCells> {
        let all = self.steps.iter().chain(&self.otherwise);
        all.map(|step| step.cells(rows, row)).collect()
    }

    /// Sends the statements until one lacks a row that it needs.
    pub async fn send(
        &self,
        client: &Session,
        name: &str,
        cells: &[StepCells],
    ) -> Result<Outcome, Failure> {
        let mut replies: Vec<StepReply> = Vec::with_capacity(self.steps.len());
        for (number, (step, cells_of_step)) in self.steps.iter().zip(cells).enumerate() {
            let Some(values) = step.values(name, cells_of_step, replies.last_mut())? else {
                let end = self.without_row(client, name, cells, &mut replies).await?;
                let end = end.unwrap_or(End::NoRow(number + 1));
                return Ok(Outcome { replies, end });
            };
            replies.push(step.send(client, name, &values).await?);
        }
        Ok(Outcome {
            replies,
            end: End::Last,
        })
    }

    /// Sends `otherwise`, if there is one.
    async fn without_row(
        &self,
        client: &Session,
        name: &str,
        cells: &[StepCells],
        replies: &mut Vec<StepReply>,
    ) -> Result<Option<End>, Failure> {
        let (Some(step), Some(cells)) = (&self.otherwise, cells.last()) else {
            return Ok(None);
        };
        let Some(values) = step.values(name, cells, None)? else {
            return Ok(None);
        };
        replies.push(step.send(client, name, &values).await?);
        Ok(Some(End::Otherwise))
    }

    /// Adds up the rows and bytes of all statements, and compares the last result.
    pub fn check(&self, checker: &Checker<'_>, outcome: Outcome) -> Result<Done, Failure> {
        let Outcome { mut replies, end } = outcome;
        if let End::NoRow(statement) = end {
            return Err(Failure::new(
                FailureKind::Missing,
                format!(
                    "{}: the result for row {} lacks the value that statement {statement} needs; \
                     name a statement for that case with otherwise =",
                    checker.operation, checker.call.row
                ),
            ));
        }
        let mut sum = Done::default();
        for reply in &mut replies {
            let done = reply.done(checker)?;
            sum.rows += done.rows;
            sum.bytes += done.bytes;
            sum.not_applied |= done.not_applied;
        }
        if let (End::Last, Some(last)) = (end, replies.last_mut())
            && last.reads
        {
            self.check_last(checker, last)?;
        }
        Ok(sum)
    }

    /// Compares the expected columns of the first row.
    fn check_last(&self, checker: &Checker<'_>, last: &mut StepReply) -> Result<(), Failure> {
        let Some(page) = last
            .first_page()
            .map_err(|e| checker.rejected(e.as_ref()))?
        else {
            return Ok(());
        };
        let row = page.maybe_first_row::<ColumnIterator<'_, '_>>();
        let Some(row) = row.map_err(|e| checker.rejected(&e))? else {
            return if self.expect_row && checker.call.row_exists {
                Err(checker.missing())
            } else {
                Ok(())
            };
        };
        let mut compared = 0;
        for cell in row {
            let cell = cell.map_err(|e| checker.rejected(&e))?;
            let columns = &checker.rows.table.columns;
            let mut expected = self.expect.iter();
            if let Some(column) = expected.find(|c| columns[**c].name == cell.spec.name()) {
                let bytes = cell.slice.map(|s| s.as_slice());
                match ArrayType::of(cell.spec.typ()) {
                    // A blob may hold anything, and is compared as it is.
                    Some(kind)
                        if kind != ArrayType::Blob && columns[*column].kind == ColumnType::Blob =>
                    {
                        checker.numbers(*column, kind, bytes)?;
                    }
                    _ => checker.column(*column, bytes)?,
                }
                compared += 1;
            }
        }
        if compared < self.expect.len() {
            let why = "the last result lacks a column that is in expect";
            Err(checker.wrong(why.to_owned()))
        } else {
            Ok(())
        }
    }
}
