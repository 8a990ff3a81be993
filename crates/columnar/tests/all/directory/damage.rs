//! Files that are cut or changed at any byte: an error that names the file, or the rows from before the
//! last writes, and never a panic or another answer. What is in chunks is in `table/damage.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bakeoff_columnar::{DirectoryStore, Error, KeyRange, Result, Store};
use tempfile::TempDir;

use super::support::*;

type Rows = BTreeMap<i64, Newest>;

/// A table, and what was in it after each step.
struct Example {
    folder: TempDir,
    steps: Vec<Rows>,
}

impl Example {
    async fn new() -> Example {
        let folder = TempDir::new().unwrap();
        let store = DirectoryStore::create(folder.path(), definition()).unwrap();
        let mut steps = vec![Rows::new()];
        for i in 0..3 {
            ingest(&store, place(i), &[row("a", i, "x"), row("b", i, "y")])
                .await
                .unwrap();
            steps.push(all_rows(&store).await.unwrap());
        }
        store.drop_places(&[place(1)]).await.unwrap();
        steps.push(all_rows(&store).await.unwrap());
        for i in 0..3 {
            store
                .insert(place(0), &fresh(&[row("c", 10 + i, "z"), row("d", i, "z")]))
                .await
                .unwrap();
            steps.push(all_rows(&store).await.unwrap());
        }
        Example { folder, steps }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the rows that a reading process sees, and those that a writing one sees.
    async fn seen(&self) -> [Result<Rows>; 2] {
        let reader = DirectoryStore::open_to_read(self.folder.path());
        let writer = DirectoryStore::open(self.folder.path());
        [seen(reader).await, seen(writer).await]
    }
}

async fn seen(store: Result<DirectoryStore>) -> Result<Rows> {
    all_rows(&store?).await
}

/// Writes a file with one bit of its whole contents flipped.
fn changed(path: &Path, whole: &[u8], bit: usize) {
    let mut bytes = whole.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(path, bytes).unwrap();
}

/// Checks a file whose length became durable and whose contents did not.
#[tokio::test]
async fn a_log_of_zeros_has_no_rows() {
    for length in [0, 1, 4, 7, 8, 64, 4096] {
        let example = Example::new().await;
        let path = example.path("fresh/2_1/9.log");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, vec![0; length]).unwrap();
        for seen in example.seen().await {
            assert_eq!(Some(&seen.unwrap()), example.steps.last(), "{length} zeros");
        }
        assert!(!path.exists(), "the writer removes it");
    }
}

async fn every_change_is_noticed(name: &str) {
    let example = Example::new().await;
    let path = example.path(name);
    let whole = fs::read(&path).unwrap();
    // Every bit of small files is changed, and at least one bit of each byte of the others.
    for bit in (0..whole.len() * 8).step_by(if whole.len() > 300 { 7 } else { 1 }) {
        changed(&path, &whole, bit);
        for seen in example.seen().await {
            let error = seen.expect_err(&format!("bit {bit} of {name}"));
            assert!(is_torn(&error), "{error}");
            assert!(error.to_string().contains(name), "{error}");
        }
        let mut expected = whole.clone();
        expected[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(
            fs::read(&path).unwrap(),
            expected,
            "who finds damage leaves it as it is"
        );
    }
    fs::write(&path, &whole).unwrap();
    for seen in example.seen().await {
        assert_eq!(Some(&seen.unwrap()), example.steps.last());
    }
}

#[tokio::test]
async fn every_change_of_the_manifest_is_noticed() {
    every_change_is_noticed("manifest").await;
}

#[tokio::test]
async fn every_change_of_the_definition_is_noticed() {
    every_change_is_noticed("table.json").await;
}

#[tokio::test]
async fn every_change_of_a_log_is_noticed() {
    every_change_is_noticed("fresh/0_1/1.log").await;
}

#[tokio::test]
async fn a_manifest_that_is_cut_has_the_commits_before() {
    let example = Example::new().await;
    fs::remove_dir_all(example.path("fresh/0_1")).unwrap();
    let whole = fs::read(example.path("manifest")).unwrap();
    let mut found = Vec::new();
    for length in 0..=whole.len() {
        fs::write(example.path("manifest"), &whole[..length]).unwrap();
        let [reader, writer] = example.seen().await;
        match (reader, writer) {
            (Ok(rows), Ok(same)) => {
                assert_eq!(rows, same);
                found.push(rows);
            }
            (Err(error), Err(_)) if length < 36 => assert!(is_torn(&error), "{error}"),
            other => panic!("cut at {length}: {other:?}"),
        }
    }
    found.dedup();
    assert_eq!(found, example.steps[..5]);
}

#[tokio::test]
async fn a_log_that_is_cut_has_the_inserts_before() {
    let example = Example::new().await;
    let path = example.path("fresh/0_1/1.log");
    let whole = fs::read(&path).unwrap();
    let mut found = Vec::new();
    for length in 0..=whole.len() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &whole[..length]).unwrap();
        let [reader, writer] = example.seen().await;
        let rows = reader.unwrap();
        assert_eq!(rows, writer.unwrap());
        found.push(rows);
    }
    found.dedup();
    assert_eq!(found, example.steps[4..]);
}

/// Makes the first half of a record of 2000 bytes, which a torn write leaves.
fn beginning_of_long_record() -> Vec<u8> {
    let mut record = 2000u32.to_le_bytes().to_vec();
    record.extend([1, 2, 3, 4]);
    let crc = crc32fast::hash(&record);
    record.extend(crc.to_le_bytes());
    record.resize(1000, 7);
    record
}

/// Checks that a torn end does not hide what is written after it.
#[tokio::test]
async fn a_torn_end_does_not_hide_what_comes_after_it() {
    for (name, head) in [("manifest", 36), ("fresh/0_1/1.log", 8)] {
        for torn in ["byte", "zeros", "beginning", "long"] {
            let example = Example::new().await;
            let path = example.path(name);
            let mut bytes = fs::read(&path).unwrap();
            match torn {
                "byte" => bytes.push(5),
                "zeros" => bytes.extend([0; 40]),
                "long" => bytes.extend(beginning_of_long_record()),
                _ => bytes.extend_from_within(head..head + 20),
            }
            fs::write(&path, bytes).unwrap();
            let reader = DirectoryStore::open_to_read(example.folder.path()).unwrap();
            assert_eq!(
                Some(&all_rows(&reader).await.unwrap()),
                example.steps.last()
            );
            let store = DirectoryStore::open(example.folder.path()).unwrap();
            check_note(&store.notes(), name, torn);
            ingest(&store, place(9), &[row("e", 1, "x")]).await.unwrap();
            store
                .insert(place(0), &fresh(&[row("e", 1, "x")]))
                .await
                .unwrap();
            drop(store);
            let store = DirectoryStore::open(example.folder.path()).unwrap();
            assert!(store.notes().is_empty(), "{:?}", store.notes());
            for store in [&reader, &store] {
                let after = all_rows(store).await.unwrap();
                assert!(after[&9].contains_key("e") && after[&0].contains_key("e"));
                assert!(after[&0].contains_key("c"));
            }
        }
    }
}

/// Checks what is said of a torn end when a table is opened to write: which file, and where its end is now.
fn check_note(notes: &[String], name: &str, torn: &str) {
    if (name, torn) == ("fresh/0_1/1.log", "zeros") {
        // A log ends in zeros after a loss of power. They hold nothing and are not kept.
        assert!(notes.is_empty(), "{notes:?}");
        return;
    }
    let [note] = notes else {
        panic!("{torn} at the end of {name}: {notes:?}");
    };
    for said in [name, " were not written whole: ", "damaged-1 now"] {
        assert!(note.contains(said), "{note}");
    }
}

#[tokio::test]
async fn a_chunk_that_is_cut_or_gone_is_named() {
    let example = Example::new().await;
    let reader = DirectoryStore::open_to_read(example.folder.path()).unwrap();
    let writer = DirectoryStore::open(example.folder.path()).unwrap();
    let snapshot = reader
        .snapshot(place(2), KeyRange::default())
        .await
        .unwrap();
    let chunk = &snapshot.chunks[0];
    let path = example.path(&format!("chunks/{}.chunk", chunk.id));
    let whole = fs::read(&path).unwrap();
    let longer = [&whole[..], b"x"].concat();
    let cuts = (0..whole.len()).map(|length| whole[..length].to_vec());
    for bytes in cuts.chain([longer]) {
        fs::write(&path, bytes).unwrap();
        for store in [&reader, &writer] {
            let error = store.blobs(place(2), chunk, &[1]).await.unwrap_err();
            assert!(matches!(error, Error::Corrupt { .. }), "{error}");
            assert!(error.to_string().contains(&chunk.id.to_string()), "{error}");
        }
    }
    fs::remove_file(&path).unwrap();
    for store in [&reader, &writer] {
        let error = store
            .blobs(place(2), chunk, &[1])
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains("its file: it is missing"), "{error}");
    }
}

/// Checks that the metadata of a chunk has to be that of a chunk of this table.
#[tokio::test]
async fn a_chunk_of_another_table_is_named() {
    let example = Example::new().await;
    let path = example.path("table.json");
    let mut table: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    // As in a table of an early version.
    table.as_object_mut().unwrap().remove("crc");
    let columns = table["definition"]["columns"].as_array_mut().unwrap();
    columns.push(serde_json::json!({"name": "other", "kind": "int"}));
    fs::write(&path, table.to_string()).unwrap();
    for seen in example.seen().await {
        let error = seen.unwrap_err();
        assert!(is_torn(&error), "{error}");
        let said = "cannot have 2 columns, not 3";
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[tokio::test]
async fn a_table_without_its_manifest_is_not_an_empty_one() {
    let example = Example::new().await;
    fs::remove_file(example.path("manifest")).unwrap();
    for seen in example.seen().await {
        let error = seen.unwrap_err().to_string();
        assert!(error.contains("manifest: No such file"), "{error}");
    }
    fs::remove_file(example.path("table.json")).unwrap();
    let error = DirectoryStore::create(example.folder.path(), definition())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("has rows of a table whose `table.json` is missing"),
        "{error}"
    );
}

#[tokio::test]
async fn a_definition_that_is_damaged_or_newer_is_named() {
    let example = Example::new().await;
    let path = example.path("table.json");
    let whole = fs::read_to_string(&path).unwrap();
    for (text, said) in [
        (
            whole.replace("\"format\": 1", "\"format\": 2"),
            "table.json has format 2",
        ),
        (
            whole.replace("\"shards\": 4", "\"shards\": 5"),
            "table.json: its checksum is wrong",
        ),
        (whole.replace("text", "test"), "unknown variant `test`"),
        (whole[..whole.len() / 2].to_owned(), "EOF"),
        (String::new(), "EOF"),
    ] {
        fs::write(&path, text).unwrap();
        for seen in example.seen().await {
            let error = seen.unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
