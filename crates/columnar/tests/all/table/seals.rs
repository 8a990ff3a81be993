//! The results of seals: chunks that overlap nothing, and only recent deletions.

use std::sync::Arc;

use bakeoff_columnar::{ChunkMeta, Scalar, Sealed, Selection, Table};

use super::support::*;

/// Returns the chunks of a table, after checking that none overlaps another one or a fresh row.
async fn exact(table: &Table) -> Vec<Arc<ChunkMeta>> {
    let parts = table.view(&Selection::default()).await.unwrap();
    let chunk = |part: &bakeoff_columnar::Part| Arc::clone(part.exact().unwrap());
    parts.iter().map(chunk).collect()
}

/// Makes chunks of four hosts each, with gaps between their times; the last one is so large that
/// sorting them together is not worth it.
async fn with_gaps() -> (Arc<Table>, tempfile::TempDir) {
    let [_, (store, folder)] = stores(&definition(64, 1));
    let table = Table::new(store, 0);
    for times in [0..10, 20..30, 40..56] {
        ingest(&table, &grid(0..4, times)).await;
    }
    (table, folder)
}

#[tokio::test]
async fn fresh_rows_of_different_gaps_become_different_chunks() {
    let late: [Vec<Row>; 3] = [vec![row(1, 15)], grid(0..4, 15..16), grid(0..4, 12..18)];
    for late in late {
        let (table, _folder) = with_gaps().await;
        let fresh = [late, grid(0..4, 60..70)].concat();
        table.insert(&batch(&fresh)).await.unwrap();
        let before = shown(&table, &Selection::default()).await;
        let sealed = table.seal(None).await.unwrap();
        let expected = Sealed {
            places: 1,
            fresh: fresh.len() as u64,
            chunks_added: 2,
            chunks_retired: 0,
        };
        assert_eq!(sealed, expected);
        assert_eq!(exact(&table).await.len(), 5);
        assert_eq!(shown(&table, &Selection::default()).await, before);
        assert_eq!(table.seal(None).await.unwrap(), Sealed::default());
    }
}

#[tokio::test]
async fn a_late_row_of_one_host_does_not_join_what_lies_between() {
    let (table, _folder) = with_gaps().await;
    // There is a gap for both by order key, and for neither by key.
    let fresh = [row(0, 15), row(3, 35), row(0, 36)];
    table.insert(&batch(&fresh)).await.unwrap();
    let sealed = table.seal(None).await.unwrap();
    assert_eq!((sealed.chunks_added, sealed.chunks_retired), (2, 0));
    assert_eq!(exact(&table).await.len(), 5);
}

/// Loads rows of many hosts at the same moments, more of them than are sorted together.
#[tokio::test]
async fn rows_in_order_of_time_need_no_seal() {
    for (store, _folder) in stores(&definition(64, 1)) {
        let table = Table::new(store, 0);
        let rows = grid(0..200, 0..25);
        let mut load = table.ingest();
        for some in rows.chunks(97) {
            load.write(&batch(some)).await.unwrap();
        }
        load.finish().await.unwrap();
        let chunks = exact(&table).await;
        let found: usize = chunks.iter().map(|chunk| chunk.rows as usize).sum();
        assert_eq!(found, rows.len());
    }
}

/// Loads rows in order of time with so little memory that it limits the buffers.
#[tokio::test]
async fn rows_in_order_of_time_need_no_seal_when_memory_is_short() {
    for (store, _folder) in stores(&definition(64, 1)) {
        let table = Table::new(store, 0);
        let rows = grid(0..7, 0..100);
        let mut load = table.ingest().with_memory(4 << 10);
        // Some rows of a moment come with the moment before, some with the next.
        for some in rows.chunks(5) {
            load.write(&batch(some)).await.unwrap();
        }
        assert!(load.finish().await.unwrap().chunks > 11);
        assert_eq!(exact(&table).await.iter().map(|c| c.rows).sum::<u32>(), 700);
    }
}

/// Deletes rows, which are versions, too: a chunk with a deleted row reaches no further than its
/// keys.
#[tokio::test]
async fn a_deletion_does_not_make_a_place_one_part() {
    let [(store, _folder), _] = stores(&definition(64, 1));
    let table = Table::new(store, 0);
    ingest(&table, &grid(0..4, 0..10)).await;
    let gone: Vec<(u8, i64)> = (0..4).map(|host| (host, 0)).collect();
    table.delete(&keys(&gone)).await.unwrap();
    table.seal(None).await.unwrap();
    ingest(&table, &grid(0..4, 20..30)).await;
    let chunks = exact(&table).await;
    assert_eq!(chunks.len(), 2);
    let first = chunks.iter().find(|chunk| chunk.deleted == 4).unwrap();
    assert_eq!(first.order_range, Some((0, 9)));
    let bounds = first.stats[1].bounds.clone();
    assert_eq!(bounds, Some((Scalar::Int(1), Scalar::Int(9))));
}

#[tokio::test]
async fn deletions_are_kept_for_ten_days() {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = since.unwrap().as_micros() as i64;
    let days = |days: i64| now - days * 24 * 3600 * 1_000_000;
    for (store, _folder) in stores(&definition(64, 1)) {
        let table = Table::new(store, 0);
        let old = [row(1, 1), row(1, 2), row(1, 3)];
        table.insert_at(&batch(&old), days(12)).await.unwrap();
        table
            .delete_at(&keys(&[(1, 1), (1, 7)]), days(11))
            .await
            .unwrap();
        table.delete_at(&keys(&[(1, 2)]), days(9)).await.unwrap();
        table.seal(None).await.unwrap();
        let chunks = exact(&table).await;
        assert_eq!(chunks.len(), 1);
        assert_eq!((chunks[0].rows, chunks[0].deleted), (2, 1));
        let left = shown(&table, &Selection::default()).await;
        assert_eq!(left.into_keys().collect::<Vec<_>>(), [(host(1), 3)]);
        // Only deletions are left, and they are no longer needed, so there is no chunk.
        let [(store, _folder), _] = stores(&definition(64, 1));
        let table = Table::new(store, 0);
        table.delete_at(&keys(&[(1, 1)]), days(11)).await.unwrap();
        assert_eq!(table.seal(None).await.unwrap().chunks_added, 0);
        assert_eq!(exact(&table).await.len(), 0);
    }
}

/// Seals a place with so much to do that it is committed in pieces, the second of which fails.
#[tokio::test]
async fn a_seal_of_many_chunks_may_fail_between_its_commits() {
    for (store, _folder) in stores(&definition(1, 1)) {
        let table = Table::new(Arc::clone(&store), 0);
        table.insert(&batch(&grid(0..10, 0..10))).await.unwrap();
        assert_eq!(table.seal(None).await.unwrap().chunks_added, 100);
        let again: Vec<Row> = grid(0..10, 0..10);
        let again: Vec<Row> = again
            .into_iter()
            .map(|r| (r.0, r.1, Some(-1.0), None))
            .collect();
        table.insert(&batch(&again)).await.unwrap();
        table.delete(&keys(&[(3, 3)])).await.unwrap();
        let before = shown(&table, &Selection::default()).await;
        let failing = Hooked {
            store: Arc::clone(&store),
            on_put: nothing(),
            on_commit: fails_at(2),
        };
        let error = Table::new(Arc::new(failing), 0)
            .seal(None)
            .await
            .unwrap_err();
        assert!(error.to_string().contains("failed once"), "{error}");
        assert_eq!(shown(&table, &Selection::default()).await, before);
        table.seal(None).await.unwrap();
        assert_eq!(exact(&table).await.len(), 100);
        assert_eq!(shown(&table, &Selection::default()).await, before);
    }
}
