//! A table of a running Cassandra as the beginning of a workload.

pub(super) mod kinds;
mod sampling;
pub(super) mod schema;
pub(super) mod table;

use std::sync::Arc;

use bakeoff_workload::ColumnType;
use bakeoff_workload::infer::is_reserved;
use scylla::client::session::Session;

use super::cluster::connect::{Cluster, OPTIONS_TO_CHECK};
use super::diagnose::ask;
use crate::live::{Described, Fate, Holding, LiveTable, MOST_BYTES, SampleRequest};
use crate::tables::{Location, TableError};
use sampling::Sample;
use schema::Schema;
use table::{Opened, design, plain_name};

/// What to check if a cluster that an address names cannot be connected to.
const ADDRESS_TO_CHECK: &str =
    "check the host, port and user of the address, BAKEOFF_CASSANDRA_PASSWORD, and --tls-ca";
/// The engine of the design that is like a table.
const ENGINE: &str = "cassandra";

/// Reads what a table is, and a sample of its rows that is spread over its partitions.
///
/// # Errors
/// Fails if there is no such table, if it is empty, if a column of its key is none that a workload can have, and if the
/// cluster does not answer or refuses to.
pub async fn read(
    cluster: &Cluster,
    location: &Location,
    request: &SampleRequest,
) -> Result<LiveTable, TableError> {
    let Location::Cassandra { keyspace, table } = location else {
        return Err(TableError::Asked(format!(
            "{location} is a folder; name a table as KEYSPACE.TABLE"
        )));
    };
    let session = cluster.connect().await.map_err(|error| {
        let said = error.0.replace(OPTIONS_TO_CHECK, ADDRESS_TO_CHECK);
        TableError::Failed(said)
    })?;
    let opened = Opened::open(Arc::new(session), keyspace, table).await?;
    let columns: Vec<Described> = { opened.described().into_iter() }
        .map(without_bytes)
        .collect();
    let taken = opened.taken(&columns, request, MOST_BYTES).await?;
    let like = opened.schema.as_settings(&opened.read, |column| {
        // Others get another name.
        let name = plain_name(column).filter(|name| !is_reserved(name))?;
        Some((name, taken.kind_of(column)?))
    });
    let (sample, kept) = (taken.sample, taken.kept);
    let address = cluster.full_address();
    let mut about = about(&sample, &opened.schema, &like.left_out, &address);
    if let Ok((partitions, bytes)) = estimated_partitions(&opened.session, keyspace, table).await {
        about.push(format!(
            "Its nodes estimate {partitions} partitions of {bytes} bytes on average (system.size_estimates)."
        ));
    }
    let mut notes = Vec::new();
    if sample.expiring > 0 {
        notes.push(format!(
            "{} of {} sampled rows have a time to live (TTL), which the rows of a workload have only in a design with \
             ttl=",
            sample.expiring, sample.count
        ));
    }
    if sample.without_rows > 0 {
        notes.push(format!(
            "{} sampled partitions have only static columns, and so no row with a whole key: left out",
            sample.without_rows
        ));
    }
    let is_ordered = !opened.read.clustering_key.is_empty();
    Ok(LiveTable {
        name: table.clone(),
        place: format!("{location} at {address}"),
        key: Some(opened.key()),
        columns: kept.words,
        left_out: taken.left_out,
        about,
        rows: sample.all,
        design: Some(design(ENGINE, is_ordered, like.settings).to_string()),
        notes,
        sample: kept.rows,
    })
}

/// Leaves out a column of bytes, which no workload has that is made of a file.
fn without_bytes(mut column: Described) -> Described {
    if matches!(column.fate, Fate::Held(Holding::As(ColumnType::Blob), _)) {
        column.fate = Fate::LeftOut("a workload that is made of a file has no bytes");
    }
    column
}

/// Says how the sample was taken, and what of the table a workload does not show. `left_out` is what no setting of a
/// design says.
fn about(sample: &Sample, schema: &Schema, left_out: &[String], address: &str) -> Vec<String> {
    let mut about = vec![sample.in_words(address)];
    about.push(format!("Its options: {}.", schema.options));
    if !left_out.is_empty() {
        about.push(format!(
            "The design like it lacks: {}.",
            left_out.join(", ")
        ));
    }
    about
}

/// Returns the partitions of a table on all nodes and their mean bytes, as these estimate them every five minutes.
///
/// # Errors
/// Says why they are not known.
async fn estimated_partitions(
    session: &Session,
    keyspace: &str,
    table: &str,
) -> Result<(u64, u64), String> {
    let cql = "SELECT mean_partition_size, partitions_count FROM system.size_estimates \
               WHERE keyspace_name = ? AND table_name = ?";
    let (mut bytes, mut partitions) = (0.0, 0.0);
    for node in session.get_cluster_state().get_nodes_info() {
        let reply = ask::rows(session, Some(&**node), cql, (keyspace, table)).await?;
        let estimates = reply.rows::<(Option<i64>, Option<i64>)>();
        for row in estimates.map_err(|e| e.to_string())? {
            if let (Some(mean), Some(count)) = row.map_err(|e| e.to_string())? {
                bytes += mean as f64 * count as f64;
                partitions += count as f64;
            }
        }
    }
    if partitions < 1.0 {
        return Err("there are no estimates yet".to_owned());
    }
    Ok((partitions as u64, (bytes / partitions) as u64))
}

#[cfg(test)]
mod tests;
