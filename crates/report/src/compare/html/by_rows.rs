//! Times by the rows of the table, where a run has tables of several sizes.

use bakeoff_stats::{DesignSummary, Summary};

use super::drawn::{legend, not_drawn};
use crate::chart::{self, MOST_LINES, grown_designs};
use crate::markup::Escaped;
use crate::page::{chart_figure, section};

/// Renders the section; it is empty for a run with tables of one size.
pub fn of_run(summary: &Summary) -> String {
    let designs = grown_designs(summary);
    let (drawn, others) = designs.split_at(designs.len().min(MOST_LINES));
    let queries = summary.header.queries.iter();
    let charts = queries.filter_map(|query| {
        let chart = chart::rows_lines(summary, drawn, &query.name)?;
        Some(chart_figure(&query.name, &chart))
    });
    let charts: String = charts.collect();
    if charts.is_empty() {
        return charts;
    }
    let content = format!(
        "<p class=\"hint-text\">{}</p>\n{}<div class=\"charts\">\n{charts}</div>\n",
        Escaped(hint(summary, others)),
        legend(drawn.iter().map(|design| &design.info))
    );
    section("As the table grows", &content)
}

fn hint(summary: &Summary, others: &[&DesignSummary]) -> String {
    let mut hint = "Medians of the tables of each design; both axes are logarithmic.".to_owned();
    let larger = { summary.forecast.iter() }.filter(|f| f.rows > f.measured_rows);
    let mut times = { larger.flat_map(|f| &f.designs) }.flat_map(|design| &design.times);
    if times.any(|time| time.known().is_some()) {
        hint += " Dashed: the forecast for more rows, with its 90% interval at full scale.";
    }
    hint + &not_drawn(others.iter().map(|design| &design.info))
}
