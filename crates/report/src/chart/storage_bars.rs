//! Draws bytes of storage per row, smallest first.

use bakeoff_stats::{DesignSummary, Summary};

use super::bars::{Bar, Value, bars};
use super::palette::Palette;
use crate::compare::to_best;
use crate::units;

/// Draws the chart, or returns `None` if no storage was read.
pub fn storage_bars(summary: &Summary) -> Option<String> {
    let palette = Palette::by_engine(summary);
    let mut designs: Vec<&DesignSummary> = summary.designs.iter().collect();
    let size = |d: &DesignSummary| d.bytes_per_row.unwrap_or(f64::INFINITY);
    designs.sort_by(|a, b| size(a).total_cmp(&size(b)));
    let rows: Vec<Bar> = designs.into_iter().map(|d| bar(d, &palette)).collect();
    bars("Bytes of storage per row by design", &rows, |bytes| {
        units::trimmed(&units::bytes(bytes))
    })
}

fn bar(design: &DesignSummary, palette: &Palette) -> Bar {
    let text = match design.bytes_per_row {
        Some(bytes) => {
            let factor = to_best::bytes_ratio(design).map(|f| format!(" · {f}"));
            units::bytes(bytes) + &factor.unwrap_or_default()
        }
        None if design.is_right() => "not read".to_owned(),
        None => "failed".to_owned(),
    };
    Bar {
        label: design.info.id.clone(),
        class: palette.class(&design.info),
        text,
        value: design.bytes_per_row.map(|value| Value {
            value,
            whisker: None,
        }),
        failed: !design.is_right(),
    }
}
