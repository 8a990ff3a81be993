//! Reads of a partition by several requests, each for a range of its order key.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use bakeoff_driver::DesignError;
use bakeoff_driver::drive::Failure;
use futures::future::try_join_all;
use scylla::client::session::Session;

use super::cells::Cells;
use super::pages::{Pages, all_pages};
use super::plan::{OperationPlan, ReadParts};
use super::reads::prepare_read;
use super::statements::Prepared;
use crate::drive::read_rows::ReadRows;
use crate::drive::rows::Rows;

/// The rows that all requests return together.
pub const WHOLE: ReadRows = ReadRows::Partition {
    limit: None,
    descending: false,
};

/// Number of partitions whose splits are remembered.
const REMEMBERED: usize = 10_000;

/// The statements of such a read, prepared for one session.
pub struct Parts {
    plan: ReadParts,
    whole: Prepared,
    first: Prepared,
    middle: Prepared,
    last: Prepared,
    splits: RefCell<Splits>,
}

/// The rows that begin the parts of partitions, by partition key: finding them takes a walk along all
/// rows of the partition.
#[derive(Default)]
struct Splits(HashMap<Cells, Arc<[u64]>>);

impl Parts {
    /// Prepares the statements.
    ///
    /// # Errors
    /// Fails if the server refuses one, or if rows with equal keys hide which rows a partition has.
    pub async fn prepare(
        client: &Session,
        plan: &OperationPlan,
        parts: &ReadParts,
        rows: &Rows,
    ) -> Result<Self, DesignError> {
        if rows.keys_repeat {
            return Err(DesignError(format!(
                "operation `{}` reads a partition in {} requests, but some rows have the same key, so \
                 that it is not known where its parts begin: leave out `requests`, or give each row a key \
                 of its own",
                plan.name, parts.requests
            )));
        }
        Ok(Parts {
            whole: prepare_read(client, plan, &parts.whole, rows).await?,
            first: prepare_read(client, plan, &parts.first, rows).await?,
            middle: prepare_read(client, plan, &parts.middle, rows).await?,
            last: prepare_read(client, plan, &parts.last, rows).await?,
            plan: parts.clone(),
            splits: RefCell::default(),
        })
    }

    /// Encodes the values of each request for the partition of a row.
    pub fn cells(&self, rows: &Rows, row: u64) -> Vec<Cells> {
        let splits = self.splits.borrow_mut().of(rows, row, self.plan.requests);
        let part = |number: usize| {
            let mut cells = Cells::with_capacity(64);
            rows.encode(&self.plan.partition, row, &mut cells);
            let begin = number.checked_sub(1).and_then(|before| splits.get(before));
            for bound in begin.into_iter().chain(splits.get(number)) {
                rows.encode(&self.plan.order, *bound, &mut cells);
            }
            cells
        };
        (0..=splits.len()).map(part).collect()
    }

    /// Returns the statement of one of the requests.
    fn statement(&self, number: usize, requests: usize) -> &Prepared {
        match number {
            0 if requests == 1 => &self.whole,
            0 => &self.first,
            _ if number + 1 == requests => &self.last,
            _ => &self.middle,
        }
    }

    /// Sends all requests, and returns their pages in the order of the partition.
    pub async fn send(
        &self,
        client: &Session,
        name: &str,
        requests: &[Cells],
    ) -> Result<Option<Pages>, Failure> {
        let asked = requests.iter().enumerate().map(|(number, cells)| {
            all_pages(client, name, self.statement(number, requests.len()), cells)
        });
        let replies = if self.plan.at_once {
            try_join_all(asked).await?
        } else {
            let mut replies = Vec::with_capacity(requests.len());
            for reply in asked {
                replies.push(reply.await?);
            }
            replies
        };
        Ok(replies.into_iter().reduce(|mut all, next| {
            all.more.push(next.first);
            all.more.extend(next.more);
            all
        }))
    }
}

impl Splits {
    /// Returns the rows that begin all parts of a row's partition but the first one.
    fn of(&mut self, rows: &Rows, row: u64, parts: u32) -> Arc<[u64]> {
        let partition = rows.partition_of(row);
        if let Some(known) = self.0.get(&partition) {
            return known.clone();
        }
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        let found: Arc<[u64]> = split(rows, row, parts).into();
        self.0.insert(partition, found.clone());
        found
    }
}

/// Finds the rows that cut the loaded rows of a row's partition into parts whose numbers of rows differ
/// by one at most. There are fewer parts if there are fewer rows.
fn split(rows: &Rows, row: u64, parts: u32) -> Vec<u64> {
    let before = |row: &u64| rows.neighbour(*row, true);
    let after = |row: &u64| rows.neighbour(*row, false);
    let first = std::iter::successors(Some(row), before).last();
    let in_order = || std::iter::successors(first, after);
    let count = in_order().count() as u64;
    let parts = u64::from(parts).min(count).max(1);
    // Part i begins at row i * count / parts, rounded down.
    let mut next_part = 1;
    let mut splits = Vec::new();
    for (number, row) in in_order().enumerate() {
        if next_part < parts && number as u64 == next_part * count / parts {
            splits.push(row);
            next_part += 1;
        }
    }
    splits
}

#[cfg(test)]
mod tests;
