//! The end of a simulation, when all trouble is over.

use std::sync::Arc;

use bakeoff_columnar::internals::protocol::RENEWAL_HOLDS;
use bakeoff_columnar::{Error, GRACE, KeyRange, Store};

use super::machine::Dangers;
use super::processes::Process;
use super::rows::{PLACES, read};
use super::world::World;

/// Checks that what was acknowledged is there, and that everything can be sealed, swept and opened again.
pub async fn end_well(world: Arc<World>) {
    world.coordinator.calm_down();
    let machine = world.machine(Dangers::default());
    let process = Process::new(&world, &machine);
    let work = async move { tidy(&process).await };
    if let Some(Err(fault)) = machine.run(work).await {
        world.history.find(format!("in the end: {fault}"));
    }
}

async fn tidy(process: &Process) -> Result<(), String> {
    let words = |error: Error| error.to_string();
    let world = &process.world;
    let store = world.open().await.map_err(words)?;
    for (at, place) in PLACES.into_iter().enumerate() {
        process.read_once(&store, place).await.map_err(words)?;
        process.seal_place(&store, at).await.map_err(words)?;
    }
    // Chunks that nobody has committed can be swept now.
    world.timeline.sleep(RENEWAL_HOLDS + GRACE).await;
    store.sweep(GRACE).await.map_err(words)?;
    let complaints = world.complaints().await.map_err(words)?;
    if !complaints.is_empty() {
        return Err(complaints.join("; "));
    }
    let again = world.open().await.map_err(words)?;
    for place in PLACES {
        process.read_once(&again, place).await.map_err(words)?;
        let shown = read(&again, place, KeyRange::default()).await;
        let shown = shown.map_err(words)?;
        if shown.fresh > 0 || shown.chunks.len() > 1 {
            let (fresh, chunks) = (shown.fresh, shown.chunks.len());
            return Err(format!(
                "{place} has {fresh} fresh rows and {chunks} chunks"
            ));
        }
    }
    Ok(())
}
