//! Shows a load: in the terminal, as one HTML file, as JSON, and what to take after it.

mod added;
mod beside;
pub mod disk_for_reads;
pub mod html;
pub mod json;
pub(crate) mod notes;
mod passes;
pub mod recommendation;
mod rows;
pub mod slower_disk;
pub mod terminal;
mod verdict;

use std::cmp::Ordering;

use bakeoff_stats::drive::{
    DriveDesign, DriveSummary, FigureComparison, OperationFigures, Support,
};
use bakeoff_stats::{AgainstBest, Estimate};

use crate::listing;
use crate::per_node::Shown;
use crate::units;

/// Rounds below which no difference between designs can be shown.
const FEWEST_ROUNDS: u32 = 5;
/// Rounds that a run has unless it is asked for others.
const ROUNDS_TO_ASK_FOR: u32 = 7;

/// Question that a load answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Asks for the highest rate within an objective.
    Search,
    /// Asks how many operations a second there are, as fast as they go.
    ClosedLoop,
    /// Asks how long operations take at a rate.
    Rate,
    /// Asks how long operations take while the rate changes.
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

    /// Returns whether designs are compared by their response times at the same load.
    fn is_at_a_rate(self) -> bool {
        matches!(self, Kind::Rate | Kind::Varying)
    }

    /// Returns the figure by which designs are compared.
    fn headline(self, summary: &DriveSummary, design: &DriveDesign) -> Option<Estimate> {
        match self {
            Kind::Search => design.highest_rate,
            Kind::ClosedLoop => design.rate,
            Kind::Rate | Kind::Varying => slowest_p99(summary, design).map(|(_, p99)| p99),
        }
    }

    /// Orders values of that figure: at a rate the shorter time is better, else the higher rate.
    fn better_first(self, a: f64, b: f64) -> Ordering {
        if self.is_at_a_rate() {
            a.total_cmp(&b)
        } else {
            b.total_cmp(&a)
        }
    }
}

/// Returns the rates per node, where they are more than the rates themselves.
fn per_node(summary: &DriveSummary) -> Option<Shown<'_>> {
    let per_node = summary.per_node.as_ref();
    Shown::new(per_node, "operations", &summary.header.designs)
}

/// Returns the comparison by the figure that designs are judged by, if one of them may be the best.
fn compared(summary: &DriveSummary) -> Option<&FigureComparison> {
    summary.comparison.main().filter(|c| c.best.is_some())
}

/// Returns what is known of a design by that figure.
fn against_best<'a>(summary: &'a DriveSummary, design: &DriveDesign) -> Option<&'a AgainstBest> {
    compared(summary)?.design(&design.info.id)
}

fn is_best(summary: &DriveSummary, design: &DriveDesign) -> bool {
    compared(summary).is_some_and(|c| c.best.as_ref() == Some(&design.info.id))
}

/// Returns the operation with the highest response time p99, by its place, and that time: of a design
/// that is compared the one that it is compared by.
fn slowest_p99(summary: &DriveSummary, design: &DriveDesign) -> Option<(usize, Estimate)> {
    let in_rounds = against_best(summary, design).and_then(|_| summary.slowest_p99(design));
    in_rounds.or_else(|| slowest_of_all_rounds(design))
}

/// Returns the operation with the highest response time p99, by its place, and that time. Operations of
/// which there were too few for a p99 are chosen only where there are no others.
fn slowest_of_all_rounds(design: &DriveDesign) -> Option<(usize, Estimate)> {
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

/// Returns the response time p99 of an operation in seconds over the rounds, by its place in the mix.
pub(crate) fn p99_of_rounds(design: &DriveDesign, operation: usize) -> Option<Estimate> {
    design.response_p99.get(operation).copied().flatten()
}

/// Writes a time that a share of the operations, from 0 to 1, did not exceed: with a mark where it
/// hangs on a few operations. Returns `None` where it hangs on the slowest one alone.
pub(crate) fn quantile(
    operation: &OperationFigures,
    quantile: f64,
    seconds: Option<f64>,
) -> Option<String> {
    let time = units::duration(seconds?);
    match operation.support(quantile) {
        Support::Enough => Some(time),
        Support::Few => Some(format!("~{time}")),
        Support::None => None,
    }
}

/// Explains the mark of [`quantile`], where there is one in a table.
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

/// Returns the designs with this figure, the best one of the comparison first. Without a limit for
/// failures, one that has some comes after all that have none: what failed is in no time and no rate,
/// and may have been the hardest part.
fn ranking(summary: &DriveSummary, kind: Kind) -> Vec<(&DriveDesign, Estimate)> {
    let figures = summary.designs.iter();
    let mut ranking: Vec<(&DriveDesign, Estimate)> = figures
        .filter(|d| kind == Kind::Search || summary.has_result(d, kind.is_at_a_rate()))
        .filter_map(|d| Some((d, kind.headline(summary, d)?)))
        .collect();
    ranking.sort_by(|(_, a), (_, b)| kind.better_first(a.median, b.median));
    if kind != Kind::Search {
        // Stable, so that figures still count among those that have failures.
        ranking.sort_by_key(|(design, _)| design.figures.as_ref().is_some_and(|f| f.failed() > 0));
    }
    ranking.sort_by_key(|(design, _)| !is_best(summary, design));
    ranking
}

/// Joins parts: `a`, `a and b`, `a, b and c`.
fn list(parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    listing::list(&parts, parts.len())
}
