//! Draws one panel of a chart whose panels share a time axis: a heading, a value axis and lines.

use std::fmt::Write;

use super::line::Line;
use super::placement::Rectangle;
use super::scale::Scale;
use crate::markup::Escaped;

/// Distance from a panel's top to its plot, which leaves room for the heading.
pub const HEADING: f64 = 22.0;
/// Room below the plot.
pub const GAP: f64 = 14.0;
/// Least distance between the labels of an axis.
const LABEL_DISTANCE: f64 = 24.0;

pub struct Panel {
    pub heading: String,
    pub height: f64,
    /// Whether the value axis is logarithmic; otherwise it starts at zero.
    pub logarithmic: bool,
    pub lines: Vec<Line>,
    /// Formats a value for the axis.
    pub tick: fn(f64) -> String,
}

impl Panel {
    pub fn has_values(&self) -> bool {
        self.values().next().is_some()
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        let points = self.lines.iter().flat_map(|l| &l.points);
        points
            .filter_map(|(_, value)| *value)
            .filter(|v| v.is_finite())
    }

    /// Draws the panel, with its lines inside `plot`.
    pub fn svg(&self, x: &Scale, plot: &Rectangle) -> String {
        let values: Vec<f64> = self.values().collect();
        let logarithmic = self
            .logarithmic
            .then(|| Scale::scatter(&values, plot.bottom, plot.top));
        let y = logarithmic
            .flatten()
            .unwrap_or_else(|| Scale::from_zero(&values, plot.bottom, plot.top));
        let mut svg = format!(
            "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
            plot.left,
            plot.top - 8.0,
            Escaped(&self.heading)
        );
        svg += &self.axis(&y, plot);
        self.lines.iter().for_each(|line| svg += &line.svg(x, &y));
        svg
    }

    fn axis(&self, y: &Scale, plot: &Rectangle) -> String {
        let mut axis = String::new();
        let mut last = f64::INFINITY;
        for tick in y.few_ticks() {
            let at = y.at(tick);
            let _ = writeln!(
                axis,
                "<path class=\"grid\" d=\"M{} {at:.1}H{}\"/>",
                plot.left, plot.right
            );
            if (last - at).abs() < LABEL_DISTANCE {
                continue;
            }
            last = at;
            let _ = writeln!(
                axis,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                plot.left - 7.0,
                at + 4.0,
                Escaped((self.tick)(tick))
            );
        }
        axis
    }
}
