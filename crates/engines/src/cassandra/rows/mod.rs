//! The layouts that keep rows as rows of one CQL table: narrow, wide, blob and compact.

pub mod copies;
mod describe;
mod design;
pub mod entries;
#[cfg(test)]
mod fixture;
pub mod indexes;
pub mod key;
pub mod layout;
pub mod operations;
mod partitions;
mod sql_session;
pub mod storage;
pub mod summary;

use super::cluster::consistency::Written;
use super::cluster::replication::Replication;
use super::names::table_name;
use super::options::CassandraOptions;
use super::read::java;
use super::request::DesignRequest;
use crate::EngineError;
pub use describe::describe;
pub use design::RowsDesign;
use layout::{Shape, TableLayout};
pub use sql_session::rows_session;

/// Lays out the table that a design asks for.
///
/// # Errors
/// Fails if a setting makes no sense with the table or with the options of the cluster, or if the layout cannot
/// hold the table.
pub fn table_layout(request: &DesignRequest<'_>, shape: Shape) -> Result<TableLayout, EngineError> {
    let (id, table, options) = (request.id, &request.workload.table, request.options());
    let mut layout = TableLayout::new(id, shape, table, request.context.keys_repeat)?;
    layout.name = table_name(&request.table_id());
    let taken = options.settings_of.as_ref();
    layout.options = layout.options.taking(id, taken);
    if let Some(taken) = taken
        && layout.has_views()
        && layout.options.drops_tombstones_at_once()
    {
        return Err(EngineError(format!(
            "design {id}: a view needs the tombstones of its table for a while, and {} drops them at once: write \
             gc_grace= with more than 0s",
            taken.table
        )));
    }
    if layout.has_views() && views_are_disabled(options) {
        return Err(EngineError(format!(
            "design {id}: the workload disables materialized views: leave out {} below \
             [server.cassandra], or view=",
            copies::VIEWS_ENABLED
        )));
    }
    if layout.altered.is_some() && options.cluster.is_some() {
        return Err(EngineError(format!(
            "design {id}: alter= writes all SSTables anew, which Bakeoff does on servers that it starts only: leave \
             out --cassandra, or alter="
        )));
    }
    let aggregate = layout.reading.aggregate;
    let functions = aggregate.and_then(|aggregate| aggregate.java(&request.keyspace.name));
    if functions.is_some() && options.cluster.is_none() {
        java::check_allowed(id, &options.server.cassandra)?;
    }
    if options.cluster.is_none() {
        check_copies(request, &layout, usize::from(options.replication.nodes))?;
    }
    // A cluster that runs may have more datacenters, which is known when it is connected.
    check_consistency(request, &layout, 1)?;
    Ok(layout)
}

/// Checks that there are enough nodes for the copies of a design that has its own number of them, and enough copies for
/// the consistency level.
///
/// # Errors
/// Fails if one of the two is too low.
fn check_copies(
    request: &DesignRequest<'_>,
    layout: &TableLayout,
    nodes: usize,
) -> Result<(), EngineError> {
    let Some(copies) = layout.replication else {
        return Ok(());
    };
    let own = Replication {
        copies: Some(copies),
        ..request.options().replication
    };
    own.check(nodes)
        .map_err(|error| EngineError(format!("design {}: {error}", request.id)))
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
        copies: layout.replication.unwrap_or(replication.copies()),
        datacenters,
    };
    match layout.reading.consistency {
        Some(read) => written.check_reads(request.id, read),
        None => Ok(()),
    }
}

/// Returns whether a server that is started will refuse materialized views.
fn views_are_disabled(options: &CassandraOptions) -> bool {
    let is_ours = options.cluster.is_none();
    let mut set = options.server.cassandra.iter();
    is_ours && set.any(|(key, value)| key == copies::VIEWS_ENABLED && value == "false")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bakeoff_workload::{DesignId, Workload};

    use super::*;
    use crate::cassandra::{Cassandra, Cluster};
    use crate::{Context, Engine};

    #[test]
    fn a_table_is_altered_on_servers_that_are_started_only() {
        let text = "title = \"t\"\n[table]\nname = \"r\"\npartition_key = [\"host\"]\norder_key = [\"time\"]\n\
                    columns = { host = \"text\", time = \"timestamp\", kind = \"text\" }\n\
                    [data]\nrequires = \"--data\"\n[[queries]]\nname = \"all\"\nsql = \"SELECT kind FROM r\"\n";
        let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
        let id: DesignId = "cassandra/wide?alter=chunk:4KiB&chunk=64KiB"
            .parse()
            .unwrap();
        let mut context = Context::of_test("/runs/a");
        let described = |id: &DesignId, context: &Context| {
            let info = Cassandra::FIVE.describe(id, &workload, context);
            info.map_err(|error| error.to_string())
        };
        let info = described(&id, &context).unwrap();
        let place = |words: &str| {
            let is_there = |statement: &String| statement.contains(words);
            info.statements.iter().position(is_there).unwrap()
        };
        let rewriting = place("nodetool upgradesstables -a ");
        assert!(place("nodetool compact ") < place("'chunk_length_in_kb': 4}"));
        assert!(info.statements[rewriting - 1].starts_with("ALTER TABLE "));
        let mut settings = info.settings.iter();
        assert!(settings.any(|(name, _)| name == "altered to"));

        let copied = "cassandra/wide?alter=chunk:4KiB&chunk=64KiB&table_by=kind";
        let error = described(&copied.parse().unwrap(), &context).unwrap_err();
        assert!(error.contains("without copies"), "{error}");
        context.options.cassandra.cluster = Some(Cluster::default());
        let error = described(&id, &context).unwrap_err();
        assert!(error.contains("servers that it starts only"), "{error}");
    }

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
