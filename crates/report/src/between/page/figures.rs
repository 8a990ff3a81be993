//! Draws each figure of the designs, with a bar for each measurement: times of questions, loading and storage of runs,
//! rates and response times of loads and sweeps.

use bakeoff_stats::between::{Measured, MeasuredFigure, What};
use bakeoff_stats::{DesignSummary, Estimate, QueryInfo, Summary};

use super::{Page, drawn, letter};
use crate::between::words;
use crate::chart::{self, OfRun};
use crate::compare::figure::Figure;
use crate::page::chart_figure;
use crate::units;

/// Name of the loading of rows among the figures that `--only` names.
const LOADING: &str = "loading";

/// Says how the bars are to be read.
const HINT: &str = "Medians with their intervals, a bar for each design in each measurement. All bars begin at zero.";
/// Says the same where a table has the figures, too.
const HINT_OF_TWO: &str = "The figures of the table, with the intervals of the medians, a bar for each design in each \
    measurement. All bars begin at zero.";

/// A figure of a design, or in a word or two why there is none.
type Known = Result<Estimate, &'static str>;

/// A load or a sweep with its place among the measurements.
type Placed = (usize, Measured);

/// Renders the section; empty where nothing may be compared.
pub fn section_of(page: &Page<'_>) -> String {
    if !page.is_comparable() {
        return String::new();
    }
    let charts = of_runs(page) + &of_loads_and_sweeps(page);
    let hint = match page.between {
        Some(found) if !found.changes.is_empty() => HINT_OF_TWO,
        _ => HINT,
    };
    drawn(page, "Figures side by side", hint, &charts)
}

/// Draws the times of the questions that all runs ask alike, then loading and storage.
fn of_runs(page: &Page<'_>) -> String {
    let runs: Vec<(usize, &Summary)> = { page.folders.iter().enumerate() }
        .filter_map(|(place, folder)| Some((place, folder.run()?)))
        .collect();
    let Some((_, first)) = runs.first() else {
        return String::new();
    };
    let is_drawn = |query: &&QueryInfo| {
        page.is_asked_for(&query.name) && runs.iter().all(|(_, run)| asks(run, query))
    };
    let questions = first.header.queries.iter().filter(is_drawn).map(|query| {
        let time = |design: &DesignSummary| time(design, &query.name);
        let what = What::Query(query.name.clone());
        let figure = (Some(&what), query.name.as_str());
        chart_of_runs(page, &runs, figure, units::duration, time)
    });
    let mut charts: String = questions.collect();
    if page.is_asked_for(LOADING) {
        let rate = |design: &DesignSummary| design.load_rate.ok_or("not loaded");
        let figure = (Some(&What::Loading), "Rows loaded a second");
        charts += &chart_of_runs(page, &runs, figure, units::rate, rate);
    }
    let bytes = |design: &DesignSummary| {
        let bytes = design.bytes_per_row.filter(|bytes| *bytes > 0.0);
        let bytes = bytes.and_then(|bytes| Estimate::from_samples(&[bytes]));
        bytes.ok_or("not known")
    };
    let figure = (None, "Bytes of storage per row");
    charts + &chart_of_runs(page, &runs, figure, units::bytes, bytes)
}

/// Returns whether a run asks this question, with the same text.
pub fn asks(run: &Summary, question: &QueryInfo) -> bool {
    let mut own = run.header.queries.iter();
    own.any(|own| own.name == question.name && own.sql == question.sql)
}

fn time(design: &DesignSummary, question: &str) -> Known {
    let asked = design.query(question).ok_or("not asked")?;
    match Figure::new(design, asked) {
        Figure::Time { time, .. } => Ok(*time),
        Figure::Failed(why) => Err(why),
        Figure::NotMeasured => Err("not measured"),
    }
}

/// Draws a figure of all designs in all runs, with what the table of changes has of it and a title; empty if no run has
/// it.
fn chart_of_runs(
    page: &Page<'_>,
    runs: &[(usize, &Summary)],
    (what, title): (Option<&What>, &str),
    show: fn(f64) -> String,
    figure: impl Fn(&DesignSummary) -> Known,
) -> String {
    let mut bars = Vec::new();
    for id in page.designs() {
        for (place, run) in runs {
            let known = run.design(id).map(&figure);
            let known = known.map(|known| as_in_table(page, (id, what), *place, known));
            bars.extend(known.map(|known| bar(id, *place, known)));
        }
    }
    chart(title, &bars, show)
}

/// Returns a figure as the table of changes has it, by the design and what it is of; as it is where that has none.
fn as_in_table(
    page: &Page<'_>,
    (id, what): (&str, Option<&What>),
    place: usize,
    known: Known,
) -> Known {
    let figure = known?;
    let changes = page.between.iter().flat_map(|found| &found.changes);
    let mut own = changes.filter(|change| change.design == id && Some(&change.what) == what);
    let Some(change) = own.next() else {
        return Ok(figure);
    };
    let seconds = if place == 0 { change.a } else { change.b };
    let median = if change.what.is_rate() {
        seconds.recip()
    } else {
        seconds
    };
    Ok(Estimate {
        median,
        low: figure.low.min(median),
        high: figure.high.max(median),
        ..figure
    })
}

/// Draws rates and the p50 and p99 of response times; means and other shares are in the table of changes.
fn of_loads_and_sweeps(page: &Page<'_>) -> String {
    let all: Vec<Placed> = { page.folders.iter().enumerate() }
        .filter_map(|(place, folder)| {
            let load = folder
                .load()
                .map(|load| Measured::of_load(&folder.name, load));
            let sweep = || {
                let sweep = folder.sweep()?;
                Some(Measured::of_sweep(&folder.name, sweep))
            };
            Some((place, load.or_else(sweep)?))
        })
        .collect();
    let mut subjects: Vec<&What> = Vec::new();
    let designs = all.iter().flat_map(|(_, measured)| &measured.designs);
    for figure in designs.flat_map(|design| &design.figures) {
        let is_wanted = is_drawn(&figure.what) && page.is_asked_for(&figure.what.to_string());
        if is_wanted && is_of_the_same(&all, figure) && !subjects.contains(&&figure.what) {
            subjects.push(&figure.what);
        }
    }
    let charts = subjects
        .into_iter()
        .map(|what| of_subject(page, &all, what));
    charts.collect()
}

fn is_drawn(what: &What) -> bool {
    match what {
        What::Time(name) => !name.ends_with(" mean") && !name.ends_with(" p95"),
        _ => true,
    }
}

/// Returns whether the operation of a figure does the same wherever there is one of its name, and, of a figure with
/// questions beside the load, whether the same are asked wherever some are.
fn is_of_the_same(all: &[Placed], figure: &MeasuredFigure) -> bool {
    if figure.is_beside {
        let mut asking = all.iter().filter(|(_, one)| !one.questions.is_empty());
        let Some((_, first)) = asking.next() else {
            return false;
        };
        if !asking.all(|(_, other)| first.asks_the_same_as(other)) {
            return false;
        }
    }
    let Some(operation) = &figure.operation else {
        return true;
    };
    let actions = all.iter().flat_map(|(_, measured)| &measured.operations);
    let mut actions = actions.filter(|(name, _)| name == operation);
    let first = actions.next();
    actions.all(|(_, action)| first.is_some_and(|(_, first)| first == action))
}

fn of_subject(page: &Page<'_>, all: &[Placed], what: &What) -> String {
    let mut bars = Vec::new();
    for id in page.designs() {
        for (place, measured) in all {
            let known = measured.design(id).map(|design| {
                let figure = design.figure(what).and_then(|f| estimate(f, what));
                as_in_table(page, (id, Some(what)), *place, figure.ok_or("none"))
            });
            bars.extend(known.map(|known| bar(id, *place, known)));
        }
    }
    let show: fn(f64) -> String = if what.is_rate() {
        units::rate
    } else {
        units::duration
    };
    chart(&words::what(what), &bars, show)
}

/// Estimates a figure by its rounds: of a rate, whose rounds are seconds for each row or operation, those a second.
fn estimate(figure: &MeasuredFigure, what: &What) -> Option<Estimate> {
    let rounds = figure.rounds.iter().map(|(_, seconds)| *seconds);
    let values: Vec<f64> = if what.is_rate() {
        rounds.map(f64::recip).collect()
    } else {
        rounds.collect()
    };
    Estimate::from_samples(&values)
}

fn bar(id: &str, place: usize, figure: Known) -> OfRun {
    OfRun {
        label: format!("{id} · {}", letter(place)),
        place,
        figure,
    }
}

/// Renders the chart; empty if there is no figure.
fn chart(title: &str, bars: &[OfRun], show: fn(f64) -> String) -> String {
    let chart = chart::run_bars(title, bars, show);
    chart.map_or_else(String::new, |chart| chart_figure(title, &chart))
}
