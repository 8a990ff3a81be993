//! Draws alternatives over one time axis: designs from the start of their loads on, passes one after the other.

use bakeoff_stats::drive::{DriveDesign, DriveSummary, TrialSummary};

use crate::chart::{self, Marker, Overlaid, Size, nth_class};
use crate::drive::beside::take_turns;
use crate::drive::{Kind, ranking};
use crate::listing;
use crate::markup::Escaped;
use crate::page::{self, section};

/// Most designs that are drawn over each other: there are no more colours.
const MOST_DESIGNS: usize = 6;

/// Most loads of a design that are drawn over each other: more lines could not be told apart.
const MOST_LOADS: usize = 8;

/// Renders the section; empty for a search, whose loads have different rates, and where nothing can be
/// compared.
pub fn section_of(summary: &DriveSummary) -> String {
    if summary.header.passes.is_some() {
        return of_passes(summary);
    }
    if Kind::of(summary) == Kind::Search {
        return String::new();
    }
    let ranking = ranking(summary, Kind::of(summary));
    let drawn = ranking.iter().take(MOST_DESIGNS);
    let loads: Vec<Overlaid> = drawn
        .filter_map(|(design, _)| first(summary, design))
        .collect();
    if loads.len() < 2 {
        return String::new();
    }
    let best = if ranking.len() > MOST_DESIGNS {
        format!(" The best {MOST_DESIGNS} designs.")
    } else {
        String::new()
    };
    let hint = format!(
        "The first load of each design that counts, from its start on, with its warm-up.{best} Each design by itself, \
         with its operations, is below."
    );
    let charts = figure("Designs together, second by second", &loads, None) + &servers(&loads);
    section(
        "Designs on one time axis",
        &format!("<p class=\"hint-text\">{hint}</p>\n{charts}"),
    )
}

/// Draws what else the servers did in these loads, behind a line; empty if nothing of it is known.
fn servers(loads: &[Overlaid]) -> String {
    let title = "What else their servers did";
    let [wide, phone] =
        [Size::Wide, Size::Phone].map(|size| chart::overlay_of_servers(title, loads, size));
    let (Some(wide), Some(phone)) = (wide, phone) else {
        return String::new();
    };
    format!(
        "<details><summary>{title}</summary>\n<figure class=\"time-line\">\n{}<div class=\"wide\">{wide}</div>\n\
         <div class=\"phone\">{phone}</div></figure>\n</details>\n",
        legend(loads),
    )
}

fn first<'a>(summary: &'a DriveSummary, design: &'a DriveDesign) -> Option<Overlaid<'a>> {
    let trial = summary.trial(*design.trials.first()?)?;
    (!trial.seconds.is_empty()).then_some(Overlaid {
        name: &design.info.id,
        trial,
        begins: 0.0,
    })
}

/// Draws the passes of each design's first round as they came after one another.
fn of_passes(summary: &DriveSummary) -> String {
    let charts: String = summary
        .designs
        .iter()
        .filter_map(|design| {
            let passes = first_round(summary, design);
            let title = format!("Passes of {}, second by second", design.info.id);
            (!passes.is_empty()).then(|| figure(&title, &passes, None))
        })
        .collect();
    if charts.is_empty() {
        return charts;
    }
    let hint = "The passes of the first round, one after the other. The server is looked at once a second, \
                several nodes every other second, so that its figures of a pass of a few seconds are rough; those of \
                the table are exact.";
    section(
        "Passes on one time axis",
        &format!("<p class=\"hint-text\">{hint}</p>\n{charts}"),
    )
}

fn first_round<'a>(summary: &'a DriveSummary, design: &DriveDesign) -> Vec<Overlaid<'a>> {
    let own = |trial: &&TrialSummary| {
        let pass = trial.pass.as_ref();
        pass.is_some_and(|pass| pass.design == design.info.id && pass.round == 1)
    };
    let trials: Vec<&TrialSummary> = summary.trials.iter().filter(own).collect();
    let start = trials.iter().map(|trial| trial.start.started_at_ns).min();
    let start = start.unwrap_or_default();
    let infos = summary.header.passes.iter().flat_map(|all| &all.passes);
    let infos: Vec<_> = infos.collect();
    let overlaid = trials.into_iter().filter_map(|trial| {
        let info = infos.get(trial.pass.as_ref()?.place)?;
        Some(Overlaid {
            name: &info.operation,
            trial,
            begins: trial.start.started_at_ns.saturating_sub(start) as f64 / 1e9,
        })
    });
    overlaid.collect()
}

/// Draws, where several designs answer questions in turn, the loads of each driven one's first round over each other:
/// alone, and beside the answers of each design.
pub fn beside_answers(summary: &DriveSummary) -> String {
    if !take_turns(summary) {
        return String::new();
    }
    let figures = summary.designs.iter().map(|design| {
        let loads = loads_of_a_round(summary, design);
        let (drawn, others) = loads.split_at(loads.len().min(MOST_LOADS));
        if drawn.len() < 2 {
            return String::new();
        }
        let title = format!(
            "{}: its load alone and beside answers, second by second, in {}",
            design.info.id,
            round(drawn)
        );
        let operation = summary.worst_operation(design);
        let operation = operation.and_then(|place| {
            let info = summary.header.operations.get(place)?;
            Some((place, info.name.as_str()))
        });
        let others: Vec<&str> = others.iter().map(|load| load.name).collect();
        let left_out = if others.is_empty() {
            String::new()
        } else {
            let names = listing::list(&others, others.len());
            format!(
                "<p class=\"hint-text\">Not drawn: {}.</p>\n",
                Escaped(names)
            )
        };
        figure(&title, drawn, operation) + &which(summary, operation) + &left_out
    });
    figures.collect()
}

/// Names the round of loads.
fn round(loads: &[Overlaid]) -> String {
    match loads.first().map_or(1, |load| load.trial.start.round) {
        1 => "the first round".to_owned(),
        round => format!("round {round}"),
    }
}

/// Says whose p99 is drawn, where there are several operations.
fn which(summary: &DriveSummary, operation: Option<(usize, &str)>) -> String {
    match operation {
        Some((_, name)) if summary.header.operations.len() > 1 => format!(
            "<p class=\"hint-text\">Response times are those of {}: of all operations, its p99 grew by the largest \
             factor.</p>\n",
            Escaped(name)
        ),
        _ => String::new(),
    }
}

/// Returns the loads of the first round that has one without questions: that one, and then those with questions, by the
/// designs that answer in the order of their harm.
fn loads_of_a_round<'a>(summary: &'a DriveSummary, design: &'a DriveDesign) -> Vec<Overlaid<'a>> {
    let own = |trial: &&TrialSummary| {
        trial.start.design == design.info.id && !trial.start.warm_up && !trial.seconds.is_empty()
    };
    let own: Vec<&TrialSummary> = summary.trials.iter().filter(own).collect();
    let Some(alone) = own.iter().find(|trial| trial.start.is_round()) else {
        return Vec::new();
    };
    let overlaid = |name, trial| Overlaid {
        name,
        trial,
        begins: 0.0,
    };
    let mut loads = vec![overlaid("alone", *alone)];
    for harm in summary.harms(design) {
        let mut of_round = own.iter().filter(|trial| {
            let start = &trial.start;
            let is_of_round = start.round == alone.start.round && start.beside;
            is_of_round && start.answered_by == harm.figures.answered_by
        });
        let name = harm.figures.answering();
        loads.extend(of_round.next().map(|trial| overlaid(name, *trial)));
    }
    loads
}

/// Renders the chart of trials over one time axis, with a legend of their names; empty if none has a second. Response
/// times are those of `operation`, by its place and name, or of the slowest one.
pub(crate) fn figure(title: &str, trials: &[Overlaid], operation: Option<(usize, &str)>) -> String {
    let [wide, phone] =
        [Size::Wide, Size::Phone].map(|size| chart::overlay(title, trials, operation, size));
    let (Some(wide), Some(phone)) = (wide, phone) else {
        return String::new();
    };
    format!(
        "<figure class=\"time-line\"><h3>{}</h3>\n{}<div class=\"wide\">{wide}</div>\n\
         <div class=\"phone\">{phone}</div></figure>\n",
        Escaped(title),
        legend(trials),
    )
}

fn legend(trials: &[Overlaid]) -> String {
    page::legend(trials.iter().enumerate().map(|(place, trial)| {
        let mark = Marker::nth(place).character();
        (nth_class(place), mark, trial.name)
    }))
}
