//! Shows a load: in the terminal, as one HTML file, as JSON.

pub mod html;
pub mod json;
mod notes;
pub mod terminal;
mod verdict;

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{DriveDesign, DriveSummary};

/// What a load asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The highest rate within an objective.
    Search,
    /// How many operations a second, as fast as they go.
    ClosedLoop,
    /// How long operations take at a rate.
    Rate,
    /// How long operations take while the rate changes.
    Varying,
}

impl Kind {
    fn of(summary: &DriveSummary) -> Kind {
        let first = summary.trials.first().map(|t| &t.start);
        match first {
            _ if summary.header.objective.is_some() => Kind::Search,
            Some(start) if !start.even => Kind::Varying,
            Some(start) if start.scheduled_rate.is_none() => Kind::ClosedLoop,
            Some(_) => Kind::Rate,
            None => Kind::ClosedLoop,
        }
    }

    /// The figure by which designs are compared, and whether more is better.
    fn headline(self, design: &DriveDesign) -> Option<Estimate> {
        match self {
            Kind::Search => design.highest_rate,
            Kind::ClosedLoop => design.rate,
            Kind::Rate | Kind::Varying => slowest_p99(design).map(|(_, p99)| p99),
        }
    }
}

/// The operation with the highest response time p99, by its place, and that time.
fn slowest_p99(design: &DriveDesign) -> Option<(usize, Estimate)> {
    let known = design.response_p99.iter().enumerate();
    known
        .filter_map(|(operation, p99)| Some((operation, (*p99)?)))
        .max_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
}

/// Designs with this figure, best first. Without a limit for failures, one that has some comes after
/// all that have none: what failed is in no time and no rate, and may have been the hardest part.
fn ranking(summary: &DriveSummary, kind: Kind) -> Vec<(&DriveDesign, Estimate)> {
    let figures = summary.designs.iter();
    let mut ranking: Vec<(&DriveDesign, Estimate)> = figures
        .filter_map(|d| Some((d, kind.headline(d)?)))
        .collect();
    match kind {
        Kind::Search | Kind::ClosedLoop => {
            ranking.sort_by(|(_, a), (_, b)| b.median.total_cmp(&a.median));
        }
        Kind::Rate | Kind::Varying => {
            ranking.sort_by(|(_, a), (_, b)| a.median.total_cmp(&b.median));
        }
    }
    if kind != Kind::Search {
        // Stable, so that figures still count among those that have failures.
        ranking.sort_by_key(|(design, _)| design.figures.as_ref().is_some_and(|f| f.failed() > 0));
    }
    ranking
}

/// `read 4.2 ms, insert 3.1 ms`
fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
