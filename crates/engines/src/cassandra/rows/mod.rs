//! The layouts that keep rows as rows of one CQL table: narrow, wide, blob and compact.

mod copies;
mod describe;
mod design;
pub mod indexes;
pub mod layout;
pub mod operations;
pub mod storage;

use super::options::CassandraOptions;
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
    let layout = TableLayout::new(request.id, shape, table, request.context.keys_repeat)?;
    if layout.has_views() && views_are_disabled(request.options()) {
        return Err(EngineError(format!(
            "design {}: the workload disables materialized views: leave out {} below \
             [server.cassandra], or view=",
            request.id,
            copies::VIEWS_ENABLED
        )));
    }
    Ok(layout)
}

/// Returns whether a server that is started will refuse materialized views.
fn views_are_disabled(options: &CassandraOptions) -> bool {
    let is_ours = options.cluster.is_none();
    let mut set = options.server.cassandra.iter();
    is_ours && set.any(|(key, value)| key == copies::VIEWS_ENABLED && value == "false")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cassandra::Cluster;

    #[test]
    fn a_workload_may_disable_views_of_a_server_that_is_started() {
        let mut options = CassandraOptions::default();
        assert!(!views_are_disabled(&options), "as Bakeoff starts it");
        for (value, is_disabled) in [("true", false), ("false", true)] {
            let set = (copies::VIEWS_ENABLED.to_owned(), value.to_owned());
            options.server.cassandra = vec![set];
            assert_eq!(views_are_disabled(&options), is_disabled);
        }
        options.cluster = Some(Cluster::default());
        assert!(
            !views_are_disabled(&options),
            "it is not known of a cluster"
        );
    }
}
