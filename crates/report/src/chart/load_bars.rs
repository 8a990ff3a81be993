//! Draws rows loaded per second, fastest first. A table that several designs read was loaded once, and is drawn once.

use bakeoff_stats::{DesignSummary, Estimate, Summary};

use super::bars::{Bar, Value, bars};
use super::palette::Palette;
use crate::compare::to_best;
use crate::units;

/// Draws the chart, or returns `None` if nothing was loaded.
pub fn load_bars(summary: &Summary) -> Option<String> {
    let palette = Palette::by_engine(summary);
    let designs = summary.designs.iter();
    let mut designs: Vec<&DesignSummary> = designs.filter(|d| d.info.has_own_table()).collect();
    let rate = |d: &DesignSummary| d.load_rate.map_or(0.0, |r| r.median);
    designs.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    let rows: Vec<Bar> = designs.into_iter().map(|d| bar(d, &palette)).collect();
    let rates = summary.designs.iter().filter_map(|d| d.load_rate.as_ref());
    let intervals = to_best::interval_heading(rates).to_lowercase();
    let title = format!("Rows loaded a second by design, with {intervals}s");
    bars(&title, &rows, |rate| units::trimmed(&units::rate(rate)))
}

fn bar(design: &DesignSummary, palette: &Palette) -> Bar {
    let value = |rate: Estimate| Value {
        value: rate.median,
        whisker: (rate.coverage > 0.0).then_some((rate.low, rate.high)),
    };
    let text = match design.load_rate {
        Some(rate) => format!("{} rows/s", units::rate(rate.median)),
        None if design.is_right() => "not loaded".to_owned(),
        None => "failed".to_owned(),
    };
    Bar {
        label: design.info.id.clone(),
        class: palette.class(&design.info),
        text,
        value: design.load_rate.map(value),
        failed: !design.is_right(),
    }
}
