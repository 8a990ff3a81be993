//! A limit on the rows that are written each second, for servers that others may depend on.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// A limit on the rows that are written each second. All that write to a server share one.
///
/// Whoever wants to write waits for those who asked before, and then as long as these rows take at the limit. So
/// over any time no more rows are written than the limit allows, and nobody waits for rows that another one has
/// written.
#[derive(Debug)]
pub struct RateLimit {
    rows_per_second: NonZeroU32,
    /// When the last rows that were asked for may be written; `None` before the first.
    last: Mutex<Option<Instant>>,
}

impl RateLimit {
    pub fn new(rows_per_second: NonZeroU32) -> Arc<Self> {
        Arc::new(RateLimit {
            rows_per_second,
            last: Mutex::default(),
        })
    }

    pub fn rows_per_second(&self) -> u32 {
        self.rows_per_second.get()
    }

    /// Returns the setting that a report has to show, with its name.
    pub fn setting(&self) -> (String, String) {
        let limit = format!("at most {} rows/s", self.rows_per_second);
        ("rate limit".to_owned(), limit)
    }

    /// Waits as long as so many rows take at the limit, which may be read or written then.
    pub async fn wait_for(&self, rows: usize) {
        self.wait(rows as f64).await;
    }

    /// Waits until these rows may be written.
    async fn wait(&self, rows: f64) {
        let may_begin = self.reserve(rows);
        sleep_until(may_begin).await;
    }

    /// Returns when these rows may be written, which others then have to wait for.
    fn reserve(&self, rows: f64) -> Instant {
        let length = Duration::from_secs_f64(rows / f64::from(self.rows_per_second.get()));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let may_begin = last.map_or(now, |last| last.max(now)) + length;
        *last = Some(may_begin);
        may_begin
    }
}

/// How fast some rows may be written.
#[derive(Debug, Clone, Copy)]
pub struct Pace<'a> {
    limit: Option<&'a RateLimit>,
    /// The number of writes that make a row.
    writes_of_row: usize,
}

impl<'a> Pace<'a> {
    /// As fast as the server takes them.
    pub const UNLIMITED: Pace<'static> = Pace {
        limit: None,
        writes_of_row: 1,
    };

    /// Within the limit, if there is one.
    pub fn within(limit: Option<&'a Arc<RateLimit>>) -> Self {
        Pace {
            limit: limit.map(Arc::as_ref),
            writes_of_row: 1,
        }
    }

    /// The same for a row that is written in so many parts.
    pub fn of_parts(self, parts: usize) -> Self {
        Pace {
            writes_of_row: parts.max(1),
            ..self
        }
    }

    /// Waits until that many writes may begin.
    pub async fn wait(&self, writes: usize) {
        if let Some(limit) = self.limit {
            limit.wait(writes as f64 / self.writes_of_row as f64).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinSet;

    use super::*;

    fn limit(rows_per_second: u32) -> Arc<RateLimit> {
        RateLimit::new(NonZeroU32::new(rows_per_second).unwrap())
    }

    /// Writes that often, that many rows each time; returns when each write began, after the first one.
    async fn begins(limit: &Arc<RateLimit>, parts: usize, writes: usize) -> Vec<Duration> {
        let began = Instant::now();
        let mut workers = JoinSet::new();
        for _ in 0..4 {
            let limit = limit.clone();
            workers.spawn(async move {
                let pace = Pace::within(Some(&limit)).of_parts(parts);
                let mut begun = Vec::new();
                for _ in 0..5 {
                    pace.wait(writes).await;
                    begun.push(began.elapsed());
                }
                begun
            });
        }
        let mut all = workers.join_all().await.concat();
        all.sort();
        all
    }

    #[tokio::test(start_paused = true)]
    async fn all_workers_together_keep_within_the_limit() {
        let begun = begins(&limit(1_000), 1, 100).await;
        let expected: Vec<_> = (1..=20).map(|i| Duration::from_millis(i * 100)).collect();
        assert!(begun.iter().zip(&expected).all(|(at, least)| at >= least));
        // And are no slower, but for the millisecond that a sleep may take longer.
        let late = expected.last().unwrap().as_millis() + 25;
        assert!(begun.last().unwrap().as_millis() < late, "{begun:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_row_in_parts_is_one_row() {
        let begun = begins(&limit(1_000), 10, 100).await;
        assert_eq!(begun.last().unwrap().as_millis() / 10, 20);
    }

    #[tokio::test(start_paused = true)]
    async fn time_in_which_nothing_was_written_is_not_made_up_for() {
        let limit = limit(1_000);
        let pace = Pace::within(Some(&limit));
        pace.wait(10).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
        let began = Instant::now();
        for _ in 0..3 {
            pace.wait(1_000).await;
        }
        assert_eq!(began.elapsed().as_secs(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_limit_nothing_waits() {
        let began = Instant::now();
        Pace::UNLIMITED.wait(usize::MAX).await;
        Pace::within(None).wait(usize::MAX).await;
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
