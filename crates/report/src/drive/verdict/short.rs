//! Says what a design fell short of.

use bakeoff_stats::drive::{DriveDesign, DriveSummary, LoadFigures};
use bakeoff_stats::total;

use crate::drive::Kind;
use crate::units;

/// Share of failures above which times and rates are no longer those of the whole load.
pub const FAILED_SHARE: f64 = 1e-3;

/// Returns why a design is not the best one, each after "it".
pub fn reasons(
    summary: &DriveSummary,
    kind: Kind,
    design: &DriveDesign,
    is_better: bool,
) -> Vec<String> {
    let least_share = if is_better { 0.0 } else { FAILED_SHARE };
    let mut reasons = shortfalls(summary, kind, design, least_share);
    if kind != Kind::Search {
        reasons.extend(unsteady(summary, design));
        reasons.extend((!design.failures.is_empty()).then(|| "did not finish".to_owned()));
    }
    reasons
}

/// Says so if a design was not steady in half of its rounds, or more.
fn unsteady(summary: &DriveSummary, design: &DriveDesign) -> Option<String> {
    let rounds = summary.rounds_of(design).count();
    let unsteady = summary.rounds_of(design).filter(|t| !t.is_steady()).count();
    let rounds_of_it = units::plural(rounds as u64, "round", "rounds");
    (unsteady > 0 && 2 * unsteady >= rounds)
        .then(|| format!("was not steady in {unsteady} of {rounds_of_it}"))
}

/// Returns what a design did not do of what was asked, each after "it"; failures only if more than
/// this share failed. A search judges all of that itself.
pub fn shortfalls(
    summary: &DriveSummary,
    kind: Kind,
    design: &DriveDesign,
    failed_share: f64,
) -> Vec<String> {
    if kind == Kind::Search {
        return Vec::new();
    }
    let shortfalls = [
        capped(summary, design),
        unsent(summary, design),
        failed(design, failed_share),
    ];
    shortfalls.into_iter().flatten().collect()
}

/// Returns the rates of the worst round.
fn capped(summary: &DriveSummary, design: &DriveDesign) -> Option<String> {
    let capped = summary.rounds_of(design).filter_map(|t| t.capped());
    let (scheduled, reached) = capped.min_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)))?;
    let (scheduled, reached) = (units::rate(scheduled), units::rate(reached));
    Some(format!("reached only {reached} of {scheduled} ops/s"))
}

fn unsent(summary: &DriveSummary, design: &DriveDesign) -> Option<String> {
    let ends = summary.rounds_of(design).filter_map(|t| t.end.as_ref());
    let unsent = total(ends.map(|end| end.unsent));
    let operations = units::plural(unsent, "operation", "operations");
    (unsent > 0).then(|| format!("left {operations} unsent"))
}

fn failed(design: &DriveDesign, least_share: f64) -> Option<String> {
    let figures = design.figures.as_ref()?;
    let (failed, all) = (figures.failed(), ended(figures));
    let share = units::share(failed, all);
    (failed as f64 > least_share * all as f64).then(|| format!("failed {share} of its operations"))
}

fn ended(figures: &LoadFigures) -> u64 {
    figures.failed() + figures.successes()
}
