//! Times by the number of series, where a run has tables with a share of them.

use bakeoff_stats::{DesignSummary, Summary};

use super::drawn::{legend, not_drawn};
use crate::chart::{self, MOST_LINES, designs_by_series};
use crate::markup::Escaped;
use crate::page::{chart_figure, section};

/// Renders the section; it is empty for a run whose tables all have the same series.
pub fn of_run(summary: &Summary) -> String {
    let designs = designs_by_series(summary);
    let (drawn, others) = designs.split_at(designs.len().min(MOST_LINES));
    let queries = summary.header.queries.iter();
    let charts = queries.filter_map(|query| {
        let chart = chart::series_lines(summary, drawn, &query.name)?;
        Some(chart_figure(&query.name, &chart))
    });
    let charts: String = charts.collect();
    if charts.is_empty() {
        return charts;
    }
    let content = format!(
        "<p class=\"hint-text\">{}</p>\n{}<div class=\"charts\">\n{charts}</div>\n",
        Escaped(hint(others)),
        legend(drawn.iter().map(|design| &design.info)),
    );
    section("By the number of series", &content)
}

fn hint(others: &[&DesignSummary]) -> String {
    let hint = "Medians of the tables of each design that have a share of the series, which are partition keys, \
                    and all rows of each. Dashed: in proportion to the number of series, from the fastest of the \
                    fewest."
        .to_owned();
    hint + &not_drawn(others.iter().map(|design| &design.info))
}
