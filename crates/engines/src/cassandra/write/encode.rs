//! Encoding of Arrow rows as CQL values, without intermediate objects.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType};
use arrow::record_batch::RecordBatch;
use bakeoff_workload::{ColumnType, uuids};
use scylla::serialize::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::{CellWriter, RowWriter, WrittenCellProof};

use crate::cassandra::rows::layout::TableLayout;
use crate::integers::integers;
use crate::row_blob;

/// The rows of one batch, with their values in the order of [`TableLayout::insert_statement`].
pub struct Rows {
    cells: Vec<Cells>,
    nulls_overwrite: bool,
}

/// The source of the values of one CQL column.
enum Cells {
    Column(ColumnType, ArrayRef),
    Bucket { width: i64, order_key: Vec<i64> },
    Blob(Vec<Vec<u8>>),
}

impl Rows {
    pub fn new(layout: &TableLayout, batch: &RecordBatch) -> Self {
        let array = |name: &str| batch.column_by_name(name).cloned();
        let mut cells = Vec::new();
        for column in &layout.table.columns {
            if let Some(array) = array(&column.name)
                && (!layout.has_blob() || layout.table.is_key(&column.name))
            {
                cells.push(Cells::Column(column.kind, array));
            }
        }
        if let Some(bucket) = &layout.bucket
            && let Some(array) = array(&bucket.column)
        {
            cells.push(Cells::Bucket {
                width: bucket.width,
                order_key: integers(&array),
            });
        }
        if layout.has_blob() {
            cells.push(Cells::Blob(blobs(layout, batch)));
        }
        Rows {
            cells,
            nulls_overwrite: layout.keys_repeat,
        }
    }

    pub fn row(&self, row: usize) -> Row<'_> {
        Row { rows: self, row }
    }

    /// Estimates the bytes of a row on the wire.
    pub fn bytes(&self, row: usize) -> usize {
        self.cells.iter().map(|cells| 4 + cells.bytes(row)).sum()
    }
}

fn blobs(layout: &TableLayout, batch: &RecordBatch) -> Vec<Vec<u8>> {
    let columns: Vec<(ColumnType, &ArrayRef)> = layout
        .table
        .columns
        .iter()
        .filter(|c| !layout.table.is_key(&c.name))
        .filter_map(|c| Some((c.kind, batch.column_by_name(&c.name)?)))
        .collect();
    let blob = |row| {
        let mut out = Vec::with_capacity(256);
        row_blob::encode(&columns, row, &mut out);
        out
    };
    (0..batch.num_rows()).map(blob).collect()
}

impl Cells {
    fn bytes(&self, row: usize) -> usize {
        match self {
            Cells::Column(ColumnType::Text, array) => {
                let offsets = array.as_string::<i32>().value_offsets();
                (offsets[row + 1] - offsets[row]) as usize
            }
            Cells::Column(ColumnType::Blob, array) => array.as_binary::<i32>().value(row).len(),
            Cells::Column(ColumnType::Uuid, _) => 16,
            Cells::Column(..) | Cells::Bucket { .. } => 8,
            Cells::Blob(blobs) => blobs[row].len(),
        }
    }

    fn write<'buf>(
        &self,
        row: usize,
        cell: CellWriter<'buf>,
        null: fn(CellWriter<'buf>) -> WrittenCellProof<'buf>,
    ) -> Result<WrittenCellProof<'buf>, SerializationError> {
        let written = match self {
            Cells::Column(_, array) if array.is_null(row) => return Ok(null(cell)),
            Cells::Column(ColumnType::Boolean, array) => {
                cell.set_value(&[u8::from(array.as_boolean().value(row))])
            }
            Cells::Column(ColumnType::Int, array) => {
                cell.set_value(&array.as_primitive::<Int32Type>().value(row).to_be_bytes())
            }
            Cells::Column(ColumnType::Bigint, array) => {
                cell.set_value(&array.as_primitive::<Int64Type>().value(row).to_be_bytes())
            }
            Cells::Column(ColumnType::Float, array) => {
                cell.set_value(&array.as_primitive::<Float32Type>().value(row).to_be_bytes())
            }
            Cells::Column(ColumnType::Double, array) => {
                cell.set_value(&array.as_primitive::<Float64Type>().value(row).to_be_bytes())
            }
            Cells::Column(ColumnType::Timestamp, array) => {
                let millis = array.as_primitive::<TimestampMillisecondType>().value(row);
                cell.set_value(&millis.to_be_bytes())
            }
            Cells::Column(ColumnType::Uuid, array) => {
                let uuid = uuids::parsed(array.as_string::<i32>().value(row));
                cell.set_value(uuid.unwrap_or_default().as_bytes())
            }
            Cells::Column(ColumnType::Text, array) => {
                cell.set_value(array.as_string::<i32>().value(row).as_bytes())
            }
            Cells::Column(ColumnType::Blob, array) => {
                cell.set_value(array.as_binary::<i32>().value(row))
            }
            Cells::Bucket { width, order_key } => {
                cell.set_value(&order_key[row].div_euclid(*width).to_be_bytes())
            }
            Cells::Blob(blobs) => cell.set_value(&blobs[row]),
        };
        written.map_err(SerializationError::new)
    }
}

/// One row of a batch.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    rows: &'a Rows,
    row: usize,
}

impl SerializeRow for Row<'_> {
    fn serialize(
        &self,
        _: &RowSerializationContext<'_>,
        writer: &mut RowWriter<'_>,
    ) -> Result<(), SerializationError> {
        for cells in &self.rows.cells {
            // A bound null writes a tombstone; an unset value writes nothing.
            let null = if self.rows.nulls_overwrite {
                CellWriter::set_null
            } else {
                CellWriter::set_unset
            };
            cells.write(self.row, writer.make_cell_writer(), null)?;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        false
    }
}
