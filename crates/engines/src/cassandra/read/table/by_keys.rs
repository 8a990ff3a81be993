//! Tables of keys by another column, from which the rows of a table are found.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;

use super::{CassandraTable, external};
use crate::cassandra::read::pushdown::Pushdown;
use crate::cassandra::read::rows_by_key::RowsByKeyExec;

impl CassandraTable {
    /// Plans to read keys from an index table, as its pushed filters allow, and then the row of each.
    ///
    /// The rows are read, too, if a question asks for nothing but their keys: so are those that an index of
    /// Cassandra finds.
    pub(super) async fn scan_by_keys(
        &self,
        index: &CassandraTable,
        projection: &[usize],
        pushdown: Pushdown,
        threads: usize,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let key = self.table.partition_key.iter();
        let place = |name: &String| {
            let mut columns = index.table.columns.iter();
            let place = columns.position(|column| column.name == *name);
            place.ok_or_else(|| external(format!("an index table has no column `{name}`")))
        };
        let places = key.chain(&self.table.clustering_key).map(place);
        let places: Vec<usize> = places.collect::<Result<_>>()?;
        let keys = index.scan_pushed(&places, pushdown, None, threads).await?;
        let statements = Arc::clone(&self.statements);
        let rows = RowsByKeyExec::new(keys, statements, &self.table, projection)?;
        Ok(Arc::new(rows))
    }
}
