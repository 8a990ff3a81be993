//! Clocks that are set back between the lives of two processes: what is written later counts.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use bakeoff_columnar::{DirectoryStore, Selection, Store, Table};
use tempfile::TempDir;

use super::support::*;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Returns a moment that far ahead of the clock, in microseconds since 1970.
fn ahead(by: Duration) -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap() + by;
    since.as_micros() as i64
}

fn batch(columns: &[(&str, &str)]) -> RecordBatch {
    let column = |(name, value): &(&str, &str)| {
        let array: ArrayRef = Arc::new(StringArray::from(vec![*value]));
        ((*name).to_owned(), array)
    };
    RecordBatch::try_from_iter(columns.iter().map(column)).unwrap()
}

fn opened(folder: &TempDir) -> Arc<Table> {
    Table::new(Arc::new(DirectoryStore::open(folder.path()).unwrap()), 0)
}

/// Returns the only value of the table, if there is a row.
async fn value(table: &Table) -> Option<String> {
    let rows = table.rows(&Selection::default(), &[1]).await.unwrap();
    let values = rows.iter().flat_map(|rows| {
        let column = rows.column(0).as_any().downcast_ref::<StringArray>();
        column
            .unwrap()
            .iter()
            .map(|value| value.unwrap().to_owned())
    });
    let values: Vec<String> = values.collect();
    assert!(values.len() <= 1, "{values:?}");
    values.into_iter().next()
}

/// Makes a table with a row that a clock far ahead has written, as a fresh row or in a chunk.
async fn written_ahead(in_chunk: bool) -> TempDir {
    let folder = TempDir::new().unwrap();
    drop(DirectoryStore::create(folder.path(), definition()).unwrap());
    let table = opened(&folder);
    let row = batch(&[("id", "a"), ("value", "old")]);
    table.insert_at(&row, ahead(2 * DAY)).await.unwrap();
    if in_chunk {
        table.seal(None).await.unwrap();
    }
    folder
}

#[tokio::test]
async fn what_is_written_after_the_clock_was_set_back_counts() {
    for in_chunk in [false, true] {
        let folder = written_ahead(in_chunk).await;
        let table = opened(&folder);
        let row = batch(&[("id", "a"), ("value", "new")]);
        table.insert(&row).await.unwrap();
        assert_eq!(value(&table).await.as_deref(), Some("new"), "{in_chunk}");

        let folder = written_ahead(in_chunk).await;
        let table = opened(&folder);
        let mut ingest = table.ingest();
        ingest.write(&row).await.unwrap();
        ingest.finish().await.unwrap();
        assert_eq!(value(&table).await.as_deref(), Some("new"), "{in_chunk}");
        drop(table);

        let table = opened(&folder);
        table.delete(&batch(&[("id", "a")])).await.unwrap();
        assert_eq!(value(&table).await, None, "{in_chunk}");
        table.seal(None).await.unwrap();
        assert_eq!(value(&table).await, None, "{in_chunk}");
    }
}

#[tokio::test]
async fn write_times_far_ahead_are_said() {
    let folder = written_ahead(true).await;
    let notes = opened(&folder).notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("ahead of this machine's clock"),
        "{notes:?}"
    );
    let check = DirectoryStore::check(folder.path()).unwrap();
    assert_eq!(check.notes, notes);

    let folder = TempDir::new().unwrap();
    let store = DirectoryStore::create(folder.path(), definition()).unwrap();
    let now = fresh(&[row("a", ahead(Duration::ZERO), "x")]);
    store.insert(place(0), &now).await.unwrap();
    assert!(reopened(&folder, store).notes().is_empty());
}
