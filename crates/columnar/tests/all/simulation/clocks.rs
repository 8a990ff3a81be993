//! Processes one after another, of which the first one has a clock that is ahead.

use std::slice;
use std::sync::Arc;

use bakeoff_columnar::cassandra::CassandraStore;
use bakeoff_columnar::{KeyRange, Store};
use tokio::runtime::Builder;
use tokio::task::{LocalSet, spawn_local};

use super::machine::Dangers;
use super::processes::change;
use super::rows::{PLACES, chunk, read, row};
use super::world::World;

/// How far the clock of the first process is ahead of that of the servers, and that of the second one behind, in
/// microseconds: nearly as far as is allowed.
const APART: i64 = 14_500_000;

/// How the second process comes to know what the first one has written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Knows {
    /// It is about to write.
    ByCatchingUp,
    /// It has read the place.
    ByReading,
}

#[test]
fn what_is_written_after_a_process_whose_clock_was_ahead_counts() {
    for in_chunk in [false, true] {
        for knows in [Knows::ByCatchingUp, Knows::ByReading] {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            LocalSet::new().block_on(&runtime, async {
                let world = World::new(1, None).await;
                let all = spawn_local(one_after_another(Arc::clone(&world), in_chunk, knows));
                world.timeline.pass_until_ended(all).await;
            });
        }
    }
}

async fn one_after_another(world: Arc<World>, in_chunk: bool, knows: Knows) {
    world.coordinator.calm_down();
    let here = Arc::clone(&world);
    let first = on_a_clock(&world, APART, async move {
        here.make().await.unwrap();
        let store = here.open().await.unwrap();
        write(&store, "a", in_chunk).await
    });
    let written = first.await;
    let here = Arc::clone(&world);
    let second = on_a_clock(&world, -APART, async move {
        let store = here.open().await.unwrap();
        let unknowing = store.write_time();
        assert!(unknowing < written, "the clock is not behind");
        if knows == Knows::ByReading {
            read(&store, PLACES[0], KeyRange::default()).await.unwrap();
            assert!(store.write_time() > written);
        }
        write(&store, "a", false).await
    });
    let later = second.await;
    assert!(later > written, "{later} does not replace {written}");
}

/// Does work on a machine whose wall clock differs from that of the servers.
async fn on_a_clock<T>(world: &World, ahead: i64, work: impl Future<Output = T>) -> T {
    let machine = world.machine(Dangers::default());
    machine.set_ahead(ahead);
    machine.run(work).await.expect("the process does not die")
}

/// Writes a row as a table does, and returns its write time.
async fn write(store: &CassandraStore, key: &str, in_chunk: bool) -> i64 {
    store.catch_up(&[PLACES[0]]).await.unwrap();
    let row = row(key, store.write_time(), false);
    if in_chunk {
        let chunk = chunk([&row], false);
        let put = store.put(PLACES[0], slice::from_ref(&chunk)).await;
        put.unwrap();
        let change = change(0, &chunk, &[], None);
        store.commit(vec![change]).await.unwrap();
    } else {
        let inserted = store.insert(PLACES[0], slice::from_ref(&row)).await;
        inserted.unwrap();
    }
    row.write_time
}
