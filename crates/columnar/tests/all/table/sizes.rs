//! Chunks are cut so that none of their blobs is larger than stores take, whatever the rows hold.

use std::num::NonZeroI64;
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, Int64Array, RecordBatch};
use bakeoff_columnar::internals::COLUMN_BYTES;
use bakeoff_columnar::{
    CHUNK_ROWS, Column, Definition, KeyRange, Kind, Profile, Sealed, Selection, Table,
};

use super::support::stores;

/// The bytes that encoding adds to values that cannot be compressed.
const ADDED_BYTES: usize = 64 << 10;

fn definition() -> Definition {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Definition {
        columns: vec![
            column("id", Kind::Bigint),
            column("time", Kind::Bigint),
            column("data", Kind::Blob),
        ],
        partition_key: vec!["id".to_owned()],
        order_key: vec!["time".to_owned()],
        bucket: NonZeroI64::new(1 << 40),
        shards: 1,
        profile: Profile::Fast,
        chunk_rows: CHUNK_ROWS,
    }
}

/// Makes bytes that do not compress.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut noise = Vec::with_capacity(bytes + 8);
    while noise.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        noise.extend_from_slice(&state.to_le_bytes());
    }
    noise.truncate(bytes);
    noise
}

fn batch(ids: std::ops::Range<i64>, bytes: usize) -> RecordBatch {
    let data = ids.clone().map(|id| noise(id as u64 + 1, bytes));
    let times = Int64Array::from_iter_values(ids.clone().map(|id| id % 7));
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(Int64Array::from_iter_values(ids))),
        ("time", Arc::new(times)),
        ("data", Arc::new(BinaryArray::from_iter_values(data))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Returns the bytes of the largest blob of each chunk, after checking that no chunk overlaps
/// another one.
async fn largest(table: &Table) -> Vec<usize> {
    let mut largest = Vec::new();
    for part in table.view(&Selection::default()).await.unwrap() {
        let chunk = part.exact().unwrap();
        largest.push(
            chunk
                .blobs
                .iter()
                .map(|blob| blob.bytes as usize)
                .max()
                .unwrap(),
        );
        let rows = table
            .read(&part, &[0, 1, 2], KeyRange::default())
            .await
            .unwrap();
        let ids = rows.column(0).as_ref();
        let ids: &Int64Array = ids.as_any().downcast_ref().unwrap();
        let data: &BinaryArray = rows.column(2).as_any().downcast_ref().unwrap();
        for (id, data) in ids.values().iter().zip(data) {
            let data = data.unwrap();
            assert_eq!(data, noise(*id as u64 + 1, data.len()));
        }
    }
    largest
}

#[tokio::test]
async fn fresh_rows_of_large_values_can_be_sealed() {
    for (store, _folder) in stores(&definition()) {
        let table = Table::new(store, 0);
        let bytes = 5 << 20;
        table.insert(&batch(0..2, bytes)).await.unwrap();
        table.insert(&batch(2..4, 1 << 20)).await.unwrap();
        table.seal(None).await.unwrap();
        let largest = largest(&table).await;
        assert_eq!(largest.len(), 3);
        assert!(
            largest.iter().all(|blob| *blob < bytes + ADDED_BYTES),
            "{largest:?}"
        );
        assert_eq!(table.seal(None).await.unwrap(), Sealed::default());
    }
}

#[tokio::test]
async fn many_rows_of_noise_are_cut_by_bytes() {
    for (store, _folder) in stores(&definition()) {
        let table = Table::new(store, 0);
        let mut ingest = table.ingest();
        ingest.write(&batch(0..20_000, 300)).await.unwrap();
        ingest.finish().await.unwrap();
        // Half of the rows are written again, and some new ones are added.
        table.insert(&batch(10_000..25_000, 300)).await.unwrap();
        let fits = |largest: &[usize]| {
            largest
                .iter()
                .all(|blob| *blob < COLUMN_BYTES + ADDED_BYTES)
        };
        table.seal(None).await.unwrap();
        let largest = largest(&table).await;
        assert!(largest.len() <= 4 && fits(&largest), "{largest:?}");
        assert_eq!(table.seal(None).await.unwrap(), Sealed::default());
    }
}

#[tokio::test]
async fn an_ingest_alone_cuts_by_bytes() {
    let [(store, _folder), _] = stores(&definition());
    let table = Table::new(store, 0);
    let mut ingest = table.ingest();
    ingest.write(&batch(0..30_000, 300)).await.unwrap();
    assert_eq!(ingest.finish().await.unwrap().chunks, 3);
    let largest = largest(&table).await;
    assert!(
        largest
            .iter()
            .all(|blob| *blob < COLUMN_BYTES + ADDED_BYTES),
        "{largest:?}"
    );
}
