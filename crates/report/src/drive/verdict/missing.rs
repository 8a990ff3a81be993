//! Says what has no result, and why.

use bakeoff_stats::drive::{DriveDesign, DriveSummary, LoadFigures};
use bakeoff_stats::total;

use super::ranked::Ranked;
use crate::drive::{Kind, list, too_many_failed};
use crate::units;

/// Writes the paragraph of a load in which no design has a result.
pub fn nothing(summary: &DriveSummary, kind: Kind) -> String {
    let found = || summary.designs.iter().flat_map(|d| &d.found);
    let objective = summary.header.objective.as_deref().unwrap_or_default();
    let tried = summary.trials.iter().any(|t| t.end.is_some());
    let text = if summary.designs.iter().any(nothing_succeeded) {
        let why = failed(summary).unwrap_or_default();
        format!("No operation has succeeded, so there is no rate and no time. {why}")
    } else if kind == Kind::Search && found().next().is_none() {
        no_search(summary, objective)
    } else if kind == Kind::Search && found().any(|f| f.rate.is_some()) {
        format!("No design held {objective} at some rate in every one of its searches.")
    } else if kind == Kind::Search {
        format!(
            "No rate that was tried held {objective}; a less strict objective or a lower rate may."
        )
    } else if summary.designs.iter().any(|d| !d.failures.is_empty()) {
        not_to_its_end(summary)
    } else if summary.designs.iter().any(too_many_failed) {
        no_times(summary)
    } else if tried {
        "No operation has succeeded, so there is nothing to say.".to_owned()
    } else {
        "No load has finished, so there is nothing to say.".to_owned()
    };
    text.trim_end().to_owned()
}

/// Writes it of loads that failed on the way.
fn not_to_its_end(summary: &DriveSummary) -> String {
    let failed = summary.designs.iter().filter(|d| !d.failures.is_empty());
    let failed: Vec<String> = failed.map(|d| d.info.id.clone()).collect();
    format!(
        "No load came to its end, so there is no result: {} failed. {}",
        list(&failed),
        self::failed(summary).unwrap_or_default()
    )
}

/// Writes it of loads of which a large share failed.
fn no_times(summary: &DriveSummary) -> String {
    let shares = summary.designs.iter().filter_map(|d| {
        let figures = d.figures.as_ref().filter(|f| f.too_many_failed())?;
        Some(format!("{} failed {}", d.info.id, failed_share(figures)))
    });
    format!(
        "Response times of what is left are no result: {}. {}",
        list(&shares.collect::<Vec<_>>()),
        failed(summary).unwrap_or_default()
    )
}

/// Writes `92.90% of its operations`.
fn failed_share(figures: &LoadFigures) -> String {
    let share = units::share(figures.failed(), figures.failed() + figures.successes());
    format!("{share} of its operations")
}

/// Writes it of searches of which none came to its end.
fn no_search(summary: &DriveSummary, objective: &str) -> String {
    let held = summary.designs.iter().filter_map(|design| {
        let held = design.probes.iter().filter(|p| p.held());
        let highest = held.filter_map(|p| p.rate).max_by(f64::total_cmp)?;
        Some(format!(
            "{} held it at {} ops/s",
            design.info.id,
            units::rate(highest)
        ))
    });
    let held: Vec<String> = held.collect();
    let until_then = if held.is_empty() {
        String::new()
    } else {
        format!(" Until then {}.", list(&held))
    };
    format!(
        "No search has finished, so the highest rate within {objective} is not known.{until_then}"
    )
}

/// Returns whether operations ended, and each of them failed.
fn nothing_succeeded(design: &DriveDesign) -> bool {
    let all_failed = |f: &LoadFigures| f.successes() == 0 && f.failed() > 0;
    design.figures.as_ref().is_some_and(all_failed)
}

/// Counts the operations that failed, of all trials that figures are of.
pub fn failed(summary: &DriveSummary) -> Option<String> {
    let figures = || summary.designs.iter().filter_map(|d| d.figures.as_ref());
    let failed = total(figures().map(LoadFigures::failed));
    let all = failed.saturating_add(total(figures().map(LoadFigures::successes)));
    let kinds = kinds(figures());
    (failed > 0).then(|| {
        format!(
            "{} of {} operations failed ({}); they are in no time and no rate.",
            units::count(failed),
            units::count(all),
            list(&kinds)
        )
    })
}

/// Counts failures by kind: `18 timed out`.
fn kinds<'a>(figures: impl Iterator<Item = &'a LoadFigures>) -> Vec<String> {
    let mut kinds: Vec<(String, u64)> = Vec::new();
    let operations = figures.flat_map(|f| &f.operations);
    for (kind, count) in operations.flat_map(|o| &o.failures) {
        let name = kind.to_string();
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum = sum.saturating_add(*count),
            None => kinds.push((name, *count)),
        }
    }
    kinds
        .iter()
        .map(|(kind, count)| format!("{} {kind}", units::count(*count)))
        .collect()
}

/// Names designs without a result where others have one. Yardsticks are not compared.
pub fn left_out(summary: &DriveSummary, kind: Kind, ranking: &[Ranked<'_>]) -> Option<String> {
    let has_result = |d: &DriveDesign| ranking.iter().any(|(r, _)| r.info.id == d.info.id);
    let without = summary
        .designs
        .iter()
        .filter(|d| !d.info.is_yardstick() && !has_result(d));
    let reasons: Vec<String> = without
        .map(|d| format!("{} ({})", d.info.id, why(d, kind)))
        .collect();
    (!reasons.is_empty()).then(|| format!("Without a result: {}.", list(&reasons)))
}

fn why(design: &DriveDesign, kind: Kind) -> String {
    if let Some(figures) = design.figures.as_ref().filter(|f| f.too_many_failed())
        && kind.is_at_a_rate()
        && design.failures.is_empty()
        && !nothing_succeeded(design)
    {
        return format!("failed {}", failed_share(figures));
    }
    let why = if nothing_succeeded(design) {
        "no operation succeeded"
    } else if !design.failures.is_empty() {
        "failed"
    } else if kind == Kind::Search && design.found.is_empty() {
        "its search has not finished"
    } else if kind == Kind::Search {
        "no rate held in every search"
    } else if design.trials.is_empty() {
        "no load has finished"
    } else {
        "an operation without a success in some round"
    };
    why.to_owned()
}
