//! The layouts that keep rows as rows of one CQL table: narrow, wide, blob and compact.

mod describe;
mod design;
pub mod indexes;
pub mod layout;
pub mod operations;
pub mod storage;

use super::request::DesignRequest;
use crate::EngineError;
pub use describe::describe;
pub use design::RowsDesign;
use layout::{Shape, TableLayout};

/// Lays out the table that a design asks for.
///
/// # Errors
/// Fails if a setting makes no sense, or if the layout cannot hold the table.
pub fn table_layout(request: &DesignRequest<'_>, shape: Shape) -> Result<TableLayout, EngineError> {
    let table = &request.workload.table;
    TableLayout::new(request.id, shape, table, request.context.keys_repeat)
}
