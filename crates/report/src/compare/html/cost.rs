//! Costs as tables: of designs, and of a million answers to each query.

use bakeoff_stats::{Cost, CostRange, Summary};

use crate::compare::cost::{ON_CONCURRENT, TITLE, cells, columns, hint, range};
use crate::markup::{Escaped, design_id};
use crate::page::section;
use crate::page::table::{Heading, Table, or_none};

/// Empty without prices.
pub fn of_run(summary: &Summary) -> String {
    let Some(cost) = &summary.cost else {
        return String::new();
    };
    let hint = format!(
        "<p class=\"hint-text\">{}</p>\n",
        Escaped(hint(summary, cost))
    );
    section(TITLE, &(hint + &designs(cost) + &queries(summary, cost)))
}

fn designs(cost: &Cost) -> String {
    let head = columns(cost);
    let head = head.iter().map(|column| Heading::number(column));
    let row = |design: &bakeoff_stats::DesignCost| {
        let figures = cells(design).map(|cell| or_none(cell, |text| text));
        std::iter::once(design_id(&design.design))
            .chain(figures)
            .collect()
    };
    let table = Table {
        caption: ON_CONCURRENT,
        head: std::iter::once(Heading::text("Design"))
            .chain(head)
            .collect(),
        rows: cost.designs.iter().map(row).collect(),
    };
    table.html()
}

fn queries(summary: &Summary, cost: &Cost) -> String {
    let queries = &summary.header.queries;
    let head = queries.iter().map(|query| Heading::number(&query.name));
    let row = |design: &bakeoff_stats::DesignCost| {
        let million = |query: &bakeoff_stats::QueryInfo| -> Option<CostRange> {
            design
                .queries
                .iter()
                .find(|q| q.query == query.name)?
                .million
        };
        let figures = queries.iter().map(|query| or_none(million(query), range));
        std::iter::once(design_id(&design.design))
            .chain(figures)
            .collect()
    };
    let table = Table {
        caption: "A million answers to each query, one after another.",
        head: std::iter::once(Heading::text("Design"))
            .chain(head)
            .collect(),
        rows: cost.designs.iter().map(row).collect(),
    };
    table.html()
}
