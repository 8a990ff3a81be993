//! One worker thread of a load.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bakeoff_stats::FailureKind;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::sync::watch;

use super::arrivals::Arrivals;
use super::calls::Calls;
use super::clock::Clock;
use super::in_flight_limit::InFlightLimit;
use super::pacer::{Alarm, Pacer};
use super::recorder::{Ended, Recorder, Report};
use super::{Call, Failure, Plan, Session, Stop};

/// Number of operations that one slot performs before it yields to the others, if it never has to wait.
const OPERATIONS_PER_TURN: u32 = 64;
/// Time between two checks whether the load was asked to stop, in nanoseconds.
const STOP_CHECK: u64 = 100_000_000;
/// Pause before the second attempt of an operation, which doubles before each further one.
const FIRST_BACKOFF: Duration = Duration::from_millis(10);
/// Longest pause between two attempts of an operation.
const LONGEST_BACKOFF: Duration = Duration::from_secs(1);

/// One thread's share of a load.
pub struct Worker {
    pub(super) thread: u32,
    pub(super) plan: Arc<Plan>,
    pub(super) clock: Clock,
    /// Start of the load, once all workers are ready.
    pub(super) start: watch::Receiver<Option<u64>>,
    pub(super) stop: Stop,
    /// Moment at which the engine was asked to connect.
    pub(super) asked_at: u64,
    /// Measurements, shared with the worker's thread, so that they survive a panic of the worker.
    pub(super) record: Rc<Record>,
}

/// Measurements of a worker, which outlive it.
pub(super) struct Record {
    pub recorder: RefCell<Recorder>,
    /// Whether the engine has called [`Worker::run`].
    pub began: Cell<bool>,
    /// Failure of the worker itself.
    pub error: RefCell<Option<String>>,
}

impl Worker {
    /// Performs this worker's operations until the load ends. First waits until all workers of the load
    /// are ready.
    pub async fn run<S: Session>(self, session: &S) {
        self.record.began.set(true);
        if let Err(error) = self.carry_out(session).await {
            let message = format!("the timer of a worker failed: {error}");
            *self.record.error.borrow_mut() = Some(message);
        }
    }

    async fn carry_out<S: Session>(&self, session: &S) -> io::Result<()> {
        let mut alarm = Alarm::new(self.clock)?;
        let collector = self.record.recorder.borrow().collector();
        let ready = Report::Ready {
            thread: self.thread,
            connecting: Duration::from_nanos(self.clock.now().saturating_sub(self.asked_at)),
        };
        if collector.send(ready).await.is_err() {
            // The load was abandoned.
            return Ok(());
        }
        let mut start = self.start.clone();
        let start = match start.wait_for(Option::is_some).await {
            Ok(start) => start.unwrap_or_default(),
            // The load was abandoned.
            Err(_) => return Ok(()),
        };
        let load = Load::new(self, start);
        let slots = 0..self.plan.slots(self.thread) as usize;
        let mut slots: FuturesUnordered<_> = slots.map(|slot| load.slot(session, slot)).collect();
        let all = poll_fn(|cx| match slots.poll_next_unpin(cx) {
            // One slot has ended. The others are polled in a new turn.
            Poll::Ready(Some(())) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Ready(None) => Poll::Ready(Ok(())),
            Poll::Pending => load.poll_attend(&mut alarm, cx),
        });
        // Tokio's budget is meant for one task. Here many slots share it, and they take turns by
        // themselves.
        tokio::task::unconstrained(all).await?;
        drop(slots);
        load.close(self.thread);
        Ok(())
    }
}

/// State that the slots of one worker share while the load lasts. All moments are those of the clock.
struct Load<'a> {
    clock: Clock,
    stop: &'a Stop,
    start: u64,
    /// Moment from which no operation becomes due.
    end: Cell<u64>,
    /// Moment from which no operation is sent.
    send_until: Cell<u64>,
    /// Time after the end during which operations are still sent, in nanoseconds.
    drain_limit: u64,
    retries: u32,
    /// Due times of the operations; `None` in a closed loop.
    arrivals: RefCell<Option<Arrivals>>,
    calls: RefCell<Calls>,
    recorder: &'a RefCell<Recorder>,
    pacer: Pacer,
    limit: InFlightLimit,
    /// Operation that each slot has in flight.
    in_flight: Vec<Cell<Option<Sent>>>,
}

/// An operation in flight.
#[derive(Clone, Copy)]
struct Sent {
    operation: usize,
    due: u64,
    sent: u64,
    queued: bool,
}

impl<'a> Load<'a> {
    fn new(worker: &'a Worker, start: u64) -> Self {
        let plan = &worker.plan;
        let thread = worker.thread;
        let slots = plan.slots(thread) as usize;
        let drain_limit = plan.drain_limit.as_nanos() as u64;
        let end = start.saturating_add(plan.duration.as_nanos() as u64);
        worker.record.recorder.borrow_mut().begin(start);
        let share = plan.share(thread);
        let keys = [plan.seed, u64::from(plan.ordinal)];
        let arrivals = Arrivals::new(&plan.schedule, plan.duration, share, keys);
        Load {
            clock: worker.clock,
            stop: &worker.stop,
            start,
            end: Cell::new(end),
            send_until: Cell::new(end.saturating_add(drain_limit)),
            drain_limit,
            retries: plan.retries,
            arrivals: RefCell::new(arrivals),
            calls: RefCell::new(Calls::new(plan, thread)),
            recorder: &worker.record.recorder,
            pacer: Pacer::new(worker.clock, slots),
            limit: InFlightLimit::new(slots),
            in_flight: vec![Cell::new(None); slots],
        }
    }

    /// Performs one operation after the other in a slot. A request is made as soon as the slot is free,
    /// before its operation is due if there is time.
    async fn slot<S: Session>(&self, session: &S, slot: usize) {
        let mut now = self.start;
        let mut turn = 0;
        while let Some(due) = self.take(now) {
            let call = self.next_call(due).await;
            let request = session.request(&call);
            let sent = self.pacer.until(due).await;
            if sent < due {
                // The load was stopped before this one was due.
                self.recorder.borrow_mut().totals.scheduled -= 1;
                return;
            }
            let sent = self.note_sent(call.operation, due, sent);
            self.in_flight[slot].set(Some(sent));
            let (retries, reply) = self.attempt(session, &request).await;
            let done = self.clock.now();
            self.limit.end(done);
            let result = reply.and_then(|reply| session.check(&request, reply));
            self.in_flight[slot].set(None);
            self.calls.borrow_mut().ended(&call, result.is_ok());
            let ended = sent.ended(done, retries);
            self.recorder.borrow_mut().record(&ended, result);
            self.pacer.release(done);
            now = done;
            turn += 1;
            if turn == OPERATIONS_PER_TURN {
                turn = 0;
                yield_to_other_slots().await;
            }
        }
    }

    /// Chooses the next operation, before it is due. Only an operation on the latest rows waits until it
    /// is due, since its rows are the latest ones of that moment.
    async fn next_call(&self, due: u64) -> Call {
        let mut call = self.calls.borrow_mut().next();
        if self.calls.borrow().wants_latest(&call) {
            self.pacer.until(due).await;
            self.calls.borrow().draw_latest(&mut call);
        }
        call
    }

    /// Takes the next operation, and returns when it is due. Returns `None` if there is none, or no time
    /// to send it.
    fn take(&self, now: u64) -> Option<u64> {
        if self.pacer.is_stopped() || self.calls.borrow().are_over() {
            return None;
        }
        let due = self.next_due(now)?;
        if due >= self.end.get() {
            return None;
        }
        if let Some(arrivals) = self.arrivals.borrow_mut().as_mut() {
            arrivals.advance();
        }
        self.recorder.borrow_mut().totals.scheduled += 1;
        Some(due)
    }

    /// Returns when the next operation is due: at once in a closed loop.
    fn next_due(&self, now: u64) -> Option<u64> {
        match self.arrivals.borrow().as_ref() {
            None => Some(now),
            Some(_) if now >= self.send_until.get() => None,
            Some(arrivals) => Some(self.start + arrivals.next()?),
        }
    }

    /// Counts an operation that is being sent, and whether the limit or the driver itself delayed it.
    fn note_sent(&self, operation: usize, due: u64, sent: u64) -> Sent {
        let open = self.arrivals.borrow().is_some();
        let queued = self.limit.begin(due, sent) && open;
        let totals = &mut self.recorder.borrow_mut().totals;
        totals.sent += 1;
        totals.sent_in_time += u64::from(sent < self.end.get());
        if open && !queued {
            totals.lateness.saturating_record(sent - due);
        }
        Sent {
            operation,
            // In a closed loop an operation is due when it is sent.
            due: if open { due } else { sent },
            sent,
            queued,
        }
    }

    /// Sends a request until it succeeds, fails for good, or no time is left. Returns the number of
    /// retries, and the reply.
    async fn attempt<S: Session>(
        &self,
        session: &S,
        request: &S::Request,
    ) -> (u32, Result<S::Reply, Failure>) {
        let mut retries = 0;
        let mut backoff = FIRST_BACKOFF;
        loop {
            match session.send(request).await {
                Err(failure) if retries < self.retries && failure.kind.is_transient() => {
                    if !self.may_send_after(backoff) {
                        return (retries, Err(failure));
                    }
                    tokio::time::sleep(backoff).await;
                    if !self.may_send_after(Duration::ZERO) {
                        return (retries, Err(failure));
                    }
                    backoff = (backoff * 2).min(LONGEST_BACKOFF);
                    retries += 1;
                }
                ended => return (retries, ended),
            }
        }
    }

    /// Returns whether operations may still be sent after a pause. None may once the load was stopped.
    fn may_send_after(&self, time: Duration) -> bool {
        let then = self.clock.now().saturating_add(time.as_nanos() as u64);
        then < self.send_until.get()
    }

    /// Does what is due at this moment (ends seconds, checks for a stop, wakes slots), and has the task
    /// woken at the next such moment. Is ready once the operations in flight have been given up.
    fn poll_attend(&self, alarm: &mut Alarm, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let now = self.clock.now();
            self.recorder.borrow_mut().tick(now);
            if self.stop.is_asked() {
                self.end_early(now);
            }
            self.pacer.release(now);
            let give_up = self.send_until.get().saturating_add(self.drain_limit);
            if now >= give_up {
                self.give_up(now);
                return Poll::Ready(Ok(()));
            }
            let stop_check = (now / STOP_CHECK + 1) * STOP_CHECK;
            let tick = self.recorder.borrow().next_tick();
            let first = self.pacer.next().unwrap_or(u64::MAX);
            let next = first.min(tick).min(stop_check).min(give_up);
            match alarm.poll_at(next, cx) {
                Poll::Ready(Ok(())) => {}
                other => return other,
            }
        }
    }

    /// Ends the load now: nothing more becomes due or is sent.
    fn end_early(&self, now: u64) {
        if now < self.send_until.get() {
            self.end.set(self.end.get().min(now));
            self.send_until.set(now);
            self.pacer.stop();
        }
    }

    /// Records the operations that are still in flight as failed, since their replies did not come in time.
    fn give_up(&self, now: u64) {
        let limit = Duration::from_nanos(self.drain_limit);
        for sent in self.in_flight.iter().filter_map(Cell::take) {
            let message = format!("no reply within {limit:?} after the last operation was sent");
            let failure = Failure::new(FailureKind::TimedOut, message);
            let ended = sent.ended(now, 0);
            self.recorder.borrow_mut().record(&ended, Err(failure));
        }
    }

    /// Counts the operations that were due and never sent, and leaves the new rows to the next load.
    fn close(self, thread: u32) {
        let until = self.end.get() - self.start.min(self.end.get());
        let totals = &mut self.recorder.borrow_mut().totals;
        if let Some(arrivals) = self.arrivals.take() {
            let first = arrivals.next().unwrap_or_default();
            let unsent = arrivals.count_until(until);
            totals.unsent += unsent;
            totals.scheduled += unsent;
            // The first of them shows what delayed all of them.
            if self.limit.kept_back(self.start.saturating_add(first)) {
                totals.queued += unsent;
            }
        }
        let new_rows = self.calls.into_inner().into_new_rows();
        totals.new_rows.push((thread, new_rows));
    }
}

impl Sent {
    fn ended(self, done: u64, retries: u32) -> Ended {
        Ended {
            operation: self.operation,
            due: self.due,
            sent: self.sent,
            done,
            retries,
            queued: self.queued,
        }
    }
}

/// Lets the other slots run: is pending once, and ready when it is polled again.
async fn yield_to_other_slots() {
    let mut polled = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut polled, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
