//! Writes the first sentence: which design is the best one by the comparison within rounds, and how each
//! other one compares with it.

use bakeoff_stats::drive::{DriveDesign, DriveSummary, FigureComparison};
use bakeoff_stats::{AgainstBest, Difference, Estimate};

use super::figures::{LISTED, but, listed, objective, slowest, throughput};
use super::ranked::{Ranked, does};
use super::searched;
use super::short::reasons;
use crate::compare::to_best;
use crate::decide::words::percent;
use crate::drive::{FEWEST_ROUNDS, Kind, ROUNDS_TO_ASK_FOR, compared, list, notes};
use crate::units;

/// Writes the sentence about the first design and those after it.
pub fn sentence(summary: &DriveSummary, kind: Kind, ranking: &[Ranked<'_>]) -> Option<String> {
    let (best, others) = ranking.split_first()?;
    Some(match compared(summary) {
        _ if kind == Kind::Search => searched::headline(objective(summary), best, others),
        _ if others.is_empty() => alone(summary, kind, best),
        Some(compared) => against(summary, kind, compared, best),
        None => not_compared(summary, kind, ranking),
    })
}

fn alone(summary: &DriveSummary, kind: Kind, (design, figure): &Ranked<'_>) -> String {
    let id = &design.info.id;
    let but = but(summary, kind, design);
    if kind.is_at_a_rate() {
        let at = notes::schedule(&summary.header);
        let slowest = slowest(summary, design, figure);
        return format!("At {at}, {id} answers 99% of {slowest}{but}.");
    }
    format!("{id} does {}{but}.", throughput(summary, figure))
}

fn against(
    summary: &DriveSummary,
    kind: Kind,
    compared: &FigureComparison,
    best: &Ranked<'_>,
) -> String {
    let (design, figure) = best;
    let others = others(summary, compared);
    if others.is_empty() {
        return alone(summary, kind, best);
    }
    let parts = [
        format!(
            "{} {}: {}",
            design.info.id,
            place(summary, compared, &others),
            what(summary, kind, design, figure)
        ),
        in_words(summary, &others),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}{}.", at(summary, kind), parts.join("; "))
}

/// Writes `At 500 ops/s, ` where a rate was asked for.
fn at(summary: &DriveSummary, kind: Kind) -> String {
    if kind.is_at_a_rate() {
        format!("At {}, ", notes::schedule(&summary.header))
    } else {
        String::new()
    }
}

/// Writes the figure by which designs are compared, of a load that is no search.
pub fn what(summary: &DriveSummary, kind: Kind, design: &DriveDesign, figure: &Estimate) -> String {
    if kind.is_at_a_rate() {
        format!("99% of {}", slowest(summary, design, figure))
    } else {
        throughput(summary, figure)
    }
}

/// Returns the designs other than the best one that are a choice, the nearest one to it first.
fn others<'a>(summary: &DriveSummary, compared: &'a FigureComparison) -> Vec<&'a AgainstBest> {
    let only_yardsticks = summary.designs.iter().all(|d| d.info.is_yardstick());
    let is_choice = |id: &str| {
        let design = summary.design(id);
        only_yardsticks || design.is_some_and(|d| !d.info.is_yardstick())
    };
    let designs = compared.designs.iter();
    let mut others: Vec<&AgainstBest> = designs
        .filter(|d| compared.best.as_ref() != Some(&d.design) && is_choice(&d.design))
        .collect();
    let distance = |against: &AgainstBest| against.ratio.ln().abs();
    others.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    others
}

/// Says whether the comparison settles that the best design is the best one. Where all others fell short
/// of what was asked, nothing had to be settled; it is the only choice if none of them was driven to its end.
fn place(
    summary: &DriveSummary,
    compared: &FigureComparison,
    others: &[&AgainstBest],
) -> &'static str {
    let best = compared.best.as_ref().and_then(|id| compared.design(id));
    let is_settled = best.is_some_and(|best| best.difference == Difference::Best);
    let candidates = summary.may_be_best();
    let has_rival = candidates
        .iter()
        .any(|d| others.iter().any(|other| other.design == d.info.id));
    let is_level = others.iter().all(|other| other.ratio == 1.0);
    let was_driven = |id: &str| {
        let design = summary.design(id);
        design.is_some_and(|design| summary.was_driven_to_its_end(design))
    };
    if !has_rival && others.iter().any(|other| was_driven(&other.design)) {
        "alone did all that was asked"
    } else if !has_rival {
        "is the only choice"
    } else if is_settled {
        "is the best"
    } else if is_level {
        "is level with the others, not settled"
    } else {
        "is ahead, not settled"
    }
}

/// Says of each other design what is shown of it; nothing of those that are shown to be faster, which
/// fell short of what was asked.
fn in_words(summary: &DriveSummary, others: &[&AgainstBest]) -> String {
    let most = others.iter().map(|other| other.rounds).max();
    if let Some(rounds) = most.filter(|rounds| *rounds < FEWEST_ROUNDS) {
        return few_rounds(summary, rounds);
    }
    let same = format!(
        "the same within {}",
        percent(summary.comparison.same_within)
    );
    let parts = [
        list_of(&same, others, Difference::Same),
        list_of("not settled", others, Difference::NotSettled),
        list_of("slower", others, Difference::Slower),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn list_of(word: &str, others: &[&AgainstBest], difference: Difference) -> Option<String> {
    let others = others.iter().filter(|o| o.difference == difference);
    let designs: Vec<String> = others.map(|other| with_ratio(other)).collect();
    (!designs.is_empty()).then(|| format!("{word}: {}", listed(&designs)))
}

fn with_ratio(other: &AgainstBest) -> String {
    let id = &other.design;
    match other.difference {
        Difference::Same => id.clone(),
        _ if other.rounds < FEWEST_ROUNDS => {
            let rounds = units::plural(u64::from(other.rounds), "round", "rounds");
            format!(
                "{id} {} (only {rounds} in common)",
                to_best::in_short(other)
            )
        }
        _ => format!("{id} {}", to_best::in_full(other)),
    }
}

/// Says that nothing is called a difference, and what to do about it.
fn few_rounds(summary: &DriveSummary, rounds: u32) -> String {
    let driven = summary.trials.iter().map(|t| t.start.round).max();
    let unsteady = summary.trials.iter().any(|t| !t.is_steady());
    let what_to_do = match driven {
        Some(driven) if driven < FEWEST_ROUNDS => {
            format!(": repeat it with --rounds {ROUNDS_TO_ASK_FOR}")
        }
        _ if unsteady => ", and others were not steady: repeat it with a longer --for".to_owned(),
        _ => String::new(),
    };
    format!(
        "{} in common cannot show a difference{what_to_do}",
        units::plural(u64::from(rounds), "round", "rounds")
    )
}

/// Names the designs if none of several can be compared with the others.
fn not_compared(summary: &DriveSummary, kind: Kind, ranking: &[Ranked<'_>]) -> String {
    let of_design = |ranked: &Ranked<'_>| {
        let reasons = reasons(summary, kind, ranked.0, true);
        let but = if reasons.is_empty() {
            String::new()
        } else {
            format!(", but it {}", list(&reasons))
        };
        format!("{} {}{but}", ranked.0.info.id, does(summary, kind, *ranked))
    };
    let designs: Vec<String> = ranking.iter().take(LISTED).map(of_design).collect();
    let rate = if kind.is_at_a_rate() {
        format!(" at {}", notes::schedule(&summary.header))
    } else {
        String::new()
    };
    let why = match summary.comparison.main() {
        Some(_) => format!("No design did all that was asked{rate}, so none is called the best"),
        None => format!(
            "Designs are not compared{rate}, since rounds have too few operations for a p99; a longer \
             --for has more"
        ),
    };
    format!("{why}: {}.", designs.join("; "))
}
