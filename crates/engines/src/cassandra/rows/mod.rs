//! The layouts that keep rows as rows of one CQL table: narrow, wide, blob and compact.

mod describe;
mod design;
pub mod layout;
pub mod operations;
pub mod storage;

use super::cluster::consistency::Written;
use super::read::java;
use super::request::DesignRequest;
use crate::EngineError;
pub use describe::describe;
pub use design::RowsDesign;
use layout::{Shape, TableLayout};

/// Lays out the table that a design asks for.
///
/// # Errors
/// Fails if a setting makes no sense with the table or with the options of the cluster, or if the layout cannot
/// hold the table.
pub fn table_layout(request: &DesignRequest<'_>, shape: Shape) -> Result<TableLayout, EngineError> {
    let (id, table) = (request.id, &request.workload.table);
    let layout = TableLayout::new(id, shape, table, request.context.keys_repeat)?;
    let options = request.options();
    let aggregate = layout.reading.aggregate;
    let functions = aggregate.and_then(|aggregate| aggregate.java(&request.keyspace.name));
    if functions.is_some() && options.cluster.is_none() {
        java::check_allowed(id, &options.server.cassandra)?;
    }
    // A cluster that runs may have more datacenters, which is known when it is connected.
    check_consistency(request, &layout, 1)?;
    Ok(layout)
}

/// Checks that a design sees all rows that the run writes, in a cluster with so many datacenters.
///
/// # Errors
/// Fails if its own consistency level is too low.
fn check_consistency(
    request: &DesignRequest<'_>,
    layout: &TableLayout,
    datacenters: usize,
) -> Result<(), EngineError> {
    let replication = request.options().replication;
    let written = Written {
        level: replication.level(),
        copies: replication.copies(),
        datacenters,
    };
    match layout.reading.consistency {
        Some(read) => written.check_reads(request.id, read),
        None => Ok(()),
    }
}
