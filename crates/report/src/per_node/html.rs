//! Rates per node on a page.

use bakeoff_stats::per_node::Scaling;

use super::{Shown, TITLE, TITLE_OF_SIZES, name};
use crate::chart;
use crate::markup::{Escaped, design_id};
use crate::page::table::{Heading, Table, or_none};
use crate::page::{chart_figure, section};

/// Renders the section, and that of clusters of several sizes where there are some; empty where there is nothing to
/// show.
pub fn sections(shown: Option<&Shown<'_>>) -> String {
    shown.map_or_else(String::new, |shown| rates(shown) + &sizes(shown))
}

fn rates(shown: &Shown<'_>) -> String {
    let columns = shown.columns();
    let head = columns.iter().map(|column| Heading::number(column));
    let rows = shown.per_node.rates.iter().map(|rate| {
        let cells = shown.cells(rate).into_iter();
        let cells = cells.map(|cell| or_none(cell, |text| text));
        let first = design_id(&name(&rate.design, rate.query.as_deref()));
        std::iter::once(first).chain(cells).collect()
    });
    let table = Table {
        caption: "",
        head: std::iter::once(Heading::text("Design"))
            .chain(head)
            .collect(),
        rows: rows.collect(),
    };
    section(TITLE, &(hint(&shown.hint()) + &table.html()))
}

fn sizes(shown: &Shown<'_>) -> String {
    let Some(text) = shown.hint_of_sizes() else {
        return String::new();
    };
    let of_design = |of: &Scaling| {
        let mut designs = shown.designs.iter();
        let info = designs.find(|info| info.id == of.design)?;
        let title = name(&of.design, of.query.as_deref());
        let chart = chart::node_lines(info, of, shown.what)?;
        Some(chart_figure(&title, &chart))
    };
    let charts: String = shown
        .per_node
        .scaling
        .iter()
        .filter_map(of_design)
        .collect();
    let [first, others @ ..] = shown.columns_of_sizes();
    let others = others.iter().map(|column| Heading::number(column));
    let rows = shown
        .rows_of_sizes()
        .into_iter()
        .map(|[first, others @ ..]| {
            let first = design_id(&first);
            std::iter::once(first).chain(others).collect()
        });
    let table = Table {
        caption: "",
        head: std::iter::once(Heading::text(&first))
            .chain(others)
            .collect(),
        rows: rows.collect(),
    };
    let charts = format!("<div class=\"charts\">\n{charts}</div>\n");
    section(TITLE_OF_SIZES, &(hint(&text) + &charts + &table.html()))
}

fn hint(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("<p class=\"hint-text\">{}</p>\n", Escaped(text))
}
