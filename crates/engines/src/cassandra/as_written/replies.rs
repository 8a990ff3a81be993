//! What each statement of an operation came to.

use bakeoff_driver::drive::{Done, Failure};
use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::{IntoRowsResultError, QueryResult, QueryRowsResult};

use super::results::APPLIED;
use crate::cassandra::drive::check::{Checker, value_bytes};
use crate::cassandra::drive::pages::Pages;

/// The reply to one statement.
pub struct StepReply {
    /// Whether the statement is a SELECT.
    pub reads: bool,
    /// Bytes of the values sent with it.
    sent_bytes: u64,
    first: First,
    /// Pages after the first one.
    more: Vec<QueryResult>,
}

/// The first page, which is read while the operation lasts only if the next statement needs it.
enum First {
    Unread(QueryResult),
    Rows(QueryRowsResult),
    /// The reply has no rows at all.
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

    /// Rows and bytes returned, or written.
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

    /// A write with a condition says whether it held.
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
        let refused = first.is_some_and(|cell| {
            cell.spec.name() == APPLIED && cell.slice.is_some_and(|s| s.as_slice() == [0])
        });
        Ok(if refused {
            Done {
                not_applied: true,
                ..Done::default()
            }
        } else {
            written
        })
    }
}
