//! The rows of a table as the answer to a query.

use arrow::datatypes::Field;
use arrow::record_batch::RecordBatch;
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
}

impl TableRows {
    /// Opens a table. No rows are read yet.
    pub async fn open(mut tables: Tables, location: &Location) -> Result<Self, TableError> {
        let keys = tables.add(Some(NAME), location).await?;
        let fields = tables.fields(NAME).await?;
        Ok(TableRows {
            tables,
            fields,
            keys: keys.in_lower_case(),
        })
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Starts reading the columns with these numbers, in this order.
    pub async fn read(mut self, places: &[usize]) -> Result<Query, TableError> {
        let column = |place: &usize| {
            let name = self.fields[*place].name();
            format!("\"{}\"", name.replace('"', "\"\""))
        };
        let columns: Vec<String> = places.iter().map(column).collect();
        let sql = format!("SELECT {} FROM {NAME}", columns.join(", "));
        let query = self.tables.query(&sql, None).await?;
        query.map_err(|error| TableError::Failed(error.message))
    }
}

/// Converts and sends batches until they end, one fails, or the receiver is dropped.
pub async fn forward(
    mut query: Query,
    mut conversion: Conversion,
    to: &mpsc::Sender<Result<RecordBatch, TableError>>,
) {
    while let Some(batch) = query.next().await.transpose() {
        let batch = batch.and_then(|batch| conversion.convert(&batch));
        let failed = batch.is_err();
        if to.send(batch).await.is_err() || failed {
            return;
        }
    }
}
