//! Draws the times of a query by the rows of the table, with a line for each design and what is forecast for more
//! rows.

use bakeoff_stats::{DesignSummary, Summary};

use super::axis;
use super::line::{Line, Stroke, mark_at};
use super::palette::Palette;
use super::placement::Rectangle;
use super::scale::Scale;
use crate::units;

/// Most lines that colours and shapes tell apart.
pub const MOST_LINES: usize = 12;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 260.0;
const PLOT: Rectangle = Rectangle {
    left: 62.0,
    top: 10.0,
    right: WIDTH - 14.0,
    bottom: HEIGHT - 42.0,
};
/// Steps by which the curve of a forecast is drawn.
const STEPS: u32 = 16;

/// Times of a query on a design, by rows.
struct Growth<'a> {
    design: &'a DesignSummary,
    measured: Vec<(u64, f64)>,
    forecast: Option<Forecast>,
}

/// What is forecast beyond the rows that were measured.
struct Forecast {
    /// Rows and seconds, from the largest table that was measured to the full scale.
    curve: Vec<(f64, f64)>,
    rows: u64,
    seconds: f64,
    interval: (f64, f64),
}

/// Returns the designs that have times at several numbers of rows, of which the first [`MOST_LINES`] are drawn.
pub fn grown_designs(summary: &Summary) -> Vec<&DesignSummary> {
    let queries = &summary.header.queries;
    let has_grown = |design: &&DesignSummary| {
        let mut measured = { queries.iter() }.map(|query| measured(summary, design, &query.name));
        measured.any(|measured| measured.len() > 1)
    };
    summary.designs.iter().filter(has_grown).collect()
}

/// Draws the chart of these designs, or returns `None` if none of them has times at several numbers of rows.
pub fn rows_lines(summary: &Summary, designs: &[&DesignSummary], query: &str) -> Option<String> {
    let lines: Vec<Growth<'_>> = { designs.iter() }
        .map(|design| Growth::of(summary, design, query))
        .filter(|growth| !growth.measured.is_empty())
        .collect();
    if lines.iter().all(|growth| growth.measured.len() < 2) {
        return None;
    }
    let points = lines.iter().flat_map(Growth::points);
    let (rows, seconds): (Vec<f64>, Vec<f64>) = points.unzip();
    let x = Scale::scatter(&rows, PLOT.left, PLOT.right)?;
    let y = Scale::scatter(&seconds, PLOT.bottom, PLOT.top)?;
    let ticks: Vec<(f64, String)> = { x.ticks().into_iter() }
        .map(|tick| (x.at(tick), units::trimmed(&units::rate(tick))))
        .collect();
    let palette = Palette::by_design(designs.iter().map(|design| &design.info));
    let lines_of = |growth: &Growth<'_>| growth.svg(&palette, &x, &y);
    let content = axis::times(&y, PLOT.left, PLOT.right)
        + &axis::below(&ticks, &PLOT, WIDTH)
        + &axis::frame(&PLOT, "rows of the table, both axes logarithmic")
        + &lines.iter().map(lines_of).collect::<String>();
    let title =
        format!("Median time of query {query} by rows of the table, a line for each design");
    let description: Vec<String> = lines.iter().map(Growth::in_words).collect();
    Some(super::svg(
        WIDTH,
        HEIGHT,
        &title,
        &description.join(" "),
        &content,
    ))
}

/// Returns rows and medians of the tables of a design, the smallest first. A table in which the query finds nothing
/// while the design's own has rows, or the other way round, is left out, since that is other work.
fn measured(summary: &Summary, design: &DesignSummary, query: &str) -> Vec<(u64, f64)> {
    let own = design.query(query).filter(|own| own.time.is_some());
    let scales = summary.scales_of(design).into_iter();
    let points = scales.filter_map(|(rows, figures)| {
        let asked = figures.query(query)?;
        let seconds = asked.time?.median;
        let is_same_work = own.is_none_or(|own| own.always_empty == asked.always_empty);
        let is_usable = rows > 0 && seconds.is_finite() && seconds > 0.0;
        (is_same_work && is_usable).then_some((rows, seconds))
    });
    let mut points: Vec<(u64, f64)> = points.collect();
    points.dedup_by_key(|(rows, _)| *rows);
    points
}

/// Returns the forecast at full scale, if there is one and that is more rows than were measured.
fn forecast(summary: &Summary, design: &DesignSummary, query: &str) -> Option<Forecast> {
    let forecast = summary.forecast.as_ref()?;
    let known = forecast.design(&design.info.id)?.time(query)?.known()?;
    let (from, to) = (forecast.measured_rows as f64, forecast.rows as f64);
    if forecast.rows <= forecast.measured_rows || from < 1.0 {
        return None;
    }
    let at_step = |step: u32| from * (to / from).powf(f64::from(step) / f64::from(STEPS));
    let between = known.curve.iter().flat_map(|curve| {
        let rows = (1..STEPS).map(at_step);
        rows.map(move |rows| (rows, curve.at(rows)))
    });
    let measured = design.query(query)?.time?.median;
    let curve = std::iter::once((from, measured)).chain(between);
    let curve = curve.chain([(to, known.seconds)]);
    Some(Forecast {
        curve: curve.filter(|(_, seconds)| *seconds > 0.0).collect(),
        rows: forecast.rows,
        seconds: known.seconds,
        interval: known.interval,
    })
}

impl<'a> Growth<'a> {
    fn of(summary: &Summary, design: &'a DesignSummary, query: &str) -> Growth<'a> {
        Growth {
            design,
            measured: measured(summary, design, query),
            forecast: forecast(summary, design, query),
        }
    }

    /// Returns rows and seconds of everything that is drawn.
    fn points(&self) -> Vec<(f64, f64)> {
        let mut points = self.measured_points();
        if let Some(forecast) = &self.forecast {
            let to = forecast.rows as f64;
            let (low, high) = forecast.interval;
            points.extend(&forecast.curve);
            points.extend([(to, low), (to, high)]);
        }
        points
    }

    fn measured_points(&self) -> Vec<(f64, f64)> {
        let points = self.measured.iter();
        points
            .map(|(rows, seconds)| (*rows as f64, *seconds))
            .collect()
    }

    fn svg(&self, palette: &Palette<'_>, x: &Scale, y: &Scale) -> String {
        let info = &self.design.info;
        let class = palette.class(info);
        let line = |stroke, points: &[(f64, f64)]| Line {
            class: class.clone(),
            stroke,
            mark: None,
            points: { points.iter() }
                .map(|(rows, seconds)| (*rows, Some(*seconds)))
                .collect(),
        };
        let measured = self.measured_points();
        let mut svg = line(Stroke::Strong, &measured).svg(x, y);
        if let Some(forecast) = &self.forecast {
            let (low, high) = forecast.interval;
            let to = forecast.rows as f64;
            svg += &line(Stroke::Dashed, &forecast.curve).svg(x, y);
            svg += &line(Stroke::Light, &[(to, low), (to, high)]).svg(x, y);
        }
        let marks = { measured.iter() }
            .map(|(rows, seconds)| mark_at(palette.marker(info), x.at(*rows), y.at(*seconds)));
        svg + &format!("<g class=\"{class}\">{}</g>\n", marks.collect::<String>())
    }

    /// Says the times at the fewest and the most rows, and the forecast.
    fn in_words(&self) -> String {
        let at = |rows: u64, seconds: f64| {
            format!("{} at {} rows", units::duration(seconds), units::rows(rows))
        };
        let ends = match self.measured.as_slice() {
            [] => Vec::new(),
            [(rows, seconds)] => vec![at(*rows, *seconds)],
            [first, .., last] => vec![at(first.0, first.1), at(last.0, last.1)],
        };
        let forecast = { self.forecast.iter() }
            .map(|forecast| format!("forecast {}", at(forecast.rows, forecast.seconds)));
        let parts: Vec<String> = ends.into_iter().chain(forecast).collect();
        format!("{}: {}.", self.design.info.id, parts.join(", "))
    }
}
