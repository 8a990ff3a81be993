//! Time limits of the operations of a load, without a timer for each.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Shortest limit without a timer for each request; shorter ones are enforced exactly.
const SHORT: Duration = Duration::from_millis(100);

/// The time limit of each operation of a worker.
pub enum Limit {
    /// Enforces a short limit by a timer for each operation.
    Timers(Duration),
    /// Enforces a longer limit by ticks that all operations share.
    Ticks(Deadlines),
}

impl Limit {
    /// Chooses how to enforce a limit.
    pub fn new(limit: Duration) -> Self {
        if limit < SHORT {
            Limit::Timers(limit)
        } else {
            Limit::Ticks(Deadlines::new(limit))
        }
    }

    /// Enforces the limit, and never ends: it has to be polled while operations are in flight.
    pub async fn keep(&self) {
        match self {
            Limit::Timers(_) => std::future::pending().await,
            Limit::Ticks(deadlines) => deadlines.keep().await,
        }
    }

    /// Waits for an operation to end within the limit.
    ///
    /// # Errors
    /// Returns [`Over`] with the limit if it did not end.
    pub async fn within<F: Future>(&self, operation: Pin<&mut F>) -> Result<F::Output, Over> {
        match self {
            Limit::Timers(limit) => tokio::time::timeout(*limit, operation)
                .await
                .map_err(|_| Over(*limit)),
            Limit::Ticks(deadlines) => deadlines.within(operation).await,
        }
    }
}

/// Minimum number of ticks after which a request is given up.
const TICKS: u32 = 16;

/// The requests of one worker that wait for a reply, all with the same limit.
///
/// A request that exceeds the limit is given up at the next tick, at most a sixteenth of the limit
/// later. A timer for each request would cost more than everything else around it.
pub struct Deadlines {
    limit: Duration,
    /// Number of ticks so far.
    now: Cell<u64>,
    /// Slots of the requests that wait.
    waiting: RefCell<Vec<Option<Waiting>>>,
    /// Numbers of the free slots.
    free: RefCell<Vec<usize>>,
}

/// A request that waits for a reply.
struct Waiting {
    /// Tick at which the request is given up.
    until: u64,
    waker: Waker,
}

/// The limit within which an operation did not end.
#[derive(Debug, PartialEq, Eq)]
pub struct Over(pub Duration);

impl Deadlines {
    pub fn new(limit: Duration) -> Self {
        Deadlines {
            limit,
            now: Cell::new(0),
            waiting: RefCell::default(),
            free: RefCell::default(),
        }
    }

    /// Wakes requests whose limit has passed, and never ends: it has to be polled for limits to hold.
    pub async fn keep(&self) {
        let mut ticks = tokio::time::interval(self.limit / TICKS);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // The first tick comes immediately.
        ticks.tick().await;
        loop {
            ticks.tick().await;
            let now = self.now.get() + 1;
            self.now.set(now);
            for waiting in self.waiting.borrow().iter().flatten() {
                if waiting.until <= now {
                    waiting.waker.wake_by_ref();
                }
            }
        }
    }

    /// Waits for a request to end within the limit.
    pub async fn within<F: Future>(&self, mut request: Pin<&mut F>) -> Result<F::Output, Over> {
        let mut slot = Slot {
            deadlines: self,
            number: None,
        };
        std::future::poll_fn(move |cx| match request.as_mut().poll(cx) {
            Poll::Ready(reply) => Poll::Ready(Ok(reply)),
            Poll::Pending => slot.poll(cx).map(Err),
        })
        .await
    }

    fn enter(&self, waker: &Waker) -> usize {
        let waiting = Waiting {
            // The next tick may come immediately, so that it does not count.
            until: self.now.get() + u64::from(TICKS) + 1,
            waker: waker.clone(),
        };
        let mut all = self.waiting.borrow_mut();
        match self.free.borrow_mut().pop() {
            Some(number) => {
                all[number] = Some(waiting);
                number
            }
            None => {
                all.push(Some(waiting));
                all.len() - 1
            }
        }
    }
}

/// The slot of a waiting request, which is free again when the request ends or is dropped.
struct Slot<'a> {
    deadlines: &'a Deadlines,
    /// Number of the slot, once the request had to wait.
    number: Option<usize>,
}

impl Slot<'_> {
    fn poll(&mut self, cx: &Context<'_>) -> Poll<Over> {
        let Some(number) = self.number else {
            self.number = Some(self.deadlines.enter(cx.waker()));
            return Poll::Pending;
        };
        match &mut self.deadlines.waiting.borrow_mut()[number] {
            Some(waiting) if waiting.until > self.deadlines.now.get() => {
                waiting.waker.clone_from(cx.waker());
                Poll::Pending
            }
            _ => Poll::Ready(Over(self.deadlines.limit)),
        }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.deadlines.waiting.borrow_mut()[number] = None;
            self.deadlines.free.borrow_mut().push(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::pin;

    use tokio::time::{Instant, sleep};

    use super::*;

    const LIMIT: Duration = Duration::from_millis(1600);

    /// Waits for a request that takes a given time, and measures the wait.
    async fn waited(deadlines: &Deadlines, request: Duration) -> Result<Duration, Duration> {
        let began = Instant::now();
        let done = deadlines.within(pin!(sleep(request))).await;
        done.map(|()| began.elapsed()).map_err(|_| began.elapsed())
    }

    async fn kept<T>(deadlines: &Deadlines, what: impl Future<Output = T>) -> T {
        tokio::select! {
            biased;
            done = what => done,
            () = deadlines.keep() => unreachable!("it never ends"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn requests_in_time_end_and_late_ones_are_given_up() {
        let deadlines = Deadlines::new(LIMIT);
        kept(&deadlines, async {
            sleep(Duration::from_millis(250)).await;
            let short = Duration::from_millis(1599);
            let (done, over) = tokio::join!(
                waited(&deadlines, short),
                waited(&deadlines, Duration::from_secs(60))
            );
            assert_eq!(done, Ok(short));
            let over = over.unwrap_err();
            assert!(over >= LIMIT && over <= LIMIT + LIMIT / 16, "{over:?}");
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn slots_are_reused() {
        let deadlines = Deadlines::new(LIMIT);
        kept(&deadlines, async {
            for _ in 0..100 {
                let request = Duration::from_millis(1);
                let both = tokio::join!(waited(&deadlines, request), waited(&deadlines, request));
                assert!(both.0.is_ok() && both.1.is_ok());
            }
            let dropped = async { deadlines.within(pin!(pending::<()>())).await };
            assert!(tokio::time::timeout(LIMIT / 2, dropped).await.is_err());
        })
        .await;
        assert_eq!(deadlines.waiting.borrow().len(), 2);
        assert_eq!(deadlines.free.borrow().len(), 2);
    }
}
