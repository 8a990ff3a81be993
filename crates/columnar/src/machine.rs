//! The clocks of the machine, waiting by them, and the names that are made of the time.
//!
//! With the feature `failpoints` a test can let work run on a [`Machine`] of its own, whose clocks it sets
//! and whose time it lets pass. Stores in Cassandra know no other clocks; the write times of rows
//! (`clock.rs`) and all other stores are not part of this.

#[cfg(feature = "cassandra")]
use std::time::{Duration, Instant, SystemTime};

use uuid::Uuid;

#[cfg(feature = "cassandra")]
use crate::clock;
use crate::failpoint;

#[cfg(all(feature = "cassandra", feature = "failpoints"))]
pub use self::simulated::{Machine, on};

/// Returns a UUID of version 7, which begins with the time. Those that a process makes later are greater.
pub fn name() -> Uuid {
    #[cfg(all(feature = "cassandra", feature = "failpoints"))]
    if let Some(machine) = simulated::machine() {
        return machine.name();
    }
    failpoint::timed_name(Uuid::now_v7())
}

/// Returns the present moment by a clock that only goes forward.
#[cfg(feature = "cassandra")]
pub fn steady() -> Instant {
    #[cfg(feature = "failpoints")]
    if let Some(machine) = simulated::machine() {
        return machine.steady();
    }
    Instant::now()
}

/// Returns the present moment by the wall clock.
#[cfg(feature = "cassandra")]
pub fn wall() -> SystemTime {
    #[cfg(feature = "failpoints")]
    if let Some(machine) = simulated::machine() {
        return machine.wall();
    }
    clock::wall()
}

/// Waits for this time.
#[cfg(feature = "cassandra")]
pub async fn sleep(time: Duration) {
    #[cfg(feature = "failpoints")]
    if let Some(machine) = simulated::machine() {
        return machine.sleep(time).await;
    }
    tokio::time::sleep(time).await;
}

#[cfg(all(feature = "cassandra", feature = "failpoints"))]
mod simulated {
    use std::sync::Arc;
    use std::time::{Duration, Instant, SystemTime};

    use futures::future::BoxFuture;
    use uuid::Uuid;

    /// A machine that a test simulates.
    pub trait Machine: Send + Sync {
        /// Returns the present moment by a clock that only goes forward, and may stand still.
        fn steady(&self) -> Instant;

        /// Returns the present moment by the wall clock.
        fn wall(&self) -> SystemTime;

        /// Returns a future that is ready after this time.
        fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;

        /// Returns a UUID of version 7 by the wall clock.
        fn name(&self) -> Uuid;
    }

    tokio::task_local! {
        static MACHINE: Arc<dyn Machine>;
    }

    /// Lets work run on a machine. What it spawns as a task of its own does not.
    pub async fn on<F: Future>(machine: Arc<dyn Machine>, work: F) -> F::Output {
        MACHINE.scope(machine, work).await
    }

    pub fn machine() -> Option<Arc<dyn Machine>> {
        MACHINE.try_with(Arc::clone).ok()
    }
}
