//! A copy of some rows of a table of a running cluster: a Parquet file, and the workload that measures designs with
//! these rows.
//!
//! The cluster is only read: one page at a time, up to about 5,000 rows and a hundred requests a second, and 32 MiB in
//! all. Rows come from all parts of the ring alike. What the copy does not have as the table has it is noted.

mod columns;
mod designs;
mod pages;
mod present;
mod workload;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use arrow::compute::cast;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::{DesignId, Table, literal};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::cluster::connect::Cluster;
use super::nodes::TableName;
use super::read::metadata::{is_descending, read_table};
use crate::EngineError;
use columns::Chosen;
use workload::Written;

pub use designs::changed;

/// Rows whose keys are kept for queries.
const KEYS: usize = 2;
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
    let session = cluster.connect().await?;
    let state = session.get_cluster_state();
    let read = read_table(&state, &name.keyspace, &name.table).map_err(EngineError)?;
    let chosen = columns::choose(&read)?;
    let schema = present::read(&session, name).await?;
    let descending = is_descending(&session, &name.keyspace, &name.table).await;
    let present = schema.settings(&chosen.table, descending);
    let pages = pages::read(&session, &read, &chosen, most_rows).await?;
    let keys = keys(&chosen, &pages.batches);
    if keys.is_empty() {
        return Err(EngineError(format!(
            "there is nothing to measure: no row could be copied of the table {name}"
        )));
    }
    write(&pages.batches, to).map_err(|why| {
        EngineError(format!(
            "cannot write the copied rows to {}: {why}",
            to.display()
        ))
    })?;
    let mut notes = chosen.notes;
    notes.extend(present.notes);
    Ok(TableCopy {
        name: name.clone(),
        rows: pages.rows,
        is_whole: pages.is_whole,
        notes,
        table: chosen.table,
        is_descending: descending == Some(true),
        settings: present.settings,
        keys,
    })
}

impl TableCopy {
    /// Returns the design that the table has now, on this engine.
    pub fn present(&self, engine: &str) -> DesignId {
        let is_ordered = !self.table.order_key.is_empty();
        designs::present(engine, is_ordered, &self.settings)
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

/// Returns the keys of the first rows of some pages, from the middle of all on.
fn keys(chosen: &Chosen, batches: &[RecordBatch]) -> Vec<Vec<String>> {
    let middle = batches.len() / 2;
    let (before, behind) = batches.split_at(middle);
    let pages = behind.iter().chain(before);
    pages
        .filter_map(|page| key(chosen, page))
        .take(KEYS)
        .collect()
}

/// Returns the key of the first row of a page as SQL literals; `None` if a literal cannot be in a query.
fn key(chosen: &Chosen, page: &RecordBatch) -> Option<Vec<String>> {
    let first = page.slice(0, page.num_rows().min(1));
    let length = chosen.table.key().count();
    let columns = chosen
        .table
        .columns
        .iter()
        .zip(first.columns())
        .take(length);
    let literals = columns.map(|(column, values)| {
        let values = cast(values, &column.kind.arrow()).ok()?;
        if values.is_empty() {
            return None;
        }
        let literal = literal::of_cell(column.kind, &*values, 0)?;
        // A query takes it for one of its parameters.
        (!literal.contains("${")).then_some(literal)
    });
    literals.collect()
}

fn write(batches: &[RecordBatch], to: &Path) -> Result<(), String> {
    let Some(first) = batches.first() else {
        return Err("there are no rows".to_owned());
    };
    let in_words = |error: parquet::errors::ParquetError| error.to_string();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(OWNER_ONLY);
    let file = options.open(to).map_err(|error| error.to_string())?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    let writer = ArrowWriter::try_new(file, first.schema(), Some(properties));
    let mut writer = writer.map_err(in_words)?;
    for batch in batches {
        writer.write(batch).map_err(in_words)?;
    }
    writer.close().map_err(in_words)?;
    Ok(())
}

#[cfg(test)]
mod tests;
