//! Decoding of pages of CQL rows into Arrow arrays, straight from the bytes on the wire.

mod builder;
#[cfg(test)]
mod hostile;
mod numbers;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{ArrayRef, RecordBatchOptions};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use bakeoff_workload::ColumnType;
use datafusion::error::DataFusionError;
use scylla::deserialize::DeserializationError;
use scylla::deserialize::row::{ColumnIterator, RawColumn};
use scylla::response::query_result::QueryRowsResult;

use super::readable::{CqlKind, ReadColumn, ReadTable, SCALE};
use crate::cassandra::column_names::ColumnNames;
use crate::cassandra::rows::layout::BLOB_COLUMN;
use crate::row_blob;
use builder::Builder;

/// The decoder of the columns that a query projects from the CQL columns that are selected.
#[derive(Debug)]
pub struct Decoder {
    /// Schema of the batches.
    schema: SchemaRef,
    /// CQL columns to select, in order.
    selected: Vec<String>,
    /// Destinations of the selected CQL columns, in the same order.
    targets: Vec<Target>,
    /// Kinds of the output columns, in order.
    kinds: Vec<CqlKind>,
    /// Types of all columns inside the blob, in order.
    blob_kinds: Vec<ColumnType>,
    /// CQL columns whose time to live is selected behind the others.
    with_ttl: Vec<String>,
    /// Names of the columns in CQL.
    names: ColumnNames,
    /// Number of rows so far that have a value with a time to live.
    expiring_rows: Arc<AtomicU64>,
}

/// The fewest bytes of a cell: its length.
const CELL_BYTES: usize = 4;

/// What a page says of itself.
struct Said {
    rows: usize,
    columns: usize,
    /// Bytes of the rows.
    bytes: usize,
}

/// The destination of a selected CQL column.
#[derive(Debug)]
enum Target {
    /// Drops the value, which is read only to learn which rows exist.
    Nothing,
    /// Fills the output column of this number.
    Column(usize),
    /// Fills the output columns of these numbers, one for each column inside the blob up to the
    /// last one wanted.
    Blob(Vec<Option<usize>>),
}

impl Decoder {
    /// Makes a decoder for columns of a table, given by their numbers.
    pub fn new(table: &ReadTable, projection: &[usize]) -> Result<Self, DataFusionError> {
        let schema = Arc::new(table.schema().project(projection)?);
        let columns: Vec<&ReadColumn> = projection.iter().map(|i| &table.columns[*i]).collect();
        let mut decoder = Decoder {
            schema,
            selected: Vec::new(),
            targets: Vec::new(),
            kinds: columns.iter().map(|c| c.kind).collect(),
            blob_kinds: table.blob_kinds.clone(),
            with_ttl: Vec::new(),
            names: table.names.clone(),
            expiring_rows: Arc::default(),
        };
        for (output, column) in columns.iter().enumerate() {
            if !table.is_in_blob(&column.name) {
                decoder.select(&column.name, Target::Column(output));
            }
        }
        decoder.select_blob(table, &columns);
        for name in table.always_read() {
            if !decoder.selected.contains(name) {
                decoder.select(name, Target::Nothing);
            }
        }
        if decoder.selected.is_empty() {
            // CQL cannot select nothing; a key column is enough to count rows.
            let keys = table.partition_key.iter().chain(&table.clustering_key);
            decoder.select(keys.last().map_or("", |key| key), Target::Nothing);
        }
        Ok(decoder)
    }

    /// Takes rows without values of the key: Cassandra may answer with a partition that has only static columns, even if
    /// none of these is selected.
    pub fn with_nulls_in_key(mut self) -> Self {
        let fields = self.schema.fields().iter();
        let nullable = fields.map(|field| field.as_ref().clone().with_nullable(true));
        self.schema = Arc::new(Schema::new(nullable.collect::<Vec<_>>()));
        self
    }

    /// Counts the rows of which a selected value has a time to live.
    pub fn counting_expiring(mut self, table: &ReadTable, rows: Arc<AtomicU64>) -> Self {
        let selected = table.with_ttl.iter().filter(|c| self.selected.contains(c));
        self.with_ttl = selected.cloned().collect();
        self.expiring_rows = rows;
        self
    }

    fn select_blob(&mut self, table: &ReadTable, columns: &[&ReadColumn]) {
        let inside = table.columns.iter().filter(|c| table.is_in_blob(&c.name));
        let mut outputs: Vec<Option<usize>> = inside
            .map(|c| columns.iter().position(|wanted| *wanted == c))
            .collect();
        if let Some(last) = outputs.iter().rposition(Option::is_some) {
            outputs.truncate(last + 1);
            self.select(BLOB_COLUMN, Target::Blob(outputs));
        }
    }

    fn select(&mut self, column: &str, target: Target) {
        self.selected.push(column.to_owned());
        self.targets.push(target);
    }

    /// Returns what to select, in CQL.
    pub fn selection(&self) -> String {
        let names: Vec<&str> = self.selected.iter().map(String::as_str).collect();
        let ttls = self.with_ttl.iter();
        let ttls: String = ttls
            .map(|name| format!(", ttl({})", self.names.quoted(name)))
            .collect();
        format!("{}{ttls}", self.names.quoted_list(&names))
    }

    /// Returns the CQL columns that are selected only to learn which rows exist.
    pub fn selected_for_rows(&self) -> Vec<&str> {
        let selected = self.selected.iter().zip(&self.targets);
        let for_rows = selected.filter(|(_, target)| matches!(target, Target::Nothing));
        for_rows.map(|(name, _)| name.as_str()).collect()
    }

    /// Lists notes about columns that are text here and another type in CQL.
    pub fn read_as_text(&self) -> Vec<String> {
        let literals = self.names_of(&[CqlKind::Literal]);
        match literals.as_str() {
            "" => Vec::new(),
            literals => vec![format!("read as text, as CQL writes it: {literals}")],
        }
    }

    /// Joins the names of the output columns that have one of the given kinds.
    fn names_of(&self, kinds: &[CqlKind]) -> String {
        let columns = self.schema.fields().iter().zip(&self.kinds);
        let names: Vec<&str> = columns
            .filter(|(_, kind)| kinds.contains(kind))
            .map(|(field, _)| field.name().as_str())
            .collect();
        names.join(", ")
    }

    /// Returns the output columns.
    pub fn columns(&self) -> Vec<ReadColumn> {
        let columns = self.schema.fields().iter().zip(&self.kinds);
        let columns = columns.map(|(field, kind)| ReadColumn {
            name: field.name().clone(),
            kind: *kind,
        });
        columns.collect()
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Decodes one page into one batch.
    pub fn decode(&self, page: &QueryRowsResult) -> Result<RecordBatch, DataFusionError> {
        let columns = page.column_specs().len();
        let rows = page
            .rows::<ColumnIterator<'_, '_>>()
            .map_err(|e| DataFusionError::External(e.into()))?;
        let said = Said {
            rows: page.rows_num(),
            columns,
            bytes: page.rows_bytes_size(),
        };
        self.decode_rows(said, rows)
    }

    fn decode_rows<'f, 'm>(
        &self,
        said: Said,
        rows: impl Iterator<Item = Result<ColumnIterator<'f, 'm>, DeserializationError>>,
    ) -> Result<RecordBatch, DataFusionError> {
        let external = |e: Box<dyn std::error::Error + Send + Sync>| DataFusionError::External(e);
        let most_rows = self.most_rows(&said).map_err(|why| external(why.into()))?;
        let mut builders: Vec<Builder> = self
            .kinds
            .iter()
            .map(|kind| Builder::new(*kind, most_rows))
            .collect();
        for row in rows {
            let cells = row.map_err(|e| external(e.into()))?;
            let mut expires = false;
            for (number, cell) in cells.enumerate() {
                let cell = cell.map_err(|e| external(e.into()))?;
                let Some(target) = self.targets.get(number) else {
                    expires |= cell.slice.is_some();
                    continue;
                };
                let (name, bytes) = (cell.spec.name(), cell.slice);
                self.put(target, cell, &mut builders).ok_or_else(|| {
                    let bytes = bytes.map(|slice| slice.as_slice());
                    external(self.misfit(name, target, bytes).into())
                })?;
            }
            if expires {
                self.expiring_rows.fetch_add(1, Ordering::Relaxed);
            }
        }
        let arrays: Vec<ArrayRef> = builders.into_iter().map(Builder::finish).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(said.rows));
        Ok(RecordBatch::try_new_with_options(
            self.schema.clone(),
            arrays,
            &options,
        )?)
    }

    /// Returns the number of rows that memory is reserved for. A page that says that it has more than its bytes can
    /// hold, or other columns than were selected, is damaged.
    fn most_rows(&self, said: &Said) -> Result<usize, String> {
        let selected = self.targets.len() + self.with_ttl.len();
        if said.columns != selected {
            let columns = said.columns;
            return Err(format!(
                "a page of rows has {columns} columns, and {selected} were asked for"
            ));
        }
        let most = said.bytes / (CELL_BYTES * selected);
        if said.rows > most {
            let Said { rows, bytes, .. } = said;
            return Err(format!(
                "a page says that it has {rows} rows in {bytes} bytes, which cannot be"
            ));
        }
        Ok(said.rows)
    }

    /// Describes a cell that could not be decoded.
    fn misfit(&self, name: &str, target: &Target, bytes: Option<&[u8]>) -> String {
        let kind = match target {
            Target::Column(output) => Some(self.kinds[*output]),
            Target::Nothing | Target::Blob(_) => None,
        };
        let number = bytes.and_then(|bytes| match kind? {
            CqlKind::Varint => numbers::varint_text(bytes),
            CqlKind::Decimal => numbers::decimal_text(bytes),
            _ => None,
        });
        match number {
            Some(number) => format!(
                "column {name} holds {number}; numbers of up to {} digits before the decimal point and {} \
                 behind it are read: leave the column out of the query",
                numbers::digits_before_point(kind == Some(CqlKind::Decimal)),
                SCALE
            ),
            None => format!("column {name} holds bytes that do not fit its type"),
        }
    }

    fn put(&self, target: &Target, cell: RawColumn, builders: &mut [Builder]) -> Option<()> {
        let bytes = cell.slice.map(|slice| slice.as_slice());
        match target {
            Target::Nothing => Some(()),
            Target::Column(output) => match self.kinds[*output] {
                CqlKind::Literal => builders[*output].push_literal(cell),
                _ => builders[*output].push_wire(bytes),
            },
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
