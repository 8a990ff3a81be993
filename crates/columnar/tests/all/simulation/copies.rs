//! A replica whose copies of blobs are not what was written.

use std::slice;
use std::sync::Arc;

use bakeoff_columnar::{KeyRange, Store};
use tokio::runtime::Builder;
use tokio::task::{LocalSet, spawn_local};

use super::machine::Dangers;
use super::processes::change;
use super::rows::{PLACES, chunk, read, row};
use super::world::World;

/// The seed of which replica answers. It is fixed, since a read asks nine times at most, and with one seed in
/// some 300 one of all these reads would find no right copy.
const SEED: u64 = 1;

/// The number of reads of both chunks. A third of the first answers is wrong.
const READS: usize = 30;

#[test]
fn a_wrong_copy_is_passed_over_for_that_of_another_replica() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, async {
        let world = World::new(SEED, None).await;
        let all = spawn_local(reads_of_wrong_copies(Arc::clone(&world)));
        world.timeline.pass_until_ended(all).await;
    });
}

async fn reads_of_wrong_copies(world: Arc<World>) {
    let machine = world.machine(Dangers::default());
    let here = Arc::clone(&world);
    let work = async move {
        here.coordinator.calm_down();
        here.make().await.unwrap();
        let store = here.open().await.unwrap();
        // One chunk is a single row, the other one has a row for each blob.
        for (key, is_large) in [("a", false), ("b", true)] {
            let chunk = chunk([&row(key, 1, false)], is_large);
            let chunks = slice::from_ref(&chunk);
            store.put(PLACES[0], chunks).await.unwrap();
            store
                .commit(vec![change(0, &chunk, &[], None)])
                .await
                .unwrap();
        }
        assert_eq!(here.coordinator.spoil(1, "_chunks", "data"), 1 + 2);
        for _ in 0..READS {
            // This compares the checksums.
            let shown = read(&store, PLACES[0], KeyRange::default()).await;
            assert_eq!(shown.unwrap().rows.len(), 2);
        }
    };
    machine.run(work).await.expect("the process does not die");
}
