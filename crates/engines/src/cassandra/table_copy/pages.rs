//! Some rows of all parts of a table, read page by page and slowly.

use std::ops::ControlFlow;
use std::time::Duration;

use arrow::array::BooleanArray;
use arrow::compute::{and, filter_record_batch, is_not_null};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use scylla::client::session::Session;
use scylla::response::PagingState;
use scylla::statement::prepared::PreparedStatement;

use super::columns::Chosen;
use crate::EngineError;
use crate::cassandra::names::quoted_list;
use crate::cassandra::read::decode::Decoder;
use crate::cassandra::read::ranges::token_ranges;
use crate::cassandra::read::readable::ReadTable;

/// Parts of the ring that are read in turn, a page of each.
const PARTS: usize = 64;
/// Most bytes of a copy, which a load holds in memory.
const MOST_BYTES: usize = 32 << 20;
/// Rows of the first page, before their size is known.
const FIRST_PAGE_ROWS: usize = 10;
/// Most rows of a page.
const MOST_PAGE_ROWS: usize = 500;
/// Bytes that a page should have, so that one of each part is less than all that is copied.
const PAGE_BYTES: usize = 256 << 10;
/// Time limit of a page.
const PAGE_LIMIT: Duration = Duration::from_secs(10);
/// Pause after each page, so that at most a hundred are asked for in a second.
const PAUSE: Duration = Duration::from_millis(10);
/// Rows that are read in a second, as far as pages allow.
const ROWS_PER_SECOND: f64 = 5_000.0;

/// Rows of a table.
pub struct Pages {
    pub batches: Vec<RecordBatch>,
    pub rows: u64,
    /// Whether these are all rows of the table.
    pub is_whole: bool,
}

/// A part of the ring that is not read to its end.
struct Part {
    tokens: (i64, i64),
    next: PagingState,
}

/// Reads about so many rows, at most 32 MiB of them, from all parts of the ring alike.
///
/// # Errors
/// A page cannot be read.
pub async fn read(
    session: &Session,
    table: &ReadTable,
    chosen: &Chosen,
    most_rows: u64,
) -> Result<Pages, EngineError> {
    let failed = |why: String| {
        EngineError(format!(
            "cannot read rows of {}.{}: {why}",
            table.keyspace, table.name
        ))
    };
    let decoder = Decoder::new(table, &chosen.projection).map_err(|e| failed(e.to_string()))?;
    let mut statement = prepared(session, table, &decoder).await.map_err(failed)?;
    let keys = chosen.table.partition_key.len() + chosen.table.order_key.len();
    let ranges = token_ranges(&[], PARTS).into_iter();
    let mut parts: Vec<Part> = ranges
        .map(|range| Part {
            tokens: (range.after, range.to),
            next: PagingState::start(),
        })
        .collect();
    let mut pages = Pages {
        batches: Vec::new(),
        rows: 0,
        is_whole: true,
    };
    let (mut bytes, mut page_rows) = (0, FIRST_PAGE_ROWS);
    while !parts.is_empty() {
        let share = share(most_rows.saturating_sub(pages.rows), parts.len());
        let mut unread = Vec::with_capacity(parts.len());
        for part in parts {
            if pages.rows >= most_rows || bytes >= MOST_BYTES {
                pages.is_whole = false;
                return Ok(pages);
            }
            let rows = i32::try_from(page_rows.min(share));
            statement.set_page_size(rows.unwrap_or(i32::MAX));
            let page = session.execute_single_page(&statement, part.tokens, part.next);
            let (reply, next) = page.await.map_err(|e| failed(e.to_string()))?;
            let reply = reply
                .into_rows_result()
                .map_err(|e| failed(e.to_string()))?;
            page_rows = next_page_rows(reply.rows_num(), reply.rows_bytes_size(), page_rows);
            bytes += reply.rows_bytes_size();
            let batch = decoder.decode(&reply).map_err(|e| failed(e.to_string()))?;
            let batch = with_whole_keys(&batch, keys).map_err(|e| failed(e.to_string()))?;
            let seconds = batch.num_rows() as f64 / ROWS_PER_SECOND;
            tokio::time::sleep(PAUSE.max(Duration::from_secs_f64(seconds))).await;
            if batch.num_rows() > 0 {
                pages.rows += batch.num_rows() as u64;
                pages.batches.push(batch);
            }
            if let ControlFlow::Continue(next) = next.into_paging_control_flow() {
                unread.push(Part { next, ..part });
            }
        }
        parts = unread;
    }
    Ok(pages)
}

async fn prepared(
    session: &Session,
    table: &ReadTable,
    decoder: &Decoder,
) -> Result<PreparedStatement, String> {
    let token = format!("token({})", quoted_list(&table.token_columns()));
    let cql = format!(
        "SELECT {} FROM {} WHERE {token} > ? AND {token} <= ?",
        decoder.selection(),
        table.quoted_name()
    );
    let mut statement = session.prepare(cql).await.map_err(|e| e.to_string())?;
    statement.set_request_timeout(Some(PAGE_LIMIT));
    statement.set_is_idempotent(true);
    Ok(statement)
}

/// Returns the rows that each part may still have if all have as many.
fn share(rows: u64, parts: usize) -> usize {
    let share = rows.div_ceil(parts.max(1) as u64).max(1);
    usize::try_from(share).unwrap_or(usize::MAX)
}

/// Returns the rows that the next page should have to be of about the usual size, by a page of this one.
fn next_page_rows(rows: usize, bytes: usize, before: usize) -> usize {
    if rows == 0 {
        return before;
    }
    let fitting = PAGE_BYTES / (bytes / rows).max(1);
    // A few small rows say little about those that follow.
    fitting.clamp(1, MOST_PAGE_ROWS).min(before * 4)
}

/// Leaves out partitions that have static columns and no row.
fn with_whole_keys(batch: &RecordBatch, keys: usize) -> Result<RecordBatch, ArrowError> {
    let mut are_there = BooleanArray::from(vec![true; batch.num_rows()]);
    for column in batch.columns().iter().take(keys) {
        are_there = and(&are_there, &is_not_null(column)?)?;
    }
    filter_record_batch(batch, &are_there)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int32Array};

    use super::*;

    #[test]
    fn each_part_has_its_share() {
        assert_eq!(share(1_000, 64), 16);
        assert_eq!(share(1, 64), 1);
        assert_eq!(share(0, 0), 1);
    }

    #[test]
    fn pages_have_about_a_quarter_of_a_mebibyte() {
        assert_eq!(next_page_rows(10, 1_000, 10), 40);
        assert_eq!(next_page_rows(500, 50_000, 400), 500);
        assert_eq!(next_page_rows(100, 256 << 10, 100), 100);
        assert_eq!(next_page_rows(10, 10 << 20, 10), 1);
        assert_eq!(next_page_rows(10, 40 << 20, 10), 1);
        assert_eq!(next_page_rows(0, 0, 40), 40);
    }

    #[test]
    fn partitions_without_a_row_are_left_out() {
        let column = |values: Vec<Option<i32>>| -> ArrayRef { Arc::new(Int32Array::from(values)) };
        let batch = RecordBatch::try_from_iter([
            ("p", column(vec![Some(1), Some(2), Some(3)])),
            ("c", column(vec![Some(1), None, Some(3)])),
            ("v", column(vec![None, Some(2), Some(3)])),
        ])
        .unwrap();
        assert_eq!(with_whole_keys(&batch, 2).unwrap().num_rows(), 2);
        assert_eq!(with_whole_keys(&batch, 3).unwrap().num_rows(), 1);
    }
}
