//! Time limits of requests, without a timer for each.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Limits below this are kept by a timer for each request, exactly.
const SHORT: Duration = Duration::from_millis(100);

/// The longest that one operation may take.
pub enum Limit {
    Timers(Duration),
    Ticks(Deadlines),
}

impl Limit {
    pub fn new(limit: Duration) -> Self {
        if limit < SHORT {
            Limit::Timers(limit)
        } else {
            Limit::Ticks(Deadlines::new(limit))
        }
    }

    /// Has to be polled as long as operations are under way.
    pub async fn keep(&self) {
        match self {
            Limit::Timers(_) => std::future::pending().await,
            Limit::Ticks(deadlines) => deadlines.keep().await,
        }
    }

    /// Waits for an operation, but no longer than its limit.
    ///
    /// # Errors
    /// [`Over`] with the limit if it did not end.
    pub async fn within<F: Future>(&self, operation: Pin<&mut F>) -> Result<F::Output, Over> {
        match self {
            Limit::Timers(limit) => tokio::time::timeout(*limit, operation)
                .await
                .map_err(|_| Over(*limit)),
            Limit::Ticks(deadlines) => deadlines.within(operation).await,
        }
    }
}

/// A request is given up that many ticks after it was sent, at the earliest.
const TICKS: u32 = 16;

/// The requests of one worker that wait for a reply, all with the same limit. One that is over is
/// noticed at the next tick, a sixteenth of the limit later at most: a timer for each request
/// would cost more than all else around it.
pub struct Deadlines {
    limit: Duration,
    /// Ticks so far.
    now: Cell<u64>,
    waiting: RefCell<Vec<Option<Waiting>>>,
    free: RefCell<Vec<usize>>,
}

struct Waiting {
    until: u64,
    waker: Waker,
}

/// An operation did not end within this limit.
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

    /// Wakes what is over, for ever. Limits hold only while this is polled.
    pub async fn keep(&self) {
        let mut ticks = tokio::time::interval(self.limit / TICKS);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // The first tick comes at once.
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

    /// Waits for a request, but no longer than its limit.
    pub async fn within<F: Future>(&self, mut request: Pin<&mut F>) -> Result<F::Output, Over> {
        let mut place = Place {
            deadlines: self,
            place: None,
        };
        std::future::poll_fn(move |cx| match request.as_mut().poll(cx) {
            Poll::Ready(reply) => Poll::Ready(Ok(reply)),
            Poll::Pending => place.poll(cx).map(Err),
        })
        .await
    }

    fn enter(&self, waker: &Waker) -> usize {
        let waiting = Waiting {
            // The tick that comes next may come at once.
            until: self.now.get() + u64::from(TICKS) + 1,
            waker: waker.clone(),
        };
        let mut all = self.waiting.borrow_mut();
        match self.free.borrow_mut().pop() {
            Some(place) => {
                all[place] = Some(waiting);
                place
            }
            None => {
                all.push(Some(waiting));
                all.len() - 1
            }
        }
    }
}

/// A request's place among those that wait, which it leaves when it ends or is dropped.
struct Place<'a> {
    deadlines: &'a Deadlines,
    place: Option<usize>,
}

impl Place<'_> {
    fn poll(&mut self, cx: &Context<'_>) -> Poll<Over> {
        let Some(place) = self.place else {
            self.place = Some(self.deadlines.enter(cx.waker()));
            return Poll::Pending;
        };
        match &mut self.deadlines.waiting.borrow_mut()[place] {
            Some(waiting) if waiting.until > self.deadlines.now.get() => {
                waiting.waker.clone_from(cx.waker());
                Poll::Pending
            }
            _ => Poll::Ready(Over(self.deadlines.limit)),
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            self.deadlines.waiting.borrow_mut()[place] = None;
            self.deadlines.free.borrow_mut().push(place);
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

    /// How long a request took that would take so long by itself.
    async fn waited(deadlines: &Deadlines, request: Duration) -> Result<Duration, Duration> {
        let began = Instant::now();
        let done = deadlines.within(pin!(sleep(request))).await;
        done.map(|()| began.elapsed()).map_err(|_| began.elapsed())
    }

    async fn kept<T>(deadlines: &Deadlines, what: impl Future<Output = T>) -> T {
        tokio::select! {
            biased;
            done = what => done,
            () = deadlines.keep() => unreachable!("it ends never"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_in_time_is_let_be_and_what_is_not_is_given_up() {
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
    async fn places_are_used_again() {
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
