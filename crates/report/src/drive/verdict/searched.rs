//! Words searches for the highest rate. Each has its own interval: there are no rounds within
//! which designs could be compared.

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::DriveDesign;

use super::figures::listed;
use super::ranked::Ranked;
use crate::drive::{FEWEST_ROUNDS, ROUNDS_TO_ASK_FOR};
use crate::units;

/// Writes what the first design holds, and how the others compare.
pub fn headline(objective: &str, first: &Ranked<'_>, others: &[Ranked<'_>]) -> String {
    let (best, figure) = first;
    let holds = format!(
        "{} holds {objective} up to {} ops/s ({})",
        best.info.id,
        units::rate(figure.median),
        interval(best, figure)
    );
    if others.is_empty() {
        format!("{holds}.")
    } else {
        format!("{holds}; {}.", beside(first, others))
    }
}

fn beside(best: &Ranked<'_>, others: &[Ranked<'_>]) -> String {
    let searches = |(_, figure): &Ranked<'_>| figure.observations;
    let fewest = others.iter().chain([best]).map(searches).min().unwrap_or(0);
    if fewest < FEWEST_ROUNDS {
        let searches = units::plural(u64::from(fewest), "search", "searches");
        return format!(
            "{}; {searches} of a design cannot show a difference: repeat it with --rounds \
             {ROUNDS_TO_ASK_FOR}",
            listed(&others.iter().map(up_to).collect::<Vec<_>>())
        );
    }
    let own = range(best);
    let (open, lower): (Vec<_>, Vec<_>) = { others.iter() }.partition(|r| overlap(own, range(r)));
    let words = [("lower", lower), ("not settled", open)];
    let parts = words.into_iter().filter(|(_, designs)| !designs.is_empty());
    let parts = parts.map(|(word, designs)| {
        let designs: Vec<String> = designs.into_iter().map(up_to).collect();
        format!("{word}: {}", listed(&designs))
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// Writes `cassandra/wide up to 200 ops/s (208 did not hold)`.
fn up_to((design, figure): &Ranked<'_>) -> String {
    format!(
        "{} up to {} ops/s ({})",
        design.info.id,
        units::rate(figure.median),
        interval(design, figure)
    )
}

/// Says between which rates the limit lies.
pub fn interval(design: &DriveDesign, figure: &Estimate) -> String {
    if figure.observations > 1 {
        let interval = units::rate_interval(figure);
        return format!("{interval} over {} searches", figure.observations);
    }
    if let Some(estimate) = design.found.first().and_then(|f| f.estimate) {
        let (low, high) = (units::rate(estimate.low), units::rate(estimate.high));
        return format!("between {low} and {high} with 95% certainty, by all its loads");
    }
    match design.found.first().and_then(|f| f.failed_at) {
        Some(failed) => format!("{} did not hold", units::rate(failed)),
        None => "no higher rate was tried".to_owned(),
    }
}

/// Returns the interval over searches; in an older log a search ends at the rate that it missed.
fn range((design, figure): &Ranked<'_>) -> (f64, f64) {
    let older = design.found.iter().filter(|f| f.estimate.is_none());
    let failed = older.filter_map(|f| f.failed_at);
    (figure.low, failed.fold(figure.high, f64::max))
}

fn overlap(a: (f64, f64), b: (f64, f64)) -> bool {
    a.0 <= b.1 && b.0 <= a.1
}
