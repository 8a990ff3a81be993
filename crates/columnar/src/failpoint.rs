//! Points at which a test kills the process.
//!
//! With the feature `failpoints`, `BAKEOFF_FAILPOINT=name` kills the process with SIGKILL when it
//! comes to the point of that name, `BAKEOFF_FAILPOINT=name:3` when it comes there for the third
//! time. Without the feature nothing of this is compiled.

#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub fn hit(_name: &'static str) {}

#[cfg(feature = "failpoints")]
pub fn hit(name: &'static str) {
    enabled::hit(name);
}

#[cfg(feature = "failpoints")]
mod enabled {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Deadly {
        name: String,
        /// Times that the process may still come there, this one included.
        left: AtomicU64,
    }

    static DEADLY: OnceLock<Option<Deadly>> = OnceLock::new();

    pub fn hit(name: &'static str) {
        let Some(deadly) = DEADLY.get_or_init(from_environment) else {
            return;
        };
        if deadly.name == name && deadly.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            die();
        }
    }

    fn from_environment() -> Option<Deadly> {
        let value = std::env::var("BAKEOFF_FAILPOINT").ok()?;
        let (name, times) = match value.split_once(':') {
            Some((name, times)) => (name.to_owned(), times.parse().unwrap_or(1)),
            None => (value, 1),
        };
        Some(Deadly {
            name,
            left: AtomicU64::new(times),
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
