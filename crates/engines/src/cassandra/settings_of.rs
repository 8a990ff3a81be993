//! The settings of a table that exists, which tables of rows take over where a design states none.

use std::collections::{BTreeMap, HashMap};

use super::cluster::connect::Cluster;
use super::names;
use super::stored_options::{self, Kind, OptionMap};
use crate::EngineError;

/// The options of a table that have parameters of their own.
const MAPS: [&str; 3] = ["compaction", "compression", "caching"];
/// The options of a table that are read besides.
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

/// The options of a table in the order in which they are asked for.
type Row = (
    OptionMap,
    OptionMap,
    OptionMap,
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
        let names = [&MAPS[..], &OTHERS].concat();
        let row = stored_options::read::<Row>(&session, Kind::Table, keyspace, table, &names);
        let row = row.await.map_err(|why| {
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

/// Returns the options that a table has, as CQL writes them.
fn options(row: Row) -> Vec<(String, String)> {
    let (compaction, compression, caching, grace, retry, write, repair, bloom, min, max) = row;
    let maps = MAPS.into_iter().zip([compaction, compression, caching]);
    let maps = maps.map(|(name, map)| (name, map.map(map_in_cql)));
    let number = |number: Option<i32>| number.map(|number| number.to_string());
    let text = |text: Option<String>| text.map(|text| names::text(&text));
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
        .map(|(key, value)| format!("{}: {}", names::text(key), names::text(value)))
        .collect();
    format!("{{{}}}", pairs.join(", "))
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
