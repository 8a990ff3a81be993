//! The rows of a load in the layouts of Cassandra, and the values of them that statements bind.

use bakeoff_workload::{Table, Value, Version};

use super::arrays::{LastDoubles, item};
use super::cells::Cells;
use super::plan::Bind;
use crate::TargetOptions;
use crate::cassandra::read::reading::PAGE_ROWS;
use crate::cassandra::rows::layout::TableLayout;
use crate::cassandra::rows::operations::read_columns;
use crate::drive::rows::{Rows, Selected};
use crate::row_blob;

impl Rows {
    /// Makes the rows of a table in a layout of rows.
    pub fn from_layout(layout: &TableLayout, options: &TargetOptions) -> Self {
        let mut rows = Rows::as_written(&layout.table, options);
        let number = |name: &str| layout.table.columns.iter().position(|c| c.name == name);
        let numbers = |names: Vec<&str>| names.into_iter().filter_map(number).collect();
        let selected = |name: &str| number(name).map_or(Selected::Blob, Selected::Column);
        rows.selected = read_columns(layout).into_iter().map(selected).collect();
        rows.page_rows = layout.reading.page_rows;
        rows.partition = numbers(layout.partition_key());
        rows.clustering = numbers(layout.clustering_key());
        if layout.has_blob() {
            let outside =
                |column: &usize| !layout.table.is_key(&layout.table.columns[*column].name);
            rows.in_blob = (0..layout.table.columns.len()).filter(outside).collect();
        }
        let bucket = layout.bucket.as_ref();
        rows.bucket = bucket.and_then(|b| Some((number(&b.column)?, b.width)));
        rows
    }

    /// Makes the rows for statements as written, which name their columns themselves.
    pub fn as_written(table: &Table, options: &TargetOptions) -> Self {
        let mut rows = Rows::of_table(table, options);
        rows.page_rows = PAGE_ROWS;
        rows
    }

    /// Appends the values of a statement for a row, except those that need an earlier result.
    pub fn encode(&self, binds: &[Bind], row: u64, cells: &mut Cells) {
        let mut last = LastDoubles::default();
        for bind in binds {
            match bind {
                Bind::Ttl(seconds) => cells.push_bytes(&seconds.to_be_bytes()),
                Bind::Column(column, version) => {
                    cells.push(&self.values.value(*column, row, *version));
                }
                Bind::ColumnUnlessNull(column, version) => {
                    cells.push_or_unset(&self.values.value(*column, row, *version));
                }
                Bind::Element(column, version) => {
                    cells.push_element(&self.values.value(*column, row, *version));
                }
                Bind::Doubles {
                    column,
                    version,
                    as_type,
                    ..
                } => {
                    let value = || self.values.value(*column, row, *version);
                    cells.push_bytes(&as_type.encode(last.of(*column, *version, value)));
                }
                Bind::Item {
                    column,
                    version,
                    item: number_of_item,
                    number,
                } => {
                    let value = || self.values.value(*column, row, *version);
                    let doubles = last.of(*column, *version, value);
                    cells.push_bytes_or_null(item(doubles, *number_of_item, *number).as_deref());
                }
                Bind::Bucket => cells.push_bytes(&self.bucket_of(row).to_be_bytes()),
                Bind::Blob { second } => cells.push_bytes(&self.blob(row, second)),
                Bind::Result { .. } | Bind::Toggle { .. } => {}
            }
        }
    }

    fn blob(&self, row: u64, second: &[usize]) -> Vec<u8> {
        let version = |column: &usize| {
            if second.contains(column) {
                Version::Second
            } else {
                Version::First
            }
        };
        let value = |column: &usize| self.values.value(*column, row, version(column));
        let values: Vec<Value> = self.in_blob.iter().map(value).collect();
        let mut blob = Vec::with_capacity(256);
        row_blob::encode_values(&values, &mut blob);
        blob
    }

    /// Encodes the partition key and the bucket of a row.
    pub fn partition_of(&self, row: u64) -> Cells {
        let mut cells = Cells::with_capacity(64);
        for column in &self.partition {
            cells.push(&self.values.value(*column, row, Version::First));
        }
        if self.bucket.is_some() {
            cells.push_bytes(&self.bucket_of(row).to_be_bytes());
        }
        cells
    }
}
