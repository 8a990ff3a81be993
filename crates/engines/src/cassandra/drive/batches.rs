//! Several rows written at once: one unlogged batch for each partition.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use bakeoff_driver::drive::{Call, Done, Failure};
use bakeoff_workload::Consistency;
use futures::future::join_all;
use scylla::client::session::Session;
use scylla::statement::batch::{Batch, BatchType};

use super::cells::Cells;
use super::rows::Rows;
use super::statements::Prepared;
use crate::cassandra::cluster::consistency::in_driver;
use crate::cassandra::cluster::failures::failure;

/// Batches of one operation.
pub struct Batches {
    prepared: Prepared,
    rows: u32,
    consistency: Option<Consistency>,
    /// By number of rows: the same statement so many times.
    made: RefCell<HashMap<usize, Arc<Batch>>>,
}

/// Rows of one partition.
pub struct Group(Vec<Cells>);

impl Batches {
    pub fn new(prepared: &Prepared, rows: u32, consistency: Option<Consistency>) -> Self {
        Batches {
            prepared: prepared.clone(),
            rows,
            consistency,
            made: RefCell::default(),
        }
    }

    /// The rows of one operation by partition, in the order in which partitions first come.
    pub fn groups(&self, rows: &Rows, prepared: &Prepared, call: &Call) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut places = HashMap::new();
        for number in 0..u64::from(self.rows) {
            let row = call.row + number * call.row_step;
            let mut cells = Cells::default();
            rows.encode(&prepared.binds, row, &mut cells);
            let place = *places.entry(rows.partition_of(row)).or_insert_with(|| {
                groups.push(Group(Vec::new()));
                groups.len() - 1
            });
            groups[place].0.push(cells);
        }
        groups
    }

    /// Sends all groups at a time; an error of one is the error of all, when all have ended.
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
        let make = || {
            let statements = vec![self.prepared.statement.clone().into(); rows];
            let mut batch = Batch::new_with_statements(BatchType::Unlogged, statements);
            if let Some(consistency) = self.consistency {
                batch.set_consistency(in_driver(consistency));
            }
            Arc::new(batch)
        };
        let mut made = self.made.borrow_mut();
        made.entry(rows).or_insert_with(make).clone()
    }
}

impl Group {
    /// The first of its rows, which are all of one bucket.
    pub fn first(&self) -> Option<&Cells> {
        self.0.first()
    }

    /// What writing these groups has done.
    pub fn done(groups: &[Group]) -> Done {
        let rows = groups.iter().flat_map(|group| &group.0);
        Done {
            rows: rows.clone().count() as u64,
            bytes: rows.map(Cells::value_bytes).sum(),
            not_applied: false,
        }
    }
}
