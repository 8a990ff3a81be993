//! Times and storage by the value of a setting in which designs differ, if that is short.

use bakeoff_stats::{AtValue, BySetting, Summary};
use comfy_table::{Attribute, Cell};

use crate::compare::by_setting::{name, queries_by_effect};
use crate::compare::figure::Figure;
use crate::compare::to_best;
use crate::text::layout::{NONE, fits, left, or_none, red, right, table};
use crate::text::style::Style;
use crate::units;

pub const TITLE: &str = "By setting";
/// Most lines with the title; where there would be more, only the page has them.
const MOST_LINES: usize = 8;

/// `None` where no three designs differ in one setting alone, and where the tables would be long.
pub fn tables(summary: &Summary, width: usize, style: Style) -> Option<String> {
    let groups = summary.by_setting();
    let tables = groups
        .iter()
        .map(|group| of_group(summary, group, width, style));
    let tables: Vec<String> = tables.collect::<Option<_>>()?;
    let lines: usize = tables.iter().map(|table| table.lines().count()).sum();
    (!tables.is_empty() && lines < MOST_LINES).then(|| tables.join("\n"))
}

/// Renders the table of a setting; `None` if it does not fit or has no row.
fn of_group(summary: &Summary, group: &BySetting, width: usize, style: Style) -> Option<String> {
    let mut table = table(style);
    let title = Cell::new(name(group)).add_attribute(Attribute::Bold);
    let values = group.designs.iter().map(|at| right(&at.text));
    table.set_header(std::iter::once(title).chain(values));
    let known = queries_by_effect(summary, group);
    let queries = summary
        .header
        .queries
        .iter()
        .map(|query| query.name.as_str());
    for query in queries.filter(|query| known.contains(query)) {
        let cells = group
            .designs
            .iter()
            .map(|at| time(summary, group, at, query));
        table.add_row(std::iter::once(left(query)).chain(cells));
    }
    let bytes = |at: &AtValue| summary.design(&at.design)?.bytes_per_row;
    if group.designs.iter().any(|at| bytes(at).is_some()) {
        let cells = { group.designs.iter() }
            .map(|at| right(or_none(bytes(at), |bytes| format!("{bytes:.1}"))));
        table.add_row(std::iter::once(left("bytes/row")).chain(cells));
    }
    (!table.is_empty() && fits(&table, width)).then(|| table.trim_fmt())
}

fn time(summary: &Summary, group: &BySetting, at: &AtValue, query: &str) -> Cell {
    let Some(design) = summary.design(&at.design) else {
        return right(NONE);
    };
    let Some(figures) = design.query(query) else {
        return right(NONE);
    };
    match Figure::new(design, figures) {
        Figure::Failed(why) => red(right(why)),
        Figure::NotMeasured => right(NONE),
        Figure::Time { time, .. } => {
            let compared = group.comparison.design(query, &design.info.id);
            let compared = compared.map(|compared| format!(" {}", to_best::in_short(compared)));
            right(units::duration(time.median) + &compared.unwrap_or_default())
        }
    }
}
