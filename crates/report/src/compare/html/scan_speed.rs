//! Speeds of full scans by the number of columns that they read.

use bakeoff_stats::{ScanSpeeds, Summary};

use super::drawn::{legend, not_drawn};
use crate::chart::{self, MOST_LINES};
use crate::markup::Escaped;
use crate::page::{chart_figure, section};

/// Renders the section; it is empty for a run without scans of different numbers of columns.
pub fn of_run(summary: &Summary) -> String {
    let all = summary.scan_speeds();
    let all: Vec<&ScanSpeeds<'_>> = all.iter().collect();
    let (drawn, others) = all.split_at(all.len().min(MOST_LINES));
    let Some(chart) = chart::column_lines(drawn) else {
        return String::new();
    };
    let content = format!(
        "<p class=\"hint-text\">{}</p>\n{}<div class=\"charts\">\n{}</div>\n",
        Escaped(hint(others)),
        legend(drawn.iter().map(|of| &of.design.info)),
        chart_figure("Rows scanned a second", &chart)
    );
    section("Scan speed by columns read", &content)
}

fn hint(others: &[&ScanSpeeds<'_>]) -> String {
    let hint = "Rows of the table divided by the median time of queries that read them all, less that of the \
                    fastest query that reads none. Dashed: in inverse proportion to the number of columns, from the fastest scan of the fewest."
        .to_owned();
    hint + &not_drawn(others.iter().map(|of| &of.design.info))
}
