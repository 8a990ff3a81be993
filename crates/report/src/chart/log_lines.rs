//! Draws figures of designs over a number that grows by factors, with a line for each design and a dashed one for what is
//! expected, where both axes are logarithmic.

use bakeoff_stats::DesignInfo;

use super::axis;
use super::line::{Line, Stroke, mark_at};
use super::palette::Palette;
use super::placement::Rectangle;
use super::scale::Scale;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 260.0;
const PLOT: Rectangle = Rectangle {
    left: 62.0,
    top: 10.0,
    right: WIDTH - 14.0,
    bottom: HEIGHT - 42.0,
};

/// A chart that is to be drawn.
pub struct LogLines<'a> {
    pub title: &'a str,
    /// All figures in words.
    pub description: String,
    /// What is on the axis below.
    pub below: &'a str,
    /// The greatest number that the axis below names; `None` for any.
    pub most: Option<f64>,
    /// Formats a number for the axis below.
    pub number: fn(f64) -> String,
    /// Formats a figure for the axis on the left.
    pub figure: fn(f64) -> String,
    /// The points of each design, in the order of their numbers.
    pub lines: Vec<(&'a DesignInfo, Vec<(f64, f64)>)>,
    /// The ends of the dashed line.
    pub expected: [(f64, f64); 2],
}

impl LogLines<'_> {
    /// Draws the chart, or returns `None` without a positive point.
    pub fn svg(&self) -> Option<String> {
        let points = { self.lines.iter() }.flat_map(|(_, points)| points);
        let points = points.chain(&self.expected).copied();
        let (numbers, figures): (Vec<f64>, Vec<f64>) = points.unzip();
        let x = Scale::scatter(&numbers, PLOT.left, PLOT.right)?;
        let y = Scale::scatter(&figures, PLOT.bottom, PLOT.top)?;
        let ticks: Vec<(f64, String)> = { x.ticks().into_iter() }
            .filter(|&tick| self.most.is_none_or(|most| tick <= most))
            .map(|tick| (x.at(tick), (self.number)(tick)))
            .collect();
        let palette = Palette::by_design(self.lines.iter().map(|(info, _)| *info));
        let lines =
            { self.lines.iter() }.map(|(info, points)| line_of(info, points, &palette, &x, &y));
        let content = axis::left_side(&y, PLOT.left, PLOT.right, self.figure)
            + &axis::below(&ticks, &PLOT, WIDTH)
            + &axis::frame(&PLOT, self.below)
            + &line("yardstick", Stroke::Dashed, &self.expected).svg(&x, &y)
            + &lines.collect::<String>();
        Some(super::svg(
            WIDTH,
            HEIGHT,
            self.title,
            &self.description,
            &content,
        ))
    }
}

fn line(class: &str, stroke: Stroke, points: &[(f64, f64)]) -> Line {
    Line {
        class: class.to_owned(),
        stroke,
        mark: None,
        points: { points.iter() }
            .map(|(number, figure)| (*number, Some(*figure)))
            .collect(),
    }
}

fn line_of(
    info: &DesignInfo,
    points: &[(f64, f64)],
    palette: &Palette<'_>,
    x: &Scale,
    y: &Scale,
) -> String {
    let class = palette.class(info);
    let marks = { points.iter() }
        .map(|(number, figure)| mark_at(palette.marker(info), x.at(*number), y.at(*figure)));
    let marks: String = marks.collect();
    line(&class, Stroke::Strong, points).svg(x, y) + &format!("<g class=\"{class}\">{marks}</g>\n")
}
