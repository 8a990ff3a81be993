//! Asking a load to end early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// A wish to end a load before its time. Clones share the wish, which cannot be taken back.
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
    pub fn new() -> Self {
        Stop::default()
    }

    /// From now on nothing becomes due; what is in flight is waited for.
    pub fn stop(&self) {
        self.inner.asked.store(true, Ordering::Release);
        self.inner.changed.notify_waiters();
    }

    pub fn is_asked(&self) -> bool {
        self.inner.asked.load(Ordering::Acquire)
    }

    /// Ends once [`Stop::stop`] was called.
    pub async fn asked(&self) {
        let changed = self.inner.changed.notified();
        if !self.is_asked() {
            changed.await;
        }
    }
}
