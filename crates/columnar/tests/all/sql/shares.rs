//! Shares: together they show the snapshot of the plan, each row once.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;
use bakeoff_columnar::sql::{self, ColumnarTable, parts_read};
use bakeoff_columnar::{MemoryStore, Share, Store, Table, shares};
use bakeoff_testing::times;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;

use super::plans;
use super::rows::{Key, Random, Row, batch, definition};
use super::support::{Both, ask, assert_same, config, loaded, session_of, values};

const CONDITIONS: [&str; 5] = [
    "true",
    "series IN ('s1', 's3')",
    "number = 1 AND value > 3",
    "word IS NULL OR small < 40",
    "series = 's0' AND series = 's1'",
];

fn question(condition: &str) -> String {
    format!("SELECT * FROM t WHERE {condition}")
}

/// Returns the tokens of the shares of a question.
async fn plan(table: &Arc<Table>, condition: &str, count: u32) -> Vec<String> {
    let session = session_of(Arc::clone(table), 3);
    let planned = session.sql(&question(condition)).await.unwrap();
    let planned = planned.create_physical_plan().await.unwrap();
    let parts = parts_read(&planned).unwrap();
    let definition = table.definition();
    let all = shares(definition, &[], Some(condition), parts, count).unwrap();
    assert_eq!(all.len(), count as usize);
    let token = |share: &Share| share.to_token(definition).unwrap();
    all.iter().map(token).collect()
}

/// Reads a share as another process would, which knows the token alone.
async fn read(table: &Arc<Table>, token: &str) -> Result<Vec<RecordBatch>> {
    let share = Share::from_token(token, table.definition()).unwrap();
    let session = sql::session(&SessionContext::new_with_config(config(2)));
    let provider = ColumnarTable::of_parts(Arc::clone(table), "t", share.parts);
    session.register_table("t", Arc::new(provider)).unwrap();
    let query = question(&share.condition.unwrap());
    session.sql(&query).await?.collect().await
}

/// Overwrites, adds and deletes rows, and seals the table now and then.
async fn change(both: &mut Both, random: &mut Random) {
    let present: Vec<Key> = both.rows.keys().cloned().collect();
    let mut rows: Vec<Row> = (0..20).map(|_| Row::random(random, 9, 3000)).collect();
    for row in &mut rows {
        if !present.is_empty() && random.one_in(2) {
            let (series, time, number) = random.pick(&present).clone();
            (row.series, row.time, row.number) = (series, time, number);
        }
    }
    if random.one_in(2) {
        both.insert(rows).await;
    } else {
        both.load(rows).await;
    }
    let gone: Vec<Key> = present.into_iter().step_by(7).collect();
    both.delete(&gone).await;
    if random.one_in(2) {
        both.table.seal(None).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_row_of_the_snapshot_is_in_one_share_whatever_is_written_later() {
    let first = super::setting("SQL_SEED", 1);
    for seed in first..first + super::setting("SQL_TABLES", times(3, 100)) {
        let mut random = Random(seed);
        let mut both = Both::random(&mut random).await;
        for count in 1..=8 {
            let condition = *random.pick(&CONDITIONS);
            let expected = ask(&both.plain(), &question(condition)).await;
            let tokens = plan(&both.table, condition, count).await;
            change(&mut both, &mut random).await;
            let mut found = Vec::new();
            for token in &tokens {
                found.extend(read(&both.table, token).await.unwrap());
            }
            assert_same(&values(&found, false), &values(&expected, false), || {
                format!("seed {seed}: {condition} in {count} shares")
            });
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shares_cost_about_the_same_and_only_what_is_asked_of_them() {
    let both = plans::table().await;
    let cost = async |sql: &str, count: u32| {
        let session = both.columnar(2);
        let planned = session.sql(sql).await.unwrap();
        let planned = planned.create_physical_plan().await.unwrap();
        let parts = parts_read(&planned).unwrap();
        let all = shares(both.table.definition(), &[], None, parts, count).unwrap();
        all.iter().map(|share| share.cost).collect::<Vec<u64>>()
    };
    for count in 2..=8 {
        let costs = cost("SELECT * FROM t", count).await;
        let (least, most) = (costs.iter().min().unwrap(), costs.iter().max().unwrap());
        assert!(most * 10 <= least * 15, "{costs:?}");
    }
    let all = cost("SELECT * FROM t", 1).await[0];
    assert!(cost("SELECT number FROM t", 1).await[0] < all);
    assert!(cost("SELECT * FROM t WHERE series = 's1'", 1).await[0] < all / 3);
    // There are 100 chunks.
    let costs = cost("SELECT * FROM t", 250).await;
    assert_eq!(costs.iter().filter(|cost| **cost > 0).count(), 100);
    assert_eq!(cost("SELECT * FROM t WHERE false", 3).await, [0; 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_share_of_chunks_that_were_swept_is_an_error_and_not_fewer_rows() {
    let mut random = Random(5);
    let rows: Vec<Row> = (0..200).map(|_| Row::random(&mut random, 3, 500)).collect();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(definition(None, 1, 20)).unwrap());
    let table = loaded(Arc::clone(&store), &[batch(&rows), batch(&rows)]).await;
    let tokens = plan(&table, "true", 2).await;
    table.seal(None).await.unwrap();
    // Without a cache, so that blobs are read from the store.
    let table = Table::new(store, 0);
    let mut found = 0;
    for token in &tokens {
        let rows = read(&table, token).await.unwrap();
        found += rows.iter().map(RecordBatch::num_rows).sum::<usize>();
    }
    let keys: std::collections::BTreeSet<Key> = rows.iter().map(Row::key).collect();
    assert_eq!(found, keys.len());
    table.sweep(Duration::ZERO).await.unwrap();
    for token in &tokens {
        let share = Share::from_token(token, table.definition()).unwrap();
        let read = read(&table, token).await;
        assert_eq!(read.is_err(), !share.parts.is_empty());
        if let Err(error) = read {
            assert!(error.to_string().contains("is gone"), "{error}");
        }
    }
}
