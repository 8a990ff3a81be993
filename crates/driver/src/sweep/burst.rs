//! Workers in closed loops for some time, and until all that they began is answered.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arrow::record_batch::RecordBatch;
use bakeoff_stats::FailureKind;
use bakeoff_stats::sweep::InsertTally;
use tokio::task::JoinSet;

use super::feed::Feed;
use super::{Inserter, Inserts};
use crate::drive::Failure;

/// After a failure a worker waits this long, so that what fails at once is not done all the time.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);
/// The longest that connecting one worker may take.
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
/// What failed, if any could not connect: fewer workers would be another setting.
pub async fn connect(inserts: &Arc<dyn Inserts>, workers: u32) -> Result<Vec<Worker>, InsertTally> {
    let mut connecting = JoinSet::new();
    for _ in 0..workers {
        let inserts = Arc::clone(inserts);
        connecting.spawn(async move {
            let connected = tokio::time::timeout(CONNECT_LIMIT, inserts.connect()).await;
            let connected = connected.unwrap_or_else(|_| Err(late("no connection", CONNECT_LIMIT)));
            connected.map(|inserter| Worker {
                inserts,
                inserter: Some(inserter),
            })
        });
    }
    let (mut connected, mut failed) = (Vec::new(), InsertTally::default());
    while let Some(ended) = connecting.join_next().await {
        match ended.unwrap_or_else(|e| Err(broke_off(&e))) {
            Ok(worker) => connected.push(worker),
            Err(failure) => failed.fail(0, failure.kind, &failure.message),
        }
    }
    match failed.failures().count() {
        0 => Ok(connected),
        _ => Err(failed),
    }
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
            let asked = Instant::now();
            let rows = burst.feed.take().await;
            let began = Instant::now();
            burst.note(|tally| tally.wait(began - asked));
            let Some(rows) = rows else {
                burst.note(InsertTally::run_out);
                break;
            };
            let count = rows.num_rows() as u64;
            match self.insert(&rows, burst.time_out).await {
                Ok(()) => {
                    let at = burst.began.elapsed();
                    burst.note(|tally| tally.acknowledge(count, began.elapsed(), at));
                }
                Err(failure) => {
                    self.inserter = None;
                    burst.note(|tally| tally.fail(count, failure.kind, &failure.message));
                    tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
                }
            }
            if burst.began.elapsed() >= burst.length {
                break;
            }
        }
        self
    }

    async fn insert(&mut self, rows: &RecordBatch, time_out: Duration) -> Result<(), Failure> {
        let inserting = async {
            let inserter = match &mut self.inserter {
                Some(inserter) => inserter,
                none => none.insert(self.inserts.connect().await?),
            };
            inserter.insert(rows).await
        };
        let inserted = tokio::time::timeout(time_out, inserting).await;
        inserted.unwrap_or_else(|_| Err(late("no acknowledgement", time_out)))
    }
}

impl Burst {
    fn note<T>(&self, what: impl FnOnce(&mut InsertTally) -> T) -> T {
        what(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }
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
