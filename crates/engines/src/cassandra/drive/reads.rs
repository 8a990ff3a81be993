//! Preparation of statements that read rows of the table.

use bakeoff_driver::DesignError;
use scylla::client::session::Session;

use super::plan::{OperationPlan, Statement};
use super::statements::{Prepared, prepare};
use crate::drive::rows::Rows;

/// Prepares a statement of an operation that reads rows of the table.
///
/// # Errors
/// Fails if the server refuses it, or if a value's type does not fit its marker.
pub async fn prepare_read(
    client: &Session,
    plan: &OperationPlan,
    statement: &Statement,
    rows: &Rows,
) -> Result<Prepared, DesignError> {
    let mut prepared =
        prepare(client, &plan.name, statement, plan.consistency, &rows.table).await?;
    // The table does not change, so that replies need not repeat their columns.
    prepared.statement.set_use_cached_result_metadata(true);
    prepared.statement.set_page_size(rows.page_rows);
    Ok(prepared)
}
