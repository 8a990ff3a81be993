//! Results that may have several pages.

use bakeoff_driver::drive::Failure;
use scylla::client::session::Session;
use scylla::response::query_result::{QueryResult, QueryRowsResult};
use scylla::response::{PagingState, PagingStateResponse};

use super::cells::Cells;
use super::statements::Prepared;
use crate::cassandra::cluster::failures::failure;

/// The driver's reply to one statement, page by page.
pub struct Pages {
    pub first: QueryResult,
    /// Pages after the first one, which a read of many rows may have.
    pub more: Vec<QueryResult>,
}

/// Reads a result to its last page.
pub async fn all_pages(
    client: &Session,
    name: &str,
    prepared: &Prepared,
    cells: &Cells,
) -> Result<Pages, Failure> {
    let page = |state| client.execute_single_page(&prepared.statement, cells, state);
    let start = page(PagingState::start()).await;
    let (first, mut paging) = start.map_err(|e| failure(name, &e))?;
    let mut more = Vec::new();
    while let PagingStateResponse::HasMorePages { state } = paging {
        let (next, after) = page(state).await.map_err(|e| failure(name, &e))?;
        more.push(next);
        paging = after;
    }
    Ok(Pages { first, more })
}

/// Returns the number of bytes of a page's values, without their lengths.
pub fn value_bytes(page: &QueryRowsResult) -> u64 {
    let lengths = 4 * page.rows_num() * page.column_specs().len();
    page.rows_bytes_size().saturating_sub(lengths) as u64
}
