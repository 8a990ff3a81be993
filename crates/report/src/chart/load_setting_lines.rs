//! Draws figures of a load by the value of the setting in which designs differ: operations per second, response times,
//! and bytes of storage.

use bakeoff_stats::drive::{DriveDesign, DriveSummary};
use bakeoff_stats::{DesignsBySetting, Estimate};

use super::palette::nth_class;
use super::setting_line::{Chart, Point};
use crate::units;

/// Draws operations per second, or returns `None` if fewer than two designs have them.
pub fn rates_by_setting(
    summary: &DriveSummary,
    group: &DesignsBySetting,
    title: &str,
    rate: impl Fn(&DriveDesign) -> Option<Estimate>,
) -> Option<String> {
    let point = |design: &DriveDesign| {
        let rate = rate(design).filter(is_drawn)?;
        let interval = units::rate_interval(&rate);
        let text = format!("{} ops/s ({interval})", units::rate(rate.median));
        Some(of_estimate(&rate, text))
    };
    chart(summary, group, title, units::rate, point)
}

/// Draws the p99 response times of an operation, or returns `None` if fewer than two designs have one.
pub fn p99_by_setting(
    summary: &DriveSummary,
    group: &DesignsBySetting,
    operation: usize,
) -> Option<String> {
    let point = |design: &DriveDesign| {
        let time = (*design.response_p99.get(operation)?).filter(is_drawn)?;
        let (median, interval) = units::duration_interval(&time);
        Some(of_estimate(&time, format!("{median} ({interval})")))
    };
    let name = &summary.header.operations.get(operation)?.name;
    let title = format!("Response time p99 of {name}");
    chart(summary, group, &title, units::duration, point)
}

/// Draws bytes of storage per row, or returns `None` if they are known of fewer than two designs.
pub fn bytes_by_setting(summary: &DriveSummary, group: &DesignsBySetting) -> Option<String> {
    let point = |design: &DriveDesign| {
        let bytes = design.footprint.as_ref()?.bytes()?;
        let rows = design.rows.filter(|rows| *rows > 0)?;
        let figure = bytes as f64 / rows as f64;
        (bytes > 0).then(|| Point {
            figure,
            interval: None,
            text: units::bytes(figure),
        })
    };
    let title = "Bytes of storage per row";
    chart(summary, group, title, units::bytes, point)
}

/// Returns whether an axis, which may be logarithmic, has a place for it.
fn is_drawn(estimate: &Estimate) -> bool {
    estimate.median.is_finite() && estimate.median > 0.0
}

fn of_estimate(estimate: &Estimate, text: String) -> Point {
    Point {
        figure: estimate.median,
        interval: (estimate.observations > 1).then_some((estimate.low, estimate.high)),
        text,
    }
}

fn chart(
    summary: &DriveSummary,
    group: &DesignsBySetting,
    title: &str,
    tick: fn(f64) -> String,
    point: impl Fn(&DriveDesign) -> Option<Point>,
) -> Option<String> {
    let points =
        { group.designs.iter() }.map(|at| (at, summary.design(&at.design).and_then(&point)));
    let chart = Chart {
        title: format!("{title} by {} of {}", group.setting, group.others),
        setting: &group.setting,
        class: nth_class(0),
        points: points.collect(),
        tick,
    };
    chart.svg()
}
