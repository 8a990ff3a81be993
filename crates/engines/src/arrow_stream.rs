//! Reading Arrow's stream format as its bytes come from another process.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow::buffer::Buffer;
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamDecoder;
use arrow::record_batch::RecordBatch;

/// Reads the next batch of a stream; returns `None` where the bytes that have come end before it does.
///
/// # Errors
/// Fails for bytes that are no stream, after which nothing more can be read. Arrow's reader checks most of what they
/// say, but not all, and panics then: that is an error here.
pub fn next_batch(
    decoder: &mut StreamDecoder,
    bytes: &mut Buffer,
) -> Result<Option<RecordBatch>, ArrowError> {
    let decode = AssertUnwindSafe(|| decoder.decode(bytes));
    let damaged = || ArrowError::IpcError("its bytes are damaged".to_owned());
    catch_unwind(decode).unwrap_or_else(|_| Err(damaged()))
}

#[cfg(test)]
mod hostile;
