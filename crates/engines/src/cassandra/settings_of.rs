//! The settings of a table that exists, which tables of rows take over where a design states none.

use std::collections::{BTreeMap, HashMap};

use scylla::client::session::Session;

use super::cluster::connect::Cluster;
use crate::EngineError;

/// The options of a table that are read, behind compaction, compression and caching.
///
/// The period after which memtables are flushed is none of them, since settling changes it and sets it back to none.
const OTHERS: [&str; 7] = [
    "gc_grace_seconds",
    "speculative_retry",
    "additional_write_policy",
    "read_repair",
    "bloom_filter_fp_chance",
    "min_index_interval",
    "max_index_interval",
];

/// A map of CQL as the tables of the schema have it.
type Options = Option<HashMap<String, String>>;
/// The row of a table in the schema, in the order of the columns that are asked for.
type Row = (
    Options,
    Options,
    Options,
    Option<i32>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<f64>,
    Option<i32>,
    Option<i32>,
);

/// The settings of a table that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSettings {
    /// Keyspace and table.
    pub table: String,
    /// Names and values of its options, as CQL has them after `WITH`.
    pub options: Vec<(String, String)>,
}

impl TableSettings {
    /// Reads the settings of a table from the schema of a cluster, and nothing else. Returns `None` if there is no such
    /// table.
    ///
    /// # Errors
    /// Fails if the cluster does not answer, or does not let its schema be read.
    pub async fn read(
        cluster: &Cluster,
        keyspace: &str,
        table: &str,
    ) -> Result<Option<TableSettings>, EngineError> {
        let session = cluster.connect().await?;
        let row = row(&session, keyspace, table).await.map_err(|why| {
            EngineError(format!(
                "cannot read the settings of {keyspace}.{table} from the schema of {}: {why}; the user needs SELECT \
                 on system_schema.tables",
                cluster.address
            ))
        })?;
        Ok(row.map(|row| TableSettings {
            table: format!("{keyspace}.{table}"),
            options: options(row),
        }))
    }

    /// Returns the settings in one line, which tells them from others.
    pub fn in_one_line(&self) -> String {
        let options = self.options.iter();
        let options: Vec<String> = options
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        format!("{}: {}", self.table, options.join(" AND "))
    }
}

async fn row(session: &Session, keyspace: &str, table: &str) -> Result<Option<Row>, String> {
    let cql = format!(
        "SELECT compaction, compression, caching, {} FROM system_schema.tables WHERE keyspace_name = ? AND \
         table_name = ?",
        OTHERS.join(", ")
    );
    let found = session.query_unpaged(cql.as_str(), (keyspace, table)).await;
    let rows = found.map_err(|error| error.to_string())?;
    let rows = rows.into_rows_result().map_err(|error| error.to_string())?;
    let row = rows.maybe_first_row::<Row>();
    row.map_err(|error| error.to_string())
}

/// Returns the options that a table has, as CQL writes them.
fn options(row: Row) -> Vec<(String, String)> {
    let (compaction, compression, caching, grace, retry, write, repair, bloom, min, max) = row;
    let maps = [
        ("compaction", compaction),
        ("compression", compression),
        ("caching", caching),
    ];
    let maps = maps
        .into_iter()
        .map(|(name, map)| (name, map.map(map_in_cql)));
    let number = |number: Option<i32>| number.map(|number| number.to_string());
    let text = |text: Option<String>| text.map(|text| text_in_cql(&text));
    let others = [
        number(grace),
        text(retry),
        text(write),
        text(repair),
        bloom.map(|chance| chance.to_string()),
        number(min),
        number(max),
    ];
    let all = maps.chain(OTHERS.into_iter().zip(others));
    all.filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

/// Writes a map as CQL does, with its keys in their order.
pub fn map_in_cql(map: HashMap<String, String>) -> String {
    let sorted: BTreeMap<String, String> = map.into_iter().collect();
    let pairs = sorted.iter();
    let pairs: Vec<String> = pairs
        .map(|(key, value)| format!("{}: {}", text_in_cql(key), text_in_cql(value)))
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

fn text_in_cql(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_written_as_cql_has_them_and_what_a_version_lacks_is_left_out() {
        let map = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter();
            let pairs = pairs.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            Some(pairs.collect::<HashMap<String, String>>())
        };
        let compaction = map(&[
            ("min_threshold", "4"),
            ("class", "LeveledCompactionStrategy"),
        ]);
        let read = options((
            compaction,
            map(&[("enabled", "false")]),
            None,
            Some(3600),
            Some("it's 99p".to_owned()),
            None,
            None,
            Some(0.1),
            None,
            Some(2048),
        ));
        let settings = TableSettings {
            table: "ks.t".to_owned(),
            options: read,
        };
        assert_eq!(
            settings.in_one_line(),
            "ks.t: compaction = {'class': 'LeveledCompactionStrategy', 'min_threshold': '4'} AND compression = \
             {'enabled': 'false'} AND gc_grace_seconds = 3600 AND speculative_retry = 'it''s 99p' AND \
             bloom_filter_fp_chance = 0.1 AND max_index_interval = 2048"
        );
    }
}
