//! The engine `memory`: Arrow batches in DataFusion, the upper bound for scan speed.

mod options;

use std::sync::Mutex;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError, PlanText};
use bakeoff_servers::survey::Survey;
use bakeoff_stats::{DesignInfo, EngineInfo, Footprint, Role};
use bakeoff_workload::{DesignId, Table, Workload};
use datafusion::datasource::MemTable;

use crate::settings::Settings;
use crate::sql::{self, Session};
use crate::{Context, Engine, EngineError, Layout, NewTable, OptionGroup, Running};
pub use options::MemoryOptions;

pub struct Memory;

#[async_trait]
impl Engine for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn layouts(&self) -> &'static [Layout] {
        &[Layout {
            name: "memory",
            what: "Arrow batches in Bakeoff's own memory: the upper bound for scan speed",
            settings: "",
        }]
    }

    fn to_begin_with(&self, _table: &NewTable) -> Vec<String> {
        vec!["memory".to_owned()]
    }

    fn role(&self) -> Role {
        Role::Volatile
    }

    fn option_groups(&self, _id: &DesignId) -> &'static [OptionGroup] {
        &[OptionGroup::Memory]
    }

    async fn survey(&self) -> Survey {
        Survey::built_in(format!("DataFusion {}", datafusion::DATAFUSION_VERSION))
    }

    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let settings = Settings::new(id, "")?;
        if let Some(layout) = &id.layout {
            return Err(settings.error(format!("memory has no layout `{layout}`")));
        }
        settings.end()?;
        let limit = format!("{} MiB", context.options.memory.table_bytes >> 20);
        let settings = vec![("memory limit of the table".to_owned(), limit)];
        let statement = format!(
            "hold table {} as Arrow batches in memory, in order of arrival",
            workload.table.name
        );
        Ok(self.info_of(id, settings, vec![statement]))
    }

    async fn start(&self, _: &Context) -> Result<Box<dyn Running>, EngineError> {
        Ok(Box::new(Memory))
    }
}

#[async_trait]
impl Running for Memory {
    fn info(&self) -> EngineInfo {
        EngineInfo {
            engine: "memory".to_owned(),
            version: format!("DataFusion {}", datafusion::DATAFUSION_VERSION),
            start_seconds: None,
            settings: Vec::new(),
        }
    }

    async fn design(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<Box<dyn Design>, EngineError> {
        Ok(Box::new(InMemory {
            info: self.describe(id, workload, context)?,
            table: workload.table.clone(),
            threads: context.threads.max(1),
            limit_bytes: context.options.memory.table_bytes,
            rows: Mutex::default(),
        }))
    }

    async fn finish(self: Box<Self>, _keep: bool) -> Result<(), EngineError> {
        Ok(())
    }
}

struct InMemory {
    info: DesignInfo,
    table: Table,
    threads: usize,
    limit_bytes: usize,
    rows: Mutex<Rows>,
}

#[derive(Default)]
struct Rows {
    batches: Vec<RecordBatch>,
    bytes: usize,
    session: Option<Session>,
}

/// The number of rows in a batch, which is what DataFusion processes at a time.
const BATCH_ROWS: usize = 8_192;

impl InMemory {
    fn rows(&self) -> std::sync::MutexGuard<'_, Rows> {
        self.rows
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn session(&self) -> Result<Session, DesignError> {
        let session = self.rows().session.clone();
        session.ok_or_else(|| DesignError::new("the table is not settled"))
    }
}

#[async_trait]
impl Design for InMemory {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn keeps_duplicates(&self) -> bool {
        true
    }

    async fn create(&self) -> Result<(), DesignError> {
        *self.rows() = Rows::default();
        Ok(())
    }

    async fn survives(&self) -> bool {
        !self.rows().batches.is_empty()
    }

    async fn load(&self, _slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        let mut kept = self.rows();
        for start in (0..rows.num_rows()).step_by(BATCH_ROWS) {
            let batch = rows.slice(start, BATCH_ROWS.min(rows.num_rows() - start));
            let size = batch
                .columns()
                .iter()
                .map(|c| c.to_data().get_slice_memory_size());
            kept.bytes += size
                .sum::<Result<usize, _>>()
                .map_err(|e| DesignError(e.to_string()))?;
            kept.batches.push(batch);
        }
        if kept.bytes > self.limit_bytes {
            let loaded: usize = kept.batches.iter().map(RecordBatch::num_rows).sum();
            *kept = Rows::default();
            return Err(DesignError(format!(
                "does not fit: {loaded} rows take more than the {} MiB that a table in memory may \
                use; load fewer rows or leave `memory` out",
                self.limit_bytes >> 20
            )));
        }
        Ok(())
    }

    async fn settle(&self) -> Result<String, DesignError> {
        let mut kept = self.rows();
        let schema = self.table.schema();
        let mut partitions = vec![Vec::new(); self.threads];
        for (i, batch) in kept.batches.iter().enumerate() {
            partitions[i % self.threads].push(batch.clone());
        }
        let session = MemTable::try_new(schema, partitions).and_then(|table| {
            sql::session_with(self.threads, &self.table.name, std::sync::Arc::new(table))
        });
        kept.session = Some(session.map_err(|e| DesignError(sql::message(&e)))?.into());
        Ok(format!("batches divided among {} partitions", self.threads))
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        Ok(Footprint {
            design: self.info.id.clone(),
            engine_bytes: Some(self.rows().bytes as u64),
            file_bytes: None,
            compression_ratio: None,
            compression_metadata_bytes: None,
            statistics: None,
            files: None,
            note: Some("memory, not disk: uncompressed Arrow buffers".to_owned()),
        })
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        self.session()?.answer(sql).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        self.session()?.query_plan(sql, None).await
    }
}
