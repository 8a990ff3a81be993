//! Tests of sessions of DataFusion.

use std::sync::Mutex;
use std::time::Duration;

use arrow::array::{ArrayRef, AsArray, Int32Array, Int64Array, StringArray};
use arrow::datatypes::{Field, Int64Type, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use datafusion::catalog::Session as CatalogSession;
use datafusion::datasource::MemTable;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::collect;
use tokio::sync::oneshot;

use super::*;

/// A table that signals when it is queried and never answers. A channel closes when the query
/// is dropped.
#[derive(Debug)]
struct Silent(Mutex<Option<oneshot::Sender<oneshot::Receiver<()>>>>);

#[async_trait]
impl TableProvider for Silent {
    fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, true)]))
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn CatalogSession,
        _: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
        let asked = self.0.lock().unwrap().take().unwrap();
        let (mut held, seen) = oneshot::channel();
        asked.send(seen).unwrap();
        held.closed().await;
        std::future::pending().await
    }
}

/// Rows of short columns, whose keys are longer than they are.
fn flights(batch: i64) -> RecordBatch {
    let rows = batch * 1_000..(batch + 1) * 1_000;
    // Each number once, in an order that is far from sorted.
    let mixed = || rows.clone().map(|row| row * 7_919 % 150_000);
    let airport = |number: i64| format!("A{:02}", number % 90);
    let columns: [(&str, ArrayRef); 5] = [
        (
            "origin",
            Arc::new(mixed().map(airport).map(Some).collect::<StringArray>()),
        ),
        (
            "date",
            Arc::new(
                mixed()
                    .map(|n| n / 90 % 40)
                    .map(Some)
                    .collect::<Int64Array>(),
            ),
        ),
        (
            "destination",
            Arc::new(
                mixed()
                    .map(|n| airport(n / 7))
                    .map(Some)
                    .collect::<StringArray>(),
            ),
        ),
        (
            "delay",
            Arc::new(
                mixed()
                    .map(|n| n as i32 - 9)
                    .map(Some)
                    .collect::<Int32Array>(),
            ),
        ),
        (
            "number",
            Arc::new(mixed().map(Some).collect::<Int64Array>()),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[tokio::test]
async fn rows_with_keys_of_several_columns_are_sorted_in_less_memory_than_they_need() {
    let session = sorting_session_within(8 << 20).unwrap();
    let batches: Vec<RecordBatch> = (0..150).map(flights).collect();
    let table = MemTable::try_new(batches[0].schema(), vec![batches]).unwrap();
    session.register_table("flights", Arc::new(table)).unwrap();
    let query = "SELECT * FROM flights ORDER BY origin, date, destination, delay";
    let plan = session.sql(query).await.unwrap();
    let plan = plan.create_physical_plan().await.unwrap();
    let sorted = collect(Arc::clone(&plan), session.task_ctx())
        .await
        .unwrap();
    let mut numbers = Vec::new();
    let mut last = String::new();
    for batch in &sorted {
        let origins = batch.column(0).as_string::<i32>();
        assert!(last.as_str() <= origins.value(0));
        last = origins.value(batch.num_rows() - 1).to_owned();
        numbers.extend_from_slice(batch.column(4).as_primitive::<Int64Type>().values());
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (0..150_000).collect::<Vec<i64>>());
    assert!(plan.metrics().and_then(|m| m.spill_count()).unwrap() > 1);
}

#[tokio::test]
async fn a_query_ends_when_nobody_waits_for_it() {
    let (asked, is_asked) = oneshot::channel();
    let table = Arc::new(Silent(Mutex::new(Some(asked))));
    let session = Session::from(session_with(1, "silent", table).unwrap());
    let runtime = Handle::current();
    let asking = session.answer_on(&runtime, "SELECT * FROM silent", None);
    let question = tokio::select! {
        _ = asking => panic!("it answered"),
        question = is_asked => question.unwrap(),
    };
    // The asker is dropped by now; the other end goes with the task.
    let ended = tokio::time::timeout(Duration::from_secs(60), question).await;
    assert!(ended.unwrap().is_err());
}
