//! Draws the times of a query by the number of series in the table, with a line for each design.

use bakeoff_stats::{DesignSummary, Summary};

use super::log_lines::{LogLines, of_designs};
use crate::units;

/// Returns the designs that have times of tables with different numbers of series.
pub fn designs_by_series(summary: &Summary) -> Vec<&DesignSummary> {
    let queries = &summary.header.queries;
    let is_drawn = |design: &&DesignSummary| {
        let mut measured = { queries.iter() }.map(|query| points(summary, design, &query.name));
        measured.any(|points| points.len() > 1)
    };
    summary.designs.iter().filter(is_drawn).collect()
}

/// Draws the chart of these designs, or returns `None` if none of them has times at several numbers of series.
pub fn series_lines(summary: &Summary, designs: &[&DesignSummary], query: &str) -> Option<String> {
    let lines: Vec<(&DesignSummary, Vec<(f64, f64)>)> = { designs.iter() }
        .map(|design| (*design, points(summary, design, query)))
        .filter(|(_, points)| !points.is_empty())
        .collect();
    if lines.iter().all(|(_, points)| points.len() < 2) {
        return None;
    }
    let all = || lines.iter().flat_map(|(_, points)| points);
    let numbers = || all().map(|(series, _)| *series);
    let (fewest, most) = (
        numbers().min_by(f64::total_cmp)?,
        numbers().max_by(f64::total_cmp)?,
    );
    let of_fewest = all().filter(|(series, _)| *series <= fewest);
    let fastest = { of_fewest.map(|(_, seconds)| *seconds) }.min_by(f64::total_cmp)?;
    let in_words: Vec<String> = { lines.iter() }
        .map(|(design, points)| in_words(&design.info.id, points))
        .collect();
    let chart = LogLines {
        title: &format!(
            "Median time of query {query} by the number of series, a line for each design"
        ),
        description: in_words.join(" "),
        below: "series, both axes logarithmic",
        most: None,
        number: |series| units::trimmed(&units::rate(series)),
        figure: units::duration,
        lines: of_designs(
            lines
                .iter()
                .map(|(design, points)| (&design.info, points.clone())),
        ),
        expected: Some([
            (fewest, fastest),
            (most, (fastest * most / fewest).min(f64::MAX)),
        ]),
    };
    chart.svg()
}

/// Returns the numbers of series and the medians of the tables of a design that hold the whole time, the fewest series
/// first. A table in which the query finds nothing while the design's own has rows, or the other way round, is left
/// out, since that is other work.
fn points(summary: &Summary, design: &DesignSummary, query: &str) -> Vec<(f64, f64)> {
    let series = summary.axes.as_ref().and_then(|axes| axes.series);
    let (Some(series), Some(own)) = (series, design.query(query)) else {
        return Vec::new();
    };
    let parts = summary.parts_of(design).into_iter();
    let whole_time = parts.filter(|part| part.divided.1 == 1);
    let mut points: Vec<(f64, f64)> = whole_time
        .filter_map(|part| {
            let figures = part.figures.query(query)?;
            let seconds = figures.time?.median;
            let is_alike = figures.always_empty == own.always_empty;
            let number = series as f64 / f64::from(part.divided.0.max(1));
            let is_usable = seconds.is_finite() && seconds > 0.0;
            (is_alike && is_usable).then_some((number, seconds))
        })
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Says the times at the fewest and the most series.
fn in_words(design: &str, points: &[(f64, f64)]) -> String {
    let at = |(series, seconds): &(f64, f64)| {
        let series = units::trimmed(&units::rate(*series));
        format!("{} at {series} series", units::duration(*seconds))
    };
    let ends: Vec<String> = match points {
        [first, .., last] => vec![at(first), at(last)],
        few => few.iter().map(at).collect(),
    };
    format!("{design}: {}.", ends.join(", "))
}
