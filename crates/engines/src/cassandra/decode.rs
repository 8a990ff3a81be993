//! Pages of CQL rows into Arrow arrays, straight from the bytes on the wire.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder,
    RecordBatchOptions, StringBuilder, TimestampMillisecondBuilder,
};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::ColumnType;
use datafusion::error::DataFusionError;
use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::QueryRowsResult;

use super::layout::{BLOB_COLUMN, TableLayout};
use super::row_blob;

/// How the columns that a query wants are got from the CQL columns that are read.
#[derive(Debug)]
pub struct Decoder {
    /// What the batches look like.
    schema: SchemaRef,
    /// CQL columns to select, in order.
    selected: Vec<String>,
    /// For each selected CQL column what becomes of it.
    targets: Vec<Target>,
    kinds: Vec<ColumnType>,
    /// Types of all columns inside the blob, in order.
    blob_kinds: Vec<ColumnType>,
}

#[derive(Debug)]
enum Target {
    /// Read only to count rows.
    Nothing,
    /// Output column of this number.
    Column(usize),
    /// For each column inside the blob, up to the last one wanted, its output column.
    Blob(Vec<Option<usize>>),
}

impl Decoder {
    /// For these columns of the table, by their numbers.
    pub fn new(layout: &TableLayout, projection: &[usize]) -> Result<Self, DataFusionError> {
        let schema = Arc::new(layout.schema().project(projection)?);
        let columns: Vec<_> = projection
            .iter()
            .map(|i| &layout.table.columns[*i])
            .collect();
        let in_blob = |name: &str| layout.has_blob() && !layout.table.is_key(name);
        let mut decoder = Decoder {
            schema,
            selected: Vec::new(),
            targets: Vec::new(),
            kinds: columns.iter().map(|c| c.kind).collect(),
            blob_kinds: Vec::new(),
        };
        for (output, column) in columns
            .iter()
            .enumerate()
            .filter(|(_, c)| !in_blob(&c.name))
        {
            decoder.select(&column.name, Target::Column(output));
        }
        if columns.iter().any(|c| in_blob(&c.name)) {
            let inside = layout.table.columns.iter().filter(|c| in_blob(&c.name));
            let mut outputs: Vec<Option<usize>> = inside
                .clone()
                .map(|c| columns.iter().position(|wanted| *wanted == c))
                .collect();
            let last = outputs.iter().rposition(Option::is_some).unwrap_or(0);
            outputs.truncate(last + 1);
            decoder.blob_kinds = inside.map(|c| c.kind).collect();
            decoder.select(BLOB_COLUMN, Target::Blob(outputs));
        }
        if decoder.selected.is_empty() {
            let key = layout.table.key().last().unwrap_or_default().to_owned();
            decoder.select(&key, Target::Nothing);
        }
        Ok(decoder)
    }

    fn select(&mut self, column: &str, target: Target) {
        self.selected.push(column.to_owned());
        self.targets.push(target);
    }

    pub fn selected(&self) -> Vec<&str> {
        self.selected.iter().map(String::as_str).collect()
    }

    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// One page as one batch.
    pub fn decode(&self, page: &QueryRowsResult) -> Result<RecordBatch, DataFusionError> {
        let rows = page.rows_num();
        let mut builders: Vec<Builder> = self
            .kinds
            .iter()
            .map(|kind| Builder::new(*kind, rows))
            .collect();
        let external = |e: Box<dyn std::error::Error + Send + Sync>| DataFusionError::External(e);
        for row in page
            .rows::<ColumnIterator<'_, '_>>()
            .map_err(|e| external(e.into()))?
        {
            let cells = row.map_err(|e| external(e.into()))?;
            for (cell, target) in cells.zip(&self.targets) {
                let cell = cell.map_err(|e| external(e.into()))?;
                let bytes = cell.slice.map(|slice| slice.as_slice());
                self.put(target, bytes, &mut builders).ok_or_else(|| {
                    let name = cell.spec.name();
                    external(format!("column {name} holds bytes that are not its type's").into())
                })?;
            }
        }
        let arrays: Vec<ArrayRef> = builders.into_iter().map(Builder::finish).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(
            self.schema.clone(),
            arrays,
            &options,
        )?)
    }

    fn put(&self, target: &Target, bytes: Option<&[u8]>, builders: &mut [Builder]) -> Option<()> {
        match target {
            Target::Nothing => Some(()),
            Target::Column(output) => builders[*output].push_wire(bytes),
            Target::Blob(outputs) => {
                let put = |i: usize, value: Option<&[u8]>| match outputs[i] {
                    Some(output) => builders[output].push_blob(value),
                    None => Some(()),
                };
                row_blob::decode(&self.blob_kinds, outputs.len() - 1, bytes?, put)
            }
        }
    }
}

enum Builder {
    Boolean(BooleanBuilder),
    Int(Int32Builder),
    Bigint(Int64Builder),
    Double(Float64Builder),
    Text(StringBuilder),
    Timestamp(TimestampMillisecondBuilder),
    Blob(BinaryBuilder),
}

impl Builder {
    fn new(kind: ColumnType, rows: usize) -> Self {
        match kind {
            ColumnType::Boolean => Builder::Boolean(BooleanBuilder::with_capacity(rows)),
            ColumnType::Int => Builder::Int(Int32Builder::with_capacity(rows)),
            ColumnType::Bigint => Builder::Bigint(Int64Builder::with_capacity(rows)),
            ColumnType::Double => Builder::Double(Float64Builder::with_capacity(rows)),
            ColumnType::Text => Builder::Text(StringBuilder::with_capacity(rows, rows * 8)),
            ColumnType::Timestamp => {
                Builder::Timestamp(TimestampMillisecondBuilder::with_capacity(rows))
            }
            ColumnType::Blob => Builder::Blob(BinaryBuilder::with_capacity(rows, rows * 8)),
        }
    }

    /// Appends a value as CQL sends it (big-endian); `None` when it is not one of the type.
    fn push_wire(&mut self, bytes: Option<&[u8]>) -> Option<()> {
        match (self, bytes) {
            (Builder::Int(b), Some(v)) => b.append_value(i32::from_be_bytes(v.try_into().ok()?)),
            (Builder::Bigint(b), Some(v)) => b.append_value(i64::from_be_bytes(v.try_into().ok()?)),
            (Builder::Double(b), Some(v)) => b.append_value(f64::from_be_bytes(v.try_into().ok()?)),
            (Builder::Timestamp(b), Some(v)) => {
                b.append_value(i64::from_be_bytes(v.try_into().ok()?));
            }
            (this, bytes) => return this.push_endless(bytes),
        }
        Some(())
    }

    /// Appends a value as [`row_blob`] keeps it (little-endian).
    fn push_blob(&mut self, bytes: Option<&[u8]>) -> Option<()> {
        match (self, bytes) {
            (Builder::Int(b), Some(v)) => b.append_value(i32::from_le_bytes(v.try_into().ok()?)),
            (Builder::Bigint(b), Some(v)) => b.append_value(i64::from_le_bytes(v.try_into().ok()?)),
            (Builder::Double(b), Some(v)) => b.append_value(f64::from_le_bytes(v.try_into().ok()?)),
            (Builder::Timestamp(b), Some(v)) => {
                b.append_value(i64::from_le_bytes(v.try_into().ok()?));
            }
            (this, bytes) => return this.push_endless(bytes),
        }
        Some(())
    }

    /// Values without a byte order: text, bytes, booleans and null.
    fn push_endless(&mut self, bytes: Option<&[u8]>) -> Option<()> {
        match (self, bytes) {
            (Builder::Text(b), Some(v)) => b.append_value(std::str::from_utf8(v).ok()?),
            (Builder::Blob(b), Some(v)) => b.append_value(v),
            (Builder::Boolean(b), Some([v])) => b.append_value(*v != 0),
            (Builder::Boolean(b), None) => b.append_null(),
            (Builder::Int(b), None) => b.append_null(),
            (Builder::Bigint(b), None) => b.append_null(),
            (Builder::Double(b), None) => b.append_null(),
            (Builder::Text(b), None) => b.append_null(),
            (Builder::Timestamp(b), None) => b.append_null(),
            (Builder::Blob(b), None) => b.append_null(),
            _ => return None,
        }
        Some(())
    }

    fn finish(self) -> ArrayRef {
        match self {
            Builder::Boolean(mut b) => Arc::new(b.finish()),
            Builder::Int(mut b) => Arc::new(b.finish()),
            Builder::Bigint(mut b) => Arc::new(b.finish()),
            Builder::Double(mut b) => Arc::new(b.finish()),
            Builder::Text(mut b) => Arc::new(b.finish()),
            Builder::Timestamp(mut b) => Arc::new(b.finish()),
            Builder::Blob(mut b) => Arc::new(b.finish()),
        }
    }
}
