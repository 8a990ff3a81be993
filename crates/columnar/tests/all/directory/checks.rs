//! Checks and repairs: each kind of damage is named, what can be read stays, and nothing is deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bakeoff_columnar::{Check, DirectoryStore, Error, Store};
use tempfile::TempDir;

use super::support::*;

/// Makes a table with a chunk in each of two places and fresh rows of three inserts.
async fn example() -> TempDir {
    let (folder, store) = table();
    for i in 0..2 {
        ingest(&store, place(i), &[row("a", i, "x"), row("b", i, "y")])
            .await
            .unwrap();
    }
    for key in ["c", "d", "e"] {
        let rows = fresh(&[row(key, 10, "z")]);
        store.insert(place(0), &rows).await.unwrap();
    }
    folder
}

fn checked(folder: &TempDir) -> Check {
    DirectoryStore::check(folder.path()).unwrap()
}

fn repaired(folder: &TempDir) -> Check {
    DirectoryStore::repair(folder.path()).unwrap()
}

/// Returns the keys in each place.
async fn keys(folder: &TempDir) -> BTreeMap<i64, String> {
    let store = DirectoryStore::open(folder.path()).unwrap();
    let rows = all_rows(&store).await.unwrap();
    let keys = rows
        .into_iter()
        .map(|(bucket, rows)| (bucket, rows.into_keys().collect::<String>()));
    keys.collect()
}

fn all_keys() -> BTreeMap<i64, String> {
    expected(&[(0, "abcde"), (1, "ab")])
}

fn expected(keys: &[(i64, &str)]) -> BTreeMap<i64, String> {
    keys.iter()
        .map(|(bucket, keys)| (*bucket, (*keys).to_owned()))
        .collect()
}

/// Returns the bytes of all files below a folder, in no order.
fn all_bytes(folder: &Path) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(all_bytes(&path));
        } else {
            found.push(fs::read(path).unwrap());
        }
    }
    found
}

fn chunk_files(folder: &TempDir) -> Vec<PathBuf> {
    let files = fs::read_dir(folder.path().join("chunks")).unwrap();
    let paths: BTreeSet<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.into_iter().collect()
}

/// Flips a bit of a file.
fn flip(path: &Path, byte: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[byte] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// Checks and repairs a table with one damage, and returns what was said of it.
async fn found_and_repaired(folder: &TempDir, file: &Path, left: &[(i64, &str)]) -> String {
    let before = fs::read(file).ok();
    let check = checked(folder);
    assert!(!check.is_sound() && check.damages.len() == 1, "{check:?}");
    assert_eq!(fs::read(file).ok(), before, "a check changes nothing");
    let said = check.damages[0].to_string();
    let repair = repaired(folder);
    assert!(repair.is_sound(), "{repair:?}");
    assert_eq!(repair.damages[0].to_string(), said);
    if let Some(before) = before {
        let kept = all_bytes(&folder.path().join("damaged-1"));
        assert!(kept.contains(&before), "the whole file is kept");
    }
    assert_eq!(keys(folder).await, expected(left), "{said}");
    let check = checked(folder);
    assert!(check.damages.is_empty(), "{check:?}");
    assert!(
        check
            .notes
            .iter()
            .any(|note| note.starts_with("damaged-1 "))
    );
    said
}

#[tokio::test]
async fn a_sound_table_is_sound_and_stays_as_it_is() {
    let folder = example().await;
    let check = checked(&folder);
    assert!(check.is_sound() && check.notes.is_empty(), "{check:?}");
    assert_eq!((check.chunks, check.fresh), (2, 3));
    assert!(check.bytes > 0);
    let before: BTreeSet<Vec<u8>> = all_bytes(folder.path()).into_iter().collect();
    assert_eq!(repaired(&folder), check);
    assert_eq!(
        all_bytes(folder.path())
            .into_iter()
            .collect::<BTreeSet<_>>(),
        before
    );
}

#[tokio::test]
async fn a_definition_or_a_head_that_is_damaged_is_beyond_repair() {
    for (file, said) in [
        ("table.json", "table.json: its checksum is wrong"),
        ("manifest", "manifest: its first 36 bytes are damaged"),
    ] {
        let folder = example().await;
        let path = folder.path().join(file);
        let bytes = fs::read(&path).unwrap();
        let at = match file {
            "manifest" => 10,
            _ => {
                bytes
                    .windows(8)
                    .position(|bytes| bytes == b"\"shards\"")
                    .unwrap()
                    + 10
            }
        };
        flip(&path, at);
        let damaged = fs::read(&path).unwrap();
        for check in [checked(&folder), repaired(&folder)] {
            assert!(!check.is_sound());
            let found = check.damages[0].to_string();
            assert!(found.starts_with(said), "{found}");
            assert!(found.contains("from a backup"), "{found}");
        }
        assert_eq!(fs::read(&path).unwrap(), damaged);
        fs::remove_file(&path).unwrap();
        let found = checked(&folder).damages[0].to_string();
        assert!(found.starts_with(&format!("{file}: ")), "{found}");
        fs::write(&path, bytes).unwrap();
        assert_eq!(keys(&folder).await, all_keys());
    }
}

#[tokio::test]
async fn a_manifest_is_read_around_a_damaged_record() {
    // The first record has what was there when the table was opened: nothing.
    let folder = example().await;
    let path = folder.path().join("manifest");
    let bytes = fs::read(&path).unwrap();
    let second = 36 + 13 + u32::from_le_bytes(bytes[36..40].try_into().unwrap()) as usize;
    flip(&path, second + 20);
    let said = found_and_repaired(&folder, &path, &[(0, "cde"), (1, "ab")]).await;
    assert!(said.contains("a record is damaged at byte"), "{said}");
    assert!(said.contains("1 later ones can be read"), "{said}");

    let folder = example().await;
    let path = folder.path().join("manifest");
    fs::write(&path, bytes_without(&fs::read(&path).unwrap(), 1)).unwrap();
    let said = found_and_repaired(&folder, &path, &[(0, "abcde")]).await;
    assert!(said.contains("of a record at its end"), "{said}");
    assert!(
        said.contains("if that was a commit which had not ended"),
        "{said}"
    );
}

fn bytes_without(bytes: &[u8], last: usize) -> Vec<u8> {
    bytes[..bytes.len() - last].to_vec()
}

#[tokio::test]
async fn a_log_is_read_around_a_damaged_record() {
    let path = |folder: &TempDir| folder.path().join("fresh/0_1/1.log");
    let folder = example().await;
    flip(&path(&folder), 8 + 14);
    let error = DirectoryStore::open(folder.path()).unwrap_err();
    assert!(is_torn(&error), "{error}");
    let said = found_and_repaired(&folder, &path(&folder), &[(0, "abde"), (1, "ab")]).await;
    assert!(
        said.starts_with("fresh/0_1/1.log: a record is damaged"),
        "{said}"
    );
    assert!(
        said.ends_with("bucket 0 shard 1 are lost; 2 others can be read"),
        "{said}"
    );

    let folder = example().await;
    flip(&path(&folder), 3);
    let said = found_and_repaired(&folder, &path(&folder), &[(0, "abcde"), (1, "ab")]).await;
    assert!(said.contains("it is not a log of fresh rows"), "{said}");

    let folder = example().await;
    let whole = fs::read(path(&folder)).unwrap();
    fs::write(path(&folder), bytes_without(&whole, 1)).unwrap();
    let said = found_and_repaired(&folder, &path(&folder), &[(0, "abcd"), (1, "ab")]).await;
    assert!(
        said.contains("if that was an insert which had not ended"),
        "{said}"
    );

    // A later sector of an insert was written, and an earlier one was not.
    let folder = example().await;
    let mut bytes = whole.clone();
    let last = 8 + (whole.len() - 8) / 3 * 2;
    bytes[last..last + 12].fill(0);
    fs::write(path(&folder), bytes).unwrap();
    let error = DirectoryStore::open(folder.path()).unwrap_err();
    assert!(is_torn(&error), "{error}");
    found_and_repaired(&folder, &path(&folder), &[(0, "abcd"), (1, "ab")]).await;
}

#[tokio::test]
async fn a_chunk_that_is_not_what_was_written_is_taken_out() {
    let folder = example().await;
    let path = chunk_files(&folder)[0].clone();
    let whole = fs::read(&path).unwrap();
    flip(&path, 3);
    let said = found_and_repaired(&folder, &path, &[(0, "cde"), (1, "ab")]).await;
    assert!(
        said.contains("the checksum is wrong of column `id`; 2 rows cannot be read"),
        "{said}"
    );
    assert!(!path.exists());

    let folder = example().await;
    let path = chunk_files(&folder)[1].clone();
    fs::write(&path, &whole[1..]).unwrap();
    let said = found_and_repaired(&folder, &path, &[(0, "abcde")]).await;
    assert!(said.contains("bytes are there, "), "{said}");

    let folder = example().await;
    let path = chunk_files(&folder)[1].clone();
    fs::remove_file(&path).unwrap();
    let said = found_and_repaired(&folder, &path, &[(0, "abcde")]).await;
    assert!(said.contains("its file is missing"), "{said}");
}

#[tokio::test]
async fn files_that_nothing_names_are_said() {
    let folder = example().await;
    let store = DirectoryStore::open(folder.path()).unwrap();
    put(&store, place(0), &[row("z", 1, "z")]).await.unwrap();
    seal(&store, place(0)).await.unwrap();
    drop(store);
    for name in ["notes.txt", "chunks/notes.txt", "fresh/notes.txt"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let check = checked(&folder);
    assert!(check.is_sound(), "{check:?}");
    let notes = check.notes.join("\n");
    for said in [
        "1 replaced chunk for a sweep to remove",
        "1 chunk that no commit names",
        "\nnotes.txt is not part of a columnar table",
        "chunks/notes.txt is not part",
        "fresh/notes.txt is not part",
    ] {
        assert!(notes.contains(said), "{notes}");
    }
}

#[tokio::test]
async fn a_table_of_an_early_version_is_sound() {
    let folder = example().await;
    let path = folder.path().join("table.json");
    let mut table: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let fields = table.as_object_mut().unwrap();
    assert!(fields.remove("crc").is_some() && fields.remove("id").is_some());
    fs::write(&path, table.to_string()).unwrap();
    let check = checked(&folder);
    assert!(check.is_sound(), "{check:?}");
    assert!(check.notes[0].contains("has no checksum"), "{check:?}");
    assert_eq!(keys(&folder).await, all_keys());
}

#[tokio::test]
async fn a_table_that_is_written_or_missing_is_not_checked() {
    let folder = example().await;
    let store = DirectoryStore::open(folder.path()).unwrap();
    for check in [DirectoryStore::check, DirectoryStore::repair] {
        let error = check(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("being written or checked by another process"),
            "{error}"
        );
    }
    drop(store);
    let other = TempDir::new().unwrap();
    let error = DirectoryStore::check(other.path()).unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    assert!(fs::read_dir(other.path()).unwrap().next().is_none());
}

/// Checks that a sweep does not remove chunks that only a lost commit named.
#[tokio::test]
async fn chunks_of_a_commit_that_was_cut_off_are_kept() {
    let folder = example().await;
    let path = folder.path().join("manifest");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, bytes_without(&whole, 1)).unwrap();
    let store = DirectoryStore::open(folder.path()).unwrap();
    let notes = store.notes();
    assert!(notes[0].contains("were not written whole"), "{notes:?}");
    let named = chunk_files(&folder);
    let swept = store.sweep(Duration::ZERO).await;
    assert_eq!(swept.unwrap().chunks, 1);
    let left = chunk_files(&folder);
    let taken = named.iter().find(|path| !left.contains(path)).unwrap();
    let kept = folder.path().join("damaged-1");
    assert!(kept.join(taken.file_name().unwrap()).exists());
    drop(store);
    // With both put back, nothing is lost.
    fs::rename(kept.join(taken.file_name().unwrap()), taken).unwrap();
    fs::write(&path, &whole).unwrap();
    assert_eq!(keys(&folder).await, all_keys());
    assert!(DirectoryStore::drop_table(folder.path()).unwrap());
    assert!(!folder.path().exists());
}

/// Checks that the remains of an interrupted insert do not keep chunks that a sweep removes otherwise.
#[tokio::test]
async fn chunks_that_were_never_committed_are_removed_where_the_manifest_is_whole() {
    let folder = example().await;
    let aside = folder.path().join("damaged-1");
    fs::create_dir(&aside).unwrap();
    fs::write(aside.join("2_1-9.log-from-8"), b"torn").unwrap();
    let orphan = folder
        .path()
        .join(format!("chunks/{}.chunk", uuid::Uuid::now_v7()));
    fs::copy(&chunk_files(&folder)[0], &orphan).unwrap();
    let store = DirectoryStore::open(folder.path()).unwrap();
    assert_eq!(store.sweep(Duration::ZERO).await.unwrap().chunks, 1);
    assert!(!orphan.exists());
    assert_eq!(all_bytes(&aside), [b"torn".to_vec()]);
}
