//! The summary table of a table of rows: counts, sums, least and greatest values of its numbers, for each partition key
//! and interval of its order key.
//!
//! A row of it is for the rows of one slice. An interval that several slices have rows of has a row for each, which
//! are merged when they are read: so a slice needs to know nothing of the others, and changes nothing if it is
//! loaded again.

use bakeoff_workload::{Column, ColumnType, Table};

use super::storage::TableOptions;
use crate::EngineError;
use crate::cassandra::names::{quoted, quoted_list};
use crate::cassandra::read::reading::Reading;
use crate::settings::Settings;

/// Name of the column with the start of the interval.
pub const START: &str = "bakeoff_start";
/// Name of the column with the number of the slice.
pub const SLICE: &str = "bakeoff_slice";
/// Name of the column with the number of rows.
pub const ROWS: &str = "bakeoff_rows";
/// Name under which the rows of a slice are aggregated.
pub const SLICE_TABLE: &str = "slice";

/// An aggregate of a column that a summary table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// Is the number of values.
    Values,
    Sum,
    Least,
    Greatest,
}

impl Held {
    const ALL: [Held; 4] = [Held::Values, Held::Sum, Held::Least, Held::Greatest];

    /// Returns the function in SQL.
    fn function(self) -> &'static str {
        match self {
            Held::Values => "count",
            Held::Sum => "sum",
            Held::Least => "min",
            Held::Greatest => "max",
        }
    }

    /// Names the column with this aggregate of a column.
    pub fn column(self, of: &str) -> String {
        format!("bakeoff_{}_{of}", self.function())
    }

    /// Returns the type of the aggregate of a column of this type.
    fn kind(self, of: ColumnType) -> ColumnType {
        match (self, of) {
            (Held::Values, _) | (Held::Sum, ColumnType::Int) => ColumnType::Bigint,
            // DataFusion adds floats up as doubles.
            (Held::Sum, ColumnType::Float) => ColumnType::Double,
            (Held::Sum | Held::Least | Held::Greatest, of) => of,
        }
    }
}

/// What a summary table has of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// First column of the order key, which the intervals divide.
    pub time: Column,
    /// Length of an interval in units of that column, which are milliseconds for timestamps.
    pub width: i64,
    /// All columns with numbers outside the key.
    pub numbers: Vec<Column>,
}

impl Summary {
    /// Takes the setting `summary` of a design.
    ///
    /// # Errors
    /// Fails for an order key that is not divided, for rows whose keys repeat, since an earlier row would be counted,
    /// too, and with settings that contradict.
    pub fn take(
        settings: &mut Settings<'_>,
        table: &Table,
        keys_repeat: bool,
        options: &TableOptions,
        reading: Reading,
    ) -> Result<Option<Self>, EngineError> {
        let Some(width) = settings.parsed::<String>("summary", "the length of an interval")? else {
            return Ok(None);
        };
        let failed = |why: &str| settings.error(format!("summary={width}: {why}"));
        let (time, length) = settings.width(table, "summary", &width)?;
        if !matches!(time.kind, ColumnType::Timestamp | ColumnType::Bigint) {
            return Err(failed(
                "the intervals are of an order key that is a timestamp or a bigint: leave summary= out",
            ));
        }
        if keys_repeat {
            return Err(failed(
                "several rows may have the same key, and the summary would count all of them: leave this design \
                 out with --designs",
            ));
        }
        if reading.aggregate.is_some() {
            return Err(failed(
                "aggregates come from the summary table or from Cassandra: leave out one of the two, summary= or \
                 aggregate=",
            ));
        }
        if options.has_ttl() {
            return Err(failed(
                "rows end one by one, and a summary of them at once: leave out one of the two, summary= or ttl=",
            ));
        }
        let is_number = |column: &&Column| column.kind.is_number() && !table.is_key(&column.name);
        Ok(Some(Summary {
            time: time.clone(),
            width: length,
            numbers: table.columns.iter().filter(is_number).cloned().collect(),
        }))
    }

    /// Returns the columns and the key of the summary table.
    pub fn table(&self, of: &Table) -> Table {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        let key = { of.partition_key.iter() }.filter_map(|name| of.column(name).cloned());
        let mut columns: Vec<Column> = key.collect();
        columns.push(column(START, self.time.kind));
        columns.push(column(SLICE, ColumnType::Bigint));
        columns.push(column(ROWS, ColumnType::Bigint));
        for number in &self.numbers {
            let held = { Held::ALL.into_iter() }
                .map(|held| column(&held.column(&number.name), held.kind(number.kind)));
            columns.extend(held);
        }
        Table {
            name: of.name.clone(),
            columns,
            partition_key: of.partition_key.clone(),
            order_key: [START, SLICE].map(str::to_owned).into(),
        }
    }

    /// Returns the SQL that aggregates the rows of a slice, which have the start of their interval.
    pub fn sql(&self, of: &Table, slice: u64) -> String {
        let key = of.partition_key.iter().map(String::as_str);
        let group: Vec<&str> = key.chain([START]).collect();
        let group = quoted_list(&group);
        let mut held = String::new();
        for number in &self.numbers {
            for aggregate in Held::ALL {
                held += &format!(
                    ", {}({}) AS {}",
                    aggregate.function(),
                    quoted(&number.name),
                    quoted(&aggregate.column(&number.name))
                );
            }
        }
        format!(
            "SELECT {group}, CAST({slice} AS BIGINT) AS {}, count(*) AS {}{held} FROM {} GROUP BY {group}",
            quoted(SLICE),
            quoted(ROWS),
            quoted(SLICE_TABLE)
        )
    }

    /// Returns the effective setting for reports.
    pub fn setting(&self) -> (String, String) {
        let numbers: Vec<&str> = self.numbers.iter().map(|c| c.name.as_str()).collect();
        let of = match numbers.as_slice() {
            [] => "rows".to_owned(),
            numbers => format!("rows and {}", numbers.join(", ")),
        };
        let intervals = format!("floor({} / {})", self.time.name, self.width);
        (
            "summary table".to_owned(),
            format!("of {of} by partition key and {intervals}, written slice by slice"),
        )
    }
}

#[cfg(test)]
mod tests;
