//! Writes that fail: a limit of the size of files simulates a full disk. A write that exceeds it is done
//! in part and then fails, as on a full disk.

use std::path::Path;
use std::process::{Command, Stdio};

use bakeoff_columnar::{DirectoryStore, Store};
use tempfile::TempDir;

use super::support::*;

/// The limit, in the units of 512 bytes that POSIX has for it.
const BLOCKS: u64 = 64;

/// Inserts and ingests until it fails, and then some.
pub fn child() {
    let folder = folder_of_child();
    let value = "v".repeat(1000);
    runtime().block_on(async {
        let store = DirectoryStore::open(&folder).unwrap();
        for i in 0..100 {
            match store
                .insert(place(0), &fresh(&[row(&format!("k{i:03}"), i, &value)]))
                .await
            {
                Ok(()) => say(&format!("inserted k{i:03}")),
                Err(error) => say(&format!("failed {error}")),
            }
        }
        let large: Vec<Row> = (0..50)
            .map(|i| row(&format!("large{i}"), 1, &value))
            .collect();
        say(&format!(
            "failed {}",
            ingest(&store, place(1), &large).await.unwrap_err()
        ));
        for i in 0..1000 {
            match ingest(&store, place(2), &[row(&format!("c{i:03}"), i, "x")]).await {
                Ok(_) => say(&format!("inserted c{i:03}")),
                Err(error) => say(&format!("failed {error}")),
            }
        }
        seal(&store, place(2)).await.unwrap_err();
        assert_eq!(rows(&store, place(1)).await.unwrap(), Newest::new());
        say(&format!(
            "rows {}",
            all_rows(&store).await.unwrap()[&0].len()
        ));
    });
}

/// Returns the same as `command`, with the limit.
fn limited(folder: &Path) -> Command {
    let whole = command("full", folder);
    let mut limited = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {BLOCKS}; exec \"$0\" \"$@\"");
    limited.arg("-c").arg(script).arg(whole.get_program());
    limited.args(whole.get_args());
    for (name, value) in whole.get_envs() {
        limited.env(name, value.unwrap_or_default());
    }
    limited
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    limited
}

#[test]
fn what_was_acknowledged_before_and_after_a_write_that_failed_is_there() {
    let folder = TempDir::new().unwrap();
    drop(DirectoryStore::create(folder.path(), definition()).unwrap());
    let mut child = limited(folder.path()).spawn().unwrap();
    let (mut inserted, mut failed, mut seen) = (Vec::new(), Vec::new(), 0);
    for line in lines(&mut child) {
        match line.split_once(' ').unwrap() {
            ("inserted", key) => inserted.push(key.to_owned()),
            ("failed", error) => failed.push(error.to_owned()),
            ("rows", rows) => seen = rows.parse().unwrap(),
            other => panic!("{other:?}"),
        }
    }
    let ended = child.wait_with_output().unwrap();
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    for said in ["appending to ", "writing ", "File too large"] {
        assert!(
            failed.iter().any(|error| error.contains(said)),
            "{failed:?}"
        );
    }
    let logs = failed
        .iter()
        .filter(|error| error.contains("/fresh/0_1/"))
        .count();
    assert!(
        (1..10).contains(&logs),
        "a log that is full is followed by another: {failed:?}"
    );
    assert!(
        failed.iter().any(|error| error.contains("manifest")),
        "{failed:?}"
    );
    let store = DirectoryStore::open(folder.path()).unwrap();
    let found = runtime().block_on(all_rows(&store)).unwrap();
    let keys: Vec<&String> = found.values().flat_map(|rows| rows.keys()).collect();
    assert_eq!(keys, inserted.iter().collect::<Vec<_>>());
    assert_eq!(found[&0].len(), seen);
    runtime().block_on(async {
        store
            .insert(place(0), &fresh(&[row("after", 1, "x")]))
            .await
            .unwrap();
        seal(&store, place(2)).await.unwrap();
        assert_eq!(rows(&store, place(2)).await.unwrap(), found[&2]);
    });
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_named() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = DirectoryStore::create(&file.join("table"), definition())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("creating folder "), "{error}");
    assert!(error.contains("file/table: Not a directory"), "{error}");
    let store = DirectoryStore::create(&folder.path().join("table"), definition()).unwrap();
    let fresh_rows = folder.path().join("table/fresh");
    std::fs::remove_dir(&fresh_rows).unwrap();
    std::fs::write(&fresh_rows, "").unwrap();
    let error = store
        .insert(place(0), &fresh(&[row("a", 1, "x")]))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("fresh/0_1: Not a directory"), "{error}");
    std::fs::remove_file(&fresh_rows).unwrap();
    std::fs::create_dir(&fresh_rows).unwrap();
    store
        .insert(place(0), &fresh(&[row("a", 1, "x")]))
        .await
        .unwrap();
}
