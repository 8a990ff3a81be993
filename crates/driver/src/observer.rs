//! Observers of a measurement, such as progress bars.

use std::time::Duration;

/// Watches a measurement. Each call but [`Observer::between_steps`] must return at once.
pub trait Observer: Send + Sync {
    /// Shows that a phase begins; `what` describes it in words.
    fn phase(&self, what: &str);

    /// Shows a line permanently, for what the user has to know now.
    fn note(&self, line: &str);

    /// Shows the number of rows loaded so far into a design, and their total where it is known.
    fn loading(&self, design: &str, rows: u64, total: Option<u64>);

    /// Shows the number of queries answered so far in this phase, and their total.
    fn measuring(&self, done: u64, total: u64);

    /// Shows that a design or an engine failed, or that a design gave a wrong answer.
    fn trouble(&self, name: &str, reason: &str);

    /// Shows that a phase ended, and how long it took.
    fn done(&self, what: &str, took: Duration);

    /// Is called between two steps, when their records are written and nothing is timed or under way: a moment's work
    /// here disturbs no figure.
    fn between_steps(&self) {}
}

/// Observer that shows nothing.
pub struct Silent;

impl Observer for Silent {
    fn phase(&self, _: &str) {}
    fn note(&self, _: &str) {}
    fn loading(&self, _: &str, _: u64, _: Option<u64>) {}
    fn measuring(&self, _: u64, _: u64) {}
    fn trouble(&self, _: &str, _: &str) {}
    fn done(&self, _: &str, _: Duration) {}
}
