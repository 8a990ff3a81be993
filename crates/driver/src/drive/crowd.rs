//! Whether operations wait because of the limit of operations in flight, or because of the driver.

use std::cell::Cell;

/// The operations that one worker has under way. All moments are the clock's.
pub struct Crowd {
    slots: usize,
    under_way: Cell<usize>,
    /// All slots were under way from here on. Where an operation that was due meanwhile takes the
    /// place of one that ended, that goes on.
    full_from: Cell<u64>,
    /// When the last operation ended that was under way together with all others.
    full_until: Cell<u64>,
}

impl Crowd {
    pub fn new(slots: usize) -> Self {
        Crowd {
            slots,
            under_way: Cell::new(0),
            full_from: Cell::new(u64::MAX),
            full_until: Cell::new(0),
        }
    }

    /// An operation is sent. Whether all slots were under way when it was due: otherwise one was
    /// free, and it is the driver that was late.
    #[inline]
    pub fn join(&self, due: u64, sent: u64) -> bool {
        let queued = self.full_from.get() <= due && due < self.full_until.get();
        let under_way = self.under_way.get() + 1;
        self.under_way.set(under_way);
        if under_way == self.slots && due >= self.full_until.get() {
            self.full_from.set(sent);
        }
        queued
    }

    #[inline]
    pub fn leave(&self, done: u64) {
        let under_way = self.under_way.get();
        if under_way == self.slots {
            self.full_until.set(done);
        }
        self.under_way.set(under_way - 1);
    }

    /// Whether an operation that was due then and never sent was kept back by the limit.
    pub fn kept_back(&self, due: u64) -> bool {
        let is_full = self.under_way.get() == self.slots;
        self.full_from.get() <= due && (is_full || due < self.full_until.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_due_while_all_slots_were_under_way_is_queued() {
        let crowd = Crowd::new(2);
        // The driver slept until 100.
        assert!(!crowd.join(10, 100));
        assert!(!crowd.join(20, 101));
        crowd.leave(200);
        assert!(!crowd.join(30, 201), "due when both were free");
        crowd.leave(300);
        assert!(crowd.join(250, 301), "due when both were under way");
        crowd.leave(400);
        assert!(crowd.join(260, 401), "and still is");
        crowd.leave(500);
        assert!(!crowd.join(500, 501), "due when one became free");
    }

    #[test]
    fn a_driver_that_was_late_once_is_not_blamed_for_what_never_drains() {
        let crowd = Crowd::new(1);
        assert!(!crowd.join(0, 50), "it began late");
        for n in 1..1_000 {
            crowd.leave(50 + 100 * n);
            assert_eq!(crowd.join(10 * n, 51 + 100 * n), 10 * n >= 50, "{n}");
        }
        assert!(crowd.kept_back(10_000));
    }

    #[test]
    fn operations_that_end_at_once_never_fill_the_slots() {
        let crowd = Crowd::new(2);
        for n in 0..1_000 {
            assert!(!crowd.join(n, 100 * n));
            crowd.leave(100 * n + 50);
        }
        assert!(!crowd.kept_back(1_000));
    }

    #[test]
    fn what_is_behind_operations_that_never_end_is_kept_back() {
        let crowd = Crowd::new(1);
        assert!(!crowd.join(5, 5));
        assert!(crowd.kept_back(6) && !crowd.kept_back(4));
    }
}
