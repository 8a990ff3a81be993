//! The requests of a connection that the server has not answered.

use std::cell::Cell;

/// The requests of a connection that the server has not answered, which it does in the order in which they were sent. A
/// request that was given up counts until then, since those after it wait for it.
#[derive(Default)]
pub struct Unanswered {
    sent: Cell<u64>,
    /// Number of the last request whose reply has come.
    answered: Cell<u64>,
    given_up: Cell<bool>,
}

impl Unanswered {
    /// Counts a request that is sent now, before any other one is.
    pub fn begin(&self) -> InFlight<'_> {
        let number = self.sent.get() + 1;
        self.sent.set(number);
        InFlight {
            unanswered: self,
            number,
        }
    }

    /// Returns the number of requests that are not answered.
    pub fn count(&self) -> u64 {
        self.sent.get().saturating_sub(self.answered.get())
    }

    /// Returns whether a request was given up since this was last asked.
    pub fn take_given_up(&self) -> bool {
        self.given_up.take()
    }
}

/// A request in flight on a connection, which is given up if it is dropped.
pub struct InFlight<'a> {
    unanswered: &'a Unanswered,
    /// The first request of a connection has number 1.
    number: u64,
}

impl InFlight<'_> {
    /// Notes that the reply has come, and so those of all requests before.
    pub fn answered(self) {
        let answered = &self.unanswered.answered;
        answered.set(answered.get().max(self.number));
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if self.number > self.unanswered.answered.get() {
            self.unanswered.given_up.set(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_was_given_up_counts_until_a_later_one_is_answered() {
        let unanswered = Unanswered::default();
        let (first, second) = (unanswered.begin(), unanswered.begin());
        assert!(!unanswered.take_given_up());
        drop(first);
        assert_eq!(unanswered.count(), 2);
        assert!(unanswered.take_given_up());
        assert!(!unanswered.take_given_up(), "it was told before");
        second.answered();
        assert_eq!(unanswered.count(), 0);
        assert!(!unanswered.take_given_up());
    }

    #[test]
    fn replies_may_be_noticed_in_another_order() {
        let unanswered = Unanswered::default();
        let (first, second) = (unanswered.begin(), unanswered.begin());
        second.answered();
        let third = unanswered.begin();
        first.answered();
        assert_eq!(unanswered.count(), 1);
        third.answered();
        assert_eq!(unanswered.count(), 0);
        assert!(!unanswered.take_given_up());
    }
}
