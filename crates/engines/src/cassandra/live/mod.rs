//! A table of a running Cassandra as the beginning of a workload.

mod kinds;
mod sampling;
mod schema;

use std::sync::Arc;

use scylla::client::session::Session;

use super::cluster::connect::{Cluster, OPTIONS_TO_CHECK};
use super::diagnose::ask;
use super::read::metadata::{is_descending, read_table};
use super::read::readable::{CqlKind, ReadTable};
use crate::live::{Described, Holding, LiveKey, LiveTable, Plan, SampleRequest, Stored, sampled};
use crate::tables::{Location, TableError};
use sampling::Sample;
use schema::Schema;

/// What to check if a cluster that an address names cannot be connected to.
const ADDRESS_TO_CHECK: &str =
    "check the host, port and user of the address, BAKEOFF_CASSANDRA_PASSWORD, and --tls-ca";

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
    let session = Arc::new(session);
    let read = read_table(&session.get_cluster_state(), keyspace, table);
    let mut read = read.map_err(TableError::Asked)?;
    read.descending = is_descending(&session, keyspace, table).await;
    let schema = Schema::read(&session, keyspace, table).await;
    let schema = schema
        .map_err(|why| TableError::Failed(format!("cannot read what {location} is: {why}")))?;
    let plan = Plan::new(&location.to_string(), &described(&read, &schema))?;
    let key = LiveKey {
        partition: read.partition_key.clone(),
        order: read.clustering_key.clone(),
    };
    let narrowed = narrowed(&read, &plan.held);
    let sample = sampling::sample(&session, &narrowed, request)
        .await
        .map_err(|error| error.about(location))?;
    let name = location.to_string();
    let kept = sampled(&name, &plan.held, &sample.rows, Some(&key))?;
    let mut about = about(&sample, &schema, &read, &cluster.full_address());
    if let Ok((partitions, bytes)) = estimated_partitions(&session, keyspace, table).await {
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
    if kept.without_key > 0 {
        notes.push(format!(
            "{} partitions have only static columns, and so no row with a whole key: left out",
            kept.without_key
        ));
    }
    Ok(LiveTable {
        name: table.clone(),
        place: format!("{location} at {}", cluster.full_address()),
        key: Some(key),
        columns: kept.words,
        left_out: plan.left_out,
        about,
        rows: sample.all.clone(),
        design: Some(design(&read, &schema)),
        notes,
        sample: kept.rows,
    })
}

/// Describes the columns of a table, those of the key first.
fn described(table: &ReadTable, schema: &Schema) -> Vec<Described> {
    let columns = table.columns.iter().map(|column| {
        let stored_as = schema.types.get(&column.name);
        let stored_as = stored_as.map_or("another type", String::as_str);
        let is_static = table.statics.contains(&column.name);
        Described {
            name: column.name.clone(),
            stored_as: stored_as.to_owned(),
            is_key: table.is_key(&column.name),
            fate: kinds::fate(column.kind, stored_as, is_static),
        }
    });
    columns.collect()
}

/// Returns a table as it is read for a sample: with these columns, and numbers of any length as text.
fn narrowed(table: &ReadTable, held: &[Stored]) -> ReadTable {
    let mut narrowed = table.clone();
    narrowed
        .columns
        .retain(|column| held.iter().any(|held| held.name == column.name));
    for column in &mut narrowed.columns {
        let holding = { held.iter() }.find(|held| held.name == column.name);
        column.kind = match holding.map(|held| held.holding) {
            Some(Holding::Whole) => CqlKind::VarintText,
            Some(Holding::Decimal) => CqlKind::DecimalText,
            _ => column.kind,
        };
    }
    // Partitions that have nothing else would be rows if a static column was read.
    narrowed.statics.clear();
    // The time to live of one column is enough to notice that there is one.
    let has_ttl = |name: &String| table.with_ttl.contains(name);
    let mut names = narrowed.columns.iter().map(|column| &column.name);
    narrowed.with_ttl = names
        .find(|name| has_ttl(name))
        .cloned()
        .into_iter()
        .collect();
    narrowed
}

/// Says how the sample was taken, and what of the table a workload does not show.
fn about(sample: &Sample, schema: &Schema, table: &ReadTable, address: &str) -> Vec<String> {
    let mut about = vec![sample.in_words(address)];
    about.push(format!("Its options: {}.", schema.options));
    let left_out = schema.options.as_settings().left_out;
    if !left_out.is_empty() {
        about.push(format!(
            "No setting of a design says: {}.",
            left_out.join(", ")
        ));
    }
    if table.clustering_key.len() > 1 && table.descending.is_none() {
        about.push(
            "Its clustering columns are not all in the same order, which those of a design are."
                .to_owned(),
        );
    }
    if !schema.indexes.is_empty() {
        about.push(format!(
            "It has indexes ({}), which the design like it has not: add index=COLUMN.",
            schema.indexes.join(", ")
        ));
    }
    about
}

/// Returns the id of a design that is like a table.
fn design(table: &ReadTable, schema: &Schema) -> String {
    let layout = if table.clustering_key.is_empty() {
        "narrow"
    } else {
        "wide"
    };
    let of_options = schema.options.as_settings().settings;
    let written = of_options
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    let mut settings: Vec<String> = written.collect();
    if layout == "wide" && table.descending == Some(true) {
        settings.push("order=desc".to_owned());
    }
    let separator = if settings.is_empty() { "" } else { "?" };
    format!("cassandra/{layout}{separator}{}", settings.join("&"))
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
