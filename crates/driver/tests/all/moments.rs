//! When an observer may work for a moment: with whole steps on record, and nothing under way.

use std::time::Duration;

use bakeoff_driver::Observer;

/// Observer that calls a function in each moment that it has.
pub struct Moments<F>(pub F);

impl<F: Fn() + Send + Sync> Observer for Moments<F> {
    fn phase(&self, _: &str) {}
    fn note(&self, _: &str) {}
    fn loading(&self, _: &str, _: u64, _: Option<u64>) {}
    fn measuring(&self, _: u64, _: u64) {}
    fn trouble(&self, _: &str, _: &str) {}
    fn done(&self, _: &str, _: Duration) {}

    fn between_steps(&self) {
        (self.0)();
    }
}
