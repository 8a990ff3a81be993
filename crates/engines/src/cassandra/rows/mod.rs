//! The layouts that keep rows as rows of one CQL table: narrow, wide, blob and compact.

mod describe;
mod design;
pub mod layout;
pub mod operations;
pub mod storage;

use super::read::java;
use super::request::DesignRequest;
use crate::EngineError;
pub use describe::describe;
pub use design::RowsDesign;
use layout::{Shape, TableLayout};

/// Lays out the table that a design asks for.
///
/// # Errors
/// Fails if a setting makes no sense or the server that is started for it cannot have it, or if the layout
/// cannot hold the table.
pub fn table_layout(request: &DesignRequest<'_>, shape: Shape) -> Result<TableLayout, EngineError> {
    let (id, table) = (request.id, &request.workload.table);
    let layout = TableLayout::new(id, shape, table, request.context.keys_repeat)?;
    let options = request.options();
    let aggregate = layout.reading.aggregate;
    let functions = aggregate.and_then(|aggregate| aggregate.java(&request.keyspace.name));
    if functions.is_some() && options.cluster.is_none() {
        java::check_allowed(id, &options.server.cassandra)?;
    }
    Ok(layout)
}
