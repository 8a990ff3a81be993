//! Points at which a test kills the process or lets a call to the system fail.
//!
//! The feature `failpoints` enables them. `BAKEOFF_FAILPOINT=name` then kills the process with SIGKILL
//! when it reaches the point of that name, `BAKEOFF_FAILPOINT=name:3` when it does so the third time.
//! `BAKEOFF_FAILING=name` (or `name:3`) lets the call at that point fail once. A [`Pause`] holds the first
//! thread that comes to a point until the test lets it go on. Without the feature nothing of this is
//! compiled.

use std::io;

/// Marks a point at which a test may kill the process.
#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub fn hit(_name: &'static str) {}

/// Kills the process if a test asked for that at this point.
#[cfg(feature = "failpoints")]
pub fn hit(name: &'static str) {
    enabled::hit(name);
}

/// Marks a call to the system that a test may let fail.
///
/// # Errors
/// Fails if the test asked for it.
#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub fn call(_name: &'static str) -> io::Result<()> {
    Ok(())
}

/// Fails in place of a call to the system if a test asked for that.
///
/// # Errors
/// Fails if the test asked for it.
#[cfg(feature = "failpoints")]
pub fn call(name: &'static str) -> io::Result<()> {
    enabled::call(name)
}

#[cfg(feature = "failpoints")]
pub use enabled::Pause;

#[cfg(feature = "failpoints")]
mod enabled {
    use std::io;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

    /// A point at which something happens.
    struct Point {
        name: String,
        /// The number of times that the process still has to reach the point.
        remaining: AtomicU64,
    }

    static DEADLY: OnceLock<Option<Point>> = OnceLock::new();
    static FAILING: OnceLock<Option<Point>> = OnceLock::new();

    /// The points at which a thread is to be held.
    static PAUSES: Mutex<Vec<Arc<Held>>> = Mutex::new(Vec::new());

    /// A point at which the first thread that comes is held until this is dropped. All threads of the
    /// process count, so that such a test runs in a process of its own.
    pub struct Pause(Arc<Held>);

    struct Held {
        name: &'static str,
        state: Mutex<State>,
        changed: Condvar,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum State {
        /// No thread has come.
        Waiting,
        /// A thread is held.
        Reached,
        /// Threads go on.
        Over,
    }

    impl Pause {
        /// Holds the first thread that comes to a point from now on.
        pub fn at(name: &'static str) -> Pause {
            let held = Arc::new(Held {
                name,
                state: Mutex::new(State::Waiting),
                changed: Condvar::new(),
            });
            lock(&PAUSES).push(Arc::clone(&held));
            Pause(held)
        }

        /// Waits until a thread is held.
        pub fn wait(&self) {
            let held = &self.0;
            let reached = held
                .changed
                .wait_while(lock(&held.state), |state| *state == State::Waiting);
            drop(reached.unwrap_or_else(PoisonError::into_inner));
        }
    }

    impl Drop for Pause {
        fn drop(&mut self) {
            lock(&PAUSES).retain(|other| !Arc::ptr_eq(other, &self.0));
            *lock(&self.0.state) = State::Over;
            self.0.changed.notify_all();
        }
    }

    impl Held {
        /// Holds this thread if it is the first one.
        fn pass(&self) {
            let mut state = lock(&self.state);
            if *state == State::Waiting {
                *state = State::Reached;
                self.changed.notify_all();
                let over = self
                    .changed
                    .wait_while(state, |state| *state != State::Over);
                drop(over.unwrap_or_else(PoisonError::into_inner));
            }
        }
    }

    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn hit(name: &'static str) {
        let pauses: Vec<Arc<Held>> = lock(&PAUSES)
            .iter()
            .filter(|held| held.name == name)
            .cloned()
            .collect();
        pauses.iter().for_each(|held| held.pass());
        if is_reached(&DEADLY, "BAKEOFF_FAILPOINT", name) {
            die();
        }
    }

    pub fn call(name: &'static str) -> io::Result<()> {
        if is_reached(&FAILING, "BAKEOFF_FAILING", name) {
            Err(io::Error::other("a test lets this fail"))
        } else {
            Ok(())
        }
    }

    fn is_reached(point: &OnceLock<Option<Point>>, variable: &str, name: &str) -> bool {
        let point = point.get_or_init(|| from_environment(variable));
        point.as_ref().is_some_and(|point| {
            point.name == name && point.remaining.fetch_sub(1, Ordering::Relaxed) == 1
        })
    }

    fn from_environment(variable: &str) -> Option<Point> {
        let value = std::env::var(variable).ok()?;
        let (name, times) = match value.split_once(':') {
            Some((name, times)) => (name.to_owned(), times.parse().unwrap_or(1)),
            None => (value, 1),
        };
        Some(Point {
            name,
            remaining: AtomicU64::new(times),
        })
    }

    fn die() -> ! {
        let me = rustix::process::getpid();
        while rustix::process::kill_process(me, rustix::process::Signal::KILL).is_ok() {
            std::thread::park();
        }
        std::process::abort()
    }
}
