//! Times by the rows of the table, where a run has tables of several sizes.

use bakeoff_stats::{DesignInfo, DesignSummary, Summary};

use crate::chart::{self, MOST_LINES, Palette, grown_designs};
use crate::decide::words::list;
use crate::markup::Escaped;
use crate::page::{chart_figure, section};

/// Most designs that are named where they are not drawn.
const LISTED: usize = 6;

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
        legend(drawn)
    );
    section("As the table grows", &content)
}

fn hint(summary: &Summary, not_drawn: &[&DesignSummary]) -> String {
    let mut hint = "Medians of the tables of each design; both axes are logarithmic.".to_owned();
    let larger = { summary.forecast.iter() }.filter(|f| f.rows > f.measured_rows);
    let mut times = { larger.flat_map(|f| &f.designs) }.flat_map(|design| &design.times);
    if times.any(|time| time.known().is_some()) {
        hint += " Dashed: the forecast for more rows, with its 90% interval at full scale.";
    }
    if !not_drawn.is_empty() {
        let names: Vec<&str> = not_drawn.iter().map(|d| d.info.id.as_str()).collect();
        hint += &format!(" Not drawn: {}.", list(&names, LISTED));
    }
    hint
}

fn legend(designs: &[&DesignSummary]) -> String {
    let infos = || designs.iter().map(|design| &design.info);
    let palette = Palette::by_design(infos());
    let item = |info: &DesignInfo| {
        format!(
            "<li class=\"{}\"><span aria-hidden=\"true\">{}</span>{}</li>\n",
            palette.class(info),
            palette.marker(info).character(),
            Escaped(&info.id),
        )
    };
    let items: String = infos().map(item).collect();
    format!("<ul class=\"legend\">\n{items}</ul>\n")
}
