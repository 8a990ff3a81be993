//! Writes that fail: a limit of the size of files simulates a full disk. A write that exceeds it is done
//! in part and then fails, as on a full disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use bakeoff_columnar::internals::{Failure, Recording};
use bakeoff_columnar::{DirectoryStore, Store};
use bakeoff_testing::Moment;
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

/// The files that end with a write that was torn, what that has left, and where it is kept.
const TORN: [(&str, &str, &str); 2] = [
    ("manifest", "torn end", "manifest-from-"),
    ("fresh/0_1/1.log", "torn", "0_1-1.log-from-"),
];

/// Makes a table whose last commit and last insert were torn, and returns its rows.
async fn torn_table() -> (TempDir, BTreeMap<i64, Newest>) {
    let (folder, store) = table();
    ingest(&store, place(1), &[row("a", 1, "x")]).await.unwrap();
    let rows = fresh(&[row("b", 1, "x")]);
    store.insert(place(0), &rows).await.unwrap();
    let rows = all_rows(&store).await.unwrap();
    drop(store);
    for (file, torn, _) in TORN {
        let path = folder.path().join(file);
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend(torn.as_bytes());
        fs::write(&path, bytes).unwrap();
    }
    (folder, rows)
}

/// Returns the names below folders `damaged-N` with what is kept there.
fn kept(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| name(entry).into_string().unwrap());
        names.collect::<Vec<String>>()
    };
    let mut folders = names(folder);
    folders.retain(|name| name.starts_with("damaged-"));
    let mut kept = BTreeMap::new();
    for aside in folders {
        let path = folder.join(&aside);
        let mut files = names(&path);
        // A folder without files is seen, too.
        files.extend(files.is_empty().then(String::new));
        for file in files {
            let bytes = fs::read(path.join(&file)).unwrap_or_default();
            kept.insert(format!("{aside}/{file}"), bytes);
        }
    }
    kept
}

/// Checks that both torn ends are kept, once and in one folder.
fn check_kept(folder: &Path) {
    let kept = kept(folder);
    assert_eq!(kept.len(), TORN.len(), "{kept:?}");
    for (_, torn, name) in TORN {
        let is_it = |(path, bytes): (&String, &Vec<u8>)| {
            path.starts_with(&format!("damaged-1/{name}")) && bytes == torn.as_bytes()
        };
        assert!(kept.iter().any(is_it), "{kept:?}");
    }
}

/// Checks a table whose torn ends cannot be kept aside: it can be read, and is opened to write when there is
/// room. However often that is tried, no attempt loses or leaves anything.
#[tokio::test]
async fn a_torn_end_stays_where_it_is_until_there_is_room_to_keep_it() {
    for failure in [Failure::Full, Failure::HalfWritten] {
        let mut refused = 0;
        for calls in 0.. {
            let _moment = Moment::new(format!("{failure:?} after {calls} calls"));
            let (folder, expected) = torn_table().await;
            let recording = Recording::begin(folder.path());
            recording.fail_after(calls, failure);
            if let Err(error) = DirectoryStore::open(folder.path()) {
                let words = error.to_string();
                assert!(words.contains("make room on that disk"), "{words}");
                refused += 1;
            }
            let has_failed = recording.has_failed();
            recording.end_failure();
            let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
            assert_eq!(all_rows(&reader).await.unwrap(), expected);
            let store = DirectoryStore::open(folder.path()).unwrap();
            assert_eq!(all_rows(&store).await.unwrap(), expected);
            check_kept(folder.path());
            if !has_failed {
                break;
            }
        }
        assert!(refused >= 3, "{failure:?}: {refused}");
    }
}

/// Checks that what was kept before stays if another end of a file with the same name is torn at the same
/// position.
#[tokio::test]
async fn what_is_kept_is_never_overwritten() {
    let (folder, _) = torn_table().await;
    drop(DirectoryStore::open(folder.path()).unwrap());
    check_kept(folder.path());
    let before = kept(folder.path());
    let log = folder.path().join("fresh/0_1/1.log");
    for torn in ["other", "torn", "torn again"] {
        let mut bytes = fs::read(&log).unwrap();
        bytes.extend(torn.as_bytes());
        fs::write(&log, bytes).unwrap();
        drop(DirectoryStore::open(folder.path()).unwrap());
    }
    let after = kept(folder.path());
    for (path, bytes) in &before {
        assert_eq!(after.get(path), Some(bytes), "{after:?}");
    }
    for torn in ["torn", "other", "torn again"] {
        let is_it = |bytes: &Vec<u8>| bytes == torn.as_bytes();
        assert!(after.values().any(is_it), "{torn}: {after:?}");
    }
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
