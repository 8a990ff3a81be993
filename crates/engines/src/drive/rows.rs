//! The rows of a load.

use std::ops::Range;
use std::sync::Arc;

use bakeoff_workload::{Action, CqlValue, Mix, RowValues, Stream, Table, Value, Version};

use crate::TargetOptions;

/// The rows of a workload as one design stores them, with columns given by their numbers.
pub struct Rows {
    pub values: Arc<dyn RowValues>,
    /// Numbers of the rows that this process loaded.
    loaded: Range<u64>,
    pub table: Table,
    /// Number of rows of a page of a reply.
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
    pub bucket: Option<(usize, i64)>,
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
    /// Makes the rows of a table that has all columns, in their order, and whose replies have one page.
    pub fn of_table(table: &Table, options: &TargetOptions) -> Self {
        let mix = &options.mix;
        let written_second = |column: usize| {
            let in_cql = second_versions(mix).any(|c| c == column);
            in_cql || mix.may_update(&table.columns[column].name)
        };
        let numbers = |names: &[String]| -> Vec<usize> {
            let numbers = names.iter().map(|name| table.column_index(name));
            numbers.flatten().collect()
        };
        Rows {
            values: options.values.clone(),
            loaded: options.loaded.clone(),
            table: table.clone(),
            page_rows: i32::MAX,
            selected: (0..table.columns.len()).map(Selected::Column).collect(),
            partition: numbers(&table.partition_key),
            clustering: numbers(&table.order_key),
            in_blob: Vec::new(),
            bucket: None,
            has_second: (0..table.columns.len()).map(written_second).collect(),
            keys_repeat: options.keys_repeat,
            nulls_appear: mix.may_remove_rows(),
            rows_vanish: mix.may_remove_rows(),
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

    /// Returns the number of a row's bucket; 0 where there are none.
    pub fn bucket_of(&self, row: u64) -> i64 {
        let Some((column, width)) = self.bucket else {
            return 0;
        };
        match self.values.value(column, row, Version::First) {
            Value::Int(v) => i64::from(v).div_euclid(width),
            Value::Bigint(v) | Value::Timestamp(v) => v.div_euclid(width),
            _ => 0,
        }
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
