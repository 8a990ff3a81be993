//! Checks an ingest before rows are written.

use std::collections::HashSet;

use anyhow::{Result, anyhow};
use arrow::record_batch::RecordBatch;
use arrow::row::{RowConverter, SortField};
use bakeoff_engines::tables::{Column, Definition, Doubt, Kind, SourceColumn};
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

/// Refuses to make columns of numbers text because of words that probably stand for no value.
pub fn check_doubts(options: &Ingest, doubts: &[Doubt]) -> Result<()> {
    let is_said = |name: &String| {
        let is_typed = options.types.iter().any(|(typed, _)| typed == name);
        is_typed || !options.takes(name)
    };
    let Some(doubt) = doubts.iter().find(|doubt| !is_said(&doubt.column)) else {
        return Ok(());
    };
    let counted = doubt
        .words
        .iter()
        .map(|(word, times)| format!("{times} `{word}`"));
    let counted: Vec<String> = counted.collect();
    let words: Vec<&str> = doubt.words.iter().map(|(word, _)| word.as_str()).collect();
    Err(anyhow!(
        "column `{0}` has numbers and {1}: if that stands for no value, say --null '{2}'; if not, --types {0}=text \
         keeps the column as text",
        doubt.column,
        counted.join(", "),
        words.join(",")
    ))
}

/// Refuses rows that a new table without an order key would drop: it keeps one row per partition key.
pub fn check_keys(options: &Ingest, definition: &Definition, rows: &RecordBatch) -> Result<()> {
    if !definition.order_key.is_empty() || options.one_row_per_key {
        return Ok(());
    }
    let key: Vec<usize> = (definition.partition_key.iter())
        .filter_map(|name| rows.schema().index_of(name).ok())
        .collect();
    let key_columns = rows.project(&key)?;
    let fields = key_columns
        .schema()
        .fields()
        .iter()
        .map(|f| SortField::new(f.data_type().clone()))
        .collect();
    let keys = RowConverter::new(fields)?.convert_columns(key_columns.columns())?;
    let distinct: HashSet<_> = keys.iter().collect();
    if distinct.len() == rows.num_rows() {
        Ok(())
    } else {
        Err(anyhow!(
            "the first {} have only {} ({}), and a table without an order key keeps one row of each: \
             name what orders the rows with --order-key COLUMN,..., or keep only the last row of each \
             with --one-row-per-key",
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

/// Notes the columns of an existing table that the source does not have.
pub fn without_values(options: &Ingest, table: &Definition, filled: &[Column]) -> Vec<String> {
    let is_empty = |column: &&Column| !filled.iter().any(|c| c.name == column.name);
    let empty = table.columns.iter().filter(is_empty).map(|c| &c.name[..]);
    let empty: Vec<&str> = empty.collect();
    if empty.is_empty() {
        Vec::new()
    } else {
        vec![format!(
            "the source has no {}: its rows get null there, even if they replace rows of {} that have a value",
            empty.join(", "),
            options.into
        )]
    }
}

/// Notes columns that are numbers or times in the source and text in the existing table, since text is
/// ordered differently.
pub fn kept_as_text(
    options: &Ingest,
    source: &[SourceColumn],
    filled: &[Column],
) -> Option<String> {
    let other_type = |column: &Column| {
        let same = |c: &&SourceColumn| c.name == column.name.to_lowercase();
        let source = source.iter().find(same)?;
        match source.kind {
            Some(Kind::Text) => None,
            Some(kind) => Some(kind.to_string()),
            None => Some(source.stored_as.clone()),
        }
    };
    let kept = filled
        .iter()
        .filter(|column| column.kind == Kind::Text)
        .filter_map(|c| Some(format!("{} ({})", c.name, other_type(c)?)));
    let kept: Vec<String> = kept.collect();
    (!kept.is_empty()).then(|| {
        format!(
            "kept as text, which is what they are in {}: {}; text is compared as text, so 10 \
             comes before 9",
            options.into,
            kept.join(", ")
        )
    })
}
