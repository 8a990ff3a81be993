//! Costs: of each design, then for each query the cheapest and the dearest one.

use bakeoff_stats::{Cost, Summary};

use crate::compare::cost::{ON_CONCURRENT, cells, columns, hint, range, ranking};
use crate::text::layout::{left, or_none, right, set_width, table};
use crate::text::style::{Style, wrap};

/// `None` without prices.
pub fn tables(summary: &Summary, width: usize, style: Style) -> Option<String> {
    let cost = summary.cost.as_ref()?;
    let parts = [
        wrap(&hint(summary, cost), width, "", ""),
        designs(cost, width, style),
        wrap(ON_CONCURRENT, width, "", ""),
        queries(summary, cost, width, style),
    ];
    Some(parts.join("\n\n"))
}

fn designs(cost: &Cost, width: usize, style: Style) -> String {
    let mut table = table(style);
    set_width(&mut table, width);
    table.set_header(std::iter::once(left("Design")).chain(columns(cost).map(right)));
    for design in &cost.designs {
        let figures = cells(design).map(|cell| right(or_none(cell, |text| text)));
        table.add_row(std::iter::once(left(&design.design)).chain(figures));
    }
    table.trim_fmt()
}

fn queries(summary: &Summary, cost: &Cost, width: usize, style: Style) -> String {
    let mut table = table(style);
    set_width(&mut table, width);
    let million = format!("1 M answers, {}", cost.prices.currency);
    let head = [
        left("Query"),
        left("Cheapest"),
        right(&million),
        left("Dearest"),
        right(&million),
    ];
    table.set_header(head);
    for query in &summary.header.queries {
        let ranking = ranking(cost, &query.name);
        let (Some(cheapest), Some(dearest)) = (ranking.first(), ranking.last()) else {
            continue;
        };
        table.add_row([
            left(&query.name),
            left(cheapest.0),
            right(range(cheapest.1)),
            left(dearest.0),
            right(range(dearest.1)),
        ]);
    }
    table.trim_fmt()
}
