//! Tables and their indexes as `system_schema` has them, and samples of indexed columns.

use std::collections::HashMap;

use bakeoff_stats::diagnose::evidence::{Index, Sample, Table};
use scylla::client::session::Session;
use scylla::value::{CqlValue, Row};

use super::ask::rows;
use crate::cassandra::names::{is_system_keyspace, quoted};
use crate::cassandra::nodes::TableName;
use crate::cassandra::stored_options::{self, Kind, OptionMap};

/// Rows of a sample, each of another partition.
const SAMPLED: usize = 1000;

/// Returns all tables but those of Cassandra itself. Names that need quotes other than for their case are left out.
///
/// # Errors
/// Says why the schema cannot be read.
pub async fn all_tables(session: &Session) -> Result<Vec<TableName>, String> {
    let cql = "SELECT keyspace_name, table_name FROM system_schema.tables";
    let reply = rows(session, None, cql, ()).await?;
    let named = reply.rows::<(String, String)>();
    let named = named.map_err(|e| e.to_string())?;
    let mut tables = Vec::new();
    for row in named {
        let (keyspace, table) = row.map_err(|e| e.to_string())?;
        if !is_system_keyspace(&keyspace)
            && let Ok(name) = format!("{keyspace}.{table}").parse()
        {
            tables.push(name);
        }
    }
    Ok(tables)
}

/// Reads a table; `None` if there is no such table.
pub async fn table(session: &Session, name: &TableName) -> Option<Table> {
    match known(session, name).await {
        Ok(table) => table,
        Err(reason) => Some(Table {
            name: name.to_string(),
            unknown: Some(reason),
            ..Table::default()
        }),
    }
}

async fn known(session: &Session, name: &TableName) -> Result<Option<Table>, String> {
    let key = (name.keyspace.as_str(), name.table.as_str());
    let options = [
        "compaction",
        "compression",
        "caching",
        "bloom_filter_fp_chance",
    ];
    let row: Option<(OptionMap, OptionMap, OptionMap, Option<f64>)> =
        stored_options::read(session, Kind::Table, key.0, key.1, &options).await?;
    let Some((compaction, compression, caching, bloom_fp_chance)) = row else {
        return Ok(None);
    };
    let cql = "SELECT column_name, kind FROM system_schema.columns \
               WHERE keyspace_name = ? AND table_name = ?";
    let reply = rows(session, None, cql, key).await?;
    let mut columns = Vec::new();
    let mut has_order_key = false;
    for row in reply
        .rows::<(String, String)>()
        .map_err(|e| e.to_string())?
    {
        let (column, kind) = row.map_err(|e| e.to_string())?;
        has_order_key |= kind == "clustering";
        columns.push(column);
    }
    let compaction = compaction.unwrap_or_default();
    let is_off = |options: &HashMap<String, String>| {
        options.get("enabled").is_some_and(|value| value == "false")
    };
    let class = compaction.get("class").map(|class| without_package(class));
    Ok(Some(Table {
        name: name.to_string(),
        compaction: class,
        compaction_is_off: is_off(&compaction),
        chunk_kib: chunk_kib(&compression.unwrap_or_default()),
        bloom_fp_chance,
        has_order_key,
        caches_rows: caching
            .unwrap_or_default()
            .get("rows_per_partition")
            .is_some_and(|rows| rows != "NONE"),
        indexes: indexes(session, name, &columns).await?,
        unknown: None,
    }))
}

fn without_package(class: &str) -> String {
    class.rsplit('.').next().unwrap_or(class).to_owned()
}

/// Returns the length of chunks; `None` if nothing is compressed.
fn chunk_kib(compression: &HashMap<String, String>) -> Option<u64> {
    if compression
        .get("enabled")
        .is_some_and(|value| value == "false")
    {
        return None;
    }
    let names = ["chunk_length_in_kb", "chunk_length_kb"];
    let length = names.iter().find_map(|name| compression.get(*name))?;
    length.parse().ok()
}

async fn indexes(
    session: &Session,
    name: &TableName,
    columns: &[String],
) -> Result<Vec<Index>, String> {
    let cql =
        "SELECT options FROM system_schema.indexes WHERE keyspace_name = ? AND table_name = ?";
    let key = (name.keyspace.as_str(), name.table.as_str());
    let reply = rows(session, None, cql, key).await?;
    let mut indexes = Vec::new();
    for row in reply.rows::<(OptionMap,)>().map_err(|e| e.to_string())? {
        let (options,) = row.map_err(|e| e.to_string())?;
        let target = options.and_then(|mut options| options.remove("target"));
        let target = target.unwrap_or_default();
        let column = target.trim_matches('"').to_owned();
        let sample = if columns.contains(&column) {
            sample(session, name, &column).await
        } else {
            Err(format!("`{target}` is not a column as a whole"))
        };
        indexes.push(Index { column, sample });
    }
    Ok(indexes)
}

/// Reads a column of one row of each of some partitions, and counts its most frequent value.
async fn sample(session: &Session, name: &TableName, column: &str) -> Result<Sample, String> {
    let cql = format!(
        "SELECT {} FROM {}.{} PER PARTITION LIMIT 1 LIMIT {SAMPLED}",
        quoted(column),
        quoted(&name.keyspace),
        quoted(&name.table)
    );
    let reply = rows(session, None, &cql, ()).await?;
    let mut values = Vec::new();
    for row in reply.rows::<Row>().map_err(|e| e.to_string())? {
        let row = row.map_err(|e| e.to_string())?;
        // An index has no rows without a value.
        values.extend(row.columns.into_iter().next().flatten());
    }
    Ok(counted(&values))
}

fn counted(values: &[CqlValue]) -> Sample {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for value in values {
        *counts.entry(format!("{value:?}")).or_default() += 1;
    }
    Sample {
        rows: values.len() as u64,
        most_frequent: counts.into_values().max().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        let owned = pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        owned.collect()
    }

    #[test]
    fn chunks_are_known_where_there_is_compression() {
        let length = |pairs: &[(&str, &str)]| chunk_kib(&options(pairs));
        let lz4 = ("class", "org.apache.cassandra.io.compress.LZ4Compressor");
        assert_eq!(length(&[lz4, ("chunk_length_in_kb", "64")]), Some(64));
        assert_eq!(
            length(&[("enabled", "false"), ("chunk_length_in_kb", "64")]),
            None
        );
        assert_eq!(length(&[]), None);
    }

    #[test]
    fn the_most_frequent_value_is_counted() {
        let values = [1, 7, 7, 3].map(CqlValue::Int);
        let sample = counted(&values);
        assert_eq!((sample.rows, sample.most_frequent), (4, 2));
        assert_eq!(counted(&[]).most_frequent, 0);
    }

    #[test]
    fn strategies_have_short_names() {
        let class = "org.apache.cassandra.db.compaction.LeveledCompactionStrategy";
        assert_eq!(without_package(class), "LeveledCompactionStrategy");
        assert_eq!(without_package("Own"), "Own");
    }
}
