//! Signal for a load to end early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Signal to end a load early. Clones share it, and it cannot be taken back.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    asked: AtomicBool,
    changed: Notify,
}

impl Stop {
    /// Makes a signal that has not been given.
    pub fn new() -> Self {
        Stop::default()
    }

    /// Gives the signal. From now on no operation becomes due; those in flight are waited for.
    pub fn stop(&self) {
        self.inner.asked.store(true, Ordering::Release);
        self.inner.changed.notify_waiters();
    }

    /// Returns whether the signal was given.
    pub fn is_asked(&self) -> bool {
        self.inner.asked.load(Ordering::Acquire)
    }

    /// Waits until the signal is given.
    pub async fn asked(&self) {
        // Created before the check, so that a signal between the two is not missed.
        let changed = self.inner.changed.notified();
        if !self.is_asked() {
            changed.await;
        }
    }
}
