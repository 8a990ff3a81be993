//! What stands above charts with a line for each design: which mark is whose, and which designs are not drawn.

use bakeoff_stats::{DesignInfo, DesignSummary, Summary};

use crate::chart::{MOST_LINES, Palette};
use crate::listing::list;
use crate::markup::Escaped;
use crate::page::{self, chart_figure, section};

/// Most designs that are named where they are not drawn.
const LISTED: usize = 6;

/// Draws a chart of these designs for a query; `None` if there is nothing to draw.
type Draw = fn(&Summary, &[&DesignSummary], &str) -> Option<String>;

/// Renders a section with a chart for each query, of as many of these designs as there are marks for; empty if there is
/// nothing to draw. `hint` explains the charts.
pub fn charts_of_queries(
    title: &str,
    summary: &Summary,
    designs: &[&DesignSummary],
    draw: Draw,
    hint: &str,
) -> String {
    let (drawn, others) = designs.split_at(designs.len().min(MOST_LINES));
    let queries = summary.header.queries.iter();
    let charts = queries.filter_map(|query| {
        let chart = draw(summary, drawn, &query.name)?;
        Some(chart_figure(&query.name, &chart))
    });
    let charts: String = charts.collect();
    if charts.is_empty() {
        return charts;
    }
    let not_drawn = not_drawn(others.iter().map(|design| &design.info));
    let content = format!(
        "<p class=\"hint-text\">{}</p>\n{}<div class=\"charts\">\n{charts}</div>\n",
        Escaped(format!("{hint}{not_drawn}")),
        legend(drawn.iter().map(|design| &design.info)),
    );
    section(title, &content)
}

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
