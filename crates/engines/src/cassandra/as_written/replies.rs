//! Replies to the statements of an operation that is written in CQL.

use bakeoff_driver::drive::{Done, Failure};
use scylla::deserialize::row::{ColumnIterator, RawColumn};
use scylla::response::query_result::{IntoRowsResultError, QueryResult, QueryRowsResult};

use super::results::APPLIED;
use crate::cassandra::drive::pages::{Pages, value_bytes};
use crate::drive::check::Checker;

/// The reply to one statement.
pub struct StepReply {
    /// Flag of a SELECT.
    pub reads: bool,
    /// Bytes of the values that were sent with the statement.
    sent_bytes: u64,
    first: First,
    /// Pages after the first one.
    more: Vec<QueryResult>,
}

/// The first page of a reply, which is parsed during the operation only if the next statement
/// needs it.
enum First {
    Unread(QueryResult),
    Rows(QueryRowsResult),
    /// Marks a reply that is not a result with rows.
    None,
}

impl StepReply {
    pub fn new(reads: bool, sent_bytes: u64, pages: Pages) -> Self {
        StepReply {
            reads,
            sent_bytes,
            first: First::Unread(pages.first),
            more: pages.more,
        }
    }

    /// Parses the first page if that has not happened yet; `None` if the reply has no rows.
    pub fn first_page(&mut self) -> Result<Option<&QueryRowsResult>, Box<IntoRowsResultError>> {
        if let First::Unread(_) = self.first {
            let read = match std::mem::replace(&mut self.first, First::None) {
                First::Unread(reply) if reply.is_rows() => {
                    First::Rows(reply.into_rows_result().map_err(Box::new)?)
                }
                _ => First::None,
            };
            self.first = read;
        }
        match &self.first {
            First::Rows(page) => Ok(Some(page)),
            First::Unread(_) | First::None => Ok(None),
        }
    }

    /// Counts the rows and bytes that were returned or written.
    pub fn done(&mut self, checker: &Checker<'_>) -> Result<Done, Failure> {
        if self.reads {
            self.returned(checker)
        } else {
            self.written(checker)
        }
    }

    fn returned(&mut self, checker: &Checker<'_>) -> Result<Done, Failure> {
        let mut done = Done::default();
        let mut add = |page: &QueryRowsResult| {
            done.rows += page.rows_num() as u64;
            done.bytes += value_bytes(page);
        };
        if let Some(page) = self
            .first_page()
            .map_err(|e| checker.rejected(e.as_ref()))?
        {
            add(page);
        }
        for page in self.more.drain(..) {
            add(&checker.rows_of(page)?);
        }
        Ok(done)
    }

    /// Counts what was written, unless the condition of the write did not hold.
    fn written(&mut self, checker: &Checker<'_>) -> Result<Done, Failure> {
        let written = Done {
            rows: 1,
            bytes: self.sent_bytes,
            not_applied: false,
        };
        let Some(page) = self
            .first_page()
            .map_err(|e| checker.rejected(e.as_ref()))?
        else {
            return Ok(written);
        };
        let row = page.maybe_first_row::<ColumnIterator<'_, '_>>();
        let Some(mut row) = row.map_err(|e| checker.rejected(&e))? else {
            return Ok(written);
        };
        let first = row.next().transpose().map_err(|e| checker.rejected(&e))?;
        if first.is_some_and(|cell| is_refusal(&cell)) {
            return Ok(Done {
                not_applied: true,
                ..Done::default()
            });
        }
        Ok(written)
    }
}

/// Returns whether the first column of a conditional write's result says that it was not applied.
fn is_refusal(cell: &RawColumn<'_, '_>) -> bool {
    cell.spec.name() == APPLIED && cell.slice.is_some_and(|s| s.as_slice() == [0])
}
