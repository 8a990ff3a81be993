//! Reading parts one after another, with the next one on its way while one is processed.

use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, RecordOutput};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::{BoxStream, Stream, StreamExt, TryStreamExt};

use super::newest;
use super::reader::PartReader;
use super::spec::ScanSpec;
use crate::sql::plan::task::Task;

/// The number of parts that each DataFusion partition reads at the same time: the one that is waited
/// for, and the next.
const PARTS_AT_ONCE: usize = 2;

/// Returns the rows of one DataFusion partition.
pub fn stream(
    scan: &ScanSpec,
    partition: usize,
    metrics: &ExecutionPlanMetricsSet,
) -> SendableRecordBatchStream {
    let reader = PartReader::new(scan, metrics, partition);
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
    let schema = Arc::clone(&scan.schema);
    Box::pin(RecordBatchStreamAdapter::new(schema, counted))
}

/// Returns the rows of parts. If `first_alone`, the first part is read by itself: below a limit it may
/// be enough.
fn parts(
    reader: PartReader,
    mut tasks: Vec<Arc<Task>>,
    first_alone: bool,
) -> impl Stream<Item = Result<RecordBatch>> + Send + 'static {
    let reader = Arc::new(reader);
    let read = move |task: Arc<Task>| {
        let reader = Arc::clone(&reader);
        async move {
            // A separate task goes on even while nothing polls this stream for its next batch.
            let rows = SpawnedTask::spawn(async move { reader.read(&task).await });
            rows.join()
                .await
                .map_err(|e| DataFusionError::ExecutionJoin(Box::new(e)))?
        }
    };
    let alone = if first_alone { 1.min(tasks.len()) } else { 0 };
    let rest = tasks.split_off(alone);
    let first = futures::stream::iter(tasks).then(read.clone());
    // A chain asks its second stream for nothing before the first one has ended.
    let rest = futures::stream::iter(rest)
        .map(read)
        .buffered(PARTS_AT_ONCE);
    let rows = first.chain(rest);
    rows.try_filter(|rows| std::future::ready(rows.num_rows() > 0))
}

/// Ends a stream after this number of rows, if one is given.
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
