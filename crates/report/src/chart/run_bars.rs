//! Draws a figure of designs in several measurements, with a bar for each design in each of them.

use bakeoff_stats::Estimate;

use super::bars::{Bar, Value, bars_from_zero};
use super::palette::nth_class;
use crate::units;

/// The figure of a design in one of several measurements.
pub struct OfRun {
    /// The design and the measurement: `cassandra/wide · A`.
    pub label: String,
    /// Place of the measurement, which sets the colour.
    pub place: usize,
    /// The figure with its interval, or in a word or two why there is none.
    pub figure: Result<Estimate, &'static str>,
}

/// Draws the chart, or returns `None` if there is no figure.
pub fn run_bars(title: &str, figures: &[OfRun], show: fn(f64) -> String) -> Option<String> {
    let bar = |of: &OfRun| Bar {
        label: of.label.clone(),
        class: nth_class(of.place),
        text: match &of.figure {
            Ok(figure) => show(figure.median),
            Err(why) => (*why).to_owned(),
        },
        value: of.figure.ok().map(|figure| Value {
            value: figure.median,
            whisker: (figure.observations > 1).then_some((figure.low, figure.high)),
        }),
        failed: of.figure == Err("failed") || of.figure == Err("wrong"),
    };
    let rows: Vec<Bar> = figures.iter().map(bar).collect();
    bars_from_zero(title, &rows, |tick| units::trimmed(&show(tick)))
}
