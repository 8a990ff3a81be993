//! Draws storage against query speed, both logarithmic: the upper right corner is best.

use std::fmt::Write;

use bakeoff_stats::{DesignSummary, Summary};

use super::palette::Palette;
use super::placement::{Labelled, Rectangle, place};
use super::scale::Scale;
use crate::markup::Escaped;
use crate::units;

/// The size of a chart; a page has both and shows the one that fits its screen.
#[derive(Debug, Clone, Copy)]
pub enum Size {
    Wide,
    Phone,
}

impl Size {
    const fn width_and_height(self) -> (f64, f64) {
        match self {
            Size::Wide => (760.0, 470.0),
            Size::Phone => (360.0, 440.0),
        }
    }

    const fn plot(self) -> Rectangle {
        let (width, height) = self.width_and_height();
        Rectangle {
            left: 62.0,
            top: 14.0,
            right: width - MARGIN,
            bottom: height - 54.0,
        }
    }
}

/// Returns the corner of the plot in which the chart says where the better designs are.
fn corner(plot: &Rectangle) -> Rectangle {
    Rectangle {
        left: plot.right - 72.0,
        top: plot.top,
        right: plot.right,
        bottom: plot.top + 22.0,
    }
}

/// Room to the right of the plot.
const MARGIN: f64 = 14.0;
const LABEL_HEIGHT: f64 = 15.0;
/// Width allowed for a character of a label, a little more than the average, to find labels that would collide.
const CHARACTER: f64 = 7.0;

struct Point<'a> {
    design: &'a DesignSummary,
    rows_per_megabyte: f64,
    rows_per_second: f64,
}

/// Draws the chart, or returns `None` if no design has both figures.
pub fn scatter(summary: &Summary, size: Size) -> Option<String> {
    let queries = compared_queries(summary);
    let points = points(summary, &queries);
    let storage: Vec<f64> = points.iter().map(|p| p.rows_per_megabyte).collect();
    let speed: Vec<f64> = points.iter().map(|p| p.rows_per_second).collect();
    let (plot, (width, height)) = (size.plot(), size.width_and_height());
    let x = Scale::scatter(&storage, plot.left, plot.right)?;
    let y = Scale::scatter(&speed, plot.bottom, plot.top)?;
    let of = of_queries(&queries);
    let content = axes(&x, &y, &plot, &of) + &marks(summary, &points, &plot, &x, &y);
    let title = format!("Storage efficiency against the speed of {of}");
    Some(super::svg(
        width,
        height,
        &title,
        &description(&queries, &points),
        &content,
    ))
}

/// Returns the queries that most designs answered, without those that one of them answered without reading a row, as
/// from metadata, unless these are all.
fn compared_queries(summary: &Summary) -> Vec<&str> {
    let answered = |name: &str| {
        let queries = summary.designs.iter().filter_map(|d| d.query(name));
        queries.filter(|query| query.time.is_some()).count()
    };
    let names = || summary.header.queries.iter().map(|q| q.name.as_str());
    let most = names().map(answered).max().unwrap_or_default();
    let by_most: Vec<&str> = names().filter(|name| answered(name) == most).collect();
    let reads_rows = |name: &&str| {
        let reads_some = |design: &DesignSummary| {
            design.query(name).is_none_or(|query| {
                let counts_none = query.rows_scanned.is_some_and(|rows| rows <= 0.0);
                !counts_none && !design.answers_from_metadata(query)
            })
        };
        summary.designs.iter().all(reads_some)
    };
    let reading: Vec<&str> = by_most.iter().copied().filter(reads_rows).collect();
    if reading.is_empty() { by_most } else { reading }
}

/// Names the only query, or says how many queries the speed is of.
fn of_queries(queries: &[&str]) -> String {
    match queries {
        [only] => format!("query {only}"),
        several => format!("{} queries, their geometric mean", several.len()),
    }
}

fn points<'a>(summary: &'a Summary, queries: &[&str]) -> Vec<Point<'a>> {
    let point = |design: &'a DesignSummary| {
        Some(Point {
            design,
            rows_per_megabyte: 1e6 / design.bytes_per_row.filter(|&b| b > 0.0)?,
            rows_per_second: summary.rows as f64 / mean_seconds(design, queries)?,
        })
    };
    summary.designs.iter().filter_map(point).collect()
}

/// Returns the geometric mean of the median times of queries, so that each counts alike however long it takes;
/// `None` if the design has no time of one of them.
fn mean_seconds(design: &DesignSummary, queries: &[&str]) -> Option<f64> {
    let seconds = |name: &&str| {
        design
            .query(name)?
            .time
            .map(|t| t.median)
            .filter(|&s| s > 0.0)
    };
    let logarithms: Option<Vec<f64>> = { queries.iter() }
        .map(|name| seconds(name).map(f64::ln))
        .collect();
    let logarithms = logarithms.filter(|all| !all.is_empty())?;
    Some((logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
}

fn axes(x: &Scale, y: &Scale, plot: &Rectangle, of: &str) -> String {
    let Rectangle {
        left,
        top,
        right,
        bottom,
    } = *plot;
    let label = |value: f64| units::trimmed(&units::rate(value));
    let mut axes = String::new();
    for tick in x.ticks() {
        let (at, below, text) = (x.at(tick), bottom + 18.0, label(tick));
        // The last label stays inside the chart.
        let half = text.chars().count() as f64 * CHARACTER / 2.0;
        let middle = at.min(right + MARGIN - half);
        let _ = writeln!(
            axes,
            "<path class=\"grid\" d=\"M{at:.1} {top}V{bottom}\"/>\
             <text class=\"tick\" x=\"{middle:.1}\" y=\"{below}\" text-anchor=\"middle\">{text}</text>"
        );
    }
    for tick in y.ticks() {
        let (at, before, text) = (y.at(tick), left - 8.0, label(tick));
        let _ = writeln!(
            axes,
            "<path class=\"grid\" d=\"M{left} {at:.1}H{right}\"/><text class=\"tick\" \
             x=\"{before}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            at + 4.0
        );
    }
    let middle = (left + right) / 2.0;
    let center = (top + bottom) / 2.0;
    let _ = writeln!(
        axes,
        "<path class=\"axis\" d=\"M{left} {top}V{bottom}H{right}\"/>\
         <text class=\"name\" x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">rows per MB of \
         storage →</text>\
         <text class=\"name\" transform=\"translate(14 {center}) rotate(-90)\" \
         text-anchor=\"middle\">rows of the table per second, {} →</text>\
         <text class=\"hint\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">better ↗</text>",
        bottom + 42.0,
        Escaped(of),
        right - 8.0,
        top + 16.0,
    );
    axes
}

fn marks(summary: &Summary, points: &[Point], plot: &Rectangle, x: &Scale, y: &Scale) -> String {
    let palette = Palette::by_engine(summary);
    let room = ((plot.right - plot.left) / CHARACTER) as usize;
    let names: Vec<String> = points
        .iter()
        .map(|point| super::cut(&point.design.info.id, room))
        .collect();
    let places: Vec<Labelled> = points
        .iter()
        .zip(&names)
        .map(|(point, name)| Labelled {
            x: x.at(point.rows_per_megabyte),
            y: y.at(point.rows_per_second),
            width: name.chars().count() as f64 * CHARACTER,
            height: LABEL_HEIGHT,
        })
        .collect();
    let labels = place(&places, &by_weight(summary, points), plot, corner(plot));
    let leaders = places
        .iter()
        .zip(&labels)
        .filter_map(|(at, label)| Some(leader(at, label.as_ref()?)));
    // Leaders come before the labels, whose halo cuts them.
    let mut marks: String = leaders.collect();
    for (index, (point, at)) in points.iter().zip(&places).enumerate() {
        let info = &point.design.info;
        let label = labels[index].map(|label| label_of(point.design, &names[index], at, &label));
        let _ = writeln!(
            marks,
            "<g class=\"{}\"><title>{}</title><path class=\"mark\" d=\"{}\"/>{}</g>",
            palette.class(info),
            Escaped(in_words(point)),
            palette.marker(info).path(at.x, at.y),
            label.unwrap_or_default(),
        );
    }
    marks
}

/// Returns the order in which points get labels, since there may not be room for all: the recommended design, the next
/// one, those that no other one beats in everything, the best by each axis, and then the others as they come.
fn by_weight(summary: &Summary, points: &[Point]) -> Vec<usize> {
    let decision = summary.decision.as_ref();
    let recommendation = decision.and_then(|decision| decision.recommendation.as_ref());
    let runner_up = recommendation.and_then(|of| of.runner_up.as_ref());
    let front = decision.into_iter().flat_map(|decision| &decision.front);
    let best = [
        { points.iter() }.max_by(|a, b| a.rows_per_megabyte.total_cmp(&b.rows_per_megabyte)),
        { points.iter() }.max_by(|a, b| a.rows_per_second.total_cmp(&b.rows_per_second)),
    ];
    let first = { recommendation.into_iter().map(|of| of.design.as_str()) }
        .chain(runner_up.map(|other| other.design.as_str()))
        .chain(front.map(|choice| choice.design.as_str()))
        .chain({ best.into_iter().flatten() }.map(|point| point.design.info.id.as_str()));
    let first = first.filter_map(|id| points.iter().position(|p| p.design.info.id == id));
    let mut order: Vec<usize> = Vec::new();
    for index in first.chain(0..points.len()) {
        if !order.contains(&index) {
            order.push(index);
        }
    }
    order
}

/// Draws the label of a point.
fn label_of(design: &DesignSummary, name: &str, at: &Labelled, label: &Rectangle) -> String {
    let (anchor, x) = anchor(at, label);
    let failed = if design.is_right() { "" } else { " failed" };
    format!(
        "<text class=\"label{failed}\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
        label.bottom - 3.5,
        Escaped(name),
    )
}

/// Anchors a label on the side of its point, whatever the text's real width is.
fn anchor(point: &Labelled, label: &Rectangle) -> (&'static str, f64) {
    if label.left > point.x {
        ("start", label.left)
    } else if label.right < point.x {
        ("end", label.right)
    } else {
        ("middle", (label.left + label.right) / 2.0)
    }
}

/// Draws a line from a point to a label that had to move away.
fn leader(point: &Labelled, label: &Rectangle) -> String {
    let middle = (label.top + label.bottom) / 2.0;
    if (middle - point.y).abs() <= LABEL_HEIGHT {
        return String::new();
    }
    let x = point.x.clamp(label.left, label.right);
    format!(
        "<path class=\"leader\" d=\"M{:.1} {:.1}L{x:.1} {middle:.1}\"/>",
        point.x, point.y
    )
}

/// Says which design a point is, and its figures.
fn in_words(point: &Point) -> String {
    format!(
        "{}: {} rows per MB, {} rows/s.",
        point.design.info.id,
        units::rate(point.rows_per_megabyte),
        units::rate(point.rows_per_second)
    )
}

fn description(queries: &[&str], points: &[Point]) -> String {
    let figures: Vec<String> = points.iter().map(in_words).collect();
    let of = match queries {
        [_] => String::new(),
        several => format!("Speed is the geometric mean of {}. ", several.join(", ")),
    };
    format!("Upper right is better. {of}{}", figures.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_label_of_the_storage_stays_inside_the_chart() {
        for size in [Size::Wide, Size::Phone] {
            let plot = size.plot();
            let x = Scale::scatter(&[30_000.0, 400_000.0], plot.left, plot.right).unwrap();
            let y = Scale::scatter(&[1.0, 9.0], plot.bottom, plot.top).unwrap();
            let axes = axes(&x, &y, &plot, "query usa");
            let before = axes.split(">500 k<").next().unwrap();
            let place = before.rsplit("x=\"").next().unwrap();
            let place: f64 = place.split('"').next().unwrap().parse().unwrap();
            let half = 5.0 * CHARACTER / 2.0;
            let (width, _) = size.width_and_height();
            assert!(
                place > plot.right - half && place + half < width + 0.1,
                "{place}"
            );
        }
    }
}
