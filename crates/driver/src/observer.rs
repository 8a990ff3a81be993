//! Who watches a measurement: progress bars, or no one.

use std::time::Duration;

/// Watches a measurement. Each call must return at once.
pub trait Observer: Send + Sync {
    /// A phase begins: what is being done, in words.
    fn phase(&self, what: &str);

    /// A line that stays: something that the user has to know now.
    fn note(&self, line: &str);

    /// Rows loaded so far into this design; `total` where it is known beforehand.
    fn loading(&self, design: &str, rows: u64, total: Option<u64>);

    /// Queries answered so far in this phase, of how many, and what is left of the budget.
    fn measuring(&self, done: u64, total: u64);

    /// A design or an engine failed, or a design answered wrongly.
    fn trouble(&self, name: &str, reason: &str);

    /// A phase ended after so long.
    fn done(&self, what: &str, took: Duration);
}

/// Shows nothing.
pub struct Silent;

impl Observer for Silent {
    fn phase(&self, _: &str) {}
    fn note(&self, _: &str) {}
    fn loading(&self, _: &str, _: u64, _: Option<u64>) {}
    fn measuring(&self, _: u64, _: u64) {}
    fn trouble(&self, _: &str, _: &str) {}
    fn done(&self, _: &str, _: Duration) {}
}
