//! Draws the curves of several measurements over each other, with the colour and the mark of each.

use super::log_lines::{LogLine, LogLines};
use super::palette::{Marker, nth_class};
use crate::units;

/// The curve of one of several measurements.
pub struct RunCurve {
    /// Name of the measurement, in words.
    pub name: String,
    /// Its place, which sets colour and mark.
    pub place: usize,
    /// Points in the order of their numbers, all above zero.
    pub points: Vec<(f64, f64)>,
}

/// What the axes of a chart are of.
#[derive(Clone, Copy)]
pub struct Axes<'a> {
    /// What is on the axis below: `workers`.
    pub below: &'a str,
    /// Formats a number for the axis below.
    pub number: fn(f64) -> String,
    /// Formats a figure for the axis on the left.
    pub figure: fn(f64) -> String,
}

/// Draws the chart, or returns `None` if no curve has a point.
pub fn run_lines(title: &str, axes: Axes<'_>, curves: &[RunCurve]) -> Option<String> {
    let in_words: Vec<String> = curves.iter().map(|curve| curve.in_words(axes)).collect();
    let line = |curve: &RunCurve| LogLine {
        class: nth_class(curve.place),
        marker: Marker::nth(curve.place),
        points: curve.points.clone(),
    };
    let chart = LogLines {
        title,
        description: in_words.join(" "),
        below: &format!("{}, both axes logarithmic", axes.below),
        most: None,
        number: axes.number,
        figure: axes.figure,
        lines: curves.iter().map(line).collect(),
        expected: None,
    };
    chart.svg()
}

impl RunCurve {
    fn in_words(&self, axes: Axes<'_>) -> String {
        let points = self.points.iter().map(|(number, figure)| {
            let number = units::trimmed(&units::rate(*number));
            format!("{} at {number} {}", (axes.figure)(*figure), axes.below)
        });
        let points: Vec<String> = points.collect();
        format!("{}: {}.", self.name, points.join(", "))
    }
}
