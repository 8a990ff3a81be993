//! A design whose batches hold rows of any partitions, measured next to the same one whose batches hold rows of
//! one partition.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_stats::sweep::OVER_ANY;
use bakeoff_stats::{DesignInfo, Footprint, ServerSample};

use super::Inserts;
use crate::{Answer, Design, DesignError, PlanText};

/// Returns what a design is called in records where its batches hold rows of any partitions.
pub fn over_any_id(design: &str) -> String {
    format!("{design}{OVER_ANY}")
}

/// A design that inserts by [`Design::inserts_over_any`]. It has the same table.
pub struct OverAny {
    design: Arc<dyn Design>,
    info: DesignInfo,
}

impl OverAny {
    pub fn new(design: Arc<dyn Design>, info: DesignInfo) -> Self {
        OverAny { design, info }
    }
}

#[async_trait]
impl Design for OverAny {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn keeps_duplicates(&self) -> bool {
        self.design.keeps_duplicates()
    }

    async fn create(&self) -> Result<(), DesignError> {
        self.design.create().await
    }

    async fn forget(&self) {
        self.design.forget().await;
    }

    async fn survives(&self) -> bool {
        self.design.survives().await
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        self.design.load(slice, rows).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        self.design.settle().await
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        self.design.footprint().await
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        self.design.answer(sql).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        self.design.query_plan(sql).await
    }

    async fn after_answer(&self) {
        self.design.after_answer().await;
    }

    async fn inserts(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        self.design.inserts_over_any().await
    }

    fn server_cpu_seconds(&self) -> Option<f64> {
        self.design.server_cpu_seconds()
    }

    async fn server_sample(&self) -> Option<ServerSample> {
        self.design.server_sample().await
    }

    fn ended_processes(&self) -> u64 {
        self.design.ended_processes()
    }

    fn nodes(&self) -> u32 {
        self.design.nodes()
    }

    async fn look(&self) {
        self.design.look().await;
    }

    fn dead(&self) -> Option<String> {
        self.design.dead()
    }
}
