//! What stands above charts with a line for each design: which mark is whose, and which designs are not drawn.

use bakeoff_stats::DesignInfo;

use crate::chart::Palette;
use crate::listing::list;
use crate::page;

/// Most designs that are named where they are not drawn.
const LISTED: usize = 6;

/// Renders the mark of each design.
pub fn legend<'a>(designs: impl Iterator<Item = &'a DesignInfo> + Clone) -> String {
    let palette = Palette::by_design(designs.clone());
    page::legend(designs.map(|info| {
        let mark = palette.marker(info).character();
        (palette.class(info), mark, info.id.as_str())
    }))
}

/// Names the designs that are not drawn, as a sentence behind another one; empty if there are none.
pub fn not_drawn<'a>(designs: impl Iterator<Item = &'a DesignInfo>) -> String {
    let names: Vec<&str> = designs.map(|info| info.id.as_str()).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(" Not drawn: {}.", list(&names, LISTED))
}
