//! Draws one panel of a chart whose panels share a time axis: a heading, a value axis and lines.

use std::fmt::Write;

use super::line::Line;
use super::placement::Rectangle;
use super::scale::Scale;
use crate::markup::Escaped;
use crate::text::style::wrap;

/// Distance from a panel's top to its plot, which leaves room for a heading of one line.
const HEADING: f64 = 22.0;
/// Height of a further line of text, such as of a heading.
pub const LINE: f64 = 15.0;
/// Width allowed for a character of text, a little more than the average.
const CHARACTER: f64 = 7.2;
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

    /// Returns whether all values that it has are 0.
    pub fn is_zero(&self) -> bool {
        self.values().all(|value| value == 0.0)
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        let points = self.lines.iter().flat_map(|l| &l.points);
        points
            .filter_map(|(_, value)| *value)
            .filter(|v| v.is_finite())
    }

    /// Returns the distance from the panel's top to a plot of this width, which leaves room for the heading.
    pub fn above(&self, width: f64) -> f64 {
        let further = self.heading_lines(width).len().saturating_sub(1);
        HEADING + further as f64 * LINE
    }

    /// Breaks the heading into lines that are no wider than the plot.
    fn heading_lines(&self, width: f64) -> Vec<String> {
        lines_of_text(&self.heading, width)
    }

    fn heading_svg(&self, plot: &Rectangle) -> String {
        let lines = self.heading_lines(plot.right - plot.left);
        let last = lines.len();
        let line = |(place, line): (usize, &String)| {
            let above = (last - 1 - place) as f64 * LINE;
            format!(
                "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
                plot.left,
                plot.top - 8.0 - above,
                Escaped(line)
            )
        };
        lines.iter().enumerate().map(line).collect()
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
        let mut svg = self.heading_svg(plot);
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

/// Breaks text into lines of no more than a width.
pub fn lines_of_text(text: &str, width: f64) -> Vec<String> {
    let characters = (width / CHARACTER) as usize;
    let lines = wrap(text, characters, "", "");
    lines.lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(heading: &str) -> Panel {
        Panel {
            heading: heading.to_owned(),
            height: 62.0,
            logarithmic: false,
            lines: Vec::new(),
            tick: |value| value.to_string(),
        }
    }

    #[test]
    fn a_heading_that_is_wider_than_its_plot_takes_several_lines_above_it() {
        let heading = "Blocks a second: read into the buffers, written by checkpoints and in the background dashed";
        let panel = panel(heading);
        assert_eq!(panel.above(684.0), HEADING);
        let lines = panel.heading_lines(284.0);
        assert!(
            lines.iter().all(|line| line.chars().count() <= 39),
            "{lines:?}"
        );
        assert_eq!(lines.join(" "), heading);
        let above = panel.above(284.0);
        let plot = Rectangle {
            left: 62.0,
            top: above,
            right: 346.0,
            bottom: above + 62.0,
        };
        let svg = panel.heading_svg(&plot);
        assert_eq!(svg.matches("<text ").count(), lines.len());
        // The first line is as far from the top as that of a heading of one line.
        assert!(
            svg.contains(&format!("y=\"{:.1}\">Blocks", HEADING - 8.0)),
            "{svg}"
        );
    }
}
