//! Says what to take after a load: the design, how much it does, how certain that is, and how it is made and filled.

use std::time::Duration;

use bakeoff_stats::Difference;
use bakeoff_stats::drive::{DriveDesign, DriveSummary, LoadChoice};

use super::{FEWEST_ROUNDS, against_best, notes, verdict};
use crate::compare::recommendation::{Caveats, HowTo, Operations, filling, in_words, statements};
use crate::compare::to_best;
use crate::decide::words::percent;
use crate::text::style::wrap;
use crate::units;

/// Indentation of the further lines of a paragraph.
const INDENT: &str = "  ";
/// Time of a load as a multiple of its budget from which on it is longer than that.
const OVER_BUDGET: f64 = 1.1;

/// Renders what a load leads to, in lines of at most `width` columns except for statements and commands. The first
/// sentences answer: which design, what it does, and whether that is settled. `budget` is the time that was asked for,
/// loading not included.
pub fn render(summary: &DriveSummary, budget: Duration, how_to: &HowTo, width: usize) -> String {
    let Some(choice) = summary.choice() else {
        let answer = format!("No design is recommended. {}", verdict::paragraph(summary));
        let mut parts = vec![wrap(&answer, width, "", "")];
        parts.extend(caveats(summary).sections(width));
        return parts.join("\n\n");
    };
    let mut parts = vec![wrap(&answer(summary, &choice), width, "", "")];
    let lines = [
        ("Design: ", in_words(how_to)),
        ("Certainty: ", Some(certainty(summary, &choice))),
        ("Runner-up: ", runner_up(summary, &choice)),
        ("Load: ", besides(summary, &choice)),
        ("Budget: ", over_budget(summary, budget)),
    ];
    let lines = lines.into_iter().filter_map(|(label, text)| {
        let text = text?;
        Some(wrap(&format!("{label}{text}"), width, "", INDENT))
    });
    parts.push(lines.collect::<Vec<String>>().join("\n"));
    parts.extend(caveats(summary).sections(width));
    parts.extend(statements(&how_to.tables));
    parts.push(filling(how_to, width));
    parts.join("\n\n")
}

/// Says how the design that questions lead to takes the operations, and how others do that were driven with it.
pub fn beside_questions(summary: &DriveSummary, recommended: &str) -> Operations {
    let Some(design) = summary.design(recommended) else {
        return Operations {
            not_taken: Some(format!("{recommended} was not driven with the operations.")),
            paragraph: format!("Operations: {recommended} was not driven with them."),
            caveats: caveats(summary),
        };
    };
    let short = verdict::shortcomings(summary, design);
    let not_taken = match verdict::main_figure(summary, design) {
        Some(_) if short.is_empty() => None,
        Some(_) => Some(format!(
            "{recommended} does not take all operations: it {short}."
        )),
        None if !short.is_empty() => Some(format!(
            "{recommended} does not take the operations: it {short}."
        )),
        None => Some(format!("{recommended} has no figures of the operations.")),
    };
    let others = summary.designs.iter();
    let others = others.filter(|other| other.info.id != recommended);
    let mut sentences: Vec<String> = std::iter::once(design)
        .chain(others)
        .map(|design| taken(summary, design))
        .collect();
    sentences.extend(verdict::times_and_failures(summary, design));
    Operations {
        not_taken,
        paragraph: format!("Operations: {}", sentences.join(" ")),
        caveats: caveats(summary),
    }
}

/// Returns what limits how far the figures of a load can be trusted.
fn caveats(summary: &DriveSummary) -> Caveats {
    let (of_trust, others) = notes::of_trust(summary);
    Caveats {
        failures: notes::failures(summary),
        notes: of_trust,
        others,
    }
}

/// Says what a design does of the operations, and what it falls short of.
fn taken(summary: &DriveSummary, design: &DriveDesign) -> String {
    let id = &design.info.id;
    let short = verdict::shortcomings(summary, design);
    match verdict::main_figure(summary, design) {
        Some(figure) if short.is_empty() => format!("{id} takes them: {figure}."),
        Some(figure) => format!("{id} does not take them all: {figure}, but it {short}."),
        None if short.is_empty() => format!("{id} has no figures of them."),
        None => format!("{id} does not take them: it {short}."),
    }
}

/// Names the design, with what it does and the bytes that its rows take, and says whether another one may be better.
fn answer(summary: &DriveSummary, choice: &LoadChoice<'_>) -> String {
    let id = &choice.design.info.id;
    let figures = [
        verdict::main_figure(summary, choice.design),
        at_rest(choice.design),
    ];
    let figures: Vec<String> = figures.into_iter().flatten().collect();
    let figures = figures.join("; ");
    match choice.runner_up {
        None => match why_no_other(summary, choice) {
            Some(why) => format!("Take {id}: {figures}. {why}"),
            None => format!("Take {id}, the only choice: {figures}."),
        },
        Some(other) if is_settled(summary, choice) => {
            let settled = match against_best(summary, other).map(|against| against.difference) {
                Some(Difference::Same) => format!(
                    "That it is best, or within {} of it, is settled.",
                    percent(summary.comparison.same_within)
                ),
                _ => "This is settled.".to_owned(),
            };
            format!("Take {id}: {figures}. {settled}")
        }
        Some(other) => format!(
            "Not settled between {id} and {}. {id} is ahead: {figures}.",
            other.info.id
        ),
    }
}

/// Says why none of the other designs that were driven to their end is taken; `None` if there are none.
fn why_no_other(summary: &DriveSummary, choice: &LoadChoice<'_>) -> Option<String> {
    let was_driven = |design: &DriveDesign| {
        let is_other = design.info.id != choice.design.info.id;
        is_other && !design.info.is_yardstick() && summary.was_driven_to_its_end(design)
    };
    if !summary.designs.iter().any(was_driven) {
        return None;
    }
    let shortfalls = verdict::shortfalls(summary);
    Some(shortfalls.unwrap_or_else(|| "No other design did all that was asked.".to_owned()))
}

/// Returns whether the loads show that no other design is better.
fn is_settled(summary: &DriveSummary, choice: &LoadChoice<'_>) -> bool {
    against_best(summary, choice.design)
        .is_some_and(|against| against.difference == Difference::Best)
}

/// Writes `12.3 MiB at rest for 432,000 rows`, as they were before the first load.
fn at_rest(design: &DriveDesign) -> Option<String> {
    let bytes = design.footprint.as_ref()?.bytes()?;
    let bytes = units::bytes(bytes as f64);
    Some(match design.rows {
        Some(rows) => format!("{bytes} at rest for {}", units::plural(rows, "row", "rows")),
        None => format!("{bytes} at rest"),
    })
}

/// Says whether the figures settle that no other design is better.
fn certainty(summary: &DriveSummary, choice: &LoadChoice<'_>) -> String {
    let designs = units::plural(summary.designs.len() as u64, "design", "designs");
    if choice.runner_up.is_none() {
        return match summary.designs.len() {
            1 => "no other design was driven.".to_owned(),
            _ => format!("it is the only one of {designs} that did all that was asked."),
        };
    }
    let same = percent(summary.comparison.same_within);
    let rounds = choice.design.trials.len() as u64;
    let of_rounds = units::plural(rounds, "round", "rounds");
    if is_settled(summary, choice) {
        format!(
            "that none of {designs} is better by more than {same} is settled, by {of_rounds} of loads."
        )
    } else if rounds < u64::from(FEWEST_ROUNDS) {
        format!(
            "not settled: {of_rounds} of loads cannot show a difference; a longer --budget has more, and so have fewer \
             designs."
        )
    } else {
        format!(
            "not settled: {of_rounds} of loads do not show that none of {designs} is better by more than {same}."
        )
    }
}

/// Names the next best design, with what it does and takes.
fn runner_up(summary: &DriveSummary, choice: &LoadChoice<'_>) -> Option<String> {
    let design = choice.runner_up?;
    let ratio = against_best(summary, design).map(|against| match against.difference {
        Difference::Same => "the same".to_owned(),
        _ => format!("{} of the first", to_best::in_full(against)),
    });
    let figures = [
        verdict::main_figure(summary, design),
        ratio,
        at_rest(design),
    ];
    let figures: Vec<String> = figures.into_iter().flatten().collect();
    Some(format!("{}: {}.", design.info.id, figures.join("; ")))
}

/// Returns what else is to know of the load. Where there is no runner-up, the answer has named those that fell short.
fn besides(summary: &DriveSummary, choice: &LoadChoice<'_>) -> Option<String> {
    let is_said = choice.runner_up.is_none() && why_no_other(summary, choice).is_some();
    let shortfalls = verdict::shortfalls(summary).filter(|_| !is_said);
    let sentences = verdict::besides(summary, choice.design, shortfalls);
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// Says how long all took if that was clearly longer than the budget.
fn over_budget(summary: &DriveSummary, budget: Duration) -> Option<String> {
    let (took, budget) = (summary.seconds?, budget.as_secs_f64());
    let loading: f64 = { summary.designs.iter() }
        .filter_map(|design| design.load_seconds)
        .sum();
    (took > OVER_BUDGET * budget).then(|| {
        format!(
            "all took {}, longer than {}: {} of it went into filling tables, which comes on top, and servers start; \
             fewer rows (--rows) or designs take less.",
            units::duration(took),
            units::duration(budget),
            units::duration(loading)
        )
    })
}
