//! Says what questions beside a load cost it: in words, and as the rows that the tables of terminal and page
//! share.

mod several;

use bakeoff_stats::drive::{BesideFigures, DriveSummary, QuestionBeside, WithAndWithout};
use bakeoff_stats::{Estimate, total};

use super::list;
use crate::units;
pub use several::{Answering, TITLE, answering, p99_of, take_turns};

/// Rounds from which on the interval of a ratio is worth its name.
const ENOUGH_ROUNDS: u32 = 5;

/// Says in tables that a ratio is not the quotient of the figures beside it.
pub const RATIO: &str =
    "ratio: the median of the ratios within rounds, not the quotient of the figures beside it";

/// A figure of the load without and with questions.
pub struct Cost<'a> {
    pub design: &'a str,
    /// Design that answered, be it the driven one or another.
    pub by: &'a str,
    /// Place among the figures of its design.
    pub place: usize,
    /// What the figure is of: `operations/s`, `read p99`.
    pub what: String,
    pub without: String,
    pub with: String,
    pub ratio: Estimate,
}

/// A question with the design that was driven beside it.
pub struct Asked<'a> {
    pub design: &'a str,
    /// Design that answered, be it the driven one or another.
    pub by: &'a str,
    /// Place among the questions.
    pub place: usize,
    pub question: &'a QuestionBeside,
}

impl Asked<'_> {
    /// Returns the number of answers that differed from the first one; `None` where none was compared.
    pub fn differing(&self) -> Option<u64> {
        let is_compared = self.question.compared > 0 || self.question.differing > 0;
        is_compared.then_some(self.question.differing)
    }
}

/// Returns what questions cost each driven design, by the designs that answered in the order of their harm.
fn ordered(summary: &DriveSummary) -> impl Iterator<Item = &BesideFigures> {
    let harms = summary.designs.iter().flat_map(move |d| summary.harms(d));
    harms.map(|harm| harm.figures)
}

/// Returns the figures of all designs, the operations a second of each first.
pub fn costs(summary: &DriveSummary) -> Vec<Cost<'_>> {
    ordered(summary).flat_map(costs_of).collect()
}

fn costs_of(figures: &BesideFigures) -> Vec<Cost<'_>> {
    let rate = figures
        .rate
        .map(|rate| ("operations/s".to_owned(), rate, true));
    let times = figures.operations.iter().flat_map(|operation| {
        let named = |quantile: &str, time: Option<WithAndWithout>| {
            time.map(|time| (format!("{} {quantile}", operation.name), time, false))
        };
        [named("p50", operation.p50), named("p99", operation.p99)]
    });
    let all = std::iter::once(rate).chain(times).flatten();
    all.enumerate()
        .map(|(place, (what, both, is_rate))| {
            let shown = if is_rate {
                units::rate
            } else {
                units::duration
            };
            Cost {
                design: &figures.design,
                by: figures.answering(),
                place,
                what,
                without: shown(both.without.median),
                with: shown(both.with.median),
                ratio: both.ratio,
            }
        })
        .collect()
}

/// Returns the questions of all designs.
pub fn questions(summary: &DriveSummary) -> Vec<Asked<'_>> {
    ordered(summary).flat_map(questions_of).collect()
}

fn questions_of(figures: &BesideFigures) -> Vec<Asked<'_>> {
    let questions = figures.questions.iter().enumerate();
    questions
        .map(|(place, question)| Asked {
            design: &figures.design,
            by: figures.answering(),
            place,
            question,
        })
        .collect()
}

/// Writes a ratio: `0.71×`, `12×`.
pub fn ratio(ratio: f64) -> String {
    if (0.0..9.995).contains(&ratio) {
        format!("{ratio:.2}×")
    } else {
        units::factor(ratio)
    }
}

/// Writes the interval of a ratio: `0.65–0.78`; `None` after a single round.
pub fn interval(estimate: &Estimate) -> Option<String> {
    let end = |end: f64| ratio(end).replace('×', "");
    (estimate.observations > 1).then(|| format!("{}–{}", end(estimate.low), end(estimate.high)))
}

/// Returns whether ratios are medians over several rounds.
pub fn has_rounds(summary: &DriveSummary) -> bool {
    let mut rates = summary.beside.iter().filter_map(|figures| figures.rate);
    rates.any(|rate| rate.ratio.observations > 1)
}

fn in_full(estimate: &Estimate) -> String {
    let median = ratio(estimate.median);
    match interval(estimate) {
        Some(interval) => format!("{median} ({interval})"),
        None => median,
    }
}

/// Says what the questions cost each design, and how many were answered; `None` where none were asked.
pub fn sentences(summary: &DriveSummary) -> Option<String> {
    summary.header.beside.as_ref()?;
    let mut sentences: Vec<String> = if take_turns(summary) {
        let designs = summary.designs.iter();
        designs
            .flat_map(|design| several::sentences(summary, design))
            .collect()
    } else {
        summary.beside.iter().flat_map(of_design).collect()
    };
    let has_ratio = sentences.iter().any(|sentence| sentence.contains('×'));
    if has_ratio && has_rounds(summary) {
        sentences.push("These ratios are medians of those within rounds.".to_owned());
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn of_design(figures: &BesideFigures) -> Vec<String> {
    let design = &figures.design;
    if figures.pairs == 0 {
        return vec![format!(
            "What the questions cost {design} is not known: it has no round with both loads."
        )];
    }
    let rate = figures.rate.map(|rate| {
        format!(
            "With the questions beside it, {design} did {} the operations a second.",
            in_full(&rate.ratio)
        )
    });
    let worst = figures.worst_p99().map(|(operation, p99)| {
        format!(
            "The p99 of {operation} took {} the time, {} instead of {}.",
            in_full(&p99.ratio),
            units::duration(p99.with.median),
            units::duration(p99.without.median)
        )
    });
    rate.into_iter()
        .chain(worst)
        .chain([answered(figures)])
        .collect()
}

fn answered(figures: &BesideFigures) -> String {
    if figures.is_unanswered() {
        let failed = total(figures.questions.iter().map(|question| question.failed));
        return match failed {
            0 => "No question was answered before its load ended.".to_owned(),
            failed => format!("No question was answered; {} failed.", units::count(failed)),
        };
    }
    let each = figures.questions.iter().map(|question| {
        let took = question.p50.map_or_else(String::new, |p50| {
            format!(", half of them within {}", units::duration(p50.median))
        });
        let times = units::plural(question.answered, "time", "times");
        format!("{}: {times}{took}", question.name)
    });
    let each: Vec<String> = each.collect();
    format!("Answered beside it, {}.", each.join("; "))
}

/// Writes the notes that a reader of these figures needs.
pub fn notes(summary: &DriveSummary) -> Vec<String> {
    let Some(beside) = &summary.header.beside else {
        return Vec::new();
    };
    let has_others = !beside.designs.is_empty();
    let answers = match (beside.compared, has_others) {
        (true, _) => "answers were compared with the first one to the same question",
        (false, false) => {
            "the load changes the rows that are asked about, so that answers were counted and not compared"
        }
        (false, true) => {
            "the load changes the rows of the driven design, so that its answers were counted and not compared; the \
             others kept the rows that each design began with, and their answers were compared with the first one to \
             the same question"
        }
    };
    let by = beside.answering().into_iter();
    let by: Vec<String> = by
        .map(|by| by.unwrap_or("the driven design itself").to_owned())
        .collect();
    let in_turn = if by.len() > 1 { " in turn" } else { "" };
    let rows = if beside.compared {
        ", with the rows that each design began with"
    } else {
        ""
    };
    let by = has_others.then(|| format!(" {} answered{in_turn}{rows};", list(&by)));
    let mut notes = vec![format!(
        "questions beside the load:{} {answers}. Their client runs on the machine of the load's client: what the two \
         take from each other is part of the cost",
        by.unwrap_or_default()
    )];
    for figures in &summary.beside {
        let few = few_rounds(figures).filter(|few| !notes.contains(few));
        notes.extend(few);
        let place = place(figures, take_turns(summary));
        notes.extend(figures.questions.iter().flat_map(|q| trouble(&place, q)));
        // Where some failed, longer loads are no remedy.
        if figures.pairs > 0 && figures.is_unanswered() && !figures.has_trouble() {
            notes.push(format!(
                "{place}: no question was answered before its load ended, so that the cost is that of part of a \
                 question: make loads longer with --for"
            ));
        }
    }
    notes
}

/// Names a driven design, and the one that answered if several take turns: `cassandra/wide, answered by parquet`.
fn place(figures: &BesideFigures, take_turns: bool) -> String {
    if !take_turns {
        return figures.design.clone();
    }
    let by = figures.answered_by.as_deref().unwrap_or("itself");
    format!("{}, answered by {by}", figures.design)
}

fn few_rounds(figures: &BesideFigures) -> Option<String> {
    let rounds = figures.rate.map_or(0, |rate| rate.ratio.observations);
    (rounds > 0 && rounds < ENOUGH_ROUNDS).then(|| {
        format!(
            "{}: what questions cost is from {}; at least {ENOUGH_ROUNDS} show what is chance (--rounds)",
            figures.design,
            units::plural(u64::from(rounds), "round", "rounds")
        )
    })
}

/// Says that a question failed or had different answers, with the first reasons.
fn trouble(place: &str, question: &QuestionBeside) -> Vec<String> {
    let mut counts = Vec::new();
    if question.failed > 0 {
        let times = units::plural(question.failed, "time", "times");
        counts.push(format!("failed {times}"));
    }
    if question.differing > 0 {
        let times = units::plural(question.differing, "time", "times");
        counts.push(format!("had another answer than at first {times}"));
    }
    if counts.is_empty() {
        return Vec::new();
    }
    let reasons = question
        .messages
        .iter()
        .map(|message| format!("{}: {message}", question.name));
    let told = format!("{} beside {place} {}", question.name, list(&counts));
    std::iter::once(told).chain(reasons).collect()
}
