//! Plans of queries on designs without a server.

use super::columns::table;
use super::support::Started;

const MEAN: &str =
    "SELECT series, avg(small) AS mean FROM events WHERE time > '1970-01-01' GROUP BY series";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn designs_tell_what_datafusion_does_without_doing_it() {
    let folder = tempfile::tempdir().unwrap();
    for (engine, id, reads) in [
        ("memory", "memory", "DataSourceExec"),
        ("parquet", "parquet", "DataSourceExec"),
        ("local", "local/columnar", "Columnar"),
        ("local", "local/columnar?columns=4", "Columnar"),
    ] {
        let started = Started::new(engine, folder.path().join(engine)).await;
        let design = started.loaded(id, &table()).await;
        design.settle().await.unwrap();
        let plan = design.query_plan(MEAN).await.unwrap().unwrap();
        assert_eq!(plan.by, "DataFusion", "{id}");
        assert!(plan.text.contains("AggregateExec"), "{id}: {}", plan.text);
        assert!(plan.text.contains(reads), "{id}: {}", plan.text);
        let error = design.query_plan("SELECT nobody FROM events").await;
        let error = error.unwrap_err();
        assert!(error.0.contains("nobody"), "{id}: {error}");
        started.running.finish(false).await.unwrap();
    }
}
