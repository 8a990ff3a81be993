//! Chunks whose bytes are not what was written are errors that name the column, and never part of an
//! answer.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use bakeoff_columnar::{DirectoryStore, Error, Selection, Table};
use tempfile::TempDir;

use super::support::*;

/// Makes a table with one chunk, some rows of which are deleted, and returns the file of the chunk.
async fn one_chunk() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let store = DirectoryStore::create(folder.path(), definition(1000, 1)).unwrap();
    let table = Table::new(Arc::new(store), 0);
    table.insert(&batch(&grid(0..3, 0..4))).await.unwrap();
    table.delete(&keys(&[(1, 2)])).await.unwrap();
    table.seal(None).await.unwrap();
    let mut files = fs::read_dir(folder.path().join("chunks")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none());
    (folder, file)
}

fn opened(folder: &TempDir, cache_bytes: u64) -> Arc<Table> {
    let store = DirectoryStore::open_to_read(folder.path()).unwrap();
    Table::new(Arc::new(store), cache_bytes)
}

#[tokio::test]
async fn every_change_of_a_chunk_is_noticed() {
    let (folder, path) = one_chunk().await;
    let table = opened(&folder, 1 << 20);
    let whole = fs::read(&path).unwrap();
    let all = Selection::default();
    let right = shown(&opened(&folder, 0), &all).await;
    let mut columns = Vec::new();
    for byte in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[byte] ^= 1 << (byte % 8);
        fs::write(&path, bytes).unwrap();
        let error = match opened(&folder, 0).rows(&all, &[0, 1, 2, 3]).await {
            Err(error) => error,
            // Versions are only read where another chunk or a single row may have a newer one.
            Ok(_) => {
                assert_eq!(shown(&opened(&folder, 0), &all).await, right, "byte {byte}");
                let check = DirectoryStore::check(folder.path()).unwrap();
                let said = check.damages[0].to_string();
                assert!(said.contains("its versions"), "byte {byte}: {said}");
                columns.push("its versions".to_owned());
                continue;
            }
        };
        let Error::Corrupt { what, reason, .. } = &error else {
            panic!("byte {byte}: {error}");
        };
        assert_eq!(reason, "its checksum is wrong", "byte {byte}");
        columns.push(what.clone());
    }
    columns.dedup();
    let expected = [
        "column `value`",
        "column `time`",
        "column `host`",
        "column `note`",
        "its versions",
    ];
    assert_eq!(columns, expected);

    fs::write(&path, &whole).unwrap();
    let rows = shown(&table, &all).await;
    assert_eq!(rows.len(), 11);
    // A column that is not read may be damaged, and one that is cached is not read again.
    let mut bytes = whole.clone();
    bytes[0] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(shown(&table, &all).await, rows);
    let without_value = opened(&folder, 0).rows(&all, &[1, 2]).await.unwrap();
    assert_eq!(
        without_value.iter().map(|b| b.num_rows()).sum::<usize>(),
        11
    );
    let check = DirectoryStore::check(folder.path()).unwrap();
    let said = check.damages[0].to_string();
    assert!(
        said.contains("the checksum is wrong of column `value`"),
        "{said}"
    );
}
