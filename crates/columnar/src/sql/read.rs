//! Reading parts one after another, the next one on its way while one is processed.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, RecordOutput};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::{BoxStream, Stream, StreamExt, TryStreamExt};

use super::newest;
use super::reader::Reader;
use super::scan::ColumnarScan;
use super::task::Task;

/// Parts that are read at once by each DataFusion partition: the one that is waited for, and the
/// next. Below a limit the first is read alone, since it may be enough.
const PARTS_AT_ONCE: usize = 2;

/// The rows of one DataFusion partition.
pub fn stream(
    scan: &ColumnarScan,
    schema: SchemaRef,
    partition: usize,
    metrics: &ExecutionPlanMetricsSet,
) -> SendableRecordBatchStream {
    let reader = Reader::new(scan, Arc::clone(&schema), metrics, partition);
    let tasks = scan.tasks.get(partition).cloned().unwrap_or_default();
    let rows: BoxStream<'static, _> = if scan.newest {
        newest::stream(reader, tasks).boxed()
    } else {
        parts(reader, tasks, scan.fetch.is_some()).boxed()
    };
    let baseline = BaselineMetrics::new(metrics, partition);
    let counted = limited(rows, scan.fetch).inspect_ok(move |rows| {
        rows.record_output(&baseline);
    });
    Box::pin(RecordBatchStreamAdapter::new(schema, counted))
}

fn parts(
    reader: Reader,
    mut tasks: Vec<Arc<Task>>,
    first_alone: bool,
) -> impl Stream<Item = Result<RecordBatch>> + Send + 'static {
    let reader = Arc::new(reader);
    let read = move |task: Arc<Task>| {
        let reader = Arc::clone(&reader);
        async move {
            let rows = SpawnedTask::spawn(async move { reader.read(&task).await });
            rows.join()
                .await
                .map_err(|e| DataFusionError::ExecutionJoin(Box::new(e)))?
        }
    };
    let alone = if first_alone { 1.min(tasks.len()) } else { 0 };
    let rest = tasks.split_off(alone);
    let first = futures::stream::iter(tasks).then(read.clone());
    // Nothing of it is begun before the first is used up.
    let rest = futures::stream::iter(rest)
        .map(read)
        .buffered(PARTS_AT_ONCE);
    let rows = first.chain(rest);
    rows.try_filter(|rows| std::future::ready(rows.num_rows() > 0))
}

/// Ends after so many rows.
fn limited(
    batches: BoxStream<'static, Result<RecordBatch>>,
    rows: Option<usize>,
) -> impl Stream<Item = Result<RecordBatch>> + Send + 'static {
    let state = (batches, rows.unwrap_or(usize::MAX));
    futures::stream::try_unfold(state, |(mut batches, left)| async move {
        if left == 0 {
            return Ok(None);
        }
        let Some(batch) = batches.try_next().await? else {
            return Ok(None);
        };
        let batch = batch.slice(0, batch.num_rows().min(left));
        let left = left - batch.num_rows();
        Ok(Some((batch, (batches, left))))
    })
}
