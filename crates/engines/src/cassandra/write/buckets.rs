//! The time buckets that a load writes while queries read the table.

use std::sync::atomic::{AtomicI64, Ordering};

/// The first and the last bucket that the workers of this process have written.
///
/// A query has to know which buckets exist, and reading them from the table for each query would
/// take a scan of all partitions.
pub struct BucketsWritten {
    first: AtomicI64,
    last: AtomicI64,
}

impl Default for BucketsWritten {
    fn default() -> Self {
        BucketsWritten {
            first: AtomicI64::new(i64::MAX),
            last: AtomicI64::new(i64::MIN),
        }
    }
}

impl BucketsWritten {
    /// Extends the range to a bucket.
    pub fn note(&self, bucket: i64) {
        // Most buckets are within the range, and then no shared cache line is written.
        if bucket < self.first.load(Ordering::Relaxed) {
            self.first.fetch_min(bucket, Ordering::Relaxed);
        }
        if bucket > self.last.load(Ordering::Relaxed) {
            self.last.fetch_max(bucket, Ordering::Relaxed);
        }
    }

    /// Returns the first and the last bucket, if any was written.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        let first = self.first.load(Ordering::Relaxed);
        let last = self.last.load(Ordering::Relaxed);
        (first <= last).then_some((first, last))
    }
}

/// Returns the smallest range that covers both given ranges.
pub fn joined(a: Option<(i64, i64)>, b: Option<(i64, i64)>) -> Option<(i64, i64)> {
    match (a, b) {
        (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_buckets_widen_those_that_were_found() {
        let written = BucketsWritten::default();
        assert_eq!(written.bounds(), None);
        assert_eq!(joined(Some((3, 5)), written.bounds()), Some((3, 5)));
        written.note(7);
        assert_eq!(written.bounds(), Some((7, 7)));
        written.note(-1);
        assert_eq!(joined(Some((3, 5)), written.bounds()), Some((-1, 7)));
        assert_eq!(joined(None, written.bounds()), Some((-1, 7)));
    }
}
