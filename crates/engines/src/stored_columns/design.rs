//! A design whose table has some columns of the rows that it is given.

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError, NodeCounts, PartitionKey, PlanText, StoredText};
use bakeoff_stats::drive::PartitionBytes;
use bakeoff_stats::{DesignInfo, Footprint, Needs, ServerAccount, ServerSample, Stacks};

/// A design that stores some columns of each row. It takes no inserts of a sweep, whose batches are whole rows.
pub struct SomeColumnsDesign {
    /// The design for a table of these columns.
    pub design: Box<dyn Design>,
    pub info: DesignInfo,
    /// Places of the columns in the workload's table, in the order in which the design's table has them.
    pub places: Vec<usize>,
}

#[async_trait]
impl Design for SomeColumnsDesign {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn keeps_duplicates(&self) -> bool {
        self.design.keeps_duplicates()
    }

    async fn create(&self) -> Result<(), DesignError> {
        self.design.create().await
    }

    async fn survives(&self) -> bool {
        self.design.survives().await
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        // Nothing is copied.
        let stored = rows.project(&self.places);
        let stored =
            stored.map_err(|e| DesignError(format!("choosing the stored columns failed: {e}")))?;
        self.design.load(slice, &stored).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        self.design.settle().await
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        self.design.footprint().await
    }

    fn partition_key(&self) -> Option<PartitionKey> {
        let mut key = self.design.partition_key()?;
        for (place, _) in &mut key.columns {
            *place = *self.places.get(*place)?;
        }
        if let Some(bucket) = &mut key.bucket {
            bucket.column.0 = *self.places.get(bucket.column.0)?;
        }
        Some(key)
    }

    async fn partition_bytes(&self) -> Result<Vec<PartitionBytes>, DesignError> {
        self.design.partition_bytes().await
    }

    async fn bytes_now(&self) -> Option<u64> {
        self.design.bytes_now().await
    }

    fn needs(&self) -> Needs {
        self.design.needs()
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        self.design.answer(sql).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        self.design.query_plan(sql).await
    }

    async fn stored_rows(&self) -> Result<Option<StoredText>, DesignError> {
        self.design.stored_rows().await
    }

    async fn after_answer(&self) {
        self.design.after_answer().await;
    }

    fn server_cpu_seconds(&self) -> Option<f64> {
        self.design.server_cpu_seconds()
    }

    async fn server_sample(&self) -> Option<ServerSample> {
        self.design.server_sample().await
    }

    async fn server_account(&self) -> Result<Option<ServerAccount>, DesignError> {
        self.design.server_account().await
    }

    async fn read_repairs(&self) -> Option<NodeCounts> {
        self.design.read_repairs().await
    }

    async fn begin_profile(&self) -> Result<bool, DesignError> {
        self.design.begin_profile().await
    }

    async fn end_profile(&self) -> Result<Stacks, DesignError> {
        self.design.end_profile().await
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
