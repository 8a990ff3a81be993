//! Operations whose statements are sent as the workload file has them, one after the other.

use std::borrow::Cow;

use bakeoff_driver::DesignError;
use bakeoff_driver::drive::{Done, Failure};
use bakeoff_stats::FailureKind;
use bakeoff_workload::Table;
use scylla::client::session::Session;
use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::QueryRowsResult;

use super::cells::Cells;
use super::check::{Checker, Pages, value_bytes};
use super::failures::failure;
use super::plan::{Bind, OperationPlan, Statement, Written};
use super::results::{APPLIED, number_plus, toggled};
use super::rows::Rows;
use super::session::all_pages;
use super::statements::{Prepared, prepare};

/// The statements of one operation, prepared.
pub struct WrittenSteps {
    steps: Vec<Step>,
    otherwise: Option<Step>,
    expect: Vec<usize>,
    expect_row: bool,
}

struct Step {
    prepared: Prepared,
    /// Whether it is a SELECT, whose result may have pages.
    reads: bool,
}

/// The values of one statement.
pub enum StepCells {
    Ready(Cells),
    /// For each marker its value; `None` where it comes from an earlier result.
    Waiting(Vec<Option<Cells>>),
}

/// What the statements of one operation came to.
pub enum Outcome {
    /// The reply to the last statement, and the bytes of values sent with it.
    Complete { last: Pages, sent_bytes: u64 },
    /// The reply to `otherwise`, which was sent for want of a row.
    Otherwise { last: Pages, sent_bytes: u64 },
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
        let mut before: Option<Pages> = None;
        let mut sent_bytes = 0;
        for (number, (step, cells_of_step)) in self.steps.iter().zip(cells).enumerate() {
            let Some(values) = step.values(name, cells_of_step, before.take())? else {
                return self.without_row(client, name, cells, number + 1).await;
            };
            sent_bytes = values.value_bytes();
            before = Some(step.send(client, name, &values).await?);
        }
        match before {
            Some(last) => Ok(Outcome::Complete { last, sent_bytes }),
            None => Ok(Outcome::NoRow(0)),
        }
    }

    async fn without_row(
        &self,
        client: &Session,
        name: &str,
        cells: &[StepCells],
        needed_by: usize,
    ) -> Result<Outcome, Failure> {
        let (Some(step), Some(cells)) = (&self.otherwise, cells.last()) else {
            return Ok(Outcome::NoRow(needed_by));
        };
        let Some(values) = step.values(name, cells, None)? else {
            return Ok(Outcome::NoRow(needed_by));
        };
        Ok(Outcome::Otherwise {
            last: step.send(client, name, &values).await?,
            sent_bytes: values.value_bytes(),
        })
    }

    pub fn check(&self, checker: &Checker<'_>, outcome: Outcome) -> Result<Done, Failure> {
        match outcome {
            Outcome::Complete { last, sent_bytes } => {
                let reads = self.steps.last().is_some_and(|step| step.reads);
                self.check_last(checker, last, reads, sent_bytes)
            }
            Outcome::Otherwise { last, sent_bytes } => applied(checker, last, sent_bytes),
            Outcome::NoRow(statement) => Err(Failure::new(
                FailureKind::Missing,
                format!(
                    "{}: there was no row for row {} with the value that statement {statement} \
                     needs; otherwise = says what to do then",
                    checker.operation, checker.call.row
                ),
            )),
        }
    }

    fn check_last(
        &self,
        checker: &Checker<'_>,
        last: Pages,
        reads: bool,
        sent_bytes: u64,
    ) -> Result<Done, Failure> {
        if !reads {
            return applied(checker, last, sent_bytes);
        }
        let mut done = Done::default();
        for page in std::iter::once(last.first).chain(last.more) {
            let page = checker.rows_of(page)?;
            done.rows += page.rows_num() as u64;
            done.bytes += value_bytes(&page);
            if !self.expect.is_empty() {
                self.check_expected(checker, &page)?;
            }
        }
        match done.rows == 0 && self.expect_row && checker.call.row_exists {
            true => Err(checker.missing()),
            false => Ok(done),
        }
    }

    /// Compares the columns that are expected, in every row.
    fn check_expected(&self, checker: &Checker<'_>, page: &QueryRowsResult) -> Result<(), Failure> {
        let mut places = Vec::with_capacity(self.expect.len());
        for column in &self.expect {
            let name = &checker.rows.table.columns[*column].name;
            match page.column_specs().get_by_name(name) {
                Some((place, _)) => places.push((place, *column)),
                None => {
                    return Err(checker.wrong(format!(
                        "the last result has no column `{name}`, which expect = names"
                    )));
                }
            }
        }
        let rows = page.rows::<ColumnIterator<'_, '_>>();
        for cells in rows.map_err(|e| checker.rejected(&e))? {
            for cell in cells.map_err(|e| checker.rejected(&e))? {
                let cell = cell.map_err(|e| checker.rejected(&e))?;
                for (_, column) in places.iter().filter(|(place, _)| *place == cell.index) {
                    checker.column(*column, cell.slice.map(|s| s.as_slice()))?;
                }
            }
        }
        Ok(())
    }
}

/// What a write did; one with a condition says whether it held.
fn applied(checker: &Checker<'_>, reply: Pages, sent_bytes: u64) -> Result<Done, Failure> {
    let written = Done {
        rows: 1,
        bytes: sent_bytes,
        not_applied: false,
    };
    if !reply.first.is_rows() {
        return Ok(written);
    }
    let page = checker.rows_of(reply.first)?;
    let row = page.maybe_first_row::<ColumnIterator<'_, '_>>();
    let Some(mut row) = row.map_err(|e| checker.rejected(&e))? else {
        return Ok(written);
    };
    let first = row.next().transpose().map_err(|e| checker.rejected(&e))?;
    let refused = first.is_some_and(|cell| {
        cell.spec.name() == APPLIED && cell.slice.is_some_and(|s| s.as_slice() == [0])
    });
    Ok(match refused {
        true => Done {
            not_applied: true,
            ..Done::default()
        },
        false => written,
    })
}

impl Step {
    async fn prepare(
        client: &Session,
        plan: &OperationPlan,
        statement: &Statement,
        table: &Table,
    ) -> Result<Self, DesignError> {
        let mut prepared = prepare(client, &plan.name, statement, plan.consistency, table).await?;
        let first_word = statement.cql.split_whitespace().next().unwrap_or_default();
        let reads = first_word.eq_ignore_ascii_case("select");
        // A conditional write returns other columns than it was prepared with.
        prepared.statement.set_use_cached_result_metadata(reads);
        Ok(Step { prepared, reads })
    }

    fn cells(&self, rows: &Rows, row: u64) -> StepCells {
        let binds = &self.prepared.binds;
        let encoded = |binds: &[Bind]| {
            let mut cells = Cells::with_capacity(64);
            rows.encode(binds, row, &mut cells);
            cells
        };
        if binds.iter().all(Bind::is_of_row) {
            return StepCells::Ready(encoded(binds));
        }
        let one = |bind: &Bind| {
            bind.is_of_row()
                .then(|| encoded(std::slice::from_ref(bind)))
        };
        StepCells::Waiting(binds.iter().map(one).collect())
    }

    /// All values, with those of the result before; `None` when it has no row, or a null in it.
    fn values<'c>(
        &self,
        name: &str,
        cells: &'c StepCells,
        before: Option<Pages>,
    ) -> Result<Option<Cow<'c, Cells>>, Failure> {
        let waiting = match cells {
            StepCells::Ready(cells) => return Ok(Some(Cow::Borrowed(cells))),
            StepCells::Waiting(waiting) => waiting,
        };
        // A statement that returns nothing has no row either.
        let Some(pages) = before else {
            return Ok(None);
        };
        let Ok(page) = pages.first.into_rows_result() else {
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

    async fn send(&self, client: &Session, name: &str, cells: &Cells) -> Result<Pages, Failure> {
        if self.reads {
            return all_pages(client, name, &self.prepared, cells).await;
        }
        let reply = client
            .execute_unpaged(&self.prepared.statement, cells)
            .await;
        Ok(Pages {
            first: reply.map_err(|e| failure(name, &e))?,
            more: Vec::new(),
        })
    }
}

/// The value that a bind takes from a row; `None` for null.
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
        let not_a_number = || {
            let message = format!("{name}: `{column}` is no int, bigint or counter to add to");
            Failure::new(FailureKind::Rejected, message)
        };
        return value.map(Some).ok_or_else(not_a_number);
    }
    let message = format!("{name}: the result before has no column `{column}`");
    Err(Failure::new(FailureKind::Rejected, message))
}

fn unreadable(name: &str, error: &dyn std::error::Error) -> Failure {
    let message = format!("{name}: a result cannot be read: {error}");
    Failure::new(FailureKind::Rejected, message)
}
