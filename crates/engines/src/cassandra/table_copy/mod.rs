//! A copy of some rows of a table of a running cluster: a Parquet file, and the workload that measures designs with
//! these rows.
//!
//! The cluster is only read: one page at a time, up to about 5,000 rows and a hundred requests a second, and 32 MiB in
//! all. Rows come from all parts of the ring alike. What the copy does not have as the table has it is noted.

mod designs;
mod workload;

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::num::NonZeroU32;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use bakeoff_workload::{Column, ColumnType, DesignId, Table, literal};

use super::cluster::connect::Cluster;
use super::live::table::{Opened, Taken, design, plain_name};
use super::nodes::TableName;
use crate::live::{Described, Fate, LiveKey, SampleRequest, Stored, write_rows};
use crate::tables::TableError;
use crate::{EngineError, RateLimit};
use workload::Written;

pub use designs::changed;

/// Most bytes of a copy, which a load holds in memory.
const MOST_BYTES: usize = 32 << 20;
/// Rows that are read in a second at most.
const ROWS_PER_SECOND: Option<NonZeroU32> = NonZeroU32::new(5_000);
/// Rows whose keys are kept for queries.
const KEYS: usize = 2;
/// Rows whose keys are looked at for that.
const LOOKED_AT: usize = 64;
/// Mode of the file, whose rows are for nobody else.
const OWNER_ONLY: u32 = 0o600;

/// Rows of a table that were copied.
#[derive(Debug, Clone)]
pub struct TableCopy {
    name: TableName,
    /// Number of rows.
    pub rows: u64,
    /// Whether these are all rows of the table.
    pub is_whole: bool,
    /// What the copy does not have as the table has it.
    pub notes: Vec<String>,
    table: Table,
    is_descending: bool,
    settings: BTreeMap<String, String>,
    /// SQL literals of the keys of some rows.
    keys: Vec<Vec<String>>,
}

/// Copies about so many rows of a table to a new Parquet file.
///
/// # Errors
/// The cluster cannot be connected to or read, or has no such table; its table has no rows, or a key that no workload
/// can have; or the file cannot be written.
pub async fn copy(
    cluster: &Cluster,
    name: &TableName,
    most_rows: u64,
    to: &Path,
) -> Result<TableCopy, EngineError> {
    let in_words = |error: TableError| EngineError(error.to_string());
    let session = Arc::new(cluster.connect().await?);
    let opened = Opened::open(session, &name.keyspace, &name.table).await;
    let opened = opened.map_err(in_words)?;
    let columns: Vec<Described> = { opened.described().into_iter() }
        .map(plainly_named)
        .collect();
    let request = SampleRequest {
        rows: most_rows,
        rate_limit: ROWS_PER_SECOND.map(RateLimit::new),
    };
    let taken = opened.taken(&columns, &request, MOST_BYTES).await;
    let taken = taken.map_err(in_words)?;
    let table = table(&name.table, &taken, &opened.key());
    let like = opened.schema.as_settings(&opened.read, |column| {
        Some((plain_name(column)?, taken.kind_of(column)?))
    });
    let rows = &taken.kept.rows;
    let keys = keys(&table, rows);
    if keys.is_empty() {
        return Err(EngineError(format!(
            "there is nothing to measure: no row of the table {name} has a key that a query can have"
        )));
    }
    write(rows, to).map_err(|why| {
        EngineError(format!(
            "cannot write the copied rows to {}: {why}",
            to.display()
        ))
    })?;
    let mut notes = notes(&table, &taken);
    if !like.left_out.is_empty() {
        let lacking = like.left_out.join(", ");
        notes.push(format!("the present design lacks: {lacking}"));
    }
    if taken.sample.expiring > 0 && !like.settings.contains_key("ttl") {
        notes.push("rows of the table have a time to live, and those of the copy none".to_owned());
    }
    Ok(TableCopy {
        name: name.clone(),
        rows: rows.iter().map(|rows| rows.num_rows() as u64).sum(),
        is_whole: taken.sample.is_whole,
        notes,
        table,
        is_descending: opened.read.descending == Some(true),
        settings: like.settings,
        keys,
    })
}

impl TableCopy {
    /// Returns the design that the table has now, on this engine.
    pub fn present(&self, engine: &str) -> DesignId {
        let is_ordered = !self.table.order_key.is_empty();
        design(engine, is_ordered, self.settings.clone())
    }

    /// Returns whether a column of this name is in the copy and outside of its key.
    pub fn has_value(&self, column: &str) -> bool {
        self.table.column(column).is_some() && !self.table.is_key(column)
    }

    /// Returns the text of a workload with these designs that looks up values of these columns, too. `file` is the name
    /// of the Parquet file, in the folder of the workload.
    pub fn workload(&self, designs: &[String], looked_up: &[String], file: &str) -> String {
        let written = Written {
            copied: &self.name.to_string(),
            table: &self.table,
            rows: self.rows,
            is_descending: self.is_descending,
            keys: &self.keys,
            looked_up,
            file,
            designs,
        };
        written.text()
    }
}

/// Leaves out a column whose name no workload allows.
fn plainly_named(mut column: Described) -> Described {
    let is_held = matches!(column.fate, Fate::Held(..));
    if is_held && plain_name(&column.name).is_none() {
        column.fate =
            Fate::LeftOut("its name is not a letter with letters, digits and underscores after it");
    }
    column
}

/// Returns the table of a workload with the columns that were taken.
fn table(name: &str, taken: &Taken, key: &LiveKey) -> Table {
    let columns = taken.columns.iter().filter_map(|column| {
        let kind = taken.kind_of(&column.name)?;
        // Workloads have no UUIDs in an order key.
        let is_text = kind == ColumnType::Uuid && key.order.contains(&column.name);
        Some(Column {
            name: column.name.to_lowercase(),
            kind: if is_text { ColumnType::Text } else { kind },
        })
    });
    let lower = |names: &[String]| names.iter().map(|name| name.to_lowercase()).collect();
    Table {
        name: table_name(name),
        columns: columns.collect(),
        partition_key: lower(&key.partition),
        order_key: lower(&key.order),
    }
}

/// Returns a name that a workload allows: lower case, with a letter first.
fn table_name(name: &str) -> String {
    let name = name.to_lowercase();
    if name.starts_with(|c: char| c.is_ascii_lowercase()) {
        name
    } else {
        format!("t{name}")
    }
}

/// Says which columns the copy lacks, and which have another type there.
fn notes(table: &Table, taken: &Taken) -> Vec<String> {
    let mut notes = Vec::new();
    if !taken.left_out.is_empty() {
        notes.push(format!("left out: {}", taken.left_out.join("; ")));
    }
    let columns = taken.columns.iter().zip(&table.columns);
    let changed = columns.filter(|(stored, column)| stored.stored_as != column.kind.name());
    let changed = changed.map(|(stored, column)| changed_type(stored, column, taken));
    let changed: Vec<String> = changed.collect();
    if !changed.is_empty() {
        notes.push(format!("stored with another type: {}", changed.join("; ")));
    }
    notes
}

fn changed_type(stored: &Stored, column: &Column, taken: &Taken) -> String {
    let said = taken.kept.words.get(&column.name);
    let said = said.unwrap_or(&stored.stored_as);
    format!("{} as {} ({said})", column.name, column.kind.name())
}

/// Returns the keys of some rows, from the middle of all on.
fn keys(table: &Table, batches: &[RecordBatch]) -> Vec<Vec<String>> {
    let all: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let step = all.div_ceil(LOOKED_AT).max(1);
    let steps = all.div_ceil(step);
    let places = (0..steps).map(|turn| (all / 2 + turn * step) % all);
    places
        .filter_map(|place| key(table, batches, place))
        .take(KEYS)
        .collect()
}

/// Returns the key of a row as SQL literals; `None` if a literal cannot be in a query.
fn key(table: &Table, batches: &[RecordBatch], place: usize) -> Option<Vec<String>> {
    let mut place = place;
    let batch = batches.iter().find(|batch| {
        let is_in = place < batch.num_rows();
        if !is_in {
            place -= batch.num_rows();
        }
        is_in
    })?;
    let length = table.key().count();
    let columns = table.columns.iter().zip(batch.columns()).take(length);
    let literals = columns.map(|(column, values)| {
        let literal = literal::of_cell(column.kind, &**values, place)?;
        // A query takes it for one of its parameters.
        (!literal.contains("${")).then_some(literal)
    });
    literals.collect()
}

fn write(batches: &[RecordBatch], to: &Path) -> Result<(), String> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(OWNER_ONLY);
    let file = options.open(to).map_err(|error| error.to_string())?;
    write_rows(batches, file).map_err(|error| {
        // A part of the rows is of no use, and would be in the way when somebody tries again.
        fs::remove_file(to).ok();
        error.to_string()
    })
}

#[cfg(test)]
mod tests;
