//! Draws the curves of loads and sweeps over each other: response times by percentile, second by second and by rate,
//! and rows a second by the number of workers.

use bakeoff_stats::drive::{DriveDesign, DriveSummary, OperationFigures, ProbeRecord};
use bakeoff_stats::sweep::{SweepSetting, SweepSummary};

use super::{Page, drawn, letter};
use crate::chart::{self, Axes, Overlaid, RunCurve};
use crate::drive::html::together;
use crate::page::{chart_figure, section};
use crate::units;

/// Most measurements whose lines are drawn over one time axis: there are no more colours.
const MOST_MEASUREMENTS: usize = 6;
/// Most designs that are drawn second by second, so that the page does not become too large.
const MOST_DESIGNS: usize = 6;

/// Renders the sections; empty for runs, and where nothing may be compared.
pub fn sections(page: &Page<'_>) -> String {
    if !page.is_comparable() {
        return String::new();
    }
    [
        percentiles(page),
        searches(page),
        by_workers(page),
        second_by_second(page),
    ]
    .concat()
}

/// Returns the loads with their places.
fn loads<'a>(page: &Page<'a>) -> Vec<(usize, &'a DriveSummary)> {
    let folders = page.folders.iter().enumerate();
    folders
        .filter_map(|(place, folder)| Some((place, folder.load()?)))
        .collect()
}

fn sweeps<'a>(page: &Page<'a>) -> Vec<(usize, &'a SweepSummary)> {
    let folders = page.folders.iter().enumerate();
    folders
        .filter_map(|(place, folder)| Some((place, folder.sweep()?)))
        .collect()
}

/// Returns whether the figures of a load are of the same work in all of its rounds: a search has other rates.
fn has_one_rate(load: &DriveSummary) -> bool {
    load.header.objective.is_none() && load.header.passes.is_none()
}

fn percentiles(page: &Page<'_>) -> String {
    let loads = loads(page);
    let loads = loads.iter().filter(|(_, load)| has_one_rate(load));
    let loads: Vec<&(usize, &DriveSummary)> = loads.collect();
    let mut operations: Vec<&str> = Vec::new();
    for operation in loads.iter().flat_map(|(_, load)| &load.header.operations) {
        if !operations.contains(&operation.name.as_str()) {
            operations.push(&operation.name);
        }
    }
    let names: Vec<String> = { loads.iter() }.map(|(place, _)| letter(*place)).collect();
    let mut charts = String::new();
    for id in page.designs() {
        for operation in &operations {
            let with_names = loads.iter().zip(&names);
            let runs = with_names.filter_map(|((place, load), name)| {
                let figures = operation_of(load, id, operation)?;
                Some((*place, name.as_str(), figures))
            });
            let runs: Vec<(usize, &str, &OperationFigures)> = runs.collect();
            let title = format!("{id}: {operation}");
            let chart = (runs.len() > 1).then(|| chart::percentiles_of_runs(&title, &runs));
            charts += &chart
                .flatten()
                .map(|chart| chart_figure(&title, &chart))
                .unwrap_or_default();
        }
    }
    let hint = "Response times of all rounds together, from due to done. The last point of each line is the slowest \
                operation.";
    drawn(page, "Response time by percentile", hint, &charts)
}

fn operation_of<'a>(
    load: &'a DriveSummary,
    id: &str,
    operation: &str,
) -> Option<&'a OperationFigures> {
    let figures = load.design(id)?.figures.as_ref()?;
    let mut operations = figures.operations.iter();
    operations.find(|figures| figures.name == operation && !figures.curve.is_empty())
}

/// Draws the measured time of each limit by the rate that was asked for.
fn searches(page: &Page<'_>) -> String {
    let loads = loads(page);
    let mut charts = String::new();
    for id in page.designs() {
        let designs = loads
            .iter()
            .filter_map(|(place, load)| Some((*place, load.design(id)?)));
        let designs: Vec<(usize, &DriveDesign)> = designs.collect();
        let mut limits: Vec<&str> = Vec::new();
        let probes = designs.iter().flat_map(|(_, design)| &design.probes);
        for (limit, _) in probes.flat_map(|probe| &probe.measured) {
            if !limits.contains(&limit.as_str()) {
                limits.push(limit);
            }
        }
        for limit in limits {
            let curves = designs.iter().map(|(place, design)| {
                let points = { design.probes.iter() }.filter_map(|probe| point(probe, limit));
                curve(*place, points.collect())
            });
            let axes = Axes {
                below: "operations a second asked for",
                number: |rate| units::trimmed(&units::rate(rate)),
                figure: units::duration,
            };
            charts += &overlaid(&format!("{id}: {limit}"), axes, curves.collect());
        }
    }
    let hint = "Each point is a load at a rate, and the time that it measured for the limit.";
    drawn(page, "Searches", hint, &charts)
}

/// Returns the rate of a load of a search and the seconds that it measured.
fn point(probe: &ProbeRecord, limit: &str) -> Option<(f64, f64)> {
    let (_, measured) = probe.measured.iter().find(|(text, _)| text == limit)?;
    let nanoseconds = (*measured).filter(|_| !probe.undecided)?;
    Some((probe.rate?, nanoseconds / 1e9))
}

/// Draws rows a second and the p99 of inserts by the number of workers, for each size of batches.
fn by_workers(page: &Page<'_>) -> String {
    let sweeps = sweeps(page);
    let mut batches: Vec<u64> = Vec::new();
    for batch in sweeps.iter().flat_map(|(_, sweep)| &sweep.header.batches) {
        if !batches.contains(batch) {
            batches.push(*batch);
        }
    }
    batches.sort_unstable();
    let mut charts = String::new();
    for id in page.designs() {
        for batch in &batches {
            let curves = |of: fn(&SweepSetting) -> Option<f64>| -> Vec<RunCurve> {
                let of_sweep = |(place, sweep): &(usize, &SweepSummary)| {
                    curve(*place, points(sweep, id, *batch, of))
                };
                sweeps.iter().map(of_sweep).collect()
            };
            let rows = units::plural(*batch, "row", "rows");
            let title = format!("{id}, batches of {rows}: rows a second");
            let rates = Axes {
                below: "workers",
                number: whole,
                figure: units::rate,
            };
            charts += &overlaid(&title, rates, curves(SweepSetting::rows_per_second));
            let title = format!("{id}, batches of {rows}: p99 of an insert");
            let times = Axes {
                figure: units::duration,
                ..rates
            };
            let p99 = |setting: &SweepSetting| setting.cell.inserted.as_ref()?.p99;
            charts += &overlaid(&title, times, curves(p99));
        }
    }
    let hint = "Medians over the rounds of the settings that inserted everything in each of them, by the number of \
                workers.";
    drawn(page, "By workers", hint, &charts)
}

/// Returns a figure of the complete settings with one size of batches, by the number of workers.
fn points(
    sweep: &SweepSummary,
    id: &str,
    batch: u64,
    figure: fn(&SweepSetting) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let designs = sweep.designs.iter().filter(|design| design.info.id == id);
    let settings = designs.flat_map(|design| design.measured());
    let whole = settings.filter(|s| s.cell.batch_rows == batch && s.is_whole());
    whole
        .filter_map(|setting| Some((f64::from(setting.cell.workers), figure(setting)?)))
        .collect()
}

/// Makes the curve of a measurement of the points that a logarithmic axis has a place for.
fn curve(place: usize, mut points: Vec<(f64, f64)>) -> RunCurve {
    let is_drawn = |number: f64| number.is_finite() && number > 0.0;
    points.retain(|(number, figure)| is_drawn(*number) && is_drawn(*figure));
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    RunCurve {
        name: letter(place),
        place,
        points,
    }
}

/// Renders curves over each other; empty unless at least two measurements have points.
fn overlaid(title: &str, axes: Axes<'_>, curves: Vec<RunCurve>) -> String {
    let curves = curves.into_iter().filter(|curve| !curve.points.is_empty());
    let curves: Vec<RunCurve> = curves.collect();
    let chart = (curves.len() > 1).then(|| chart::run_lines(title, axes, &curves));
    let chart = chart.flatten();
    chart.map_or_else(String::new, |chart| chart_figure(title, &chart))
}

/// Writes a number of workers for the axis; between none and one there is nothing to say.
fn whole(number: f64) -> String {
    if number < 1.0 {
        String::new()
    } else {
        units::count(number.round() as u64)
    }
}

/// Draws the first load of each design that counts over one time axis, of all measurements.
fn second_by_second(page: &Page<'_>) -> String {
    let loads = loads(page);
    let loads = loads.iter().filter(|(_, load)| has_one_rate(load));
    let loads: Vec<&(usize, &DriveSummary)> = loads.take(MOST_MEASUREMENTS).collect();
    let names: Vec<String> = { loads.iter() }.map(|(place, _)| letter(*place)).collect();
    let designs = page.designs();
    let charts = designs.iter().take(MOST_DESIGNS).filter_map(|id| {
        let overlaid = loads.iter().zip(&names).filter_map(|((_, load), name)| {
            let trial = load.trial(*load.design(id)?.trials.first()?)?;
            (!trial.seconds.is_empty()).then_some(Overlaid {
                name: name.as_str(),
                trial,
                begins: 0.0,
            })
        });
        let overlaid: Vec<Overlaid<'_>> = overlaid.collect();
        let title = format!("{id}, second by second");
        (overlaid.len() > 1).then(|| together::figure(&title, &overlaid, None))
    });
    let charts: String = charts.collect();
    if charts.is_empty() {
        return charts;
    }
    let first = if designs.len() > MOST_DESIGNS {
        format!(" The first {MOST_DESIGNS} designs.")
    } else {
        String::new()
    };
    let hint = format!(
        "<p class=\"hint-text\">The first load of each measurement that counts, from its start on, with its \
         warm-up.{first}</p>\n"
    );
    section("On one time axis", &(hint + &charts))
}
