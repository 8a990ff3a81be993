//! The oracle: right answers from DataFusion over the rows themselves.

use std::sync::Arc;

use async_trait::async_trait;
use bakeoff_driver::{DesignError, Expected, Oracle};
use bakeoff_workload::{DuplicateKeys, RowSource, Table};
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;

use crate::source_table::SourceRows;
use crate::sql::{self, Session};

/// The highest number of bytes of rows that the oracle keeps in memory.
const MEMORY_BYTES: usize = 128 << 20;

/// DataFusion over a row source: over its batches in memory if they fit, or else over the source,
/// which is read again for each query.
pub struct SqlOracle {
    source: Arc<dyn RowSource>,
    table: Table,
    threads: usize,
    sessions: Option<Sessions>,
}

struct Sessions {
    all: Session,
    /// The session over the last row of each key, or `None` if no key repeats.
    last_per_key: Option<Session>,
}

impl SqlOracle {
    pub fn new(source: Arc<dyn RowSource>, table: Table, threads: usize) -> Self {
        SqlOracle {
            source,
            table,
            threads,
            sessions: None,
        }
    }

    fn session(&self, rows: SourceRows) -> Result<Session, DataFusionError> {
        let table: Arc<dyn TableProvider> = match self.in_memory(&rows)? {
            Some(table) => Arc::new(table),
            None => Arc::new(rows.table()?),
        };
        Ok(sql::session_with(self.threads, &self.table.name, table)?.into())
    }

    fn prepared(&self) -> Result<&Sessions, DesignError> {
        let sessions = self.sessions.as_ref();
        sessions.ok_or_else(|| DesignError::new("the right answers were not prepared"))
    }

    fn in_memory(&self, rows: &SourceRows) -> Result<Option<MemTable>, DataFusionError> {
        let (mut batches, mut bytes) = (Vec::new(), 0);
        rows.for_each(|batch| {
            bytes += batch.get_array_memory_size();
            batches.push(batch);
            bytes <= MEMORY_BYTES
        })
        .map_err(|e| DataFusionError::External(Box::new(e)))?;
        if bytes > MEMORY_BYTES {
            return Ok(None);
        }
        // One partition per thread, as the designs have.
        let mut partitions = vec![Vec::new(); self.threads.max(1)];
        for (i, batch) in batches.into_iter().enumerate() {
            partitions[i % self.threads.max(1)].push(batch);
        }
        MemTable::try_new(rows.schema.clone(), partitions).map(Some)
    }
}

#[async_trait]
impl Oracle for SqlOracle {
    async fn prepare(
        &mut self,
        rows: u64,
        duplicates: Arc<DuplicateKeys>,
    ) -> Result<(), DesignError> {
        let source = |overwritten| SourceRows {
            source: self.source.clone(),
            rows,
            overwritten,
            schema: self.source.schema(),
        };
        let prepared = self.session(source(None)).and_then(|all| {
            let last_per_key = (duplicates.count() > 0)
                .then(|| self.session(source(Some(duplicates))))
                .transpose()?;
            Ok(Sessions { all, last_per_key })
        });
        self.sessions = Some(prepared.map_err(|e| DesignError(sql::message(&e)))?);
        Ok(())
    }

    fn over(&self, source: Arc<dyn RowSource>) -> Box<dyn Oracle> {
        Box::new(SqlOracle::new(source, self.table.clone(), self.threads))
    }

    async fn count_selected(&self, queries: &[String]) -> Result<Vec<Option<u64>>, DesignError> {
        let all = &self.prepared()?.all;
        all.count_selected(&self.table.name, queries).await
    }

    async fn columns_read(&self, queries: &[String]) -> Result<Vec<Option<u32>>, DesignError> {
        let all = &self.prepared()?.all;
        all.columns_read(&self.table.name, queries).await
    }

    async fn distinct_values(&self, columns: &[String]) -> Result<Vec<Option<u64>>, DesignError> {
        let all = &self.prepared()?.all;
        all.distinct_values(&self.table.name, columns).await
    }

    async fn answer(&self, sql: &str, keeps_duplicates: bool) -> Result<Expected, DesignError> {
        let sessions = self.prepared()?;
        let session = match &sessions.last_per_key {
            Some(session) if !keeps_duplicates => session,
            _ => &sessions.all,
        };
        session.expected(sql).await
    }
}
