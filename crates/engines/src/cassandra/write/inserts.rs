//! Inserts of many workers into one CQL table and its copies, as an insert sweep makes them.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::drive::Failure;
use bakeoff_driver::sweep::{Inserter, Inserts};
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;

use super::batches;
use crate::cassandra::rows::layout::TableLayout;
use crate::rate_limit::Pace;

/// A table that rows are written to.
#[derive(Debug, Clone)]
pub struct WrittenTable {
    /// Statement that inserts a row.
    pub insert: PreparedStatement,
    pub layout: TableLayout,
}

/// A way to insert batches into one CQL table and the copies of it that Bakeoff writes, one table after the other, by
/// the same requests as loading unless they are to hold rows of any partitions.
///
/// All workers share the driver's session, which has connections for each node and core.
#[derive(Clone)]
pub struct TableInserts {
    pub session: Arc<Session>,
    pub tables: Arc<[WrittenTable]>,
    /// Whether a batch holds rows of any partitions.
    pub over_any: bool,
}

#[async_trait]
impl Inserts for TableInserts {
    async fn connect(&self) -> Result<Box<dyn Inserter>, Failure> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl Inserter for TableInserts {
    async fn insert(&mut self, rows: &RecordBatch) -> Result<(), Failure> {
        let session = &self.session;
        for WrittenTable { insert, layout } in self.tables.iter() {
            if self.over_any {
                batches::insert_over_any(session, insert, layout, rows).await?;
            } else {
                batches::insert_all(session, insert, layout, rows, Pace::UNLIMITED).await?;
            }
        }
        Ok(())
    }
}
