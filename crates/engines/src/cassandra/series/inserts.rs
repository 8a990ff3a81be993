//! Batches of rows from many workers into series. A key goes into the index when it or its day is
//! new, as the study's client had it: not with each batch.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::DesignError;
use bakeoff_driver::drive::Failure;
use bakeoff_driver::sweep::{Inserter, Inserts};
use bakeoff_stats::FailureKind;
use scylla::client::session::Session;

use super::definition::SeriesLayout;
use super::index::Index;
use super::load::{self, Prepared};
use super::table::KnownKeys;

#[derive(Clone)]
pub struct SeriesInserts {
    pub session: Arc<Session>,
    pub prepared: Prepared,
    pub layout: Arc<SeriesLayout>,
    pub known: Arc<KnownKeys>,
    /// Keys and days whose write into the index was acknowledged.
    pub written: Arc<Mutex<Index>>,
}

#[async_trait]
impl Inserts for SeriesInserts {
    async fn connect(&self) -> Result<Box<dyn Inserter>, Failure> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl Inserter for SeriesInserts {
    async fn insert(&mut self, rows: &RecordBatch) -> Result<(), Failure> {
        let index = Index::of_rows(&self.layout, rows).map_err(rejected)?;
        let new = self.written().what_is_new(index);
        if !new.entries.is_empty() {
            self.known.add(&new).await.map_err(rejected)?;
        }
        load::write_values(&self.session, &self.prepared, &self.layout, rows).await?;
        load::write_index(&self.session, &self.prepared, &new).await?;
        self.written().add(&self.layout, &new).map_err(rejected)
    }
}

impl SeriesInserts {
    fn written(&self) -> MutexGuard<'_, Index> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn rejected(error: DesignError) -> Failure {
    Failure::new(FailureKind::Rejected, error.0)
}
