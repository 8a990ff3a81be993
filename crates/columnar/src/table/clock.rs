//! Write times: the wall clock, but never the same moment twice.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The last moment that this process has used, for any table.
static LAST_MICROSECONDS: AtomicI64 = AtomicI64::new(i64::MIN);

/// Returns microseconds since 1970-01-01 UTC, later than every earlier result in this process.
pub fn write_time() -> i64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_micros()).unwrap_or(i64::MAX - 1)
        });
    let later = |last: i64| Some(now.max(last.saturating_add(1)));
    match LAST_MICROSECONDS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later) {
        Ok(last) | Err(last) => now.max(last.saturating_add(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_moment_comes_twice() {
        let times: Vec<i64> = (0..1000).map(|_| write_time()).collect();
        assert!(times.is_sorted_by(|a, b| a < b));
    }
}
