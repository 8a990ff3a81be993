//! Who watches a run: progress bars, or nobody.

use std::time::Duration;

/// Told of progress; must return at once.
pub trait Observer: Send + Sync {
    /// A phase begins: what is being done, in words.
    fn phase(&self, what: &str);

    /// Rows loaded so far over all designs; `total` where it is known beforehand.
    fn loading(&self, design: &str, rows: u64, total: Option<u64>);

    /// Queries answered so far in this phase, of how many, and what is left of the budget.
    fn measuring(&self, done: u64, total: u64);

    /// A design failed, or answered wrongly.
    fn trouble(&self, design: &str, reason: &str);

    /// A phase ended after so long.
    fn done(&self, what: &str, took: Duration);
}

/// Shows nothing.
pub struct Silent;

impl Observer for Silent {
    fn phase(&self, _: &str) {}
    fn loading(&self, _: &str, _: u64, _: Option<u64>) {}
    fn measuring(&self, _: u64, _: u64) {}
    fn trouble(&self, _: &str, _: &str) {}
    fn done(&self, _: &str, _: Duration) {}
}
