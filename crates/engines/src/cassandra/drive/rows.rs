//! The rows of a load, and the values of them that statements bind.

use std::ops::Range;
use std::sync::Arc;

use bakeoff_workload::{Action, CqlValue, Mix, RowValues, Stream, Table, Value, Version};

use super::arrays::{LastDoubles, item};
use super::cells::Cells;
use super::plan::Bind;
use crate::TargetOptions;
use crate::cassandra::read::reading::PAGE_ROWS;
use crate::cassandra::rows::layout::TableLayout;
use crate::cassandra::rows::operations::read_columns;
use crate::cassandra::write::row_blob;

/// The rows of a workload as one design stores them, with columns given by their numbers.
pub struct Rows {
    pub values: Arc<dyn RowValues>,
    /// Numbers of the rows that this process loaded.
    loaded: Range<u64>,
    pub table: Table,
    /// Number of rows of a page.
    pub page_rows: i32,
    /// Columns that reads select, in order.
    pub selected: Vec<Selected>,
    /// Columns of the partition key, without the bucket.
    pub partition: Vec<usize>,
    /// Clustering columns.
    pub clustering: Vec<usize>,
    /// Columns inside the blob, in order.
    pub in_blob: Vec<usize>,
    /// Column that determines the bucket, and the width of a bucket.
    bucket: Option<(usize, i64)>,
    /// Flags of the columns whose second version the mix writes.
    pub has_second: Vec<bool>,
    /// Flag that only keys can be compared, since rows with equal keys overwrite each other.
    pub keys_repeat: bool,
    /// Flag that written cells may be null: a cell that outlives its row, or is written after the
    /// row was removed, makes a row without the other cells.
    pub nulls_appear: bool,
    /// Flag that the mix may remove rows.
    pub rows_vanish: bool,
}

/// A column of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selected {
    Column(usize),
    Blob,
}

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
        let mix = &options.mix;
        let written_second = |column: usize| {
            let in_cql = second_versions(mix).any(|c| c == column);
            in_cql || mix.may_update(&table.columns[column].name)
        };
        Rows {
            values: options.values.clone(),
            loaded: options.loaded.clone(),
            table: table.clone(),
            page_rows: PAGE_ROWS,
            selected: Vec::new(),
            partition: Vec::new(),
            clustering: Vec::new(),
            in_blob: Vec::new(),
            bucket: None,
            has_second: (0..table.columns.len()).map(written_second).collect(),
            keys_repeat: options.keys_repeat,
            nulls_appear: mix.may_remove_rows(),
            rows_vanish: mix.may_remove_rows(),
        }
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

    /// Returns the row that has to follow a row in its partition, or precede it if `backwards`;
    /// `None` if there is no such row or it is not known.
    pub fn loaded_neighbour(&self, row: u64, backwards: bool) -> Option<u64> {
        if self.rows_vanish || self.keys_repeat {
            return None;
        }
        self.neighbour(row, backwards)
    }

    /// Returns the loaded row that follows a row in its partition, or precedes it if `backwards`,
    /// whether or not the mix has removed it since; `None` if there is no such row or it is not known.
    pub fn neighbour(&self, row: u64, backwards: bool) -> Option<u64> {
        let neighbour = if backwards {
            self.values.previous_in_partition(row)?
        } else {
            self.values.next_in_partition(row)?
        };
        // Rows that the mix inserts, and those of other processes, may exist or not.
        let must_exist = self.loaded.contains(&neighbour);
        (must_exist && self.bucket_of(neighbour) == self.bucket_of(row)).then_some(neighbour)
    }

    /// Draws one of the rows that this process loaded.
    pub fn any(&self, stream: &mut Stream) -> u64 {
        let rows = self.loaded.end.saturating_sub(self.loaded.start);
        self.loaded.start + stream.below(rows.max(1))
    }

    fn bucket_of(&self, row: u64) -> i64 {
        let Some((column, width)) = self.bucket else {
            return 0;
        };
        match self.values.value(column, row, Version::First) {
            Value::Int(v) => i64::from(v).div_euclid(width),
            Value::Bigint(v) | Value::Timestamp(v) => v.div_euclid(width),
            _ => 0,
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

/// Lists the columns that statements of a mix in CQL bind in their second version.
fn second_versions(mix: &Mix) -> impl Iterator<Item = usize> + '_ {
    let statements = mix.operations.iter().flat_map(|o| match &o.action {
        Action::Cql(cql) => cql.statements.iter().chain(&cql.otherwise).collect(),
        _ => Vec::new(),
    });
    statements.flat_map(|s| &s.values).filter_map(|v| match v {
        CqlValue::Column {
            column,
            second_version: true,
        }
        | CqlValue::Doubles {
            column,
            second_version: true,
            ..
        }
        | CqlValue::Item {
            column,
            second_version: true,
            ..
        } => Some(*column),
        _ => None,
    })
}
