//! Rows of a table, as a query gives them.

use arrow::datatypes::Field;
use arrow::record_batch::RecordBatch;
use tokio::sync::mpsc;

use super::convert::Conversion;
use super::{TableError, Tables};
use crate::tables::{Keys, Location, Query};

pub struct TableRows {
    query: Query,
    keys: Keys,
}

impl TableRows {
    pub async fn open(tables: &mut Tables, location: &Location) -> Result<Self, TableError> {
        const NAME: &str = "source";
        let keys = tables.add(Some(NAME), location).await?;
        let query = tables.query(&format!("SELECT * FROM {NAME}"), None).await?;
        let query = query.map_err(|error| TableError::Failed(error.message))?;
        Ok(TableRows {
            query,
            keys: keys.in_lower_case(),
        })
    }

    pub fn fields(&self) -> Vec<Field> {
        let fields = self.query.schema().fields();
        fields.iter().map(|f| f.as_ref().clone()).collect()
    }

    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Until the end, an error, or nobody wants more.
    pub async fn forward(
        mut self,
        places: &[usize],
        mut conversion: Conversion,
        to: &mpsc::Sender<Result<RecordBatch, TableError>>,
    ) {
        while let Some(batch) = self.query.next().await.transpose() {
            let projected = batch.and_then(|batch| {
                let projected = batch.project(places);
                projected.map_err(|error| TableError::Failed(error.to_string()))
            });
            let batch = projected.and_then(|batch| conversion.convert(&batch));
            let failed = batch.is_err();
            if to.send(batch).await.is_err() || failed {
                return;
            }
        }
    }
}
