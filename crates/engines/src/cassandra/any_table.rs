//! Any table of a cluster, read only.

use std::sync::Arc;

use bakeoff_workload::Consistency;
use datafusion::catalog::TableProvider;
use datafusion::physical_plan::ExecutionPlan;
use scylla::client::session::Session;

use super::drive::in_driver;
use super::metadata::read_table;
use super::scan::CassandraScan;
use super::table::CassandraTable;

/// A table as the cluster describes it, its partition key and its clustering key.
///
/// # Errors
/// Says what there is instead.
pub fn open_table(
    session: Arc<Session>,
    keyspace: &str,
    name: &str,
    consistency: Option<Consistency>,
) -> Result<(Arc<dyn TableProvider>, Vec<String>, Vec<String>), String> {
    let table = read_table(&session.get_cluster_state(), keyspace, name)?;
    let (partition, clustering) = (table.partition_key.clone(), table.clustering_key.clone());
    let table = CassandraTable::new(session, table).of_any_size(consistency.map(in_driver));
    Ok((Arc::new(table), partition, clustering))
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
