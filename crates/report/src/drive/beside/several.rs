//! Says which of several designs that answer questions beside a load costs it least.

use bakeoff_stats::drive::{BesideFigures, DriveDesign, DriveSummary, Harm, WithAndWithout};
use bakeoff_stats::{Estimate, total};

use super::{ENOUGH_ROUNDS, answered, in_full, list};
use crate::units;

/// Title of the table of these designs.
pub const TITLE: &str = "Designs that answer, least harm to the load first";
/// Says how the operation is chosen whose p99 a row of that table has.
const P99_OF: &str = "p99 of: the operation whose p99 grew by the largest factor beside these answers; of a load \
                          at a rate, beside those of any design";
/// Reasons for which a design has no place among the others.
const WHY_UNKNOWN: &str =
    "no question was answered, one failed, too much of a load did, or a figure is missing";

/// A design that answers, with the load that it answered beside.
pub struct Answering<'a> {
    /// Design that was driven.
    pub design: &'a str,
    /// Place among the designs that answer beside its load.
    pub place: usize,
    pub by: &'a str,
    pub answered: u64,
    /// Median time of an answer in seconds: of several questions the sum of their medians, if all were answered.
    pub time: Option<f64>,
    /// Operations a second.
    pub rate: Option<WithAndWithout>,
    /// Operation whose p99 grew by the largest factor, where there is more than one.
    pub operation: Option<&'a str>,
    /// Its p99 in seconds.
    pub p99: Option<WithAndWithout>,
}

/// Returns the designs that answer, for each driven one, in the order of their harm; none unless several take turns.
pub fn answering(summary: &DriveSummary) -> Vec<Answering<'_>> {
    if !take_turns(summary) {
        return Vec::new();
    }
    let designs = summary.designs.iter();
    designs
        .flat_map(|design| of_design(summary, design))
        .collect()
}

/// Says how the operation is chosen whose p99 a row has; `None` where there is one operation only.
pub fn p99_of(summary: &DriveSummary) -> Option<&'static str> {
    (summary.header.operations.len() > 1).then_some(P99_OF)
}

/// Returns whether several designs answer in turn.
pub fn take_turns(summary: &DriveSummary) -> bool {
    let beside = summary.header.beside.as_ref();
    beside.is_some_and(|beside| beside.answering().len() > 1)
}

fn of_design<'a>(summary: &'a DriveSummary, design: &'a DriveDesign) -> Vec<Answering<'a>> {
    let harms = summary.harms(design).into_iter().enumerate();
    harms
        .map(|(place, Harm { figures, .. })| {
            let worst = worst(summary, design, figures);
            let times = { figures.questions.iter() }.map(|q| Some(q.p50.as_ref()?.median));
            let times: Option<Vec<f64>> = times.collect();
            Answering {
                design: &design.info.id,
                place,
                by: figures.answering(),
                answered: total(figures.questions.iter().map(|question| question.answered)),
                time: times.map(|times| times.iter().sum()),
                rate: figures.rate,
                operation: worst
                    .filter(|_| figures.operations.len() > 1)
                    .map(|(operation, _)| operation),
                p99: worst.map(|(_, p99)| p99),
            }
        })
        .collect()
}

/// Returns the operation whose p99 grew by the largest factor beside a design's answers, and that p99. At a rate it is
/// the one that grew most whoever answered, since the designs are in the order of its p99.
fn worst<'a>(
    summary: &DriveSummary,
    design: &DriveDesign,
    figures: &'a BesideFigures,
) -> Option<(&'a str, WithAndWithout)> {
    if summary.goes_as_fast_as_it_can() {
        return figures.worst_p99();
    }
    let operation = figures.operations.get(summary.worst_operation(design)?)?;
    Some((operation.name.as_str(), operation.p99?))
}

/// Says whose answers cost the load of a driven design least, whose are shown to cost it more, and whose are not.
pub fn sentences(summary: &DriveSummary, design: &DriveDesign) -> Vec<String> {
    let id = &design.info.id;
    let harms = summary.harms(design);
    let (known, unknown): (Vec<&Harm<'_>>, Vec<&Harm<'_>>) =
        harms.iter().partition(|harm| harm.is_known);
    let Some((least, others)) = known.split_first() else {
        return vec![format!(
            "Whose answers cost {id} least is not known: of each design, {WHY_UNKNOWN}."
        )];
    };
    let by = name(least);
    let alike: Vec<String> = { others.iter() }
        .filter(|other| !is_more(other))
        .map(|other| name(other).to_owned())
        .collect();
    let least_of_all = match (others, alike.as_slice()) {
        ([], _) => "",
        (_, []) => " least",
        _ => " least, in the median,",
    };
    let of_least = cost(summary, design, least);
    let mut sentences = vec![
        format!("The questions cost {id}{least_of_all} where {by} answers them{of_least}."),
        answered(least.figures),
    ];
    if let Some(most) = others.last().filter(|other| is_more(other)) {
        let of_most = cost(summary, design, most);
        sentences.push(format!(
            "They cost it most where {} does{of_most}.",
            name(most)
        ));
    }
    if !alike.is_empty() {
        sentences.push(format!(
            "Not shown to cost more than {by}: {}.",
            list(&alike)
        ));
    }
    let unknown: Vec<String> = unknown.iter().map(|harm| name(harm).to_owned()).collect();
    if !unknown.is_empty() {
        sentences.push(format!("Not compared: {}; {WHY_UNKNOWN}.", list(&unknown)));
    }
    sentences
}

/// Returns whether a design's answers are shown to cost more than those with the least cost.
fn is_more(harm: &Harm<'_>) -> bool {
    let is_settled =
        |to_least: Estimate| to_least.observations >= ENOUGH_ROUNDS && to_least.low > 1.0;
    harm.to_least.is_some_and(is_settled)
}

fn name<'a>(harm: &Harm<'a>) -> &'a str {
    harm.figures.answering()
}

/// Writes what a design's answers cost: `: 0.71× (0.65–0.78) the operations a second, and 1.20× the p99 of read`.
fn cost(summary: &DriveSummary, design: &DriveDesign, harm: &Harm<'_>) -> String {
    let rate = harm
        .figures
        .rate
        .map(|rate| format!("{} the operations a second", in_full(&rate.ratio)));
    let p99 = worst(summary, design, harm.figures).map(|(operation, p99)| {
        format!(
            "{} the p99 of {operation}, {} instead of {}",
            in_full(&p99.ratio),
            units::duration(p99.with.median),
            units::duration(p99.without.median)
        )
    });
    let parts: Vec<String> = rate.into_iter().chain(p99).collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(": {}", parts.join(" and "))
}
