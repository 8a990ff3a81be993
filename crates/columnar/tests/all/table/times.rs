//! Equal write times: whatever is valid before a seal is valid after it.

use std::sync::{Arc, Mutex};

use bakeoff_columnar::{Selection, Store, Table};
use bakeoff_testing::times;
use proptest::prelude::*;

use super::support::*;

/// A moment so late that no deletion is old.
const TIME: i64 = 4_000_000_000_000_000;

/// A write of the only key: its time, and a value or a deletion.
type Write = (i64, Option<u8>);

async fn perform(table: &Table, (time, value): Write) {
    match value {
        Some(value) => {
            let row = (1, 1, Some(f64::from(value)), None);
            table.insert_at(&batch(&[row]), TIME + time).await.unwrap();
        }
        None => table
            .delete_at(&keys(&[(1, 1)]), TIME + time)
            .await
            .unwrap(),
    }
}

async fn all(table: &Table) -> Plain {
    shown(table, &Selection::default()).await
}

fn write() -> impl Strategy<Value = Write> {
    (0i64..2, prop::option::weighted(0.8, 0u8..4))
}

/// Writes, and returns what is valid afterwards.
fn writing(store: &Arc<dyn Store>, writes: &[Write], seen: &Arc<Mutex<Option<Plain>>>) -> Hook {
    let table = Table::new(Arc::clone(store), 0);
    let (writes, seen) = (writes.to_vec(), Arc::clone(seen));
    Box::new(move || {
        let (table, writes, seen) = (Arc::clone(&table), writes.clone(), Arc::clone(&seen));
        Box::pin(async move {
            for written in writes {
                perform(&table, written).await;
            }
            let now = all(&table).await;
            *seen.lock().unwrap() = Some(now);
            Ok(())
        })
    })
}

async fn check(store: Arc<dyn Store>, rounds: &[(Vec<Write>, Vec<Write>)]) {
    for (before, meanwhile) in rounds {
        let table = Table::new(Arc::clone(&store), 0);
        for written in before {
            perform(&table, *written).await;
        }
        let was = all(&table).await;
        let seen = Arc::new(Mutex::new(None));
        let sealing = Hooked {
            store: Arc::clone(&store),
            on_put: writing(&store, meanwhile, &seen),
            on_commit: nothing(),
        };
        let sealing = Table::new(Arc::new(sealing), 0);
        sealing.seal(None).await.unwrap();
        let seen = seen.lock().unwrap().take();
        assert_eq!(all(&table).await, seen.unwrap_or(was));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: times(32, 128), ..ProptestConfig::default() })]

    #[test]
    fn a_seal_changes_no_answer(
        rounds in prop::collection::vec((
            prop::collection::vec(write(), 0..4),
            prop::collection::vec(write(), 0..3),
        ), 1..4),
    ) {
        for (store, _folder) in stores(&definition(4, 1)) {
            runtime().block_on(check(store, &rounds));
        }
    }

    /// Checks that the order of writes does not matter as long as nothing is sealed between them.
    #[test]
    fn the_order_of_writes_does_not_matter(writes in prop::collection::vec(write(), 1..5)) {
        let mut found = Vec::new();
        for reversed in [false, true] {
            for (store, _folder) in stores(&definition(4, 1)) {
                let mut writes = writes.clone();
                if reversed {
                    writes.reverse();
                }
                found.push(runtime().block_on(async {
                    let table = Table::new(store, 0);
                    for written in writes {
                        perform(&table, written).await;
                    }
                    all(&table).await
                }));
            }
        }
        prop_assert!(found.iter().all(|all| *all == found[0]), "{found:?}");
    }
}
