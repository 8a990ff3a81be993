//! Wakes the slots of one worker when their operations are due.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::clock::{Clock, Timer};

/// Slots that wait for their due moments, in the order of these moments.
pub struct Pacer {
    clock: Clock,
    /// Due moment and waker of each waiting slot.
    waiting: RefCell<VecDeque<(u64, Waker)>>,
    stopped: Cell<bool>,
}

impl Pacer {
    /// Makes a pacer for this number of slots.
    pub fn new(clock: Clock, slots: usize) -> Self {
        Pacer {
            clock,
            waiting: RefCell::new(VecDeque::with_capacity(slots)),
            stopped: Cell::new(false),
        }
    }

    /// Waits until a moment, and returns the moment at which the wait ended. Callers have to begin to wait
    /// in the order of their moments.
    pub fn until(&self, due: u64) -> Until<'_> {
        Until {
            pacer: self,
            due,
            waits: false,
        }
    }

    /// Wakes all slots whose moment has come.
    pub fn release(&self, now: u64) {
        let mut waiting = self.waiting.borrow_mut();
        while waiting.front().is_some_and(|(due, _)| *due <= now) {
            if let Some((_, waker)) = waiting.pop_front() {
                waker.wake();
            }
        }
    }

    /// Ends all waits, including those that have yet to begin.
    pub fn stop(&self) {
        self.stopped.set(true);
        self.release(u64::MAX);
    }

    /// Returns whether the pacer was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.get()
    }

    /// Returns the first moment that a slot waits for.
    pub fn next(&self) -> Option<u64> {
        self.waiting.borrow().front().map(|(due, _)| *due)
    }
}

/// Future of [`Pacer::until`]. It ends early when the pacer is stopped, and then returns a moment before
/// the due one.
pub struct Until<'a> {
    pacer: &'a Pacer,
    due: u64,
    waits: bool,
}

impl Future for Until<'_> {
    type Output = u64;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u64> {
        let now = self.pacer.clock.now();
        if now >= self.due || self.pacer.stopped.get() {
            return Poll::Ready(now);
        }
        // A slot is one task with one waker, which stays valid if something else wakes the slot.
        if !self.waits {
            self.waits = true;
            let entry = (self.due, cx.waker().clone());
            self.pacer.waiting.borrow_mut().push_back(entry);
        }
        Poll::Pending
    }
}

/// Timer of a worker. It is only set when the moment changes, since setting it is a system call.
pub struct Alarm {
    timer: Timer,
    /// Moment that the timer is set to; `None` after it has expired.
    set_to: Option<u64>,
}

impl Alarm {
    /// Creates an alarm that is not set.
    ///
    /// # Errors
    /// If the system gives no further file descriptor.
    pub fn new(clock: Clock) -> io::Result<Self> {
        Ok(Alarm {
            timer: Timer::new(clock)?,
            set_to: None,
        })
    }

    /// Has the task woken at a moment, and is ready if the moment has come.
    ///
    /// # Errors
    /// If the system refuses, or the runtime is shutting down.
    pub fn poll_at(&mut self, at: u64, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.set_to != Some(at) {
            self.timer.set(at)?;
            self.set_to = Some(at);
        }
        let expired = self.timer.poll_expired(cx);
        if expired.is_ready() {
            self.set_to = None;
        }
        expired
    }
}
