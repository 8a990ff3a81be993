//! Operations whose statements are sent as the workload file has them, one after the other.

use bakeoff_driver::DesignError;
use bakeoff_driver::drive::{Done, Failure};
use bakeoff_stats::FailureKind;
use bakeoff_workload::Table;
use scylla::client::session::Session;
use scylla::deserialize::row::ColumnIterator;

use super::replies::StepReply;
use super::step::{Step, StepCells};
use crate::cassandra::drive::check::Checker;
use crate::cassandra::drive::plan::{OperationPlan, Written};
use crate::cassandra::drive::rows::Rows;

/// The statements of one operation, prepared.
pub struct WrittenSteps {
    steps: Vec<Step>,
    otherwise: Option<Step>,
    expect: Vec<usize>,
    expect_row: bool,
}

/// What the statements of one operation came to.
pub struct Outcome {
    /// Of those that were sent, in order.
    replies: Vec<StepReply>,
    end: End,
}

enum End {
    /// All were sent, or `otherwise` for want of a row.
    Last,
    Otherwise,
    /// There was no row that the statement of this number (from 1) needs.
    NoRow(usize),
}

impl WrittenSteps {
    /// # Errors
    /// As for [`prepare`].
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

    /// The values of all statements, those of `otherwise` last.
    pub fn cells(&self, rows: &Rows, row: u64) -> Vec<StepCells> {
        let all = self.steps.iter().chain(&self.otherwise);
        all.map(|step| step.cells(rows, row)).collect()
    }

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
        let end = End::Last;
        Ok(Outcome { replies, end })
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

    /// What all statements did together, with the last result compared.
    pub fn check(&self, checker: &Checker<'_>, outcome: Outcome) -> Result<Done, Failure> {
        let Outcome { mut replies, end } = outcome;
        if let End::NoRow(statement) = end {
            return Err(Failure::new(
                FailureKind::Missing,
                format!(
                    "{}: there was no row for row {} with the value that statement {statement} \
                     needs; otherwise = says what to do then",
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

    /// Compares the columns that are expected, in the first row.
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
            let is_it =
                |column: &&usize| checker.rows.table.columns[**column].name == cell.spec.name();
            if let Some(column) = self.expect.iter().find(is_it) {
                checker.column(*column, cell.slice.map(|s| s.as_slice()))?;
                compared += 1;
            }
        }
        if compared < self.expect.len() {
            let why = "the last result lacks a column that expect = names";
            Err(checker.wrong(why.to_owned()))
        } else {
            Ok(())
        }
    }
}
