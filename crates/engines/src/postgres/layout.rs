//! The layout of a table in PostgreSQL: partitions, indexes and chunks.

use std::ops::Range;

pub use bakeoff_workload::literal::{quoted, text};
use bakeoff_workload::{ColumnType, DesignId, Table};

use super::chunks;
use crate::EngineError;
use crate::ranges::Ranges;
use crate::settings::Settings;

pub const INDEX_SETTINGS: &str = "time-index=on|off, unique=on|off";
pub const BRIN_SETTINGS: &str = "pages=128";
pub const PARTITIONED_SETTINGS: &str = "width=1d (or a number), time-index=on|off, unique=on|off";
pub const HYPERTABLE_SETTINGS: &str =
    "chunk=12h (or a number), chunks=6, time-index=on|off, unique=on|off, columnstore=on|off";

/// The default of PostgreSQL.
const DEFAULT_PAGES_PER_RANGE: u32 = 128;
const MOST_PAGES_PER_RANGE: u32 = 131_072;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A single table with a B-tree on the key.
    Plain,
    /// A single table with a BRIN index on the order key and no B-tree.
    Brin { pages_per_range: u32 },
    /// A table with declarative partitions by ranges of the order key.
    Partitioned(Ranges),
    /// A TimescaleDB hypertable with chunks by ranges of the order key.
    Hypertable { chunks: Ranges, columnstore: bool },
}

#[derive(Debug, Clone)]
pub struct TableLayout {
    pub shape: Shape,
    /// Whether there is a B-tree on the order key alone.
    pub time_index: bool,
    /// Whether the B-tree on the key allows each key only once, so that an insert can overwrite.
    pub unique: bool,
    pub table: Table,
}

impl TableLayout {
    /// Parses the layout and the settings of a design id. `time_span` is what all rows cover, in milliseconds
    /// since the Unix epoch, if that is known.
    ///
    /// # Errors
    /// Fails for a layout, setting or value that does not exist or does not fit the table.
    pub fn new(
        id: &DesignId,
        table: &Table,
        time_span: Option<Range<i64>>,
    ) -> Result<Self, EngineError> {
        let mut settings = Settings::new(id, description(id)?)?;
        let shape = match id.layout.as_deref() {
            Some("brin") => brin(&mut settings, table)?,
            Some("partitioned") => Shape::Partitioned(ranges(&mut settings, table, "width", "1d")?),
            Some("hypertable") => hypertable(&mut settings, table, time_span)?,
            _ => Shape::Plain,
        };
        // TimescaleDB has this index by default.
        let by_default = matches!(shape, Shape::Hypertable { .. });
        let time_index = match shape {
            Shape::Brin { .. } => false,
            _ => on_or_off(&mut settings, "time-index", by_default)?,
        };
        let unique = match shape {
            Shape::Brin { .. } => false,
            _ => on_or_off(&mut settings, "unique", false)?,
        };
        if time_index && table.order_key.is_empty() {
            return Err(settings.error("time-index=on needs an order key".to_owned()));
        }
        settings.end()?;
        Ok(TableLayout {
            shape,
            time_index,
            unique,
            table: table.clone(),
        })
    }

    pub fn is_hypertable(&self) -> bool {
        matches!(self.shape, Shape::Hypertable { .. })
    }

    /// Returns the ranges of the order key that rows are divided by, if they are.
    pub fn ranges(&self) -> Option<&Ranges> {
        match &self.shape {
            Shape::Partitioned(ranges) | Shape::Hypertable { chunks: ranges, .. } => Some(ranges),
            Shape::Plain | Shape::Brin { .. } => None,
        }
    }

    /// Returns the statements that create the empty table in a schema.
    pub fn create_statements(&self, schema: &str) -> Vec<String> {
        let table = qualified(schema, &self.table.name);
        let columns: Vec<String> = self.columns();
        let by_range = match &self.shape {
            Shape::Partitioned(ranges) => {
                format!(" PARTITION BY RANGE ({})", quoted(&ranges.column))
            }
            _ => String::new(),
        };
        let create = format!("CREATE TABLE {table} ({}){by_range}", columns.join(", "));
        let mut statements = vec![create];
        if let Shape::Hypertable { chunks, .. } = &self.shape {
            statements.push(format!(
                "SELECT create_hypertable({}, by_range({}, {}), create_default_indexes => false)",
                text(&table),
                text(&chunks.column),
                chunks.interval()
            ));
        }
        statements.extend(self.indexes(&table));
        statements
    }

    /// Returns the statement that creates one of the partitions that rows need, for a dry run.
    pub fn partition_example(&self, schema: &str) -> Option<String> {
        match &self.shape {
            Shape::Partitioned(ranges) => {
                Some(ranges.partition_statement(schema, &self.table.name, 0))
            }
            _ => None,
        }
    }

    pub fn copy_statement(&self, schema: &str) -> String {
        let names: Vec<String> = self.table.columns.iter().map(|c| quoted(&c.name)).collect();
        format!(
            "COPY {} ({}) FROM STDIN (FORMAT binary)",
            qualified(schema, &self.table.name),
            names.join(", ")
        )
    }

    /// Returns the settings in force, for the report.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut settings = vec![("indexes".to_owned(), self.indexes("").join("; "))];
        match &self.shape {
            Shape::Partitioned(ranges) => {
                settings.push(("partition".to_owned(), ranges.to_string()));
            }
            Shape::Hypertable {
                chunks,
                columnstore,
            } => {
                settings.push(("chunk".to_owned(), chunks.to_string()));
                let columnstore = if *columnstore { "on" } else { "off" };
                settings.push(("columnstore".to_owned(), columnstore.to_owned()));
            }
            Shape::Plain | Shape::Brin { .. } => {}
        }
        settings
    }

    fn columns(&self) -> Vec<String> {
        let column = |c: &bakeoff_workload::Column| {
            let not_null = if self.table.is_key(&c.name) {
                " NOT NULL"
            } else {
                ""
            };
            format!("{} {}{not_null}", quoted(&c.name), sql_type(c.kind))
        };
        self.table.columns.iter().map(column).collect()
    }

    fn indexes(&self, table: &str) -> Vec<String> {
        let on = match table {
            "" => String::new(),
            table => format!("CREATE INDEX ON {table} "),
        };
        let on_key = match (table, self.unique) {
            (_, false) => on.clone(),
            ("", true) => "UNIQUE ".to_owned(),
            (table, true) => format!("CREATE UNIQUE INDEX ON {table} "),
        };
        let order_key: Vec<String> = self.table.order_key.iter().map(|c| quoted(c)).collect();
        if let Shape::Brin { pages_per_range } = self.shape {
            return vec![format!(
                "{on}USING brin ({}) WITH (pages_per_range = {pages_per_range})",
                order_key.join(", ")
            )];
        }
        // The newest rows come first, since they are queried most.
        let newest_first = || order_key.iter().map(|c| format!("{c} DESC"));
        let key: Vec<String> = self
            .table
            .partition_key
            .iter()
            .map(|c| quoted(c))
            .chain(newest_first())
            .collect();
        let mut indexes = vec![format!("{on_key}({})", key.join(", "))];
        if self.time_index {
            let time: Vec<String> = newest_first().collect();
            indexes.push(format!("{on}({})", time.join(", ")));
        }
        indexes
    }
}

/// Returns the description of the settings of a design's layout.
fn description(id: &DesignId) -> Result<&'static str, EngineError> {
    let layout = id.layout.as_deref().unwrap_or_default();
    match (id.engine.as_str(), layout) {
        ("postgres", "plain") => Ok(INDEX_SETTINGS),
        ("postgres", "brin") => Ok(BRIN_SETTINGS),
        ("postgres", "partitioned") => Ok(PARTITIONED_SETTINGS),
        ("timescale", "hypertable") => Ok(HYPERTABLE_SETTINGS),
        ("timescale", _) => Err(EngineError(format!(
            "design {id}: timescale has no layout `{layout}`; there is hypertable"
        ))),
        _ => Err(EngineError(format!(
            "design {id}: postgres has no layout `{layout}`; there are plain, brin, partitioned \
             (and timescale/hypertable)"
        ))),
    }
}

fn brin(settings: &mut Settings<'_>, table: &Table) -> Result<Shape, EngineError> {
    let form = "a number of pages from 1 to 131072";
    let pages = settings.parsed::<u32>("pages", form)?;
    let pages_per_range = pages.unwrap_or(DEFAULT_PAGES_PER_RANGE);
    if !(1..=MOST_PAGES_PER_RANGE).contains(&pages_per_range) {
        return Err(settings.error(format!("pages={pages_per_range} is not {form}")));
    }
    if table.order_key.is_empty() {
        Err(settings.error("brin needs an order key".to_owned()))
    } else {
        Ok(Shape::Brin { pages_per_range })
    }
}

fn hypertable(
    settings: &mut Settings<'_>,
    table: &Table,
    time_span: Option<Range<i64>>,
) -> Result<Shape, EngineError> {
    let chunks = match chunks::of_number(settings, table, time_span)? {
        Some(chunks) => chunks,
        None => ranges(settings, table, "chunk", "12h")?,
    };
    Ok(Shape::Hypertable {
        chunks,
        columnstore: on_or_off(settings, "columnstore", false)?,
    })
}

/// Parses the setting for the width of ranges, which is required if the order key is not a timestamp.
fn ranges(
    settings: &mut Settings<'_>,
    table: &Table,
    name: &str,
    by_default: &str,
) -> Result<Ranges, EngineError> {
    let width = settings.parsed::<String>(name, "a width")?;
    let order_key = table.order_key.first().and_then(|c| table.column(c));
    let is_timestamp = order_key.is_some_and(|c| c.kind == ColumnType::Timestamp);
    let width = match width {
        Some(width) => width,
        None if is_timestamp || order_key.is_none() => by_default.to_owned(),
        None => {
            return Err(settings.error(format!(
                "the order key is a number: set with {name}= how many of them belong together"
            )));
        }
    };
    let (column, width) = settings.width(table, name, &width)?;
    Ok(Ranges {
        column: column.name.clone(),
        kind: column.kind,
        width,
        setting: format!("{name}="),
    })
}

fn on_or_off(
    settings: &mut Settings<'_>,
    name: &str,
    by_default: bool,
) -> Result<bool, EngineError> {
    let word = settings.word(name, &["on", "off"])?;
    Ok(word.map_or(by_default, |word| word == "on"))
}

/// Returns the SQL type of a column. Texts are compared byte by byte, as in all other engines.
fn sql_type(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Boolean => "boolean",
        ColumnType::Int => "integer",
        ColumnType::Bigint => "bigint",
        ColumnType::Float => "real",
        ColumnType::Double => "double precision",
        ColumnType::Text => "text COLLATE \"C\"",
        ColumnType::Uuid => "uuid",
        ColumnType::Timestamp => "timestamp",
        ColumnType::Blob => "bytea",
    }
}

pub fn qualified(schema: &str, table: &str) -> String {
    format!("{}.{}", quoted(schema), quoted(table))
}

#[cfg(test)]
mod tests;
