//! The tables that the layout can hold, and the CQL tables that they become.

use bakeoff_servers::cassandra::Release;
use bakeoff_workload::{Column, ColumnType, DesignId, Table};

use crate::cassandra::names::quoted;
use crate::cassandra::read::readable::{ReadColumn, ReadTable};
use crate::cassandra::release::release_of;
use crate::cassandra::rows::entries::{STORAGE_SETTINGS, STORAGE_SETTINGS_4};
use crate::cassandra::rows::layout::{Shape, TableLayout};
use crate::{EngineError, Layout};

/// Entry of the layout in `bakeoff list`.
pub const LAYOUT: Layout = Layout {
    name: "cassandra/series",
    what: "a partition for each key, metric and day; tags in a table with a row per key",
    settings: STORAGE_SETTINGS,
};
/// The same for Cassandra 4.1.
pub const LAYOUT_4: Layout = Layout {
    name: "cassandra-4/series",
    settings: STORAGE_SETTINGS_4,
    ..LAYOUT
};

pub const SERIES_COLUMN: &str = "series_id";
pub const TIME_COLUMN: &str = "timestamp_ns";
pub const VALUE_COLUMN: &str = "value";
/// Name of the column with the days on which a key has rows, counted from 1970-01-01.
const DAYS_COLUMN: &str = "bakeoff_days";

/// A table whose metrics are series.
#[derive(Debug, Clone)]
pub struct SeriesLayout {
    /// Table of the workload.
    pub table: Table,
    /// Layout of the table of values.
    pub values: TableLayout,
    /// Name of the column that identifies the owner of metrics.
    pub key: String,
    /// Name of the time column.
    pub time: String,
    /// Names of the columns with metrics.
    pub metrics: Vec<String>,
    /// Names of the columns that are the same in all rows of a key.
    pub tags: Vec<String>,
}

impl SeriesLayout {
    /// Lays out a table as series.
    ///
    /// # Errors
    /// Fails if the table cannot be kept as series, or a setting makes no sense.
    pub fn new(id: &DesignId, table: &Table, keys_repeat: bool) -> Result<Self, EngineError> {
        let error = |message: String| EngineError(format!("design {id}: {message}"));
        if id.settings.contains_key("bucket") {
            return Err(error(
                "series always have a partition for each day: leave bucket= out".to_owned(),
            ));
        }
        let ([key], [time]) = (&table.partition_key[..], &table.order_key[..]) else {
            return Err(error(
                "series need a partition key of one column and an order key of one".to_owned(),
            ));
        };
        let of_kind = |kind: ColumnType| {
            let columns = table.columns.iter().filter(move |c| c.kind == kind);
            columns.map(|c| &c.name).filter(|name| !table.is_key(name))
        };
        let entry = match release_of(id) {
            Release::Four => LAYOUT_4,
            Release::Five => LAYOUT,
        };
        let layout = SeriesLayout {
            values: TableLayout::with_settings(
                id,
                Shape::Wide,
                entry.settings,
                &values_table(),
                keys_repeat,
            )?,
            key: key.clone(),
            time: time.clone(),
            metrics: of_kind(ColumnType::Double).cloned().collect(),
            tags: of_kind(ColumnType::Text).cloned().collect(),
            table: table.clone(),
        };
        match layout.misfit() {
            Some(problem) => Err(error(problem)),
            None => Ok(layout),
        }
    }

    /// Returns the reason why the table cannot be kept as series, if there is one.
    fn misfit(&self) -> Option<String> {
        let other = |column: &&Column| match &column.name {
            name if *name == self.key => column.kind != ColumnType::Text,
            name if *name == self.time => column.kind != ColumnType::Timestamp,
            _ => !matches!(column.kind, ColumnType::Double | ColumnType::Text),
        };
        if let Some(Column { name, kind }) = self.table.columns.iter().find(other) {
            let kind = kind.name();
            return Some(format!(
                "column `{name}` is {kind}, but series have a text key, a timestamp, metrics that \
                 are double and tags that are text"
            ));
        }
        if self.metrics.is_empty() {
            return Some("there is no metric: no column outside the key is double".to_owned());
        }
        None
    }

    /// Returns the name of the table with a row for each key.
    pub fn index_name(&self) -> String {
        format!("{}_index", self.values.name)
    }

    pub fn table_names(&self) -> [String; 2] {
        [self.values.name.clone(), self.index_name()]
    }

    /// Returns the statements that recreate both tables.
    pub fn recreation_statements(&self, keyspace: &str) -> Vec<String> {
        let index = self.index_name();
        let tags = self
            .tags
            .iter()
            .map(|tag| format!("{} text, ", quoted(tag)));
        let mut statements = self.values.recreation_statements(keyspace);
        statements.extend([
            format!("DROP TABLE IF EXISTS {keyspace}.{index}"),
            format!(
                "CREATE TABLE {keyspace}.{index} ({} text PRIMARY KEY, {}{DAYS_COLUMN} set<bigint>)",
                quoted(&self.key),
                tags.collect::<String>()
            ),
        ]);
        statements
    }

    /// Returns the statement that sets the tags of a key and adds days to it, whose values are tags,
    /// days and key.
    pub fn update_index(&self, keyspace: &str) -> String {
        let tags = self.tags.iter().map(|tag| format!("{} = ?, ", quoted(tag)));
        format!(
            "UPDATE {keyspace}.{} SET {}{DAYS_COLUMN} = {DAYS_COLUMN} + ? WHERE {} = ?",
            self.index_name(),
            tags.collect::<String>(),
            quoted(&self.key)
        )
    }

    /// Returns the statement that selects key, days and tags of all keys.
    pub fn select_index(&self, keyspace: &str) -> String {
        let tags = self.tags.iter().map(|tag| format!(", {}", quoted(tag)));
        format!(
            "SELECT {}, {DAYS_COLUMN}{} FROM {keyspace}.{}",
            quoted(&self.key),
            tags.collect::<String>(),
            self.index_name()
        )
    }

    /// Describes the workload's table as a query sees it.
    pub fn read_table(&self, keyspace: &str) -> ReadTable {
        let column = |c: &Column| ReadColumn {
            name: c.name.clone(),
            kind: c.kind.into(),
        };
        ReadTable {
            keyspace: keyspace.to_owned(),
            name: self.values.name.clone(),
            columns: self.table.columns.iter().map(column).collect(),
            partition_key: vec![self.key.clone()],
            clustering_key: vec![self.time.clone()],
            ..ReadTable::default()
        }
    }

    /// Returns the effective settings for reports.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut settings = self.values.settings();
        let id = format!("{}#metric#day of {}", self.key, self.time);
        settings.push(("series".to_owned(), id));
        let index = format!(
            "{} keys with their tags, read once and kept",
            self.index_name()
        );
        settings.push(("index".to_owned(), index));
        settings
    }
}

/// Names the series of a key's metric on a day, which is counted from 1970-01-01.
pub fn series_id(key: &str, metric: &str, day: i64) -> String {
    let date = i32::try_from(day)
        .ok()
        .and_then(arrow::temporal_conversions::date32_to_datetime);
    match date {
        Some(date) => format!("{key}#{metric}#{}", date.date()),
        None => format!("{key}#{metric}#{day}"),
    }
}

fn values_table() -> Table {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Table {
        name: "measurements".to_owned(),
        columns: vec![
            column(SERIES_COLUMN, ColumnType::Text),
            column(TIME_COLUMN, ColumnType::Bigint),
            column(VALUE_COLUMN, ColumnType::Double),
        ],
        partition_key: vec![SERIES_COLUMN.to_owned()],
        order_key: vec![TIME_COLUMN.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, ColumnType)]) -> Table {
        let column = |(name, kind): &(&str, ColumnType)| Column {
            name: (*name).to_owned(),
            kind: *kind,
        };
        Table {
            name: "cpu".to_owned(),
            columns: columns.iter().map(column).collect(),
            partition_key: vec!["host".to_owned()],
            order_key: vec!["time".to_owned()],
        }
    }

    const HOSTS: [(&str, ColumnType); 4] = [
        ("time", ColumnType::Timestamp),
        ("host", ColumnType::Text),
        ("rack", ColumnType::Text),
        ("usage", ColumnType::Double),
    ];

    fn layout(id: &str, table: &Table) -> Result<SeriesLayout, String> {
        SeriesLayout::new(&id.parse().unwrap(), table, false).map_err(|e| e.to_string())
    }

    #[test]
    fn a_table_becomes_a_table_of_values_and_one_of_keys() {
        let layout = layout("cassandra/series?compressor=none", &table(&HOSTS)).unwrap();
        let made: Vec<String> = layout
            .recreation_statements("ks")
            .iter()
            .map(|s| s.replace(&layout.values.name, "series"))
            .collect();
        assert_eq!(
            made,
            [
                "DROP TABLE IF EXISTS ks.series",
                r#"CREATE TABLE ks.series ("series_id" text, "timestamp_ns" bigint, "value" double, PRIMARY KEY (("series_id"), "timestamp_ns")) WITH compression = {'enabled': 'false'}"#,
                "DROP TABLE IF EXISTS ks.series_index",
                r#"CREATE TABLE ks.series_index ("host" text PRIMARY KEY, "rack" text, bakeoff_days set<bigint>)"#,
            ]
        );
    }

    #[test]
    fn series_have_the_day_in_their_name() {
        assert_eq!(
            series_id("host_1", "usage", 16_801),
            "host_1#usage#2016-01-01"
        );
        assert_eq!(series_id("a#b", "m", -1), "a#b#m#1969-12-31");
    }

    #[test]
    fn tables_that_are_no_series_are_refused() {
        let with = |column| {
            let mut columns = HOSTS.to_vec();
            columns.push(column);
            layout("cassandra/series", &table(&columns)).unwrap_err()
        };
        let error = with(("status", ColumnType::Int));
        assert!(
            error.contains("column `status` is int, but series"),
            "{error}"
        );
        let mut keys = table(&HOSTS);
        keys.partition_key.push("rack".to_owned());
        let error = layout("cassandra/series", &keys).unwrap_err();
        assert!(error.contains("a partition key of one column"), "{error}");
        let error = layout("cassandra/series", &table(&HOSTS[..3])).unwrap_err();
        assert!(error.contains("there is no metric"), "{error}");
        let error = layout("cassandra/series?bucket=1d", &table(&HOSTS)).unwrap_err();
        assert!(error.contains("leave bucket= out"), "{error}");
        let error = layout("cassandra/series?colour=red", &table(&HOSTS)).unwrap_err();
        assert!(error.contains("unknown setting `colour`"), "{error}");
    }
}
