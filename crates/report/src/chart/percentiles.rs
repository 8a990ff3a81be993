//! Draws the response times of a design by percentile, together with the service times, which leave out
//! the time that operations waited to be sent.

use std::fmt::Write;

use bakeoff_stats::drive::{CurvePoint, LoadFigures, OperationFigures};

use super::axis;
use super::line::{Line, Stroke};
use super::palette::nth_class;
use super::scale::Scale;
use crate::units;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 54.0;
const RIGHT: f64 = WIDTH - 10.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = HEIGHT - 40.0;

/// Width of a character of a label.
const CHARACTER: f64 = 6.7;
/// Distance from the last share to the slowest operation, in decades.
const SLOWEST: f64 = 0.25;

/// Draws the chart, or returns `None` if no operation succeeded.
pub fn percentiles(design: &str, figures: &LoadFigures) -> Option<String> {
    let points = || figures.operations.iter().flat_map(|o| &o.curve);
    let times: Vec<f64> = points().flat_map(|p| [p.response, p.service]).collect();
    let y = Scale::scatter(&times, BOTTOM, TOP)?;
    let finite = points().map(decades).filter(|d| d.is_finite());
    // The slowest operation is drawn beyond all shares.
    let greatest = finite.fold(1.0, f64::max) + SLOWEST;
    let x = Scale::up_to(greatest, LEFT, RIGHT);
    let mut content = axes(&x, &y, greatest - SLOWEST);
    let several = figures.operations.len() > 1;
    for (place, operation) in figures.operations.iter().enumerate() {
        let line = |stroke, time: fn(&CurvePoint) -> f64| Line {
            class: nth_class(place),
            stroke,
            mark: (several && stroke == Stroke::Strong).then_some(place),
            points: operation
                .curve
                .iter()
                .map(|p| (decades(p).min(greatest), Some(time(p))))
                .collect(),
        };
        content += &line(Stroke::Dashed, |p| p.service).svg(&x, &y);
        content += &line(Stroke::Strong, |p| p.response).svg(&x, &y);
    }
    let title = format!("Response and service time by percentile, {design}");
    Some(super::svg(
        WIDTH,
        HEIGHT,
        &title,
        &description(figures),
        &content,
    ))
}

/// Draws the response times of one operation by percentile in several measurements over each other, each with its
/// place, which sets colour and mark, and its name; returns `None` if it succeeded in none of them.
pub fn percentiles_of_runs(
    title: &str,
    runs: &[(usize, &str, &OperationFigures)],
) -> Option<String> {
    let points = || runs.iter().flat_map(|(_, _, operation)| &operation.curve);
    let times: Vec<f64> = points().map(|p| p.response).collect();
    let y = Scale::scatter(&times, BOTTOM, TOP)?;
    let finite = points().map(decades).filter(|d| d.is_finite());
    let greatest = finite.fold(1.0, f64::max) + SLOWEST;
    let x = Scale::up_to(greatest, LEFT, RIGHT);
    let lines = runs.iter().map(|(place, _, operation)| {
        let points = operation.curve.iter();
        let line = Line {
            class: nth_class(*place),
            stroke: Stroke::Strong,
            mark: Some(*place),
            points: points
                .map(|p| (decades(p).min(greatest), Some(p.response)))
                .collect(),
        };
        line.svg(&x, &y)
    });
    let content = axes(&x, &y, greatest - SLOWEST) + &lines.collect::<String>();
    let in_words = runs.iter().filter_map(|(_, name, operation)| {
        let response = operation.response?;
        Some(format!(
            "{name}: p50 {}, p99 {}, longest {}.",
            units::duration(response.p50),
            units::duration(response.p99),
            units::duration(response.max)
        ))
    });
    let in_words: Vec<String> = in_words.collect();
    let description = format!("Logarithmic scales. {}", in_words.join(" "));
    Some(super::svg(WIDTH, HEIGHT, title, &description, &content))
}

/// Returns how often the share of slower operations was divided by ten; infinity for the slowest one.
fn decades(point: &CurvePoint) -> f64 {
    -(1.0 - point.quantile).log10()
}

fn axes(x: &Scale, y: &Scale, decades: f64) -> String {
    let mut axes = axis::times(y, LEFT, RIGHT);
    let mut free_from = 0.0;
    for decade in 0..=decades as u32 {
        let at = x.at(f64::from(decade));
        let _ = writeln!(axes, "<path class=\"grid\" d=\"M{at:.1} {TOP}V{BOTTOM}\"/>");
        let label = share(decade);
        let half = label.len() as f64 * CHARACTER / 2.0;
        let at = at.min(WIDTH - half);
        if at - half < free_from {
            continue;
        }
        free_from = at + half + CHARACTER;
        let _ = writeln!(
            axes,
            "<text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            BOTTOM + 16.0
        );
    }
    let _ = writeln!(
        axes,
        "<path class=\"axis\" d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\"/><text class=\"name\" \
         x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">share of the operations that are \
         faster</text>",
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 33.0
    );
    axes
}

/// Writes the share of operations that are faster than the slowest one in 10^n.
fn share(decade: u32) -> String {
    match decade {
        0 => "0%".to_owned(),
        1 => "90%".to_owned(),
        2 => "99%".to_owned(),
        n => format!("99.{}%", "9".repeat(n as usize - 2)),
    }
}

fn description(figures: &LoadFigures) -> String {
    let sentence = |o: &OperationFigures| {
        let (response, service) = (o.response?, o.service?);
        Some(format!(
            "{}: response time p50 {}, p99 {}, p99.9 {}, longest {}; service time p99 {}.",
            o.name,
            units::duration(response.p50),
            units::duration(response.p99),
            units::duration(response.p999),
            units::duration(response.max),
            units::duration(service.p99)
        ))
    };
    let sentences: Vec<String> = figures.operations.iter().filter_map(sentence).collect();
    format!("Logarithmic scales. {}", sentences.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_count_nines() {
        let shares = [0, 1, 2, 3, 6].map(share);
        assert_eq!(shares, ["0%", "90%", "99%", "99.9%", "99.9999%"]);
    }

    #[test]
    fn labels_of_many_decades_leave_each_other_room() {
        let x = Scale::up_to(7.25, LEFT, RIGHT);
        let y = Scale::scatter(&[1e-3, 1.0], BOTTOM, TOP).unwrap();
        let axes = axes(&x, &y, 7.0);
        assert!(axes.contains(">99.9%<") && !axes.contains(">99.99%<"));
        assert_eq!(axes.matches("V210").count(), 8 + 1);
    }
}
