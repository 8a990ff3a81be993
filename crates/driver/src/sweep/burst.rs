//! Bursts of inserts: workers in closed loops for some time, and until every insert they began has ended.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bakeoff_stats::FailureKind;
use bakeoff_stats::sweep::{Failures, InsertTally};
use tokio::task::JoinSet;

use super::feed::Feed;
use super::{Inserter, Inserts};
use crate::drive::Failure;

/// Pause of a worker after a failure, so that it does not retry in a tight loop what fails at once.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);
/// The longest that connecting one worker may take before a burst.
const CONNECT_LIMIT: Duration = Duration::from_secs(60);

/// A worker between two bursts.
pub struct Worker {
    inserts: Arc<dyn Inserts>,
    /// Connection for inserting; `None` after a failure, which may have broken it.
    inserter: Option<Box<dyn Inserter>>,
}

/// State that all workers of a burst share.
struct Burst {
    feed: Arc<Feed>,
    began: Instant,
    /// Time after `began` from which no worker begins another insert.
    length: Duration,
    /// Longest time that one insert may take.
    time_out: Duration,
    tally: Mutex<InsertTally>,
}

/// Connects workers, all at the same time.
///
/// # Errors
/// The first failure, since fewer workers would be another setting. Those that had connected are then
/// disconnected, since other settings may need the server's connections.
pub async fn connect(inserts: &Arc<dyn Inserts>, workers: u32) -> Result<Vec<Worker>, Failures> {
    let mut connecting = JoinSet::new();
    for _ in 0..workers {
        let inserts = Arc::clone(inserts);
        connecting.spawn(async move {
            let inserter = connect_within(CONNECT_LIMIT, &inserts).await?;
            Ok(Worker {
                inserts,
                inserter: Some(inserter),
            })
        });
    }
    let mut workers = Vec::new();
    while let Some(ended) = connecting.join_next().await {
        match ended.unwrap_or_else(|e| Err(worker_panicked(&e))) {
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

/// Lets all workers insert batches for `length`, each at least one, and waits until all inserts have
/// ended, each within `time_out`.
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
                let failure = worker_panicked(&error);
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
            // Connecting comes before the insert is timed, and before rows are taken from the feed, so
            // that a failed connection uses none up.
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

    /// Returns the worker's connection, and reconnects after a failure.
    async fn inserter(&mut self, limit: Duration) -> Result<&mut Box<dyn Inserter>, Failure> {
        Ok(match &mut self.inserter {
            Some(inserter) => inserter,
            none => none.insert(connect_within(limit, &self.inserts).await?),
        })
    }
}

impl Burst {
    /// Inserts the next batch. Returns `false` if there is none, and with a failure the number of rows
    /// that may have been inserted nonetheless.
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
        let inserted =
            inserted.unwrap_or_else(|_| Err(timed_out("no acknowledgement", self.time_out)));
        inserted.map_err(|failure| (count, failure))?;
        let at = self.began.elapsed();
        self.note(|tally| tally.acknowledge(count, began.elapsed(), at));
        Ok(true)
    }

    fn note<T>(&self, what: impl FnOnce(&mut InsertTally) -> T) -> T {
        what(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn connect_within(
    limit: Duration,
    inserts: &Arc<dyn Inserts>,
) -> Result<Box<dyn Inserter>, Failure> {
    let connected = tokio::time::timeout(limit, inserts.connect()).await;
    connected.unwrap_or_else(|_| Err(timed_out("no connection", limit)))
}

fn timed_out(what: &str, limit: Duration) -> Failure {
    Failure::new(FailureKind::TimedOut, format!("{what} within {limit:?}"))
}

/// Turns the panic of a worker into a failure of its insert or connection.
fn worker_panicked(error: &tokio::task::JoinError) -> Failure {
    Failure::new(
        FailureKind::Rejected,
        format!("a worker broke off: {error}"),
    )
}
