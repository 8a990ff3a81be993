//! Printing the results.

use std::time::Duration;

use crate::timing::Timed;

/// The same query in several ways, the first of which the others are compared with.
pub struct Line {
    what: &'static str,
    ways: Vec<(&'static str, Timed)>,
}

impl Line {
    pub fn new(what: &'static str) -> Self {
        Line {
            what,
            ways: Vec::new(),
        }
    }

    pub fn add(&mut self, way: &'static str, timed: Timed) {
        self.ways.push((way, timed));
    }

    /// Prints p50, p99, the number of runs, and how many times faster each way is than the first
    /// one.
    pub fn print(&self) {
        let Some((_, first)) = self.ways.first() else {
            return;
        };
        println!("\n{}", self.what);
        for (way, timed) in &self.ways {
            let faster = first.p50().as_secs_f64() / timed.p50().as_secs_f64();
            println!(
                "  {way:24} p50 {:>10}  p99 {:>10}  {:>5} runs  {faster:>9.2}x  {}",
                milliseconds(timed.p50()),
                milliseconds(timed.p99()),
                timed.times.len(),
                agreement(first.answers, timed.answers),
            );
        }
    }
}

/// Compares two sums. Doubles that are added in another order differ in their last digits.
fn agreement(first: f64, other: f64) -> String {
    let relative = ((first - other) / first).abs();
    if relative < 1e-9 {
        "same answers".to_owned()
    } else {
        format!("ANOTHER ANSWER: {other} instead of {first}")
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

pub fn rate(what: &str, rows: u64, took: Duration) {
    let seconds = took.as_secs_f64();
    println!(
        "{what}: {seconds:.1} s, {:.0} rows/s",
        rows as f64 / seconds
    );
}
