//! A seal sorts chunks together of which each has rows of all partition keys.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_columnar::{ChunkMeta, Definition, Scalar, Sealed, Selection, Table};
use bakeoff_testing::times;

use tokio::sync::Semaphore;

use super::support::*;

const HOSTS: u8 = 8;
const CHUNK_ROWS: u32 = 32;

/// Makes a table that is loaded with one chunk for each four moments.
async fn loaded(hosts: Range<u8>, times: Range<i64>) -> [(Arc<Table>, tempfile::TempDir); 2] {
    let mut tables = Vec::new();
    for (store, folder) in stores(&one_place()) {
        let table = Table::new(store, 0);
        load(&table, hosts.clone(), times.clone()).await;
        tables.push((table, folder));
    }
    tables.try_into().unwrap()
}

fn one_place() -> Definition {
    Definition {
        bucket: None,
        ..definition(CHUNK_ROWS, 1)
    }
}

async fn load(table: &Arc<Table>, hosts: Range<u8>, times: Range<i64>) {
    for begin in times.step_by(4) {
        ingest(table, &grid(hosts.clone(), begin..begin + 4)).await;
    }
}

async fn chunks(table: &Table, selection: &Selection) -> Vec<Arc<ChunkMeta>> {
    let parts = table.view(selection).await.unwrap();
    let chunk = |part: &bakeoff_columnar::Part| Arc::clone(part.exact().unwrap());
    parts.iter().map(chunk).collect()
}

fn of_host(number: u8) -> Selection {
    let key = vec![Scalar::Bytes(host(number).into_bytes().into())];
    Selection {
        partitions: Some(vec![key]),
        ..Selection::default()
    }
}

#[tokio::test]
async fn a_key_is_in_few_chunks_then() {
    for (table, _folder) in loaded(0..HOSTS, 0..64).await {
        let all = Selection::default();
        let before = shown(&table, &all).await;
        assert_eq!(chunks(&table, &of_host(3)).await.len(), 16);
        let sealed = table.seal(None).await.unwrap();
        assert_eq!((sealed.chunks_retired, sealed.chunks_added), (16, 16));
        for number in 0..HOSTS {
            assert_eq!(chunks(&table, &of_host(number)).await.len(), 2);
        }
        assert_eq!(shown(&table, &all).await, before);
        assert_eq!(table.seal(None).await.unwrap(), Sealed::default());
    }
}

#[tokio::test]
async fn few_new_rows_do_not_have_many_old_ones_written_again() {
    for (table, _folder) in loaded(0..HOSTS, 0..64).await {
        table.seal(None).await.unwrap();
        load(&table, 0..HOSTS, 64..76).await;
        assert_eq!(table.seal(None).await.unwrap(), Sealed::default());
        // With one more, the new chunks are clustered by themselves.
        load(&table, 0..HOSTS, 76..80).await;
        let sealed = table.seal(None).await.unwrap();
        assert_eq!((sealed.chunks_retired, sealed.chunks_added), (4, 4));
        assert_eq!(table.seal(None).await.unwrap(), Sealed::default());
    }
}

#[tokio::test]
async fn a_chunk_reaches_over_no_more_time_than_so_many_chunks_had() {
    for (table, _folder) in loaded(0..HOSTS, 0..160).await {
        let before = shown(&table, &Selection::default()).await;
        table.seal(None).await.unwrap();
        for chunk in chunks(&table, &Selection::default()).await {
            let (low, high) = chunk.order_range.unwrap();
            assert!(high < 32 * 4 || low >= 32 * 4, "{low} to {high}");
        }
        assert_eq!(shown(&table, &Selection::default()).await, before);
        assert_eq!(table.seal(None).await.unwrap(), Sealed::default());
    }
}

#[tokio::test]
async fn chunks_of_one_key_stay_as_they_are() {
    for (table, _folder) in loaded(0..1, 0..640).await {
        // Chunks have four rows each at first, and are joined until they are no longer small.
        table.seal(None).await.unwrap();
        assert_eq!(table.seal(None).await.unwrap(), Sealed::default());
        for chunk in chunks(&table, &Selection::default()).await {
            let (low, high) = chunk.order_range.unwrap();
            assert_eq!(high - low + 1, i64::from(chunk.rows));
        }
    }
}

/// Uses a store that does one thing at a time, as one that limits its requests may.
#[tokio::test]
async fn a_commit_does_not_wait_for_what_waits_for_it() {
    let [(store, _folder), _] = stores(&one_place());
    load(&Table::new(Arc::clone(&store), 0), 0..HOSTS, 0..800).await;
    let turns = Arc::new(Semaphore::new(1));
    let in_turn = || -> Hook {
        let turns = Arc::clone(&turns);
        Box::new(move || {
            let turns = Arc::clone(&turns);
            Box::pin(async move {
                let _turn = turns.acquire().await;
                tokio::time::sleep(Duration::from_millis(5)).await;
                Ok(())
            })
        })
    };
    let one_at_a_time = Hooked {
        store,
        on_put: in_turn(),
        on_commit: in_turn(),
    };
    let table = Table::new(Arc::new(one_at_a_time), 0);
    let sealed = tokio::time::timeout(Duration::from_secs(60), table.seal(None)).await;
    assert_eq!(sealed.unwrap().unwrap().chunks_added, 200);
}

/// Lets a seal fail between chunks or between commits, as if it were killed or its disk were full.
#[tokio::test]
async fn what_fails_in_between_changes_no_answer() {
    const NEVER: u32 = u32::MAX;
    let all_faults = [(3, NEVER), (NEVER, 1), (1, NEVER), (NEVER, 2)];
    for &(put, commit) in &all_faults[..times(2, all_faults.len())] {
        for (store, _folder) in stores(&one_place()) {
            let table = Table::new(Arc::clone(&store), 0);
            load(&table, 0..HOSTS, 0..480).await;
            // There are newer versions and deletions of rows in chunks, and rows of no chunk.
            let again: Vec<Row> = grid(2..4, 100..110);
            let again: Vec<Row> = again.iter().map(|r| (r.0, r.1, None, None)).collect();
            table.insert(&batch(&again)).await.unwrap();
            table.delete(&keys(&[(5, 7), (6, 300)])).await.unwrap();
            table.insert(&batch(&grid(0..2, 480..490))).await.unwrap();
            let all = Selection::default();
            let before = shown(&table, &all).await;
            let failing = Hooked {
                store,
                on_put: fails_at(put),
                on_commit: fails_at(commit),
            };
            let failed = Table::new(Arc::new(failing), 0).seal(None).await;
            assert!(failed.is_err(), "put {put}, commit {commit}");
            assert_eq!(shown(&table, &all).await, before);
            table.seal(None).await.unwrap();
            assert_eq!(shown(&table, &all).await, before);
            assert_eq!(table.seal(None).await.unwrap(), Sealed::default());
        }
    }
}
