//! Operations that write several rows at once, in one unlogged batch for each partition.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use bakeoff_driver::drive::{Call, Done, Failure};
use bakeoff_workload::Consistency;
use futures::future::join_all;
use scylla::client::session::Session;
use scylla::statement::batch::{Batch, BatchType};

use super::cells::Cells;
use super::statements::Prepared;
use crate::cassandra::cluster::consistency::in_driver;
use crate::cassandra::cluster::failures::failure;
use crate::drive::rows::Rows;

/// The batches of one operation.
pub struct Batches {
    prepared: Prepared,
    /// Number of rows of an operation.
    rows: u32,
    consistency: Option<Consistency>,
    /// Batches of the statement, by their number of rows.
    by_rows: RefCell<HashMap<usize, Arc<Batch>>>,
}

/// The rows of an operation that belong to one partition.
pub struct Group(Vec<Cells>);

impl Batches {
    pub fn new(prepared: &Prepared, rows: u32, consistency: Option<Consistency>) -> Self {
        Batches {
            prepared: prepared.clone(),
            rows,
            consistency,
            by_rows: RefCell::default(),
        }
    }

    /// Groups the rows of one operation by partition, in the order of each partition's first row.
    pub fn groups(&self, rows: &Rows, prepared: &Prepared, call: &Call) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut numbers = HashMap::new();
        for number in 0..u64::from(self.rows) {
            let row = call.row + number * call.row_step;
            let mut cells = Cells::default();
            rows.encode(&prepared.binds, row, &mut cells);
            let group = *numbers.entry(rows.partition_of(row)).or_insert_with(|| {
                groups.push(Group(Vec::new()));
                groups.len() - 1
            });
            groups[group].0.push(cells);
        }
        groups
    }

    /// Sends all groups at the same time, and waits for all of them.
    ///
    /// # Errors
    /// Fails with the first error among the groups.
    pub async fn send(
        &self,
        client: &Session,
        name: &str,
        groups: &[Group],
    ) -> Result<(), Failure> {
        let one = async |group: &Group| match group.0.as_slice() {
            [row] => client.execute_unpaged(&self.prepared.statement, row).await,
            rows => client.batch(&self.batch(rows.len()), rows).await,
        };
        let replies = join_all(groups.iter().map(one)).await;
        let failed = replies.into_iter().find_map(Result::err);
        failed.map_or(Ok(()), |error| Err(failure(name, &error)))
    }

    fn batch(&self, rows: usize) -> Arc<Batch> {
        let mut by_rows = self.by_rows.borrow_mut();
        let batch = by_rows.entry(rows);
        batch.or_insert_with(|| self.make_batch(rows)).clone()
    }

    fn make_batch(&self, rows: usize) -> Arc<Batch> {
        let statements = vec![self.prepared.statement.clone().into(); rows];
        let mut batch = Batch::new_with_statements(BatchType::Unlogged, statements);
        if let Some(consistency) = self.consistency {
            batch.set_consistency(in_driver(consistency));
        }
        Arc::new(batch)
    }
}

impl Group {
    /// Returns the first row, which is in the same bucket as all others.
    pub fn first(&self) -> Option<&Cells> {
        self.0.first()
    }

    /// Counts the rows and bytes that writing groups has written.
    pub fn done(groups: &[Group]) -> Done {
        let rows = groups.iter().flat_map(|group| &group.0);
        Done {
            rows: rows.clone().count() as u64,
            bytes: rows.map(Cells::value_bytes).sum(),
            not_applied: false,
        }
    }
}
