//! A row source as a DataFusion table. Rows are generated again for each query and never kept, so that
//! right answers are known for any number of rows.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::{DuplicateKeys, RowSource};
use datafusion::catalog::streaming::StreamingTable;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::streaming::PartitionStream;

const BATCH_ROWS: usize = 8_192;
/// The number of batches that may wait between the reading thread and the query.
const WAITING_BATCHES: usize = 2;

/// The first `rows` rows of a source, without those that `overwritten` names.
pub struct SourceRows {
    pub source: Arc<dyn RowSource>,
    pub rows: u64,
    pub overwritten: Option<Arc<DuplicateKeys>>,
    pub schema: SchemaRef,
}

impl SourceRows {
    pub fn table(self) -> Result<StreamingTable, DataFusionError> {
        let schema = self.schema.clone();
        StreamingTable::try_new(schema, vec![Arc::new(OnePartition(Arc::new(self)))])
    }

    /// Calls `each` with every batch, in order, until it returns false.
    pub fn for_each(
        &self,
        mut each: impl FnMut(RecordBatch) -> bool,
    ) -> Result<(), bakeoff_workload::Error> {
        for batch in self.source.read(0, BATCH_ROWS)? {
            let mut batch = batch?;
            let Some(left) = self
                .rows
                .checked_sub(batch.first_row)
                .filter(|left| *left > 0)
            else {
                break;
            };
            if (batch.rows.num_rows() as u64) > left {
                batch.rows = batch.rows.slice(0, left as usize);
            }
            let rows = match &self.overwritten {
                Some(duplicates) => duplicates.filter(batch)?,
                None => batch.rows,
            };
            if !each(rows) {
                break;
            }
        }
        Ok(())
    }
}

impl Debug for SourceRows {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "SourceRows({})", self.rows)
    }
}

/// The only partition of the table: reading a file from the middle is no faster than reading all of it.
#[derive(Debug)]
struct OnePartition(Arc<SourceRows>);

impl PartitionStream for OnePartition {
    fn schema(&self) -> &SchemaRef {
        &self.0.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut builder =
            RecordBatchReceiverStream::builder(self.0.schema.clone(), WAITING_BATCHES);
        let (sender, rows) = (builder.tx(), self.0.clone());
        builder.spawn_blocking(move || {
            rows.for_each(|batch| sender.blocking_send(Ok(batch)).is_ok())
                .map_err(|e| DataFusionError::External(Box::new(e)))
        });
        builder.build()
    }
}
