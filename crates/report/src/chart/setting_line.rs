//! Draws a figure by the value of the setting in which designs differ: the times of a query, or bytes of storage.

use bakeoff_stats::{AtValue, BySetting, DesignSummary, Summary};

use super::axis;
use super::line::{Line, Stroke, mark_at};
use super::palette::{Marker, Palette};
use super::placement::Rectangle;
use super::scale::Scale;
use crate::compare::to_best;
use crate::units;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 220.0;
const PLOT: Rectangle = Rectangle {
    left: 62.0,
    top: 10.0,
    right: WIDTH - 14.0,
    bottom: HEIGHT - 42.0,
};
/// Distance of the least and the greatest value from the sides of the plot.
const INSET: f64 = 14.0;
/// Fewest points of a line.
const FEWEST_POINTS: usize = 2;

/// Figure of a design.
pub(super) struct Point {
    pub(super) figure: f64,
    pub(super) interval: Option<(f64, f64)>,
    pub(super) text: String,
}

/// A line that is to be drawn.
pub(super) struct Chart<'a> {
    pub(super) title: String,
    pub(super) setting: &'a str,
    /// CSS class that sets the line's colour.
    pub(super) class: String,
    /// Each value of the setting with its point, if there is one.
    pub(super) points: Vec<(&'a AtValue, Option<Point>)>,
    /// Formats a figure for the axis.
    pub(super) tick: fn(f64) -> String,
}

/// Draws the median times of a query, or returns `None` if fewer than two designs have one.
pub fn setting_times(summary: &Summary, group: &BySetting, query: &str) -> Option<String> {
    let time = |design: &DesignSummary| {
        let time = design.query(query)?.time;
        time.filter(|time| time.median.is_finite() && time.median > 0.0)
    };
    let point = |design: &DesignSummary| {
        let time = time(design)?;
        let (median, interval) = units::duration_interval(&time);
        Some(Point {
            figure: time.median,
            interval: (time.observations > 1).then_some((time.low, time.high)),
            text: format!("{median} ({interval})"),
        })
    };
    let designs = { group.designs.iter() }.filter_map(|at| summary.design(&at.design));
    let times: Vec<_> = designs.filter_map(time).collect();
    let chart = Chart {
        title: format!(
            "Median time of query {query} by {} of {}, with {}s",
            group.setting,
            group.others,
            to_best::interval_heading(times.iter()).to_lowercase()
        ),
        tick: units::duration,
        ..Chart::new(summary, group, point)
    };
    chart.svg()
}

/// Draws bytes of storage per row, or returns `None` if they are known of fewer than two designs.
pub fn setting_bytes(summary: &Summary, group: &BySetting) -> Option<String> {
    let point = |design: &DesignSummary| {
        let figure = design.bytes_per_row;
        let figure = figure.filter(|bytes| bytes.is_finite() && *bytes > 0.0)?;
        Some(Point {
            figure,
            interval: None,
            text: units::bytes(figure),
        })
    };
    let chart = Chart {
        title: format!(
            "Bytes of storage per row by {} of {}",
            group.setting, group.others
        ),
        tick: units::bytes,
        ..Chart::new(summary, group, point)
    };
    chart.svg()
}

impl<'a> Chart<'a> {
    /// Makes the chart without its title.
    fn new(
        summary: &Summary,
        group: &'a BySetting,
        point: impl Fn(&DesignSummary) -> Option<Point>,
    ) -> Chart<'a> {
        let design = |at: &AtValue| summary.design(&at.design);
        let first = group.designs.first().and_then(design);
        let class = first.map(|first| Palette::by_engine(summary).class(&first.info));
        let points = { group.designs.iter() }.map(|at| (at, design(at).and_then(&point)));
        Chart {
            title: String::new(),
            setting: &group.setting,
            class: class.unwrap_or_else(|| "plain".to_owned()),
            points: points.collect(),
            tick: units::rate,
        }
    }

    /// Returns the points that there are, each with its value of the setting.
    fn known(&self) -> impl Iterator<Item = (&AtValue, &Point)> {
        let points = self.points.iter();
        points.filter_map(|(at, point)| Some((*at, point.as_ref()?)))
    }

    /// Draws the line, or returns `None` if fewer than two designs have a figure.
    pub(super) fn svg(&self) -> Option<String> {
        if self.known().count() < FEWEST_POINTS {
            return None;
        }
        let values: Vec<f64> = self.points.iter().map(|(at, _)| at.value).collect();
        let ends = self.known().flat_map(|(_, point)| {
            let (low, high) = point.interval.unwrap_or((point.figure, point.figure));
            [low, point.figure, high]
        });
        let ends: Vec<f64> = ends.collect();
        let x = Scale::settings(&values, PLOT.left + INSET, PLOT.right - INSET)?;
        let y = Scale::heights(&ends, PLOT.bottom, PLOT.top)?;
        let ticks: Vec<(f64, String)> = { self.points.iter() }
            .map(|(at, _)| (x.at(at.value), at.text.clone()))
            .collect();
        let parts = [
            axis::left_side(&y, PLOT.left, PLOT.right, self.tick),
            axis::below(&ticks, &PLOT, WIDTH),
            axis::frame(&PLOT, &self.name(&x, &y)),
            self.line(&x, &y),
            self.marks(&x, &y),
        ];
        Some(super::svg(
            WIDTH,
            HEIGHT,
            &self.title,
            &self.description(&x, &y),
            &parts.concat(),
        ))
    }

    /// Names the axis of the setting, and says which axes are logarithmic.
    fn name(&self, x: &Scale, y: &Scale) -> String {
        let logarithmic = match (x.is_logarithmic(), y.is_logarithmic()) {
            (false, false) => "",
            (true, false) => ", logarithmic",
            (false, true) => ", with a logarithmic axis upwards",
            (true, true) => ", both axes logarithmic",
        };
        format!("{}{logarithmic}", self.setting)
    }

    fn line(&self, x: &Scale, y: &Scale) -> String {
        let points = self.points.iter();
        let line = Line {
            class: self.class.clone(),
            stroke: Stroke::Strong,
            mark: None,
            points: points
                .map(|(at, point)| (at.value, point.as_ref().map(|point| point.figure)))
                .collect(),
        };
        line.svg(x, y)
    }

    /// Draws each point with its interval.
    fn marks(&self, x: &Scale, y: &Scale) -> String {
        let marks = self.known().map(|(at, point)| {
            let whisker = point
                .interval
                .map(|interval| whisker(x.at(at.value), interval, y));
            let mark = mark_at(Marker::Circle, x.at(at.value), y.at(point.figure));
            whisker.unwrap_or_default() + &mark
        });
        format!(
            "<g class=\"{}\">{}</g>\n",
            self.class,
            marks.collect::<String>()
        )
    }

    fn description(&self, x: &Scale, y: &Scale) -> String {
        let figures = { self.points.iter() }.map(|(at, point)| {
            let text = point
                .as_ref()
                .map_or("no figure", |point| point.text.as_str());
            format!("{}: {text}.", at.text)
        });
        let figures: Vec<String> = figures.collect();
        format!("By {}. {}", self.name(x, y), figures.join(" "))
    }
}

fn whisker(x: f64, (low, high): (f64, f64), y: &Scale) -> String {
    let (low, high, left) = (y.at(low), y.at(high), x - 3.5);
    format!(
        "<path class=\"whisker\" d=\"M{x:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}h7M{left:.1} \
         {high:.1}h7\"/>"
    )
}
