//! Which designs are compared, what each fell short of, and between which a difference was shown.

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{DriveDesign, DriveSummary, LoadFigures};

use crate::drive::{Kind, list, ranking};
use crate::units;

/// With a larger share of failures, times and rates are no longer those of the whole load.
pub const FAILED_SHARE: f64 = 1e-3;

pub type Ranked<'a> = (&'a DriveDesign, Estimate);

/// Designs with a result, best first. A yardstick is no choice, so that it is compared with other
/// yardsticks at most.
pub fn compared(summary: &DriveSummary, kind: Kind) -> Vec<Ranked<'_>> {
    let only_yardsticks = summary.designs.iter().all(|d| d.info.is_yardstick());
    let ranking = ranking(summary, kind).into_iter();
    ranking
        .filter(|(design, figure)| {
            figure.median > 0.0 && (only_yardsticks || !design.info.is_yardstick())
        })
        .collect()
}

/// What a design did not do of what was asked, each after "it"; failures only if more than this
/// share failed. A search judges all of that itself.
pub fn shortfalls(
    summary: &DriveSummary,
    kind: Kind,
    design: &DriveDesign,
    failed_share: f64,
) -> Vec<String> {
    let at_a_rate = matches!(kind, Kind::Rate | Kind::Varying);
    let of_load = at_a_rate.then(|| [capped(summary, design), unsent(summary, design)]);
    let failed = (kind != Kind::Search).then(|| failed(design, failed_share));
    let of_load = of_load.into_iter().flatten();
    of_load.chain(failed).flatten().collect()
}

/// The worst of its rounds.
fn capped(summary: &DriveSummary, design: &DriveDesign) -> Option<String> {
    let trials = design.trials.iter().filter_map(|t| summary.trial(*t));
    let capped = trials.filter_map(|t| t.capped());
    let (scheduled, reached) = capped.min_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)))?;
    let (scheduled, reached) = (units::rate(scheduled), units::rate(reached));
    Some(format!("reached only {reached} of {scheduled} ops/s"))
}

fn unsent(summary: &DriveSummary, design: &DriveDesign) -> Option<String> {
    let trials = design.trials.iter().filter_map(|t| summary.trial(*t));
    let unsent: u64 = trials
        .filter_map(|t| t.end.as_ref())
        .map(|e| e.unsent)
        .sum();
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

/// Designs between which and the best one no difference was shown, in words.
pub fn ties(kind: Kind, ranking: &[Ranked<'_>]) -> Option<String> {
    let ((best, figure), others) = ranking.split_first()?;
    if others.is_empty() {
        return None;
    }
    let once = |(_, figure): &&Ranked<'_>| figure.observations < 2;
    let driven_once = ids(ranking.iter().filter(once));
    if driven_once.len() == ranking.len() {
        return Some(each_once(kind).to_owned());
    }
    let own = interval(kind, best, figure);
    let ties = others
        .iter()
        .filter(|other| !once(other) && figure.observations > 1)
        .filter(|(design, figure)| overlap(own, interval(kind, design, figure)));
    let ties = ids(ties);
    let no_difference = (!ties.is_empty()).then(|| {
        let best = &best.info.id;
        format!(
            "No difference was shown between {best} and {}.",
            list(&ties)
        )
    });
    let unproven = (!driven_once.is_empty()).then(|| {
        let what = match kind {
            Kind::Search => "Searched",
            _ => "Driven",
        };
        format!(
            "{what} only once, which cannot show a difference: {}.",
            list(&driven_once)
        )
    });
    let sentences: Vec<String> = no_difference.into_iter().chain(unproven).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn each_once(kind: Kind) -> &'static str {
    match kind {
        Kind::Search => {
            "There was one search each, and a repeated one may differ, so that no difference was \
             shown: repeat them with --rounds 6."
        }
        _ => "Each was driven once, which cannot show a difference: repeat it with --rounds 6.",
    }
}

fn ids<'a>(designs: impl Iterator<Item = &'a Ranked<'a>>) -> Vec<String> {
    designs.map(|(design, _)| design.info.id.clone()).collect()
}

/// The interval that a difference has to leave.
fn interval(kind: Kind, design: &DriveDesign, figure: &Estimate) -> (f64, f64) {
    if let ([found], Kind::Search) = (&design.found[..], kind)
        && let Some(estimate) = found.estimate
    {
        return (estimate.low, estimate.high);
    }
    // Several searches show their error themselves; an older log has only what failed.
    let older = design.found.iter().filter(|f| f.estimate.is_none());
    let failed = older.filter_map(|f| f.failed_at);
    let high = match kind {
        Kind::Search => failed.fold(figure.high, f64::max),
        _ => figure.high,
    };
    (figure.low, high)
}

fn overlap(a: (f64, f64), b: (f64, f64)) -> bool {
    a.0 <= b.1 && b.0 <= a.1
}
