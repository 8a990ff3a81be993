//! The real store in a world that is simulated from a seed: three replicas, processes that write, read, seal,
//! sweep and drop, and everything that may happen to them. Requests are late, overtake each other, are lost or
//! time out, hints come hours later, replicas are down for a while, processes die, and their clocks differ and
//! stand still. A checker knows what was acknowledged ([`history`]), and looks at each read and at the end.
//!
//! The store and the driver are those of every day; the driver connects to a server of this program
//! ([`server`]). Cells merge as in Cassandra ([`cells`]), and what happens at the replicas follows from the seed
//! and from the order in which requests come to the coordinator ([`replicas`]).
//!
//! The store takes its time from a machine that is simulated ([`machine`]): hours pass when nobody has anything
//! left to do ([`timeline`]). What remains real are sockets and the timers of the driver, which never expire
//! here. So the order in which requests come, and with it the rest of a run, may differ between two runs of
//! a seed if the system delivers something late: a fault is mostly found again, but not with certainty.
//!
//! Not simulated are a coordinator that breaks a connection, changes of the tables themselves, lightweight
//! transactions that fail, and times to live.

mod cells;
mod clocks;
mod coordinator;
mod copies;
mod end;
mod history;
mod machine;
mod meaning;
mod parser;
mod processes;
mod replicas;
mod rows;
mod server;
mod statement;
mod system;
mod table;
mod timeline;
mod wire;
mod world;

use std::sync::Arc;
use std::time::Instant;

use bakeoff_testing::{Moment, Random, times};
use tokio::runtime::Builder;
use tokio::task::{LocalSet, spawn_local};

use self::history::Told;
use self::machine::Dangers;
use self::processes::{ROLES, live};
use self::replicas::Breach;
use self::world::World;

/// The number of seeds in which a broken promise of Cassandra has to be noticed.
const SEEDS_TO_NOTICE: usize = 60;

#[test]
fn nothing_acknowledged_is_lost_and_nothing_dropped_comes_back() {
    let mut random = Random::printed("simulated clusters");
    let began = Instant::now();
    let count = times(20, 1_000);
    let fresh = std::iter::from_fn(|| {
        let seed = random.0;
        random.number();
        Some(seed)
    });
    let mut total = Told::default();
    for seed in fresh.take(count) {
        let again = format!("BAKEOFF_TEST_SEED={seed} begins with this one");
        let _moment = Moment::new(&again);
        match simulate(seed, None) {
            Ok(told) => total += told,
            Err(fault) => panic!("{fault}; {again}"),
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{count} seeds in {seconds:.1} s: {total:?}");
    assert!(total.has_everything(), "{total:?}");
}

#[test]
fn writes_that_one_replica_acknowledges_are_noticed() {
    is_noticed(Breach::OneIsEnough);
}

#[test]
fn writes_that_a_quorum_forgets_are_noticed() {
    is_noticed(Breach::Forgotten);
}

#[test]
fn batches_that_are_not_applied_as_a_whole_are_noticed() {
    is_noticed(Breach::TornBatches);
}

#[track_caller]
fn is_noticed(breach: Breach) {
    let mut random = Random::printed("simulated clusters that break a promise");
    let fault = (0..SEEDS_TO_NOTICE).find_map(|_| {
        let seed = random.number();
        simulate(seed, Some(breach)).err()
    });
    println!("{}", fault.expect("the broken promise is noticed"));
}

/// Lets everything happen in a world.
///
/// # Errors
/// Returns in words what went wrong.
fn simulate(seed: u64, breach: Option<Breach>) -> Result<Told, String> {
    // A runtime of its own ends everything that is left of the world.
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, async {
        let world = World::new(seed, breach).await;
        let all = spawn_local(everything(Arc::clone(&world)));
        world.timeline.pass_until_ended(all).await;
        world.history.result()
    })
}

async fn everything(world: Arc<World>) {
    let maker = world.machine(Dangers::default());
    let making = Arc::clone(&world);
    if let Some(Err(error)) = maker.run(async move { making.make().await }).await {
        return world.history.find(format!("making the table: {error}"));
    }
    let lives = ROLES.map(|role| spawn_local(live(Arc::clone(&world), role)));
    for life in lives {
        life.await.unwrap();
    }
    end::end_well(world).await;
}
