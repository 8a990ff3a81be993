//! Renders a run for the terminal: tables of designs, then the verdict.

mod by_level;
mod by_setting;
mod concurrent;
mod cost;
mod plans;
mod rules;
mod sets;
mod stored;
mod tables;
mod together;

pub use plans::render_plans;
pub use rules::render_rules;
pub use stored::render_stored;

use bakeoff_stats::Summary;
use bakeoff_stats::decide::Decision;

use super::concurrent::{TITLE, per_node};
use super::{advice, figure, notes, race, verdict};
use crate::decide;
use crate::per_node::terminal::sections;
use crate::text::style::Style;
use crate::text::{self, section};

/// Renders lines of at most `width` columns (no fewer than 60), coloured when `color` is set. The verdict fits a
/// screen.
pub fn render(summary: &Summary, width: usize, color: bool) -> String {
    rendered(summary, width, color, |decision, width| {
        decide::terminal::render_of_race(decision, raced(summary), width, color)
    })
}

/// Renders as [`render`] does for a file, with all of the verdict.
pub fn render_whole(summary: &Summary, width: usize, color: bool) -> String {
    rendered(summary, width, color, |decision, width| {
        decide::terminal::render_whole(decision, raced(summary), width)
    })
}

fn rendered(
    summary: &Summary,
    width: usize,
    color: bool,
    verdict_of: impl Fn(&Decision, usize) -> String,
) -> String {
    let width = width.max(60);
    let style = Style { color };
    let mut parts = vec![
        text::paragraph(&summary.header.title, &notes::facts(summary), width, style),
        section(
            "Storage and loading",
            style,
            &tables::storage(summary, width, style),
        ),
        section("Queries", style, &tables::queries(summary, width, style)),
    ];
    let by_level = by_level::table_of(summary, width, style);
    parts.extend(by_level.map(|table| section(super::by_level::TITLE, style, &table)));
    let by_setting = by_setting::tables(summary, width, style);
    parts.extend(by_setting.map(|tables| section(by_setting::TITLE, style, &tables)));
    let concurrent = concurrent::tables(summary, width, style);
    parts.extend(concurrent.map(|tables| section(TITLE, style, &tables)));
    let per_node = per_node(summary);
    parts.extend({ per_node.iter() }.flat_map(|shown| sections(shown, width, style)));
    let cost = cost::tables(summary, width, style);
    parts.extend(cost.map(|tables| section(crate::compare::cost::TITLE, style, &tables)));
    let together = together::table_of(summary, width, style);
    parts.extend(together.map(|table| section(super::together::TITLE, style, &table)));
    parts.extend(failures(summary, width, style));
    parts.extend(text::notes(&notes::all(summary), width, style));
    parts.push(match advice::decision(summary) {
        Some(decision) => section("Verdict", style, &verdict_of(&decision, width)),
        None => text::paragraph("Verdict", &verdict::paragraph(summary), width, style),
    });
    parts.join("\n\n").trim_end().to_owned() + "\n"
}

fn raced(summary: &Summary) -> Option<String> {
    Some(race::sentences(summary)?.join(" "))
}

fn failures(summary: &Summary, width: usize, style: Style) -> Option<String> {
    let lines: Vec<String> = summary
        .failures()
        .map(|(table, failure)| {
            let place = figure::place(table, failure);
            text::failure(&place, &failure.reason, width, style)
        })
        .collect();
    text::failures(&lines, style)
}
