//! The rows of a table as the answer to a query.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::Array;
use arrow::compute::{and, filter_record_batch, is_not_null};
use arrow::datatypes::Field;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::literal::quoted;
use tokio::sync::mpsc;

use super::convert::Conversion;
use super::{TableError, Tables};
use crate::tables::{Keys, Location, Query};

/// The name of the table in the query.
const NAME: &str = "source";

pub struct TableRows {
    tables: Tables,
    fields: Vec<Field>,
    keys: Keys,
    /// The number of rows read so far that have a time to live.
    expiring_rows: Arc<AtomicU64>,
}

impl TableRows {
    /// Opens a table. No rows are read yet.
    pub async fn open(mut tables: Tables, location: &Location) -> Result<Self, TableError> {
        let expiring_rows = tables.count_expiring_rows();
        let keys = tables.add(Some(NAME), location).await?;
        let fields = tables.fields(NAME).await?;
        Ok(TableRows {
            tables,
            fields,
            keys: keys.in_lower_case(),
            expiring_rows,
        })
    }

    /// Returns the counter of rows that have a time to live.
    pub fn expiring_rows(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.expiring_rows)
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Starts reading the columns with these numbers, in this order.
    pub async fn read(mut self, places: &[usize]) -> Result<Query, TableError> {
        let column = |place: &usize| quoted(self.fields[*place].name());
        let columns: Vec<String> = places.iter().map(column).collect();
        let sql = format!("SELECT {} FROM {NAME}", columns.join(", "));
        let query = self.tables.query(&sql, None).await?;
        query.map_err(|error| TableError::Failed(error.message))
    }
}

/// Finds rows that are there only because their partition has static columns: they have no clustering key.
pub struct StaticRows {
    /// The numbers of the columns of the clustering key that are in the key of the new table.
    clustering_key: Vec<usize>,
    found: Arc<AtomicU64>,
}

impl StaticRows {
    /// Counts what it finds in `found`.
    pub fn new(clustering_key: Vec<usize>, found: Arc<AtomicU64>) -> Self {
        StaticRows {
            clustering_key,
            found,
        }
    }

    /// Returns the other rows.
    fn left_out(&self, rows: RecordBatch) -> Result<RecordBatch, ArrowError> {
        let mut kept = None;
        for column in &self.clustering_key {
            let column = rows.column(*column);
            if column.null_count() > 0 {
                let has_key = is_not_null(column)?;
                kept = Some(match kept {
                    Some(kept) => and(&kept, &has_key)?,
                    None => has_key,
                });
            }
        }
        let Some(kept) = kept else { return Ok(rows) };
        let others = filter_record_batch(&rows, &kept)?;
        let found = rows.num_rows() - others.num_rows();
        self.found.fetch_add(found as u64, Ordering::Relaxed);
        Ok(others)
    }
}

/// Converts and sends batches until they end, one fails, or the receiver is dropped.
pub async fn forward(
    mut query: Query,
    static_rows: StaticRows,
    mut conversion: Conversion,
    to: &mpsc::Sender<Result<RecordBatch, TableError>>,
) {
    while let Some(batch) = query.next().await.transpose() {
        let batch = batch.and_then(|batch| {
            let rows = static_rows.left_out(batch);
            conversion.convert(&rows.map_err(|error| TableError::Failed(error.to_string()))?)
        });
        let failed = batch.is_err();
        if to.send(batch).await.is_err() || failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, AsArray, Int32Array};
    use arrow::datatypes::Int32Type;

    use super::*;

    #[test]
    fn rows_without_a_clustering_key_are_left_out_and_counted() {
        let column = |cells: Vec<Option<i32>>| Arc::new(Int32Array::from(cells)) as ArrayRef;
        let rows = RecordBatch::try_from_iter([
            ("p", column(vec![Some(1), Some(2), Some(3)])),
            ("v", column(vec![None, None, Some(7)])),
            ("c", column(vec![Some(4), None, Some(6)])),
        ])
        .unwrap();
        let found = Arc::new(AtomicU64::new(0));
        let static_rows = StaticRows::new(vec![2], Arc::clone(&found));
        let others = static_rows.left_out(rows.clone()).unwrap();
        let keys = others.column(0).as_primitive::<Int32Type>();
        assert_eq!(keys.values(), &[1, 3]);
        assert_eq!(found.load(Ordering::Relaxed), 1);
        let all = StaticRows::new(Vec::new(), found).left_out(rows).unwrap();
        assert_eq!(all.num_rows(), 3);
    }
}
