//! What there is to say of a table after rows came into it.

use anyhow::Result;
use arrow::array::AsArray;
use arrow::compute::{cast, max, min};
use arrow::datatypes::{DataType, Int64Type};
use arrow::record_batch::RecordBatch;
use bakeoff_engines::tables::{Columnar, Definition, Location, Part, Selection};
use bakeoff_report::units;

/// The values of the first order key that came.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span(Option<(i64, i64)>);

impl Span {
    /// Takes rows of a table in. Where it has no buckets, nothing is known.
    pub fn extend(&mut self, definition: &Definition, rows: &RecordBatch) -> Result<()> {
        let Some(column) = definition.first_order_index() else {
            return Ok(());
        };
        let Some(values) = rows.column_by_name(&definition.columns[column].name) else {
            return Ok(());
        };
        let values = cast(values, &DataType::Int64)?;
        let values = values.as_primitive::<Int64Type>();
        if let Some((low, high)) = min(values).zip(max(values)) {
            let (least, greatest) = self.0.unwrap_or((low, high));
            self.0 = Some((least.min(low), greatest.max(high)));
        }
        Ok(())
    }
}

/// Rows that were read, into what.
pub struct Filled<'a> {
    pub into: &'a Location,
    pub table: &'a Columnar,
    /// Whether the table was made for them: then it has no others.
    pub is_new: bool,
    pub rows: u64,
    pub span: Span,
}

/// Rows whose keys are not unique, and whether the table needs to be sealed. Where it cannot be
/// looked at, that is not said: the rows are in it anyway.
pub async fn notes(filled: Filled<'_>) -> Vec<String> {
    let (low, high) = filled.span.0.unzip();
    let selection = Selection {
        partitions: None,
        low,
        high,
    };
    let Ok(view) = filled.table.overview(&selection).await else {
        return Vec::new();
    };
    let rows_at_most = |part: &Part| match part.exact() {
        Some(chunk) => u64::from(chunk.live_rows()),
        None => part.rows_at_most(),
    };
    let unsealed = view.parts.iter().filter(|part| part.exact().is_none());
    let unsealed = unsealed.count() as u64;
    let there: u64 = view.parts.iter().map(rows_at_most).sum();
    let mut notes = Vec::new();
    if filled.is_new {
        notes.extend(replaced(&filled, there, unsealed == 0));
    }
    if unsealed > 0 {
        let overlap = match unsealed {
            1 => "1 part of the table has chunks that overlap and is merged whenever it is"
                .to_owned(),
            parts => format!(
                "{} parts of the table overlap and are merged whenever they are",
                units::count(parts)
            ),
        };
        let order = if unsealed == 1 { "it" } else { "them" };
        notes.push(format!(
            "{overlap} read; `bakeoff table seal {}` puts {order} in order",
            filled.into
        ));
    }
    notes
}

/// How many of the rows are not there, since later ones have the same keys.
fn replaced(filled: &Filled<'_>, there: u64, is_exact: bool) -> Option<String> {
    let replaced = filled.rows.saturating_sub(there);
    if replaced == 0 {
        return None;
    }
    let definition = filled.table.definition();
    let key = definition.partition_key.iter().chain(&definition.order_key);
    let key: Vec<&str> = key.map(String::as_str).collect();
    let at_least = if is_exact { "" } else { "at least " };
    Some(format!(
        "{at_least}{} a key ({}) that others have, too: the last one of each key is kept",
        units::plural(replaced, "row has", "rows have"),
        key.join(", ")
    ))
}
