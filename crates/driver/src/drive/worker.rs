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
use super::crowd::Crowd;
use super::pacer::{Alarm, Pacer};
use super::recorder::{Ended, Recorder, Report};
use super::{Call, Failure, Plan, Session, Stop};

/// Operations that one slot performs before it lets others go on, where none of them has to wait.
const OPERATIONS_PER_TURN: u32 = 64;
/// How often a worker looks whether the load was asked to stop, in nanoseconds.
const STOP_CHECK: u64 = 100_000_000;
/// Waits before the second and later attempts: doubled each time up to the longest.
const FIRST_BACKOFF: Duration = Duration::from_millis(10);
const LONGEST_BACKOFF: Duration = Duration::from_secs(1);

/// One thread's share of a load.
pub struct Worker {
    pub(super) thread: u32,
    pub(super) plan: Arc<Plan>,
    pub(super) clock: Clock,
    /// Holds when the load begins, once all workers are ready.
    pub(super) start: watch::Receiver<Option<u64>>,
    pub(super) stop: Stop,
    /// Shared with who started the worker, so that nothing is lost if it panics.
    pub(super) record: Rc<Record>,
}

/// What outlives a worker.
pub(super) struct Record {
    pub recorder: RefCell<Recorder>,
    /// Whether the worker came to its share, and how that failed.
    pub began: Cell<bool>,
    pub error: RefCell<Option<String>>,
}

impl Worker {
    /// Performs this worker's operations until the load ends. Waits until all workers of the load
    /// are here.
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
        let thread = self.thread;
        if collector.send(Report::Ready { thread }).await.is_err() {
            // The load was given up.
            return Ok(());
        }
        let mut start = self.start.clone();
        let start = match start.wait_for(Option::is_some).await {
            Ok(start) => start.unwrap_or_default(),
            // The load was given up.
            Err(_) => return Ok(()),
        };
        let load = Load::new(self, start);
        let slots = 0..self.plan.slots(self.thread) as usize;
        let mut slots: FuturesUnordered<_> = slots.map(|slot| load.slot(session, slot)).collect();
        let all = poll_fn(|cx| match slots.poll_next_unpin(cx) {
            Poll::Ready(Some(())) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Ready(None) => Poll::Ready(Ok(())),
            Poll::Pending => load.poll_attend(&mut alarm, cx),
        });
        // Tokio's budget is meant for one task, and here are many, which take turns by themselves.
        tokio::task::unconstrained(all).await?;
        drop(slots);
        load.close(self.thread);
        Ok(())
    }
}

/// What the slots of one worker share while the load lasts. All moments are the clock's.
struct Load<'a> {
    clock: Clock,
    stop: &'a Stop,
    start: u64,
    /// Nothing becomes due from here on.
    end: Cell<u64>,
    /// Nothing is sent from here on.
    send_until: Cell<u64>,
    /// In nanoseconds.
    drain_limit: u64,
    retries: u32,
    /// `None` in a closed loop.
    arrivals: RefCell<Option<Arrivals>>,
    calls: RefCell<Calls>,
    recorder: &'a RefCell<Recorder>,
    pacer: Pacer,
    crowd: Crowd,
    /// What each slot has under way.
    in_flight: Vec<Cell<Option<Sent>>>,
}

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
            crowd: Crowd::new(slots),
            in_flight: vec![Cell::new(None); slots],
        }
    }

    /// Performs one operation after the other. The request of the next one is made as soon as the
    /// slot is free, before its operation is due if there is time.
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
            self.crowd.leave(done);
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
                let_others_go_on().await;
            }
        }
    }

    /// The next operation, before it is due. Only one that is for the latest rows waits until then,
    /// since they are those of that moment.
    async fn next_call(&self, due: u64) -> Call {
        let mut call = self.calls.borrow_mut().next();
        if self.calls.borrow().wants_latest(&call) {
            self.pacer.until(due).await;
            self.calls.borrow().draw_latest(&mut call);
        }
        call
    }

    /// The due moment of the next operation; `None` when there is none, or no time to send it.
    fn take(&self, now: u64) -> Option<u64> {
        if self.pacer.is_stopped() {
            return None;
        }
        let mut arrivals = self.arrivals.borrow_mut();
        let due = match arrivals.as_mut() {
            None => Some(now).filter(|now| *now < self.end.get())?,
            Some(_) if now >= self.send_until.get() => return None,
            Some(arrivals) => {
                let due = self.start + arrivals.next()?;
                if due >= self.end.get() {
                    return None;
                }
                arrivals.advance();
                due
            }
        };
        self.recorder.borrow_mut().totals.scheduled += 1;
        Some(due)
    }

    fn note_sent(&self, operation: usize, due: u64, sent: u64) -> Sent {
        let open = self.arrivals.borrow().is_some();
        let queued = self.crowd.join(due, sent) && open;
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

    /// Sends until it succeeds, there is no sense in trying again, or no time.
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

    /// Whether operations are still sent then. Not once the load was stopped.
    fn may_send_after(&self, time: Duration) -> bool {
        let then = self.clock.now().saturating_add(time.as_nanos() as u64);
        then < self.send_until.get()
    }

    /// Does what is to be done at certain moments, and has the task woken for the next one. Ready
    /// when the operations that are still in flight are given up.
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

    fn end_early(&self, now: u64) {
        if now < self.send_until.get() {
            self.end.set(self.end.get().min(now));
            self.send_until.set(now);
            self.pacer.stop();
        }
    }

    /// No reply came in time for these.
    fn give_up(&self, now: u64) {
        let limit = Duration::from_nanos(self.drain_limit);
        for sent in self.in_flight.iter().filter_map(Cell::take) {
            let message = format!("no reply for {limit:?} after the last sending; given up");
            let failure = Failure::new(FailureKind::TimedOut, message);
            let ended = sent.ended(now, 0);
            self.recorder.borrow_mut().record(&ended, Err(failure));
        }
    }

    /// Counts what was due and never sent, and leaves the new rows to the next load.
    fn close(self, thread: u32) {
        let until = self.end.get() - self.start.min(self.end.get());
        let totals = &mut self.recorder.borrow_mut().totals;
        if let Some(arrivals) = self.arrivals.take() {
            let first = arrivals.next().unwrap_or_default();
            let unsent = arrivals.count_until(until);
            totals.unsent += unsent;
            totals.scheduled += unsent;
            // What kept the first of them back kept back all.
            if self.crowd.kept_back(self.start.saturating_add(first)) {
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

/// Ends at the second time that it is polled.
async fn let_others_go_on() {
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
