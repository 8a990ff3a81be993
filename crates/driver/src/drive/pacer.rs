//! Wakes the slots of one worker when their operations are due.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::clock::{Clock, Timer};

/// Slots that wait for their due moments, in that order, and the one timer that they share.
pub struct Pacer {
    clock: Clock,
    waiting: RefCell<VecDeque<(u64, Waker)>>,
    stopped: Cell<bool>,
}

impl Pacer {
    pub fn new(clock: Clock, slots: usize) -> Self {
        Pacer {
            clock,
            waiting: RefCell::new(VecDeque::with_capacity(slots)),
            stopped: Cell::new(false),
        }
    }

    /// Waits until this moment, and returns the one at which the wait was over. Callers begin to
    /// wait in the order of their moments.
    pub fn until(&self, due: u64) -> Until<'_> {
        Until {
            pacer: self,
            due,
            waits: false,
        }
    }

    /// Wakes all whose moment has come.
    pub fn release(&self, now: u64) {
        let mut waiting = self.waiting.borrow_mut();
        while waiting.front().is_some_and(|(due, _)| *due <= now) {
            if let Some((_, waker)) = waiting.pop_front() {
                waker.wake();
            }
        }
    }

    /// Ends all waits, those that are yet to begin as well.
    pub fn stop(&self) {
        self.stopped.set(true);
        self.release(u64::MAX);
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.get()
    }

    /// The first moment that is waited for.
    pub fn next(&self) -> Option<u64> {
        self.waiting.borrow().front().map(|(due, _)| *due)
    }
}

/// See [`Pacer::until`]. Ends early when the pacer is stopped: then the moment that it returns is
/// before the due one.
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
        // A slot is one task with one waker, so that being woken by something else changes nothing.
        if !self.waits {
            self.waits = true;
            let entry = (self.due, cx.waker().clone());
            self.pacer.waiting.borrow_mut().push_back(entry);
        }
        Poll::Pending
    }
}

/// The timer of a worker, which is set only when that changes something: each setting is a call of
/// the system.
pub struct Alarm {
    timer: Timer,
    set_to: Option<u64>,
}

impl Alarm {
    /// # Errors
    /// If the system gives no further file descriptor.
    pub fn new(clock: Clock) -> io::Result<Self> {
        Ok(Alarm {
            timer: Timer::new(clock)?,
            set_to: None,
        })
    }

    /// Has the task woken at this moment; ready if that has come.
    ///
    /// # Errors
    /// If the system refuses, or the runtime is going down.
    pub fn poll_at(&mut self, at: u64, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.set_to != Some(at) {
            self.timer.set(at)?;
            self.set_to = Some(at);
        }
        let rang = self.timer.poll_rang(cx);
        if rang.is_ready() {
            self.set_to = None;
        }
        rang
    }
}
