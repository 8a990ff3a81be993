//! Inserts of many workers into series, as an insert sweep makes them.

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
use crate::rate_limit::Pace;

/// A way to insert batches into series.
///
/// Unlike loading, it writes a key into the index only if the key or its day is new.
#[derive(Clone)]
pub struct SeriesInserts {
    pub session: Arc<Session>,
    pub prepared: Prepared,
    pub layout: Arc<SeriesLayout>,
    pub known: Arc<KnownKeys>,
    /// Keys and days whose writes into the index were acknowledged.
    pub written: Arc<Mutex<Index>>,
    /// Whether a batch holds values of any partitions.
    pub over_any: bool,
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
        let index = Index::from_rows(&self.layout, rows).map_err(rejected)?;
        let new = self.written().new_entries(index);
        if !new.entries.is_empty() {
            self.known.add(&new).await.map_err(rejected)?;
        }
        let pace = Pace::UNLIMITED;
        if self.over_any {
            load::write_values_over_any(&self.session, &self.prepared, &self.layout, rows).await?;
        } else {
            load::write_values(&self.session, &self.prepared, &self.layout, rows, pace).await?;
        }
        load::write_index(&self.session, &self.prepared, &new, pace).await?;
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
