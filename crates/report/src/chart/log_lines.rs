//! Draws figures over a number that grows by factors, with a line for each design or measurement and a dashed one for
//! what is expected, where both axes are logarithmic.

use bakeoff_stats::DesignInfo;

use super::axis;
use super::line::{Line, Stroke, mark_at};
use super::palette::{Marker, Palette};
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
    pub lines: Vec<LogLine>,
    /// The ends of the dashed line; `None` for none.
    pub expected: Option<[(f64, f64); 2]>,
}

/// A line with a mark at each of its points.
pub struct LogLine {
    /// CSS class that sets the colour.
    pub class: String,
    pub marker: Marker,
    /// Points in the order of their numbers.
    pub points: Vec<(f64, f64)>,
}

/// Gives each design its own colour and mark.
pub fn of_designs<'a>(
    designs: impl Iterator<Item = (&'a DesignInfo, Vec<(f64, f64)>)>,
) -> Vec<LogLine> {
    let designs: Vec<(&DesignInfo, Vec<(f64, f64)>)> = designs.collect();
    let palette = Palette::by_design(designs.iter().map(|(info, _)| *info));
    let line = |(info, points): (&DesignInfo, Vec<(f64, f64)>)| LogLine {
        class: palette.class(info),
        marker: palette.marker(info),
        points,
    };
    designs.into_iter().map(line).collect()
}

impl LogLines<'_> {
    /// Draws the chart, or returns `None` without a positive point.
    pub fn svg(&self) -> Option<String> {
        let points = { self.lines.iter() }.flat_map(|line| &line.points);
        let points = points.chain(self.expected.iter().flatten()).copied();
        let (numbers, figures): (Vec<f64>, Vec<f64>) = points.unzip();
        let x = Scale::scatter(&numbers, PLOT.left, PLOT.right)?;
        let y = Scale::scatter(&figures, PLOT.bottom, PLOT.top)?;
        let ticks: Vec<(f64, String)> = { x.ticks().into_iter() }
            .filter(|&tick| self.most.is_none_or(|most| tick <= most))
            .map(|tick| (x.at(tick), (self.number)(tick)))
            .collect();
        let expected = { self.expected.iter() }
            .map(|ends| line("yardstick", Stroke::Dashed, ends).svg(&x, &y));
        let lines = self.lines.iter().map(|line| line.svg(&x, &y));
        let content = axis::left_side(&y, PLOT.left, PLOT.right, self.figure)
            + &axis::below(&ticks, &PLOT, WIDTH)
            + &axis::frame(&PLOT, self.below)
            + &expected.collect::<String>()
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

impl LogLine {
    fn svg(&self, x: &Scale, y: &Scale) -> String {
        let marks = { self.points.iter() }
            .map(|(number, figure)| mark_at(self.marker, x.at(*number), y.at(*figure)));
        let marks: String = marks.collect();
        let class = &self.class;
        line(class, Stroke::Strong, &self.points).svg(x, y)
            + &format!("<g class=\"{class}\">{marks}</g>\n")
    }
}
