//! Points at which a test kills the process or lets a call to the system fail.
//!
//! The feature `failpoints` enables them. `BAKEOFF_FAILPOINT=name` then kills the process with SIGKILL
//! when it reaches the point of that name, `BAKEOFF_FAILPOINT=name:3` when it does so the third time.
//! `BAKEOFF_FAILING=name` (or `name:3`) lets the call at that point fail once. Without the feature
//! nothing of this is compiled.

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
mod enabled {
    use std::io;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A point at which something happens.
    struct Point {
        name: String,
        /// The number of times that the process still has to reach the point.
        remaining: AtomicU64,
    }

    static DEADLY: OnceLock<Option<Point>> = OnceLock::new();
    static FAILING: OnceLock<Option<Point>> = OnceLock::new();

    pub fn hit(name: &'static str) {
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
