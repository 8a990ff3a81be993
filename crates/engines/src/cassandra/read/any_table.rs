//! Any table of a cluster, read only.

use std::sync::Arc;

use bakeoff_workload::Consistency;
use datafusion::catalog::TableProvider;
use datafusion::physical_plan::ExecutionPlan;
use scylla::client::session::Session;

use super::metadata::read_table;
use super::scan::CassandraScan;
use super::table::CassandraTable;
use crate::cassandra::cluster::consistency::in_driver;

/// A table as the cluster describes it.
pub struct AnyTable {
    pub provider: Arc<dyn TableProvider>,
    pub partition_key: Vec<String>,
    pub clustering_key: Vec<String>,
}

/// Opens a table of a cluster.
///
/// # Errors
/// Says what there is instead.
pub fn open_table(
    session: Arc<Session>,
    keyspace: &str,
    name: &str,
    consistency: Option<Consistency>,
) -> Result<AnyTable, String> {
    let table = read_table(&session.get_cluster_state(), keyspace, name)?;
    let (partition_key, clustering_key) =
        (table.partition_key.clone(), table.clustering_key.clone());
    let table = CassandraTable::new(session, table).of_any_size(consistency.map(in_driver));
    Ok(AnyTable {
        provider: Arc::new(table),
        partition_key,
        clustering_key,
    })
}

/// For each scan of a plan, columns that are read as text though they are none.
pub fn read_as_text(plan: &dyn ExecutionPlan) -> Vec<String> {
    let of_children = plan.children().into_iter();
    let below = of_children.flat_map(|child| read_as_text(child.as_ref()));
    let own = plan.downcast_ref::<CassandraScan>();
    below
        .chain(own.into_iter().flat_map(|scan| scan.decoder.read_as_text()))
        .collect()
}
