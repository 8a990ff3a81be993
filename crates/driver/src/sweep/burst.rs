//! Workers in closed loops for some time, and until all that they began is answered.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bakeoff_stats::FailureKind;
use bakeoff_stats::sweep::{Failures, InsertTally};
use tokio::task::JoinSet;

use super::feed::Feed;
use super::{Inserter, Inserts};
use crate::drive::Failure;

/// After a failure a worker waits this long, so that what fails at once is not done all the time.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);
/// The longest that connecting one worker may take before a burst.
const CONNECT_LIMIT: Duration = Duration::from_secs(60);

/// A worker between two bursts.
pub struct Worker {
    inserts: Arc<dyn Inserts>,
    /// Absent after a failure, which may have broken it.
    inserter: Option<Box<dyn Inserter>>,
}

/// What all workers of a burst share.
struct Burst {
    feed: Arc<Feed>,
    began: Instant,
    /// No worker begins another insert later than that after the begin.
    length: Duration,
    time_out: Duration,
    tally: Mutex<InsertTally>,
}

/// Connects workers, all at a time.
///
/// # Errors
/// The first failure: fewer workers would be another setting. Then none is connected any more,
/// since others may need the server's connections.
pub async fn connect(inserts: &Arc<dyn Inserts>, workers: u32) -> Result<Vec<Worker>, Failures> {
    let mut connecting = JoinSet::new();
    for _ in 0..workers {
        let inserts = Arc::clone(inserts);
        connecting.spawn(async move {
            let connected = connected(&inserts, CONNECT_LIMIT).await;
            connected.map(|inserter| Worker {
                inserts,
                inserter: Some(inserter),
            })
        });
    }
    let mut workers = Vec::new();
    while let Some(ended) = connecting.join_next().await {
        match ended.unwrap_or_else(|e| Err(broke_off(&e))) {
            Ok(worker) => workers.push(worker),
            Err(failure) => {
                connecting.shutdown().await;
                let mut failed = InsertTally::default();
                failed.fail(0, failure.kind, &failure.message);
                return Err(failed.failures());
            }
        }
    }
    Ok(workers)
}

/// Lets all workers insert batch after batch for `length`, each at least one, and waits until all are
/// answered; each insert ends within `time_out`.
pub async fn burst(
    workers: Vec<Worker>,
    feed: &Arc<Feed>,
    length: Duration,
    time_out: Duration,
) -> (Vec<Worker>, InsertTally) {
    let burst = Arc::new(Burst {
        feed: Arc::clone(feed),
        began: Instant::now(),
        length,
        time_out,
        tally: Mutex::default(),
    });
    let mut working = JoinSet::new();
    for worker in workers {
        working.spawn(worker.work(Arc::clone(&burst)));
    }
    let mut workers = Vec::new();
    while let Some(ended) = working.join_next().await {
        match ended {
            Ok(worker) => workers.push(worker),
            Err(error) => burst.note(|tally| {
                let failure = broke_off(&error);
                tally.fail(0, failure.kind, &failure.message);
            }),
        }
    }
    let tally = burst.note(std::mem::take);
    (workers, tally)
}

impl Worker {
    async fn work(mut self, burst: Arc<Burst>) -> Worker {
        loop {
            // Connecting is in no insert's time, and takes no rows if it fails.
            let inserted = match self.inserter(burst.time_out).await {
                Ok(inserter) => burst.insert(inserter.as_mut()).await,
                Err(failure) => Err((0, failure)),
            };
            match inserted {
                Ok(true) => {}
                Ok(false) => break,
                Err((rows, failure)) => {
                    self.inserter = None;
                    burst.note(|tally| tally.fail(rows, failure.kind, &failure.message));
                    tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
                }
            }
            if burst.began.elapsed() >= burst.length {
                break;
            }
        }
        self
    }

    /// Connected anew after a failure.
    async fn inserter(&mut self, limit: Duration) -> Result<&mut Box<dyn Inserter>, Failure> {
        Ok(match &mut self.inserter {
            Some(inserter) => inserter,
            none => none.insert(connected(&self.inserts, limit).await?),
        })
    }
}

impl Burst {
    /// Inserts the next batch; `false` when there is none. Fails with the rows that may be there.
    async fn insert(&self, inserter: &mut dyn Inserter) -> Result<bool, (u64, Failure)> {
        let asked = Instant::now();
        let rows = self.feed.take().await;
        let began = Instant::now();
        self.note(|tally| tally.wait(began - asked));
        let Some(rows) = rows else {
            self.note(InsertTally::run_out);
            return Ok(false);
        };
        let count = rows.num_rows() as u64;
        let inserted = tokio::time::timeout(self.time_out, inserter.insert(&rows)).await;
        let inserted = inserted.unwrap_or_else(|_| Err(late("no acknowledgement", self.time_out)));
        inserted.map_err(|failure| (count, failure))?;
        let at = self.began.elapsed();
        self.note(|tally| tally.acknowledge(count, began.elapsed(), at));
        Ok(true)
    }

    fn note<T>(&self, what: impl FnOnce(&mut InsertTally) -> T) -> T {
        what(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn connected(
    inserts: &Arc<dyn Inserts>,
    limit: Duration,
) -> Result<Box<dyn Inserter>, Failure> {
    let connected = tokio::time::timeout(limit, inserts.connect()).await;
    connected.unwrap_or_else(|_| Err(late("no connection", limit)))
}

fn late(what: &str, limit: Duration) -> Failure {
    Failure::new(FailureKind::TimedOut, format!("{what} within {limit:?}"))
}

/// A panic is the failure of what it was in.
fn broke_off(error: &tokio::task::JoinError) -> Failure {
    Failure::new(
        FailureKind::Rejected,
        format!("a worker broke off: {error}"),
    )
}
