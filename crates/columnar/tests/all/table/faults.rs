//! Ingests whose store fails, or that are cancelled.

use std::sync::Arc;
use std::time::Duration;

use bakeoff_columnar::{MemoryStore, Table};

use super::support::*;

fn table(on_put: Hook) -> Arc<Table> {
    let store = Hooked {
        store: Arc::new(MemoryStore::new(definition(1, 1)).unwrap()),
        on_put,
        on_commit: nothing(),
    };
    Table::new(Arc::new(store), 0)
}

const SAID: &str = "so that rows are missing; ingest them all again";

#[tokio::test]
async fn after_a_write_that_failed_an_ingest_is_over() {
    let table = table(fails_at(1));
    let mut ingest = table.ingest();
    let rows = batch(&grid(0..4, 0..5));
    let mut failed = 0;
    for _ in 0..500 {
        let Err(error) = ingest.write(&rows).await else {
            continue;
        };
        failed += 1;
        let expected = if failed == 1 {
            "the store failed once"
        } else {
            SAID
        };
        assert!(error.to_string().contains(expected), "{error}");
        if failed == 3 {
            break;
        }
    }
    assert_eq!(failed, 3);
    let error = ingest.finish().await.unwrap_err().to_string();
    assert!(error.contains(SAID), "{error}");
}

#[tokio::test]
async fn after_a_write_that_was_stopped_an_ingest_is_over() {
    let table = table(Box::new(|| Box::pin(std::future::pending())));
    let mut ingest = table.ingest();
    let rows = batch(&grid(0..4, 0..5));
    // So many are written at once that one has to wait for another at some time.
    let mut stopped = false;
    while !stopped {
        let write = ingest.write(&rows);
        let ended = tokio::time::timeout(Duration::from_millis(200), write).await;
        stopped = ended.map(Result::unwrap).is_err();
    }
    let refused = tokio::time::timeout(Duration::from_secs(60), ingest.write(&rows));
    let error = refused.await.unwrap().unwrap_err().to_string();
    assert!(error.contains(SAID), "{error}");
    let finish = tokio::time::timeout(Duration::from_secs(60), ingest.finish());
    let error = finish.await.unwrap().unwrap_err().to_string();
    assert!(error.contains(SAID), "{error}");
}

#[tokio::test]
async fn rows_that_do_not_fit_leave_an_ingest_as_it_was() {
    let [(store, _folder), _] = stores(&definition(4, 1));
    let table = Table::new(store, 0);
    let mut ingest = table.ingest();
    ingest.write(&batch(&[row(1, 1)])).await.unwrap();
    let without_key = batch(&[row(1, 2)]).project(&[0, 2]).unwrap();
    ingest.write(&without_key).await.unwrap_err();
    ingest.write(&batch(&[row(1, 3)])).await.unwrap();
    assert_eq!(ingest.finish().await.unwrap().rows, 2);
    assert_eq!(shown(&table, &Default::default()).await.len(), 2);
}
