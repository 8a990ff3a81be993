//! Columns of a table that its files do not have, each with the same value in all rows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use super::{BadRows, data_error};
use crate::source::{RowBatch, RowBatches, RowSource};
use crate::{Result, Table};

/// Rows of files, to which the columns with one value are added.
pub struct WithConstants {
    /// The rows without these columns.
    inner: Box<dyn RowSource>,
    columns: Columns,
}

/// The columns of a table, of which some have one value in all rows.
#[derive(Clone)]
struct Columns {
    schema: SchemaRef,
    /// The value of each column of the table that the files do not have, and `None` for the others.
    values: Arc<[Option<String>]>,
    /// The first file, which errors name.
    path: PathBuf,
}

impl WithConstants {
    /// Adds to rows of the other columns of a table those with these values.
    pub fn new(
        inner: Box<dyn RowSource>,
        table: &Table,
        values: &BTreeMap<String, String>,
        path: &Path,
    ) -> WithConstants {
        let columns = table.columns.iter();
        WithConstants {
            inner,
            columns: Columns {
                schema: table.schema(),
                values: columns
                    .map(|column| values.get(&column.name).cloned())
                    .collect(),
                path: path.to_owned(),
            },
        }
    }
}

impl Columns {
    fn add(&self, rows: &RecordBatch) -> Result<RecordBatch> {
        let mut stored = rows.columns().iter().cloned();
        let columns: Vec<ArrayRef> = { self.values.iter() }
            .filter_map(|value| match value {
                Some(value) => {
                    let array = StringArray::from(vec![value.as_str(); rows.num_rows()]);
                    Some(Arc::new(array) as ArrayRef)
                }
                None => stored.next(),
            })
            .collect();
        RecordBatch::try_new(self.schema.clone(), columns)
            .map_err(|error| data_error(&self.path, error.to_string()))
    }
}

impl RowSource for WithConstants {
    fn schema(&self) -> SchemaRef {
        self.columns.schema.clone()
    }

    fn known_rows(&self) -> Option<u64> {
        self.inner.known_rows()
    }

    fn count_rows(&self, most: u64) -> Result<Option<u64>> {
        self.inner.count_rows(most)
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let columns = self.columns.clone();
        let batches = self.inner.read(from, batch_rows)?;
        Ok(Box::new(batches.map(move |batch| {
            let RowBatch { first_row, rows } = batch?;
            let rows = columns.add(&rows)?;
            Ok(RowBatch { first_row, rows })
        })))
    }

    fn may_repeat_keys(&self) -> bool {
        self.inner.may_repeat_keys()
    }

    fn seeks(&self) -> bool {
        self.inner.seeks()
    }

    fn in_order_of_time_beyond(&self) -> Option<u64> {
        self.inner.in_order_of_time_beyond()
    }

    fn bad_rows(&self) -> Option<&BadRows> {
        self.inner.bad_rows()
    }
}
