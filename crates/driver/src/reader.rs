//! Reads a source slice by slice, outside of every timed step.

use std::sync::Arc;

use arrow::compute::concat_batches;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::RowSource;
use bakeoff_workload::source::RowBatches;

/// Failure to read rows.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error(transparent)]
    Source(#[from] bakeoff_workload::Error),
    #[error("the thread that reads the rows stopped: {0}")]
    Stopped(String),
}

/// Reads slices of rows, each as one batch. A slice that begins where the last one ended continues
/// its stream.
pub(crate) struct Reader {
    source: Arc<dyn RowSource>,
    /// Number of rows that are read at a time.
    batch_rows: usize,
    /// The open stream, with the number of its next row.
    open: Option<(RowBatches, u64)>,
}

impl Reader {
    pub fn new(source: Arc<dyn RowSource>, batch_rows: usize) -> Self {
        Reader {
            source,
            batch_rows,
            open: None,
        }
    }

    /// Reads up to `rows` rows from `first_row` on; `None` at the source's end.
    pub async fn take(
        &mut self,
        first_row: u64,
        rows: u64,
    ) -> Result<Option<RecordBatch>, ReadError> {
        let (source, batch_rows) = (self.source.clone(), self.batch_rows);
        let open = self.open.take().filter(|(_, at)| *at == first_row);
        let task = tokio::task::spawn_blocking(move || {
            let mut stream = match open {
                Some((stream, _)) => stream,
                None => source.read(first_row, batch_rows)?,
            };
            let (batches, count) = read(&mut stream, rows)?;
            let taken = count.min(rows);
            let slice = concat_rows(source.as_ref(), &batches, taken)?;
            Ok::<_, ReadError>((stream, slice, count, taken))
        });
        let ended = task.await.map_err(|e| ReadError::Stopped(e.to_string()));
        let (stream, slice, count, taken) = ended??;
        // A stream that was read beyond the slice's end cannot continue with the next slice.
        self.open = (taken == count).then_some((stream, first_row + taken));
        Ok(slice)
    }
}

/// Reads whole batches until there are at least `rows` rows, or no more; returns how many there are.
fn read(stream: &mut RowBatches, rows: u64) -> Result<(Vec<RecordBatch>, u64), ReadError> {
    let mut batches = Vec::new();
    let mut count = 0;
    while count < rows {
        let Some(batch) = stream.next().transpose()? else {
            break;
        };
        count += batch.rows.num_rows() as u64;
        batches.push(batch.rows);
    }
    Ok((batches, count))
}

/// Joins batches into one that ends after `rows` rows; `None` if there are none.
fn concat_rows(
    source: &dyn RowSource,
    batches: &[RecordBatch],
    rows: u64,
) -> Result<Option<RecordBatch>, ReadError> {
    if rows == 0 {
        return Ok(None);
    }
    let whole =
        concat_batches(&source.schema(), batches).map_err(|e| ReadError::Stopped(e.to_string()))?;
    Ok(Some(whole.slice(0, rows as usize)))
}
