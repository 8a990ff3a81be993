//! Draws alternatives over one time axis: designs from the start of their loads on, passes one after the other.

use bakeoff_stats::drive::{DriveDesign, DriveSummary, TrialSummary};

use crate::chart::{self, Marker, Overlaid, Size, nth_class};
use crate::drive::{Kind, ranking};
use crate::markup::Escaped;
use crate::page::{self, section};

/// Most designs that are drawn over each other: there are no more colours.
const MOST_DESIGNS: usize = 6;

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
    let charts = figure("Designs together, second by second", &loads);
    section(
        "Designs on one time axis",
        &format!("<p class=\"hint-text\">{hint}</p>\n{charts}"),
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
            (!passes.is_empty()).then(|| figure(&title, &passes))
        })
        .collect();
    if charts.is_empty() {
        return charts;
    }
    let hint = "The passes of the first round, one after the other. The server is looked at once a second, so \
                that its figures of a pass of a few seconds are rough; those of the table are exact.";
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

/// Renders the chart of trials over one time axis, with a legend of their names; empty if none has a second.
pub(crate) fn figure(title: &str, trials: &[Overlaid]) -> String {
    let [wide, phone] = [Size::Wide, Size::Phone].map(|size| chart::overlay(title, trials, size));
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
