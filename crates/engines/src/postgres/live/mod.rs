//! A table of a running PostgreSQL as the beginning of a workload.

mod catalog;
mod kinds;
mod sampling;
mod table_name;

use bakeoff_workload::suggestion;
use tokio_postgres::{Client, IsolationLevel, Transaction};

use super::connect::{PostgresServer, reason};
use crate::live::{LiveKey, LiveTable, Plan, SampleRequest, duration, sampled};
use crate::tables::TableError;
use catalog::{Catalog, Chunks, Found, RelationKind};
use table_name::TableName;

/// The settings of the transaction, in which no statement waits or works for long. A session that a pooler gives to
/// others afterwards keeps nothing of them.
const SETTINGS: &str = "SET LOCAL TimeZone TO 'UTC'; SET LOCAL statement_timeout TO '60s'; \
    SET LOCAL lock_timeout TO '5s'; SET LOCAL standard_conforming_strings TO on";
/// The most indexes that the head of a workload names.
const MOST_INDEXES: usize = 8;

/// Reads what a table is, and a sample of its rows that is spread over its pages, in a transaction that only reads.
/// The table is `SCHEMA.TABLE`, or `TABLE` if the search path finds it.
///
/// # Errors
/// Fails if there is no such table, if it is empty, if a column of its key is none that a workload can have, and if the
/// server does not answer or refuses to.
pub async fn read(
    server: &PostgresServer,
    table: &str,
    request: &SampleRequest,
) -> Result<LiveTable, TableError> {
    let wanted: TableName = table.parse().map_err(TableError::Asked)?;
    let mut client = server.connect_setting_nothing().await?;
    let mut transaction = begin(&mut client).await.map_err(|error| {
        TableError::Failed(format!(
            "cannot begin a transaction that only reads at {server}: {}; see the server's log, or try again later",
            reason(&error)
        ))
    })?;
    let catalog = Catalog::new(&transaction);
    let Some(found) = catalog.find(&wanted).await? else {
        let names = catalog.names().await?;
        let hint = suggestion(&wanted.to_string(), names.iter().map(String::as_str));
        return Err(TableError::Asked(format!(
            "there is no table `{wanted}` in {server}{hint}; write it as SCHEMA.TABLE"
        )));
    };
    let columns = catalog.columns(found.oid).await?;
    if columns.iter().all(|column| !column.is_readable) {
        return Err(TableError::Failed(format!(
            "cannot read {found}: the user of the address has no right to; have its owner run GRANT SELECT ON {found} \
             TO this user"
        )));
    }
    let key = catalog.key(found.oid).await?;
    let key = key.map(|names| split(&names, &columns));
    let name = found.to_string();
    let plan = Plan::new(&name, &kinds::described(&columns, key.as_ref()))?;
    let indexes = catalog.indexes(found.oid).await?;
    let chunks = catalog.chunks(&found).await?;
    let size = catalog.size(found.oid).await?;
    let selection = kinds::selection(&columns, &plan.held);
    let sample = sampling::sample(&mut transaction, &found, &selection, size, request).await?;
    // Nothing was written, so that it does not matter how the transaction ends.
    let _ = transaction.rollback().await;
    let kept = sampled(&name, &plan.held, &sample.rows, key.as_ref())?;
    let mut about = vec![sample.in_words(server)];
    for index in indexes.iter().take(MOST_INDEXES) {
        about.push(format!("It has: {}.", index.definition));
    }
    if indexes.len() > MOST_INDEXES {
        about.push(format!(
            "It has {} further indexes.",
            indexes.len() - MOST_INDEXES
        ));
    }
    let mut notes = Vec::new();
    if kept.without_key > 0 {
        notes.push(format!(
            "{} sampled rows were left out: their time in the key is infinite, which a workload cannot have",
            kept.without_key
        ));
    }
    let design = design(&found, key.as_ref(), &indexes, chunks.as_ref());
    if design.is_none() {
        about.push(
            "No design is like it: it is a view or in partitions, or has no index; see `bakeoff list`.".to_owned(),
        );
    }
    Ok(LiveTable {
        name: found.name.clone(),
        place: format!("{found} at {server}"),
        key,
        columns: kept.words,
        left_out: plan.left_out,
        about,
        rows: sample.all,
        design,
        notes,
        sample: kept.rows,
    })
}

/// Begins a transaction that only reads, and in which nothing changes.
async fn begin(client: &mut Client) -> Result<Transaction<'_>, tokio_postgres::Error> {
    let transaction = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    transaction.batch_execute(SETTINGS).await?;
    Ok(transaction)
}

/// Divides a key: rows belong together by its columns before the first time, or by all others if it begins with one,
/// and are ordered by the rest. Without a time its first column says which rows belong together.
fn split(names: &[String], columns: &[catalog::Column]) -> LiveKey {
    let is_time = |name: &String| {
        let mut columns = columns.iter();
        columns.any(|column| column.name == *name && kinds::is_time(&column.base_type))
    };
    let (partition, order) = match names.iter().position(is_time) {
        Some(0) if names.len() > 1 => (names[1..].to_vec(), names[..1].to_vec()),
        Some(0) => (names.to_vec(), Vec::new()),
        Some(place) => (names[..place].to_vec(), names[place..].to_vec()),
        None => {
            let first = names.len().min(1);
            (names[..first].to_vec(), names[first..].to_vec())
        }
    };
    LiveKey { partition, order }
}

/// Returns the id of a design that is like a table, if there is one.
fn design(
    found: &Found,
    key: Option<&LiveKey>,
    indexes: &[catalog::Index],
    chunks: Option<&Chunks>,
) -> Option<String> {
    let order = key.and_then(|key| key.order.first());
    if let Some(chunks) = chunks {
        let length = match chunks.length {
            catalog::Length::Seconds(seconds) => duration(seconds),
            catalog::Length::Number(number) => number.to_string(),
        };
        return (order == Some(&chunks.column))
            .then(|| format!("timescale/hypertable?chunk={length}"));
    }
    if found.kind != RelationKind::Table {
        return None;
    }
    let has = |method: &str| indexes.iter().any(|index| index.method == method);
    let of_time = |index: &catalog::Index| {
        index.method == "btree" && index.columns == 1 && index.first.as_ref() == order
    };
    match (has("btree"), has("brin")) {
        (true, _) if order.is_some() && indexes.iter().any(of_time) => {
            Some("postgres/plain?time-index=on".to_owned())
        }
        (true, _) => Some("postgres/plain".to_owned()),
        (false, true) if order.is_some() => Some("postgres/brin".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
