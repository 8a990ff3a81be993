//! What the driver notes of a request: when it gave it to a connection.

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use scylla::errors::{RequestAttemptError, RequestError};
use scylla::observability::history::{AttemptId, HistoryListener, RequestId, SpeculativeId};
use scylla::policies::retry::RetryDecision;

/// Notes when each request of a statement, one after another, is given to a connection for the first time.
#[derive(Debug, Default)]
pub struct Marks(Mutex<Option<Instant>>);

impl Marks {
    /// Forgets the request before.
    pub fn begin(&self) {
        *self.given() = None;
    }

    /// Returns the microseconds from a moment until the request was given to a connection; `None` if it was not.
    pub fn micros_since(&self, began: Instant) -> Option<u64> {
        let waited = self.given().as_ref()?.saturating_duration_since(began);
        u64::try_from(waited.as_micros()).ok()
    }

    fn given(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Only the first attempt is noted: ids, with which others would be told apart, are not needed.
impl HistoryListener for Marks {
    fn log_request_start(&self) -> RequestId {
        RequestId(0)
    }

    fn log_request_success(&self, _: RequestId) {}

    fn log_request_error(&self, _: RequestId, _: &RequestError) {}

    fn log_new_speculative_fiber(&self, _: RequestId) -> SpeculativeId {
        SpeculativeId(0)
    }

    fn log_attempt_start(
        &self,
        _: RequestId,
        _: Option<SpeculativeId>,
        _: SocketAddr,
    ) -> AttemptId {
        self.given().get_or_insert_with(Instant::now);
        AttemptId(0)
    }

    fn log_attempt_success(&self, _: AttemptId) {}

    fn log_attempt_error(&self, _: AttemptId, _: &RequestAttemptError, _: &RetryDecision) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_attempt_of_each_request_ends_the_queue() {
        let marks = Marks::default();
        let began = Instant::now();
        assert_eq!(marks.micros_since(began), None);
        let node = SocketAddr::from(([127, 0, 0, 1], 9042));
        marks.log_attempt_start(RequestId(0), None, node);
        let first = marks.micros_since(began);
        assert!(first.is_some());
        marks.log_attempt_start(RequestId(0), None, node);
        assert_eq!(marks.micros_since(began), first, "a retry is no queue");
        marks.begin();
        assert_eq!(marks.micros_since(began), None);
    }
}
