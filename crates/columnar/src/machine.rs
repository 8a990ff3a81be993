//! The clocks of the machine, waiting by them, and the names that are made of the time.
//!
//! With the feature `failpoints` a test can replace them by those of a [`Machine`] that it simulates: for one
//! task ([`on`]), or for the whole process ([`replace`]). Write times of rows, names of chunks, and the leases and
//! waits of stores in Cassandra come from here.

use std::time::SystemTime;
#[cfg(feature = "cassandra")]
use std::time::{Duration, Instant};

use uuid::Uuid;

#[cfg(feature = "failpoints")]
pub use self::simulated::{Machine, is_of_task, on, replace};

/// Returns whether a test simulates the machine of this task, as if it were a process of its own.
#[cfg(not(feature = "failpoints"))]
pub fn is_of_task() -> bool {
    false
}

/// Returns a UUID of version 7, which begins with the time. Those that a process makes later are greater.
pub fn name() -> Uuid {
    #[cfg(feature = "failpoints")]
    if let Some(machine) = simulated::machine() {
        return machine.name();
    }
    Uuid::now_v7()
}

/// Returns the present moment by the wall clock.
pub fn wall() -> SystemTime {
    #[cfg(feature = "failpoints")]
    if let Some(machine) = simulated::machine() {
        return machine.wall();
    }
    SystemTime::now()
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

/// Waits for this time.
#[cfg(feature = "cassandra")]
pub async fn sleep(time: Duration) {
    #[cfg(feature = "failpoints")]
    if let Some(machine) = simulated::machine() {
        return machine.sleep(time).await;
    }
    tokio::time::sleep(time).await;
}

#[cfg(feature = "failpoints")]
mod simulated {
    use std::sync::{Arc, OnceLock};
    use std::time::{Duration, Instant, SystemTime};

    use futures::future::{BoxFuture, FutureExt};
    use uuid::Uuid;

    /// A machine that a test simulates. Its steady clock and its waiting are real unless it says otherwise.
    pub trait Machine: Send + Sync {
        /// Returns the present moment by the wall clock.
        fn wall(&self) -> SystemTime;

        /// Returns a UUID of version 7 by the wall clock.
        fn name(&self) -> Uuid;

        /// Returns the present moment by a clock that only goes forward, and may stand still.
        fn steady(&self) -> Instant {
            Instant::now()
        }

        /// Returns a future that is ready after this time.
        fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
            tokio::time::sleep(time).boxed()
        }
    }

    tokio::task_local! {
        static OF_TASK: Arc<dyn Machine>;
    }

    static OF_PROCESS: OnceLock<Arc<dyn Machine>> = OnceLock::new();

    /// Runs a future whose clocks are those of a machine. Tasks and threads that it spawns have other clocks.
    pub async fn on<F: Future>(machine: Arc<dyn Machine>, work: F) -> F::Output {
        OF_TASK.scope(machine, work).await
    }

    /// Replaces the clocks of this process, for all of its threads and for good. Returns whether that was the
    /// first time; a second machine is ignored.
    pub fn replace(machine: Arc<dyn Machine>) -> bool {
        OF_PROCESS.set(machine).is_ok()
    }

    /// Returns whether a test simulates the machine of this task, as if it were a process of its own.
    pub fn is_of_task() -> bool {
        OF_TASK.try_with(|_| ()).is_ok()
    }

    pub fn machine() -> Option<Arc<dyn Machine>> {
        let of_task = OF_TASK.try_with(Arc::clone).ok();
        of_task.or_else(|| OF_PROCESS.get().map(Arc::clone))
    }
}
