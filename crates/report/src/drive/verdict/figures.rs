//! Words a design's main figure: how much it is, over how many rounds, and what is wrong with it.

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{DriveDesign, DriveSummary, Support};

use super::short::{FAILED_SHARE, shortfalls};
use crate::drive::{Kind, list, p99_support, slowest_p99};
use crate::listing;
use crate::units;

pub fn objective(summary: &DriveSummary) -> &str {
    summary.header.objective.as_deref().unwrap_or_default()
}

/// Most designs that one list names.
pub const LISTED: usize = 3;

/// Writes a rate as fast as it goes: `528 ops/s with 32 operations in flight (524–532 over 7 rounds)`.
pub fn throughput(summary: &DriveSummary, rate: &Estimate) -> String {
    format!(
        "{} ops/s with {} operations in flight{}",
        units::rate(rate.median),
        summary.header.in_flight,
        spread(rate, &units::rate_interval(rate))
    )
}

/// Writes the slowest operation's p99: `its slowest operation, read, within 1.84 s`.
pub fn slowest(summary: &DriveSummary, design: &DriveDesign, p99: &Estimate) -> String {
    let (median, interval) = units::duration_interval(p99);
    let operation = slowest_p99(summary, design).map_or(0, |(operation, _)| operation);
    format!(
        "its slowest operation, {}, within {median}{}{}",
        summary.header.operations[operation].name,
        spread(p99, &interval),
        of_few(design, operation)
    )
}

/// Writes a figure by itself: `528 ops/s`, `a p99 of 1.84 s`.
pub fn in_short(kind: Kind, figure: &Estimate) -> String {
    if kind.is_at_a_rate() {
        format!("a p99 of {}", units::duration(figure.median))
    } else {
        format!("{} ops/s", units::rate(figure.median))
    }
}

/// Writes ` (11.9–12.8 k over 5 rounds)`; nothing for a single round.
fn spread(figure: &Estimate, interval: &str) -> String {
    match figure.observations {
        1 => String::new(),
        rounds => format!(" ({interval} over {rounds} rounds)"),
    }
}

/// Writes `, from only 480 operations` where a p99 hangs on a few of them.
pub fn of_few(design: &DriveDesign, operation: usize) -> String {
    let figures = design.figures.as_ref();
    let count = figures
        .and_then(|f| f.operations.get(operation))
        .map(|o| o.count);
    match (p99_support(design, operation), count) {
        (Support::Enough, _) | (_, None) => String::new(),
        (_, Some(count)) => format!(
            ", from only {}",
            units::plural(count, "operation", "operations")
        ),
    }
}

/// Writes `, but it reached only 400 of 500 ops/s`; nothing for a design that did all of the work.
pub fn but(summary: &DriveSummary, kind: Kind, design: &DriveDesign) -> String {
    let shortfalls = shortfalls(summary, kind, design, FAILED_SHARE);
    if shortfalls.is_empty() {
        String::new()
    } else {
        format!(", but it {}", list(&shortfalls))
    }
}

/// Joins the first few of many.
pub fn listed(designs: &[String]) -> String {
    let designs: Vec<&str> = designs.iter().map(String::as_str).collect();
    listing::list(&designs, LISTED)
}
