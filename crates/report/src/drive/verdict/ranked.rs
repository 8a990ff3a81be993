//! Orders the designs with a result, and names those that fell short.

use bakeoff_stats::drive::{DriveDesign, DriveSummary};
use bakeoff_stats::{Difference, Estimate};

use super::figures::in_short;
use super::short::reasons;
use crate::compare::to_best;
use crate::drive::{Kind, against_best, list, ranking};

/// Design with its main figure.
pub type Ranked<'a> = (&'a DriveDesign, Estimate);

/// Returns the designs with a result, the best one first. A yardstick is no choice, so it is ranked
/// among yardsticks only.
pub fn ranked(summary: &DriveSummary, kind: Kind) -> Vec<Ranked<'_>> {
    let only_yardsticks = summary.designs.iter().all(|d| d.info.is_yardstick());
    let ranking = ranking(summary, kind).into_iter();
    ranking
        .filter(|(design, figure)| {
            figure.median > 0.0 && (only_yardsticks || !design.info.is_yardstick())
        })
        .collect()
}

/// Writes a sentence for each design other than the first one whose figures are of less than what was
/// asked, those with a better figure first. Of these, no failure is too few to be named.
pub fn fell_short(summary: &DriveSummary, kind: Kind, ranking: &[Ranked<'_>]) -> Option<String> {
    let ((_, best), others) = ranking.split_first()?;
    let sentences = others.iter().filter_map(|(design, figure)| {
        let is_better = kind.better_first(figure.median, best.median).is_lt()
            || is_shown_to_be_faster(summary, design);
        let short = list(&reasons(summary, kind, design, is_better));
        let id = &design.info.id;
        let sentence = match (short.as_str(), is_better) {
            ("", _) => return None,
            (_, true) => format!(
                "{id} {}, but it {short}.",
                does(summary, kind, (design, *figure))
            ),
            (_, false) => format!("{id} {short}."),
        };
        Some((is_better, sentence))
    });
    let (better, worse): (Vec<_>, Vec<_>) = sentences.partition(|(is_better, _)| *is_better);
    let sentences = better.into_iter().chain(worse);
    let sentences: Vec<String> = sentences.map(|(_, sentence)| sentence).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn is_shown_to_be_faster(summary: &DriveSummary, design: &DriveDesign) -> bool {
    let against = against_best(summary, design);
    against.is_some_and(|against| against.difference == Difference::Faster)
}

/// Writes `does 528 ops/s (1.66× ?)`, with the ratio to the best design where there is one.
pub fn does(summary: &DriveSummary, kind: Kind, (design, figure): Ranked<'_>) -> String {
    let verb = if kind.is_at_a_rate() { "has" } else { "does" };
    let against = against_best(summary, design);
    let ratio = against.map_or_else(String::new, |a| format!(" ({})", to_best::in_short(a)));
    format!("{verb} {}{ratio}", in_short(kind, &figure))
}
