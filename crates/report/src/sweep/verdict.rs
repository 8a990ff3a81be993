//! What a sweep says, in sentences: how the designs compare, the best setting of each one, and where its
//! curve flattens.

use bakeoff_stats::sweep::{Flattening, SweepDesign, SweepSummary};
use bakeoff_stats::{AgainstBest, Difference};

use super::{FEWEST_ROUNDS, ROUNDS_TO_ASK_FOR, by_rate, errors, setting, shown};
use crate::compare::to_best;
use crate::decide::words::percent;
use crate::units;

/// Why more workers help only up to some number.
pub const ON_WORKERS: &str = "A worker waits for each acknowledgement, so that inserts a second are \
    workers divided by the time of an insert (Little's law). While the server has capacity left, \
    more workers or larger batches hide that time, and rows a second grow. From where it has none \
    left, more workers only wait for each other: rows a second stay, the time of an insert grows \
    with the workers, and in the end passes the time-out.";

/// One paragraph for all designs, the one with the highest rate first.
pub fn paragraph(summary: &SweepSummary) -> String {
    let designs = by_rate(summary).into_iter().map(|(design, _)| design);
    let without = shown(summary).filter(|design| design.best.is_none());
    let sentences = compared(summary)
        .into_iter()
        .chain(designs.chain(without).map(of_design));
    let sentences: Vec<String> = sentences.collect();
    if sentences.is_empty() {
        "No setting was measured.".to_owned()
    } else {
        sentences.join(" ")
    }
}

/// Says what the rounds show of the designs; `None` if there is only one.
fn compared(summary: &SweepSummary) -> Option<String> {
    let comparison = &summary.comparison;
    let best = comparison.design(comparison.best.as_deref()?)?;
    let designs = comparison.designs.iter();
    let others: Vec<&AgainstBest> = designs.filter(|d| d.design != best.design).collect();
    if others.iter().all(|other| other.rounds < FEWEST_ROUNDS) {
        return Some(too_few_rounds(summary));
    }
    let place = match best.difference {
        Difference::Best => "is the best",
        _ => "is ahead, not settled",
    };
    let same = format!("the same within {}", percent(comparison.same_within));
    let parts = [
        list_of(&same, &others, Difference::Same),
        list_of("not settled", &others, Difference::NotSettled),
        list_of("slower", &others, Difference::Slower),
        list_of("faster, but not complete", &others, Difference::Faster),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Some(format!(
        "Each design with its best setting, {} {place}: {}.",
        best.design,
        parts.join("; ")
    ))
}

fn list_of(word: &str, others: &[&AgainstBest], difference: Difference) -> Option<String> {
    let others = others.iter().filter(|other| other.difference == difference);
    let designs = others.map(|other| match difference {
        Difference::Same => other.design.clone(),
        _ => format!("{} {}", other.design, to_best::in_full(other)),
    });
    let designs: Vec<String> = designs.collect();
    (!designs.is_empty()).then(|| format!("{word}: {}", designs.join(", ")))
}

/// Says that nothing is called a difference, and what to do about it.
fn too_few_rounds(summary: &SweepSummary) -> String {
    format!(
        "{} cannot show a difference between designs: repeat the sweep with --rounds {ROUNDS_TO_ASK_FOR}.",
        units::plural(u64::from(summary.rounds), "round", "rounds")
    )
}

/// Says how the column of ratios is made.
pub fn on_comparison(summary: &SweepSummary) -> String {
    let pairs = units::plural(summary.comparison.pairs as u64, "pair", "pairs");
    let few = if summary.rounds < FEWEST_ROUNDS {
        format!(
            " Below {FEWEST_ROUNDS} rounds nothing is called a difference: give --rounds \
             {ROUNDS_TO_ASK_FOR}."
        )
    } else {
        String::new()
    };
    format!(
        "Each design with the setting that has its highest rate, compared within rounds. The setting is \
         chosen by the same rounds, so intervals are corrected for all {pairs} of settings that could \
         have been chosen, those of numbers of workers included; {}.{few}",
        to_best::LEGEND
    )
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
        Some(format!(
            "{} had its highest rate with {best}.",
            design.info.id
        )),
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
    let best = design.best_setting()?;
    let (cell, rate) = (&best.cell, best.rate?);
    let inserted = cell.inserted.as_ref()?;
    let spread = match rate.observations {
        1 => String::new(),
        rounds => format!(" ({} over {rounds} rounds)", units::rate_interval(&rate)),
    };
    Some(format!(
        "{}: {} rows/s{spread}, {}, {}",
        setting(cell.batch_rows, cell.workers),
        units::rate(rate.median),
        inserted.p99.map_or_else(
            || "too few inserts for a p99".to_owned(),
            |p99| format!("insert p99 {}", units::duration(p99)),
        ),
        errors(cell)
    ))
}

/// Says what more workers than enough bring, and whether the rounds show it.
pub fn flattening(flattening: &Flattening) -> String {
    let enough = u64::from(flattening.enough);
    let p99 = flattening.p99_factor.map_or_else(
        || "with too few inserts to compare a p99".to_owned(),
        |factor| format!("with {} the p99", units::factor(factor)),
    );
    let enough = match (flattening.is_shown, flattening.rounds) {
        (true, _) => {
            let workers = units::plural(enough, "worker is", "workers are");
            format!("With such batches {workers} about enough")
        }
        (false, rounds) => {
            let workers = units::plural(enough, "worker was", "workers were");
            let observed = match rounds {
                1 => "one observation of each".to_owned(),
                rounds => format!("{rounds} rounds, not settled"),
            };
            format!("With such batches {workers} about enough ({observed})")
        }
    };
    format!(
        "{enough}: {} insert {} the rows a second, {p99}.",
        units::count(u64::from(flattening.most)),
        multiple(flattening.rate_factor),
    )
}

/// Two digits, where one would round a difference away.
fn multiple(factor: f64) -> String {
    format!("{factor:.2}×")
}
