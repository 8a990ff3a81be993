//! Says in a paragraph what a load supports: which design is the best one, or how long operations take,
//! and which differences are shown.

mod answers;
mod figures;
mod first;
mod missing;
mod ranked;
mod searched;
mod short;

use bakeoff_stats::drive::{DriveDesign, DriveSummary};

use super::{Kind, added, beside, compared, list, notes, p99_of_rounds, passes, quantile};
use crate::units;
pub use answers::answers;
use ranked::{Ranked, fell_short, ranked};

pub fn paragraph(summary: &DriveSummary) -> String {
    if summary.header.passes.is_some() {
        return passes::verdict(summary);
    }
    let kind = Kind::of(summary);
    let ranking = ranked(summary, kind);
    let Some((best, _)) = ranking.first() else {
        return missing::nothing(summary, kind);
    };
    let is_compared = compared(summary).is_some();
    // Where several designs answer, the question is which of them should.
    let (leading, closing) = match beside::sentences(summary) {
        costs if beside::take_turns(summary) => (costs, None),
        costs => (None, costs),
    };
    let sentences = [
        leading,
        first::sentence(summary, kind, &ranking),
        is_compared
            .then(|| fell_short(summary, kind, &ranking))
            .flatten(),
        uncompared(summary, &ranking),
        times(summary, kind, best),
        cost(best),
        missing::failed(summary),
        missing::left_out(summary, kind, &ranking),
        closing,
        added::sentences(summary),
    ];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    sentences.join(" ")
}

/// Writes the figure by which designs are compared, of one of them: `528 ops/s with 32 operations in flight (524–532
/// over 7 rounds)`, or the p99 of its slowest operation at the rate.
pub fn main_figure(summary: &DriveSummary, design: &DriveDesign) -> Option<String> {
    let kind = Kind::of(summary);
    let figure = kind.headline(summary, design)?;
    let what = first::what(summary, kind, design, &figure);
    if kind.is_at_a_rate() {
        return Some(format!("{what}, at {}", notes::schedule(&summary.header)));
    }
    Some(what)
}

/// Returns sentences about the designs that fell short of what was asked, those with a better figure than the best one
/// that did all first; `None` if there are none, or designs are not compared.
pub fn shortfalls(summary: &DriveSummary) -> Option<String> {
    let kind = Kind::of(summary);
    compared(summary)?;
    fell_short(summary, kind, &ranked(summary, kind))
}

/// Returns sentences about the response times with a design, what it costs the server, and which others failed or have
/// no result; in between comes what is said of those that fell short.
pub fn besides(
    summary: &DriveSummary,
    design: &DriveDesign,
    shortfalls: Option<String>,
) -> Vec<String> {
    let kind = Kind::of(summary);
    let ranking = ranked(summary, kind);
    let sentences = [
        times(summary, kind, design),
        cost(design),
        shortfalls,
        missing::failed(summary),
        missing::left_out(summary, kind, &ranking),
    ];
    sentences.into_iter().flatten().collect()
}

/// Returns sentences about the response times with a design, and about the operations that failed with any.
pub fn times_and_failures(summary: &DriveSummary, design: &DriveDesign) -> Vec<String> {
    let times = times(summary, Kind::of(summary), design);
    times.into_iter().chain(missing::failed(summary)).collect()
}

/// Lists what a design fell short of, each after "it"; an empty text for one that did all, but for a few failures.
pub fn shortcomings(summary: &DriveSummary, design: &DriveDesign) -> String {
    list(&short::reasons(summary, Kind::of(summary), design, false))
}

/// Names the designs that lack the figure by which the others are compared.
fn uncompared(summary: &DriveSummary, ranking: &[Ranked<'_>]) -> Option<String> {
    let compared = compared(summary)?;
    let without = ranking.iter().map(|(design, _)| &design.info.id);
    let without: Vec<String> = without
        .filter(|id| compared.design(id).is_none())
        .cloned()
        .collect();
    (!without.is_empty()).then(|| {
        format!(
            "Not compared, with too few operations in a round for a p99: {}.",
            list(&without)
        )
    })
}

/// Writes p50 and p99 of each operation with the best design; nothing where many operations failed.
fn times(summary: &DriveSummary, kind: Kind, design: &DriveDesign) -> Option<String> {
    let is_search = kind == Kind::Search;
    let figures = { design.figures.as_ref() }.filter(|f| is_search || !f.too_many_failed())?;
    let operations = figures.operations.iter().enumerate();
    let parts: Vec<String> = operations
        .filter_map(|(place, o)| {
            let p50 = units::duration(o.response?.p50);
            let p99 = p99_of_rounds(design, place).map(|p99| p99.median);
            Some(match quantile(o, 0.99, p99) {
                Some(p99) => format!("{} {p50} and {p99}", o.name),
                None => format!("{} {p50} (too few for a p99)", o.name),
            })
        })
        .collect();
    let of = match kind {
        Kind::Search => format!(" with {} at that rate", design.info.id),
        _ if summary.designs.len() > 1 => format!(" with {}", design.info.id),
        _ => String::new(),
    };
    (!parts.is_empty()).then(|| format!("Response times{of}, p50 and p99: {}.", parts.join("; ")))
}

/// Writes CPU time of the server, and bytes from the disk, with the best design.
fn cost(design: &DriveDesign) -> Option<String> {
    let figures = design.figures.as_ref()?;
    let cpu = { figures.server_cpu_micros_per_op }.map(|micros| {
        format!(
            "used {} of server CPU for an operation",
            units::duration(micros / 1e6)
        )
    });
    let disk = { figures.disk_read_per_byte }.map(|bytes| {
        let bytes = units::hundredths(bytes);
        format!("read {bytes} bytes from disk for each byte returned")
    });
    let costs: Vec<String> = cpu.into_iter().chain(disk).collect();
    (!costs.is_empty()).then(|| format!("It {}.", list(&costs)))
}
