//! Read access to any table of a cluster.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use bakeoff_workload::Consistency;
use datafusion::catalog::TableProvider;
use datafusion::physical_plan::ExecutionPlan;
use scylla::client::session::Session;

use super::metadata::{is_descending, read_table};
use super::scan::CassandraScan;
use super::table::CassandraTable;
use crate::cassandra::cluster::consistency::in_driver;

/// A table that the cluster describes, with its keys.
pub struct AnyTable {
    pub provider: Arc<dyn TableProvider>,
    pub partition_key: Vec<String>,
    pub clustering_key: Vec<String>,
}

/// How a table of a cluster is read.
#[derive(Debug, Clone, Default)]
pub struct AnyReading {
    /// Consistency level; `None` is for that of the session.
    pub consistency: Option<Consistency>,
    /// Time limit of one page; `None` is for that of all other reading.
    pub page_time_limit: Option<Duration>,
    /// Counter of the rows that are read of which a value has a time to live, if they are counted.
    pub expiring_rows: Option<Arc<AtomicU64>>,
}

/// Opens a table or a materialized view of a cluster.
///
/// # Errors
/// Suggests a similar name if there is no such keyspace or table.
pub async fn open_table(
    session: Arc<Session>,
    keyspace: &str,
    name: &str,
    reading: AnyReading,
) -> Result<AnyTable, String> {
    let mut table = read_table(&session.get_cluster_state(), keyspace, name)?;
    table.descending = is_descending(&session, keyspace, name).await;
    let (partition_key, clustering_key) =
        (table.partition_key.clone(), table.clustering_key.clone());
    let table = CassandraTable::new(session, table)
        .for_rows_of_any_size(reading.consistency.map(in_driver))
        .with_page_time_limit(reading.page_time_limit)
        .counting_expiring(reading.expiring_rows);
    Ok(AnyTable {
        provider: Arc::new(table),
        partition_key,
        clustering_key,
    })
}

/// Lists notes about columns that the scans of a plan read as text although they are not text.
pub fn read_as_text(plan: &dyn ExecutionPlan) -> Vec<String> {
    let mut notes = Vec::new();
    for child in plan.children() {
        notes.extend(read_as_text(child.as_ref()));
    }
    if let Some(scan) = plan.downcast_ref::<CassandraScan>() {
        notes.extend(scan.decoder.read_as_text());
    }
    notes
}
