//! Which rows of a log a freeze takes. This cannot be in `log.rs`, which `schedules.rs` compiles a second time.

use std::sync::Arc;

use bytes::Bytes;
use tempfile::TempDir;

use super::layout::Folder;
use super::log::Log;
use super::table;
use crate::id::Place;
use crate::key::tests::definition;
use crate::kind::Kind;
use crate::store::FreshRow;

/// A commit seals segments a moment before their rows are forgotten.
#[tokio::test]
async fn rows_that_are_sealed_already_are_not_taken_again() {
    let dir = TempDir::new().unwrap();
    let folder = Folder::new(dir.path());
    let definition = definition(&[Kind::Text, Kind::Timestamp, Kind::Double], 1, 1);
    let lock = table::create(&folder, &definition).unwrap();
    let place = Place {
        bucket: 0,
        shard: 0,
    };
    let log = Arc::new(Log::new(folder, place, Arc::default(), Arc::new(lock)));
    for (key, segment) in [("a", 1), ("b", 2), ("c", 3)] {
        let row = FreshRow {
            key: Bytes::from_static(key.as_bytes()),
            write_time: 1,
            row: None,
        };
        log.insert(&[row]).await.unwrap();
        assert_eq!(log.close(), Some(segment));
    }
    let taken = |sealed, up_to| {
        let rows = log.rows_between(sealed, up_to).into_iter();
        rows.map(|row| row.key).collect::<Vec<_>>()
    };
    assert_eq!(taken(0, 3), ["a", "b", "c"]);
    assert_eq!(taken(1, 2), ["b"]);
    assert_eq!(taken(2, 3), ["c"]);
    assert_eq!(taken(3, 3), [""; 0]);
}
