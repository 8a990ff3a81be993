//! Calls to the system that fail once: rows that may not be durable are not treated as durable. More of
//! them are in `table/calls.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use bakeoff_columnar::internals::{Failure, Operation, Recording};
use bakeoff_columnar::{DirectoryStore, Store};
use tempfile::TempDir;

use super::support::*;

/// Runs as the child that commits a chunk and then sweeps.
pub fn child() {
    let folder = folder_of_child();
    let store = match DirectoryStore::open(&folder) {
        Ok(store) => store,
        Err(error) => return say(&format!("open {error}")),
    };
    runtime().block_on(async {
        let failed = ingest(&store, place(0), &[row("a", 1, "x")]).await;
        say(&format!("ingest {}", failed.unwrap_err()));
        let failed = store.sweep(Duration::ZERO).await;
        say(&format!("sweep {}", failed.unwrap_err()));
    });
}

fn said_by_child(folder: &Path, failing: &str) -> Vec<String> {
    let mut child = command("unsynced", folder)
        .env("BAKEOFF_FAILING", failing)
        .spawn()
        .unwrap();
    let said = lines(&mut child).collect();
    let ended = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{errors}");
    said
}

/// Checks a commit whose record is in the file although its sync failed: the next process writes the file
/// anew before it regards the record as valid, since what a sync has failed to write once may never be
/// written (`power` has what a loss of power leaves then).
#[test]
fn a_sweep_after_a_sync_that_failed_leaves_the_chunks_that_may_be_valid() {
    let folder = TempDir::new().unwrap();
    drop(DirectoryStore::create(folder.path(), definition()).unwrap());
    let said = said_by_child(folder.path(), "manifest.sync");
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("ingest syncing "), "{said:?}");
    assert!(said[1].contains("open the table again"), "{said:?}");
    let recording = Recording::begin(folder.path());
    let store = DirectoryStore::open(folder.path()).unwrap();
    let found = runtime().block_on(all_rows(&store)).unwrap();
    let expected = BTreeMap::from([(0, newest(&[row("a", 1, "x")]))]);
    assert_eq!(found, expected);
    let manifest = folder.path().join("manifest");
    let is_replaced = |operation: &Operation| matches!(operation, Operation::Rename { to, .. } if *to == manifest);
    assert!(recording.operations().iter().any(is_replaced));
}

/// Checks rows that may be those of a process that died before it synced them.
#[test]
fn rows_that_cannot_be_made_durable_are_not_shown() {
    let folder = TempDir::new().unwrap();
    let store = DirectoryStore::create(folder.path(), definition()).unwrap();
    let rows = fresh(&[row("a", 1, "x")]);
    runtime().block_on(store.insert(place(0), &rows)).unwrap();
    drop(store);
    let said = said_by_child(folder.path(), "recover.sync");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("open syncing "), "{said:?}");
    DirectoryStore::open(folder.path()).unwrap();
}

/// Checks rows that a reader has seen before the sync failed that should have made them durable.
#[test]
fn a_reader_forgets_rows_that_were_taken_back() {
    let (folder, store) = table();
    let rows = fresh(&[row("a", 1, "x")]);
    runtime().block_on(store.insert(place(0), &rows)).unwrap();
    let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
    let shown = || runtime().block_on(all_rows(&reader)).unwrap();
    assert_eq!(shown().len(), 1);
    let mut logs = fs::read_dir(folder.path().join("fresh/0_1")).unwrap();
    let log = logs.next().unwrap().unwrap().path();
    // As the writer does then.
    let log = fs::OpenOptions::new().write(true).open(log).unwrap();
    log.set_len(0).unwrap();
    assert_eq!(shown(), BTreeMap::new());
}

#[test]
fn a_table_that_cannot_be_looked_for_is_not_taken_for_none() {
    let (folder, store) = table();
    drop(store);
    let recording = Recording::begin(folder.path());
    for look in [DirectoryStore::check, DirectoryStore::repair] {
        recording.fail_after(0, Failure::Device);
        let error = look(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("looking for "), "{error}");
    }
}

/// A call beside the layer that tests let fail would never fail.
#[test]
fn the_store_calls_the_system_in_one_file() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/directory");
    let calls = [
        "fs::{self",
        "fs::read",
        "fs::write",
        "fs::remove",
        "fs::rename",
        "fs::create",
        "File::open",
        "File::create",
        "OpenOptions",
        ".metadata()",
        "exists(",
    ];
    let mut files = 0;
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("disk.rs") {
            continue;
        }
        files += 1;
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let beside = calls.iter().find(|call| code.contains(*call));
        assert_eq!(beside, None, "{}", path.display());
    }
    assert!(files > 15, "{files}");
}
