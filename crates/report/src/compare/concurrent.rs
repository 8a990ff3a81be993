//! What is said of questions that several clients asked at the same time.

use bakeoff_stats::{ConcurrentFigures, ConcurrentSummary, Summary};

use crate::units;

pub const TITLE: &str = "Several clients at a time";
/// Columns of a table, next to that of designs or queries.
pub const COLUMNS: [&str; 7] = [
    "Answered", "A second", "Mean", "p50", "p99", "Wrong", "Failed",
];

/// Says what was done, and how to read it; `None` where no design was asked that way.
pub fn hint(summary: &Summary) -> Option<String> {
    let mut asked = of_designs(summary).peekable();
    let clients = asked.peek()?.clients;
    let most = asked.map(|c| c.permutations).max().unwrap_or_default();
    let few = of_designs(summary)
        .flat_map(|c| c.queries.iter().map(|(_, figures)| figures))
        .any(|figures| figures.answered > 0 && figures.p99.is_none());
    let mut hint = format!(
        "{} ask one design at a time, each all queries in a random order, then again in another \
         one, until all permutations are asked or the time is over; the most that a design began \
         is {}. Service times of right answers, and right answers a second. Designs that were \
         asked fewer have another share of each query in their figures over all: compare those \
         query by query.",
        units::plural(u64::from(clients), "client", "clients"),
        units::plural(u64::from(most), "permutation", "permutations"),
    );
    if few {
        hint += " Of fewer than 100 answers there is no p99.";
    }
    Some(hint)
}

fn of_designs(summary: &Summary) -> impl Iterator<Item = &ConcurrentSummary> {
    summary.designs.iter().filter_map(|d| d.concurrent.as_ref())
}

/// A row's figures, in the order of [`COLUMNS`].
pub fn cells(figures: &ConcurrentFigures) -> [Option<String>; 7] {
    let time = |seconds: Option<f64>| seconds.map(units::duration);
    [
        Some(units::count(figures.answered)),
        Some(units::rate(figures.per_second)),
        time(figures.mean),
        time(figures.p50),
        time(figures.p99),
        Some(units::count(figures.wrong)),
        Some(units::count(figures.failed)),
    ]
}

/// Whether the last two cells are nothing to worry about.
pub fn is_right(figures: &ConcurrentFigures) -> bool {
    figures.wrong + figures.failed == 0
}
