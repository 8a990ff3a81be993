//! Draws operations per second by design, and the p99 response times of an operation.

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{DriveDesign, DriveSummary, LoadFigure};

use super::bars::{Bar, Value, bars};
use super::palette::Palette;
use crate::compare::to_best;
use crate::units;

/// Draws the highest rate that held, or the rate of a closed loop, highest first.
pub fn rate_bars(
    summary: &DriveSummary,
    title: &str,
    rate: impl Fn(&DriveDesign) -> Option<Estimate>,
) -> Option<String> {
    let show = |design: &DriveDesign, rate: &Estimate| {
        let ratio = ratio(summary, LoadFigure::Throughput, None, design);
        format!("{} ops/s{ratio}", units::rate(rate.median))
    };
    let order = |a: f64, b: f64| b.total_cmp(&a);
    ranked(summary, title, rate, show, order, |tick| {
        units::trimmed(&units::rate(tick))
    })
}

/// Draws the p99 response times of an operation, lowest first.
pub fn p99_bars(summary: &DriveSummary, operation: usize) -> Option<String> {
    let name = &summary.header.operations[operation].name;
    let p99 = |d: &DriveDesign| *d.response_p99.get(operation)?;
    let show = |design: &DriveDesign, time: &Estimate| {
        let ratio = ratio(summary, LoadFigure::P99, Some(name), design);
        units::duration(time.median) + &ratio
    };
    let order = |a: f64, b: f64| a.total_cmp(&b);
    let title = format!("Response time p99 of {name} by design");
    ranked(summary, &title, p99, show, order, |tick| {
        units::trimmed(&units::duration(tick))
    })
}

/// Writes ` · 1.31×`, the ratio to the best design; nothing where designs are not compared.
fn ratio(
    summary: &DriveSummary,
    figure: LoadFigure,
    operation: Option<&str>,
    design: &DriveDesign,
) -> String {
    let against = summary
        .comparison
        .design(figure, operation, &design.info.id);
    against.map_or_else(String::new, |a| format!(" · {}", to_best::in_short(a)))
}

fn ranked(
    summary: &DriveSummary,
    title: &str,
    figure: impl Fn(&DriveDesign) -> Option<Estimate>,
    show: impl Fn(&DriveDesign, &Estimate) -> String,
    order: impl Fn(f64, f64) -> std::cmp::Ordering,
    tick: impl Fn(f64) -> String,
) -> Option<String> {
    let palette = Palette::by_design(summary.designs.iter().map(|d| &d.info));
    let mut known: Vec<(&DriveDesign, Estimate)> = summary
        .designs
        .iter()
        .filter_map(|d| Some((d, figure(d)?)))
        .collect();
    known.sort_by(|(_, a), (_, b)| order(a.median, b.median));
    let without = summary.designs.iter().filter(|d| figure(d).is_none());
    let bar = |design: &DriveDesign, figure: Option<Estimate>| Bar {
        label: design.info.id.clone(),
        class: palette.class(&design.info),
        text: figure.map_or_else(|| "none".to_owned(), |f| show(design, &f)),
        value: figure.map(|f| Value {
            value: f.median,
            whisker: (f.observations > 1).then_some((f.low, f.high)),
        }),
        failed: !design.failures.is_empty(),
    };
    let rows: Vec<Bar> = known
        .iter()
        .map(|(design, figure)| bar(design, Some(*figure)))
        .chain(without.map(|design| bar(design, None)))
        .collect();
    bars(title, &rows, tick)
}
