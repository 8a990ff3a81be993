//! Draws the lines of a chart, with gaps where values are missing and marks that distinguish the lines.

use std::fmt::Write;

use super::palette::Marker;
use super::scale::Scale;

/// Number of marks on one line.
const MARKS: usize = 6;
/// Size of a line's mark as a share of a point's mark.
const MARK_SIZE: f64 = 0.6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    Strong,
    Light,
    Dashed,
    LightDashed,
    /// A value that must not be exceeded.
    Limit,
}

/// Points of a line from left to right, whose value is `None` where it is not known.
pub type Points = Vec<(f64, Option<f64>)>;

pub struct Line {
    /// CSS class that sets `--color`.
    pub class: String,
    pub stroke: Stroke,
    /// Number of its mark, if several lines have the same stroke.
    pub mark: Option<usize>,
    pub points: Points,
}

impl Line {
    pub fn svg(&self, x: &Scale, y: &Scale) -> String {
        let points: Vec<Option<(f64, f64)>> = self
            .points
            .iter()
            .map(|(at, value)| {
                let value = value.filter(|v| v.is_finite())?;
                Some((x.at(*at), y.at(value)))
            })
            .collect();
        let stroke = match self.stroke {
            Stroke::Strong => "line",
            Stroke::Light => "line light",
            Stroke::Dashed => "line dashed",
            Stroke::LightDashed => "line light dashed",
            Stroke::Limit => "limit",
        };
        let mut svg = format!(
            "<g class=\"{}\"><path class=\"{stroke}\" d=\"{}\"/>",
            self.class,
            path(&points)
        );
        svg += &self.mark.map(|m| marks(m, &points)).unwrap_or_default();
        svg + "</g>\n"
    }
}

/// Draws the marks of a line, offset so that marks of different lines do not coincide. A lone point always has one,
/// since no line leads to it.
fn marks(mark: usize, points: &[Option<(f64, f64)>]) -> String {
    let step = (points.len() / MARKS).max(1);
    let first = (step * (1 + 2 * mark) / 6).min(step - 1);
    let lone = (0..points.len()).filter(|place| is_lone(points, *place));
    let mut places: Vec<usize> = (first..points.len()).step_by(step).chain(lone).collect();
    places.sort_unstable();
    places.dedup();
    let marked = places.into_iter().filter_map(|place| points[place]);
    marked
        .map(|(x, y)| mark_at(Marker::nth(mark), x, y))
        .collect()
}

/// Returns whether a point has no neighbour to which a line could lead.
fn is_lone(points: &[Option<(f64, f64)>], place: usize) -> bool {
    let is_point = |place: usize| points.get(place).is_some_and(Option::is_some);
    let has_neighbour = place.checked_sub(1).is_some_and(is_point) || is_point(place + 1);
    is_point(place) && !has_neighbour
}

/// Draws the mark of one point of a line.
pub fn mark_at(marker: Marker, x: f64, y: f64) -> String {
    format!(
        "<path class=\"mark\" transform=\"translate({x:.1} {y:.1}) scale({MARK_SIZE})\" d=\"{}\"/>",
        marker.path(0.0, 0.0)
    )
}

/// Builds the path data of a line; a lone point between gaps becomes a dot.
fn path(points: &[Option<(f64, f64)>]) -> String {
    let mut path = String::new();
    let mut open = false;
    for point in points {
        let Some((x, y)) = point else {
            open = false;
            continue;
        };
        let _ = if open {
            write!(path, "L{x:.1} {y:.1}")
        } else {
            write!(path, "M{x:.1} {y:.1}h0.1")
        };
        open = true;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_gaps_and_lone_points_are_seen() {
        let points = [Some((0.0, 1.0)), Some((1.0, 2.0)), None, Some((3.0, 4.0))];
        assert_eq!(path(&points), "M0.0 1.0h0.1L1.0 2.0M3.0 4.0h0.1");
    }

    #[test]
    fn a_lone_point_has_a_mark_wherever_it_is() {
        let alone = |place: usize| -> Vec<Option<(f64, f64)>> {
            let points = (0..60).map(|n| (n < 30 || n == place).then_some((n as f64, 1.0)));
            points.collect()
        };
        for place in 31..60 {
            let marks = marks(3, &alone(place));
            let at = format!("translate({place}.0 1.0)");
            assert_eq!(marks.matches(&at).count(), 1, "{place}: {marks}");
        }
        assert_eq!(
            marks(0, &[Some((0.0, 1.0))]).matches("translate").count(),
            1
        );
    }

    #[test]
    fn marks_of_different_lines_are_at_different_places() {
        let scale = Scale::up_to(60.0, 0.0, 600.0);
        let line = |mark| {
            let points = (0..60).map(|n| (f64::from(n), Some(1.0))).collect();
            let line = Line {
                class: "plain".to_owned(),
                stroke: Stroke::Strong,
                mark: Some(mark),
                points,
            };
            line.svg(&scale, &scale)
        };
        let first = |svg: &str| svg.split("translate(").nth(1).unwrap()[..6].to_owned();
        assert_ne!(first(&line(0)), first(&line(1)));
        assert_eq!(line(0).matches("translate").count(), 6);
    }
}
