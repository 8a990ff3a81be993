//! The limit of operations in flight: distinguishes operations that waited because of it from those that
//! the driver itself sent late.

use std::cell::Cell;

/// Operations that one worker has in flight. All moments are those of the load's clock.
pub struct InFlightLimit {
    /// Largest number of operations in flight.
    slots: usize,
    in_flight: Cell<usize>,
    /// Moment from which all slots have been busy. If an operation that became due meanwhile takes the
    /// slot of one that ended, they count as busy throughout.
    full_from: Cell<u64>,
    /// Moment at which an operation last ended while all slots were busy.
    full_until: Cell<u64>,
}

impl InFlightLimit {
    /// Starts with all slots free.
    pub fn new(slots: usize) -> Self {
        InFlightLimit {
            slots,
            in_flight: Cell::new(0),
            full_from: Cell::new(u64::MAX),
            full_until: Cell::new(0),
        }
    }

    /// Notes that an operation is sent. Returns whether all slots were busy when it was due. If one was
    /// free, the driver is to blame for any delay.
    #[inline]
    pub fn begin(&self, due: u64, sent: u64) -> bool {
        let queued = self.full_from.get() <= due && due < self.full_until.get();
        let in_flight = self.in_flight.get() + 1;
        self.in_flight.set(in_flight);
        // An operation that was due before a slot became free does not interrupt the busy time.
        if in_flight == self.slots && due >= self.full_until.get() {
            self.full_from.set(sent);
        }
        queued
    }

    /// Notes that an operation has ended.
    #[inline]
    pub fn end(&self, done: u64) {
        let in_flight = self.in_flight.get();
        if in_flight == self.slots {
            self.full_until.set(done);
        }
        self.in_flight.set(in_flight - 1);
    }

    /// Returns whether the limit was the reason that an operation due at this moment was never sent.
    pub fn kept_back(&self, due: u64) -> bool {
        let is_full = self.in_flight.get() == self.slots;
        self.full_from.get() <= due && (is_full || due < self.full_until.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_due_while_all_slots_were_under_way_is_queued() {
        let limit = InFlightLimit::new(2);
        // The driver slept until 100.
        assert!(!limit.begin(10, 100));
        assert!(!limit.begin(20, 101));
        limit.end(200);
        assert!(!limit.begin(30, 201), "due when both were free");
        limit.end(300);
        assert!(limit.begin(250, 301), "due when both were under way");
        limit.end(400);
        assert!(limit.begin(260, 401), "and still is");
        limit.end(500);
        assert!(!limit.begin(500, 501), "due when one became free");
    }

    #[test]
    fn a_driver_that_was_late_once_is_not_blamed_for_what_never_drains() {
        let limit = InFlightLimit::new(1);
        assert!(!limit.begin(0, 50), "it began late");
        for n in 1..1_000 {
            limit.end(50 + 100 * n);
            assert_eq!(limit.begin(10 * n, 51 + 100 * n), 10 * n >= 50, "{n}");
        }
        assert!(limit.kept_back(10_000));
    }

    #[test]
    fn operations_that_end_at_once_never_fill_the_slots() {
        let limit = InFlightLimit::new(2);
        for n in 0..1_000 {
            assert!(!limit.begin(n, 100 * n));
            limit.end(100 * n + 50);
        }
        assert!(!limit.kept_back(1_000));
    }

    #[test]
    fn what_is_behind_operations_that_never_end_is_kept_back() {
        let limit = InFlightLimit::new(1);
        assert!(!limit.begin(5, 5));
        assert!(limit.kept_back(6) && !limit.kept_back(4));
    }
}
