//! Creating and opening tables, and the right to write.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread::spawn;
use std::time::Duration;

use bakeoff_columnar::internals::Pause;
use bakeoff_columnar::{Change, DirectoryStore, Error, Store};
use tempfile::TempDir;

use super::support::*;

#[tokio::test]
async fn a_table_needs_a_folder_of_its_own() {
    let folder = TempDir::new().unwrap();
    let create = |name: &str| DirectoryStore::create(&folder.path().join(name), definition());
    create("deep/table").unwrap();
    let error = create("deep/table").unwrap_err().to_string();
    assert!(
        error.ends_with("deep/table is a table already; open it, or choose another folder"),
        "{error}"
    );
    let error = create("deep").unwrap_err().to_string();
    assert!(
        error.contains("deep is not empty (it has `table`)"),
        "{error}"
    );
    let error = DirectoryStore::open(folder.path()).unwrap_err().to_string();
    assert!(
        error.ends_with("is not a columnar table: it has no `table.json`"),
        "{error}"
    );
    let error = DirectoryStore::open_to_read(&folder.path().join("none"))
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("none is not a columnar table: it has no `table.json`"),
        "{error}"
    );
    let mut cannot_be = definition();
    cannot_be.shards = 0;
    DirectoryStore::create(&folder.path().join("x"), cannot_be).unwrap_err();
    assert!(!folder.path().join("x").exists());
    let store = DirectoryStore::open(&folder.path().join("deep/table")).unwrap();
    assert_eq!(**store.definition(), definition());
}

#[tokio::test]
async fn a_reader_does_not_write() {
    let (folder, store) = table();
    let sealed = ingest(&store, place(0), &[row("a", 1, "x")]).await.unwrap();
    drop(store);
    let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
    let retire = vec![sealed.meta.id];
    let errors = [
        reader
            .insert(place(0), &fresh(&[row("b", 1, "y")]))
            .await
            .unwrap_err(),
        reader.put(place(0), &[sealed]).await.unwrap_err(),
        reader
            .commit(vec![Change {
                retire,
                ..change(place(0))
            }])
            .await
            .unwrap_err(),
        reader.freeze(place(0)).await.unwrap_err(),
        reader.drop_places(&[place(0)]).await.unwrap_err(),
        reader.sweep(Duration::ZERO).await.unwrap_err(),
    ];
    for error in errors {
        assert!(
            error.to_string().ends_with("was opened only to be read"),
            "{error}"
        );
    }
}

/// Holds a table until it is killed.
pub fn hold() {
    let store = DirectoryStore::open(&folder_of_child());
    say(&format!("{}", store.is_ok()));
    loop {
        std::thread::park();
    }
}

#[test]
fn one_process_writes_at_a_time() {
    let (folder, store) = table();
    let error = DirectoryStore::open(folder.path()).unwrap_err().to_string();
    let expected = format!(
        "the table in {} is being written or checked by another process, which has to end first; \
         meanwhile it can only be read",
        folder.path().display()
    );
    assert_eq!(error, expected);
    drop(store);
    let mut child = command("hold", folder.path()).spawn().unwrap();
    assert_eq!(lines(&mut child).next().unwrap(), "true");
    assert_eq!(
        DirectoryStore::open(folder.path()).unwrap_err().to_string(),
        expected
    );
    DirectoryStore::open_to_read(folder.path()).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    DirectoryStore::open(folder.path()).unwrap();
}

/// Runs as the child in which a thread waits for the right to write while others drop and recreate the
/// table.
pub fn replaced_lock() {
    let folder = folder_of_child();
    let lock = folder.join("lock");
    let dropping = DirectoryStore::open(&folder).unwrap();
    let pause = Pause::at("lock.opened");
    let waiting = spawn({
        let folder = folder.clone();
        move || DirectoryStore::open(&folder).map(drop)
    });
    pause.wait();
    // What a drop and a create do to the lock.
    fs::remove_file(&lock).unwrap();
    drop(dropping);
    let making = File::create_new(&lock).unwrap();
    making.lock().unwrap();
    drop(pause);
    match waiting.join().unwrap() {
        Ok(()) => say("two processes write"),
        Err(error) => say(&error.to_string()),
    }
    drop(making);
    DirectoryStore::open(&folder).unwrap();
    say("opened");
}

#[test]
fn a_lock_that_was_replaced_while_it_was_waited_for_gives_no_right() {
    let (folder, store) = table();
    drop(store);
    let said = said_by_child("replaced lock", folder.path());
    assert!(
        said[0].contains("being written or checked by another"),
        "{said:?}"
    );
    assert_eq!(said[1..], ["opened"]);
}

/// Checks a table that this user may only read, while another process checks it, too.
#[tokio::test]
async fn a_check_writes_nothing_and_needs_no_right_to() {
    let (folder, store) = table();
    let rows = fresh(&[row("a", 1, "x")]);
    store.insert(place(0), &rows).await.unwrap();
    drop(store);
    let path = |name: &str| folder.path().join(name);
    let allow = |of_folder, of_files| {
        for file in ["lock", "manifest", "table.json"] {
            fs::set_permissions(path(file), Permissions::from_mode(of_files)).unwrap();
        }
        fs::set_permissions(folder.path(), Permissions::from_mode(of_folder)).unwrap();
    };
    allow(0o555, 0o444);
    let other = File::open(path("lock")).unwrap();
    other.lock_shared().unwrap();
    let check = DirectoryStore::check(folder.path());
    allow(0o755, 0o644);
    let check = check.unwrap();
    assert!(check.is_sound() && check.notes.is_empty(), "{check:?}");
    assert_eq!(check.fresh, 1);
    let error = DirectoryStore::open(folder.path()).unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    drop(other);
    // A copy of a table may have no such file.
    fs::remove_file(path("lock")).unwrap();
    let check = DirectoryStore::check(folder.path()).unwrap();
    assert!(check.is_sound() && check.fresh == 1, "{check:?}");
    let note = &check.notes[0];
    assert!(note.starts_with("another process may have been"), "{note}");
    assert!(!path("lock").exists());
}

/// Checks readers of a table that is dropped and created again in the same folder, where the numbers of its
/// segments begin again: they do not take its rows for those of the other one.
#[tokio::test]
async fn a_reader_notices_that_the_table_is_another_one() {
    for has_name in [true, false] {
        let (folder, store) = table();
        let path = folder.path().join("table.json");
        let forget_name = || {
            let mut table: serde_json::Value =
                serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let fields = table.as_object_mut().unwrap();
            fields.retain(|name, _| has_name || !["id", "crc"].contains(&name.as_str()));
            std::fs::write(&path, table.to_string()).unwrap();
        };
        forget_name();
        let insert = async |store: &DirectoryStore, key| {
            let rows = fresh(&[row(key, 1, "x")]);
            store.insert(place(0), &rows).await.unwrap();
        };
        insert(&store, "old").await;
        let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
        assert_eq!(all_rows(&reader).await.unwrap()[&0].len(), 1);
        drop(store);
        assert!(DirectoryStore::drop_table(folder.path()).unwrap());
        let store = DirectoryStore::create(folder.path(), definition()).unwrap();
        forget_name();
        insert(&store, "new").await;
        let expected = BTreeMap::from([(0, newest(&[row("new", 1, "x")]))]);
        match all_rows(&reader).await {
            Err(error) => {
                assert!(has_name, "{error}");
                let said = "was dropped and another one created in its place; open it again";
                assert!(error.to_string().ends_with(said), "{error}");
            }
            Ok(rows) => {
                assert!(!has_name);
                assert_eq!(rows, expected);
            }
        }
        let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
        assert_eq!(all_rows(&reader).await.unwrap(), expected);
    }
}

/// Checks that files from when the format was new are readable as long as it has this version: four
/// commits, one of which seals and retires a chunk and one drops a place, and two inserts.
#[tokio::test]
async fn a_table_of_format_1_is_read() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/directory/golden");
    let reader = DirectoryStore::open_to_read(&golden).unwrap();
    let zero = newest(&[
        row("a", 1, "one"),
        row("b", 3, "three"),
        Row("c".to_owned(), 4, None),
    ]);
    let expected = BTreeMap::from([(-2, newest(&[row("d", 2, "two")])), (0, zero)]);
    assert_eq!(all_rows(&reader).await.unwrap(), expected);
}
