//! Shows a load: in the terminal, as one HTML file, as JSON.

pub mod html;
pub mod json;
mod notes;
pub mod terminal;
mod verdict;

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{DriveDesign, DriveSummary, OperationFigures, Support};

use crate::units;

/// The operations of a load.
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
        let first = summary.trials.iter().map(|t| &t.start).find(|s| !s.warm_up);
        match first {
            _ if summary.header.objective.is_some() => Kind::Search,
            Some(start) if !start.even => Kind::Varying,
            Some(start) if start.scheduled_rate.is_none() => Kind::ClosedLoop,
            Some(_) => Kind::Rate,
            None => Kind::ClosedLoop,
        }
    }

    /// Whether designs are compared by their response times at the same load.
    fn is_at_a_rate(self) -> bool {
        matches!(self, Kind::Rate | Kind::Varying)
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

/// The operation with the highest response time p99, by its place, and that time. Operations of
/// which there were too few for a p99 are chosen only where there are no others.
fn slowest_p99(design: &DriveDesign) -> Option<(usize, Estimate)> {
    let support = |operation| p99_support(design, operation);
    let known = || {
        let p99 = design.response_p99.iter().enumerate();
        p99.filter_map(|(operation, p99)| Some((operation, (*p99)?)))
    };
    let of = |wanted: Support| {
        let supported = known().filter(|(operation, _)| support(*operation) == wanted);
        supported.max_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
    };
    of(Support::Enough)
        .or_else(|| of(Support::Few))
        .or_else(|| of(Support::None))
}

fn p99_support(design: &DriveDesign, operation: usize) -> Support {
    let figures = design.figures.as_ref();
    let operation = figures.and_then(|f| f.operations.get(operation));
    operation.map_or(Support::None, |o| o.support(0.99))
}

/// A time that a share of the operations, from 0 to 1, did not exceed: with a mark where it hangs on
/// a few operations, and none where on no other than the slowest.
fn quantile(operation: &OperationFigures, quantile: f64, seconds: Option<f64>) -> Option<String> {
    let time = units::duration(seconds?);
    match operation.support(quantile) {
        Support::Enough => Some(time),
        Support::Few => Some(format!("~{time}")),
        Support::None => None,
    }
}

/// What the mark of [`quantile`] says, where there is one in a table.
fn few_operations(summary: &DriveSummary) -> Option<String> {
    let figures = summary.designs.iter().filter_map(|d| d.figures.as_ref());
    let mut operations = figures.flat_map(|f| &f.operations);
    let is_marked = |o: &OperationFigures| {
        [0.99, 0.999].map(|q| o.support(q)).contains(&Support::Few) && o.response.is_some()
    };
    operations.any(is_marked).then(|| {
        "~ before a time: fewer than ten operations took longer, so that the next load may show \
         another one; where not even one did, none is shown"
            .to_owned()
    })
}

fn too_many_failed(design: &DriveDesign) -> bool {
    design.figures.as_ref().is_some_and(|f| f.too_many_failed())
}

/// Designs with this figure, best first. Without a limit for failures, one that has some comes after
/// all that have none: what failed is in no time and no rate, and may have been the hardest part.
fn ranking(summary: &DriveSummary, kind: Kind) -> Vec<(&DriveDesign, Estimate)> {
    let figures = summary.designs.iter();
    let mut ranking: Vec<(&DriveDesign, Estimate)> = figures
        .filter(|d| kind == Kind::Search || summary.has_result(d, kind.is_at_a_rate()))
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
