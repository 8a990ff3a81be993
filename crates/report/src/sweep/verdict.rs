//! What a sweep says, in sentences: the best setting of each design, and where its curve flattens.

use bakeoff_stats::sweep::{Flattening, SweepDesign, SweepSummary};

use super::{errors, setting, shown};
use crate::units;

/// Why more workers help only up to some number.
pub const ON_WORKERS: &str = "A worker waits for each acknowledgement, so that inserts a second are \
    workers divided by the time of an insert (Little's law). While the server has capacity left, \
    more workers or larger batches hide that time, and rows a second grow. From where it has none \
    left, more workers only wait for each other: rows a second stay, the time of an insert grows \
    with the workers, and in the end passes the time-out.";

/// One paragraph for all designs, best first.
pub fn paragraph(summary: &SweepSummary) -> String {
    let mut designs: Vec<&SweepDesign> = shown(summary).collect();
    designs.sort_by(|a, b| best_rate(b).total_cmp(&best_rate(a)));
    let sentences: Vec<String> = designs.iter().map(|d| of_design(d)).collect();
    if sentences.is_empty() {
        "No setting was measured.".to_owned()
    } else {
        sentences.join(" ")
    }
}

fn of_design(design: &SweepDesign) -> String {
    let Some(best) = best(design) else {
        return format!(
            "{} has no setting that inserted all it acknowledged.",
            design.info.id
        );
    };
    let flattening = design.flattening.as_ref().map(flattening);
    let sentences = [
        Some(format!("{} is fastest with {best}.", design.info.id)),
        at_the_edge(design),
        flattening,
    ];
    sentences
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Where the best setting is among the largest, a larger one may be better.
fn at_the_edge(design: &SweepDesign) -> Option<String> {
    let (batch, workers) = design.best?;
    let of_batch = design.cells.get(batch)?;
    let still_grows = { design.flattening.as_ref() }.is_none_or(|f| f.enough == f.most);
    let is_last = |at: usize, all: usize| all > 1 && at + 1 == all;
    let edge = match (
        is_last(batch, design.cells.len()),
        is_last(workers, of_batch.len()) && still_grows,
    ) {
        (true, true) => "the largest batches and the most workers",
        (true, false) => "the largest batches",
        (false, true) => "the most workers",
        (false, false) => return None,
    };
    Some(format!(
        "These are {edge} that were tried: more may be faster."
    ))
}

/// `batches of 1,000 rows from 8 workers: 123 k rows/s, insert p99 65.1 ms, no errors`
pub fn best(design: &SweepDesign) -> Option<String> {
    let cell = design.best_cell()?;
    let inserted = cell.inserted.as_ref()?;
    Some(format!(
        "{}: {} rows/s, {}, {}",
        setting(cell.batch_rows, cell.workers),
        units::rate(inserted.rows_per_second()),
        inserted.p99.map_or_else(
            || "too few inserts for a p99".to_owned(),
            |p99| format!("insert p99 {}", units::duration(p99)),
        ),
        errors(cell)
    ))
}

/// Says what more workers than enough bring.
pub fn flattening(flattening: &Flattening) -> String {
    let enough = units::plural(u64::from(flattening.enough), "worker is", "workers are");
    let p99 = flattening.p99_factor.map_or_else(
        || "with too few inserts to compare a p99".to_owned(),
        |factor| format!("with {} the p99", units::factor(factor)),
    );
    format!(
        "With such batches {enough} about enough: {} insert {} the rows a second, {p99}.",
        units::count(u64::from(flattening.most)),
        multiple(flattening.rate_factor),
    )
}

/// Two digits, where one would round a difference away.
fn multiple(factor: f64) -> String {
    format!("{factor:.2}×")
}

fn best_rate(design: &SweepDesign) -> f64 {
    let inserted = design.best_cell().and_then(|c| c.inserted.as_ref());
    inserted.map_or(0.0, |i| i.rows_per_second())
}
