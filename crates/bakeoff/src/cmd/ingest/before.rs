//! What is looked at before rows come into a table.

use std::collections::HashSet;

use anyhow::{Result, anyhow};
use arrow::record_batch::RecordBatch;
use arrow::row::{RowConverter, SortField};
use bakeoff_engines::tables::{Column, Definition, Kind, SourceColumn};
use bakeoff_report::units;

use super::Ingest;

pub fn check_distinct(options: &Ingest) -> Result<()> {
    if options.from.as_ref() == Some(&options.into) {
        Err(anyhow!(
            "--from and --into are the same table, {}",
            options.into
        ))
    } else {
        Ok(())
    }
}

/// A new table keeps one row of each partition key if nothing orders them.
pub fn check_keys(options: &Ingest, definition: &Definition, rows: &RecordBatch) -> Result<()> {
    if !definition.order_key.is_empty() || options.one_row_per_key {
        return Ok(());
    }
    let key: Vec<usize> = (definition.partition_key.iter())
        .filter_map(|name| rows.schema().index_of(name).ok())
        .collect();
    let fields = rows.project(&key)?;
    let convert = fields.schema();
    let convert = convert
        .fields()
        .iter()
        .map(|f| SortField::new(f.data_type().clone()));
    let keys = RowConverter::new(convert.collect())?.convert_columns(fields.columns())?;
    let distinct: HashSet<_> = keys.iter().collect();
    if distinct.len() == rows.num_rows() {
        Ok(())
    } else {
        Err(anyhow!(
            "the first {} have only {} ({}), and a table without an order key keeps one row of each: \
             say what orders them with --order-key COLUMN,..., or that the last one of each is to be \
             kept with --one-row-per-key",
            units::plural(rows.num_rows() as u64, "row", "rows"),
            units::plural(
                distinct.len() as u64,
                "partition key",
                "different partition keys"
            ),
            definition.partition_key.join(", ")
        ))
    }
}

/// Columns of a table that is there which the source does not have.
pub fn without_values(options: &Ingest, table: &Definition, filled: &[Column]) -> Vec<String> {
    let is_empty = |column: &&Column| !filled.iter().any(|c| c.name == column.name);
    let empty = table.columns.iter().filter(is_empty).map(|c| &c.name[..]);
    let empty: Vec<&str> = empty.collect();
    if empty.is_empty() {
        Vec::new()
    } else {
        vec![format!(
            "the source has no {}: null in all of its rows, also where {} had another value",
            empty.join(", "),
            options.into
        )]
    }
}

/// Columns that are numbers or times in the source, and text in the table that is there: what is
/// compared as text has another order.
pub fn kept_as_text(
    options: &Ingest,
    source: &[SourceColumn],
    filled: &[Column],
) -> Option<String> {
    let kind = |column: &Column| {
        let same = |c: &&SourceColumn| c.name == column.name.to_lowercase();
        let kind = source.iter().find(same).and_then(|c| c.kind);
        kind.filter(|kind| *kind != Kind::Text && column.kind == Kind::Text)
    };
    let kept = filled
        .iter()
        .filter_map(|c| Some(format!("{} ({})", c.name, kind(c)?)));
    let kept: Vec<String> = kept.collect();
    (!kept.is_empty()).then(|| {
        format!(
            "kept as text, which is what they are in {}: {}; text is compared as text, so that 10 \
             comes before 9",
            options.into,
            kept.join(", ")
        )
    })
}
