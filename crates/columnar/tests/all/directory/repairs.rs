//! Repairs that fail or are interrupted: a further one finds what the first one would have left.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use bakeoff_columnar::internals::{Failure, Operation, Recording};
use bakeoff_columnar::{DirectoryStore, Store};
use bakeoff_testing::Moment;
use tempfile::TempDir;

use super::support::*;

/// The log of the table, whose first insert is damaged.
const LOG: &str = "fresh/0_1/1.log";

fn damage_first_insert(folder: &Path) {
    let path = folder.join(LOG);
    let mut bytes = fs::read(&path).unwrap();
    bytes[8 + 14] ^= 1;
    fs::write(&path, bytes).unwrap();
}

/// Makes a table with a small insert that is damaged, and two behind it that can be read: one as small, and a
/// large one, which overlaps itself if it is moved. Returns it with a reader that has read the first insert
/// before it was damaged, and with what is left.
async fn damaged_table() -> (TempDir, DirectoryStore, BTreeMap<i64, Newest>) {
    let (folder, store) = table();
    let insert = async |row: &Row| {
        let rows = fresh(std::slice::from_ref(row));
        store.insert(place(0), &rows).await.unwrap();
    };
    insert(&row("damaged", 1, "x")).await;
    let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
    assert_eq!(all_rows(&reader).await.unwrap()[&0].len(), 1);
    let sound = [row("another", 1, "x"), row("large", 1, &"v".repeat(5000))];
    for row in &sound {
        insert(row).await;
    }
    drop(store);
    damage_first_insert(folder.path());
    let left = BTreeMap::from([(0, newest(&sound))]);
    (folder, reader, left)
}

#[tokio::test]
async fn a_repair_that_fails_can_be_repeated() {
    for failure in [Failure::Device, Failure::Full, Failure::HalfWritten] {
        let mut failed = 0;
        for calls in 0.. {
            let _moment = Moment::new(format!("{failure:?} after {calls} calls"));
            let (folder, reader, left) = damaged_table().await;
            let recording = Recording::begin(folder.path());
            recording.fail_after(calls, failure);
            let repaired = DirectoryStore::repair(folder.path());
            let has_failed = recording.has_failed();
            recording.end_failure();
            assert!(has_failed || repaired.is_ok(), "{repaired:?}");
            failed += u32::from(repaired.is_err());
            let again = DirectoryStore::repair(folder.path()).unwrap();
            assert!(again.is_sound(), "{again:?}");
            // Before a writer replaces the manifest, too.
            assert_eq!(all_rows(&reader).await.unwrap(), left);
            let store = DirectoryStore::open(folder.path()).unwrap();
            assert_eq!(all_rows(&store).await.unwrap(), left);
            assert!(!folder.path().join("segment.new").exists());
            if !has_failed {
                break;
            }
        }
        assert!(failed >= 2, "{failure:?}: {failed}");
    }
}

/// Checks a reader that has read a part of a log before it was repaired: at that position the new log has
/// another insert of the same length.
#[tokio::test]
async fn a_reader_begins_anew_with_a_log_that_was_repaired() {
    let (folder, store) = table();
    let insert = async |key: &str| {
        let rows = fresh(&[row(key, 1, "x")]);
        store.insert(place(0), &rows).await.unwrap();
    };
    insert("a").await;
    insert("b").await;
    let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
    assert_eq!(all_rows(&reader).await.unwrap()[&0].len(), 2);
    insert("c").await;
    insert("d").await;
    drop(store);
    damage_first_insert(folder.path());
    assert!(DirectoryStore::repair(folder.path()).unwrap().is_sound());
    let found = all_rows(&reader).await.unwrap();
    let left = ["b", "c", "d"].map(|key| row(key, 1, "x"));
    assert_eq!(found, BTreeMap::from([(0, newest(&left))]));
}

/// Checks that no moment of a repair leaves a log of which only a part was written.
#[tokio::test]
async fn a_repair_replaces_a_file_only_by_a_whole_one() {
    let (folder, ..) = damaged_table().await;
    let recording = Recording::begin(folder.path());
    assert!(DirectoryStore::repair(folder.path()).unwrap().is_sound());
    let log = folder.path().join(LOG);
    let operations = recording.operations();
    let changes_in_place = |operation: &Operation| match operation {
        Operation::Write { path, .. } | Operation::SetLength { path, .. } => *path == log,
        _ => false,
    };
    assert!(!operations.iter().any(changes_in_place), "{operations:?}");
    let at = |wanted: &Operation| operations.iter().position(|other| other == wanted);
    let new = folder.path().join("segment.new");
    let synced = at(&Operation::Sync(new.clone())).unwrap();
    let renamed = at(&Operation::Rename {
        from: new,
        to: log.clone(),
    });
    let of_place = Operation::SyncFolder(log.parent().unwrap().to_owned());
    let manifest = at(&Operation::Rename {
        from: folder.path().join("manifest.new"),
        to: folder.path().join("manifest"),
    });
    let is_in_order = Some(synced) < renamed && renamed < at(&of_place);
    assert!(manifest.is_some() && manifest < renamed, "{operations:?}");
    assert!(is_in_order, "{operations:?}");
}
