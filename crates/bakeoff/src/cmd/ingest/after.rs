//! Writes notes about a table after an ingest.

use std::collections::BTreeMap;

use anyhow::Result;
use arrow::array::AsArray;
use arrow::compute::{cast, max, min};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int64Type};
use arrow::record_batch::RecordBatch;
use bakeoff_engines::tables::{Columnar, Definition, Location, Part, Selection};
use bakeoff_report::units;

/// Range of the ingested values of the first order key; `None` as long as there are none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span(Option<(i64, i64)>);

impl Span {
    /// Extends the range by the rows of a batch. A table without buckets has no range.
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

/// Ingested numbers that are NaN, by their column.
#[derive(Debug, Default)]
struct NotNumbers(BTreeMap<String, u64>);

impl NotNumbers {
    /// Counts those of a batch.
    fn extend(&mut self, rows: &RecordBatch) {
        for (field, values) in rows.schema().fields().iter().zip(rows.columns()) {
            let found = match values.data_type() {
                DataType::Float64 => {
                    let values = values.as_primitive::<Float64Type>().iter().flatten();
                    values.filter(|value| value.is_nan()).count()
                }
                DataType::Float32 => {
                    let values = values.as_primitive::<Float32Type>().iter().flatten();
                    values.filter(|value| value.is_nan()).count()
                }
                _ => 0,
            };
            if found > 0 {
                *self.0.entry(field.name().clone()).or_default() += found as u64;
            }
        }
    }

    /// Notes that values of a file of text are NaN, which mostly stands for a missing value there.
    fn note(&self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let counted = self.0.iter();
        let counted =
            counted.map(|(column, times)| format!("{} of `{column}`", units::count(*times)));
        let counted: Vec<String> = counted.collect();
        Some(format!(
            "NaN is read as a number, with which sums and means are NaN, too: {}; if it stands for no value, \
             ingest again with --null NaN,nan,NAN",
            counted.join(", ")
        ))
    }
}

/// What is seen of rows while they are written.
#[derive(Debug)]
pub struct Looked {
    pub span: Span,
    /// Whether the rows are those of a file of text, in which NaN mostly stands for a missing value.
    is_of_text: bool,
    not_numbers: NotNumbers,
}

impl Looked {
    /// Begins with no rows, which are those of a file of text or others.
    pub fn new(is_of_text: bool) -> Looked {
        Looked {
            span: Span::default(),
            is_of_text,
            not_numbers: NotNumbers::default(),
        }
    }

    /// Looks at the rows of a batch.
    pub fn extend(&mut self, definition: &Definition, rows: &RecordBatch) -> Result<()> {
        if self.is_of_text {
            self.not_numbers.extend(rows);
        }
        self.span.extend(definition, rows)
    }

    /// Notes what the user should know of the values.
    pub fn note(&self) -> Option<String> {
        self.not_numbers.note()
    }
}

/// An ingest that is complete.
pub struct Filled<'a> {
    pub into: &'a Location,
    pub table: &'a Columnar,
    /// Whether the table was made for these rows, so that it has no others.
    pub is_new: bool,
    pub rows: u64,
    pub span: Span,
}

/// Notes rows whose keys are not unique, and whether the table needs to be sealed. If the table cannot be
/// examined, there are no notes: the rows are in it anyway.
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
        notes.push(overlap(unsealed, filled.into));
    }
    notes
}

/// Notes parts whose chunks overlap, which every read has to merge until they are sealed.
fn overlap(parts: u64, table: &Location) -> String {
    if parts == 1 {
        return format!(
            "1 part of the table has chunks that overlap, which every read merges; `bakeoff table \
             seal {table}` puts it in order"
        );
    }
    format!(
        "{} parts of the table have chunks that overlap, which every read merges; `bakeoff table \
         seal {table}` puts them in order",
        units::count(parts)
    )
}

/// Notes how many rows were replaced by later ones with the same key.
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
        "{at_least}{} a key ({}) that later rows have, too: the last row of each key is kept",
        units::plural(replaced, "row has", "rows have"),
        key.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Float32Array, Float64Array, Int32Array};

    use super::*;

    #[test]
    fn numbers_that_are_none_are_counted_by_column() {
        let columns: [(&str, ArrayRef); 3] = [
            ("n", Arc::new(Int32Array::from(vec![1, 2, 3]))),
            (
                "x",
                Arc::new(Float64Array::from(vec![Some(f64::NAN), None, Some(1.0)])),
            ),
            (
                "y",
                Arc::new(Float32Array::from(vec![f32::NAN, f32::INFINITY, 0.0])),
            ),
        ];
        let rows = RecordBatch::try_from_iter_with_nullable(
            columns.map(|(name, values)| (name, values, true)),
        );
        let mut found = NotNumbers::default();
        assert_eq!(found.note(), None);
        found.extend(&rows.unwrap());
        let note = found.note().unwrap();
        assert!(
            note.contains("NaN, too: 1 of `x`, 1 of `y`; if it"),
            "{note}"
        );
    }
}
