//! A run in the terminal: tables of designs, then the verdict.

mod concurrent;
mod cost;
mod tables;

use bakeoff_stats::Summary;

use super::concurrent::TITLE;
use super::{figure, notes, verdict};
use crate::text::section;
use crate::text::style::{Style, wrap};

/// Lines of at most `width` columns (no fewer than 60), coloured when `color` is set.
pub fn render(summary: &Summary, width: usize, color: bool) -> String {
    let width = width.max(60);
    let style = Style { color };
    let mut parts = vec![
        heading(summary, width, style),
        section(
            "Storage and loading",
            style,
            &tables::storage(summary, width, style),
        ),
        section("Queries", style, &tables::queries(summary, width, style)),
    ];
    let concurrent = concurrent::tables(summary, width, style);
    parts.extend(concurrent.map(|tables| section(TITLE, style, &tables)));
    let cost = cost::tables(summary, width, style);
    parts.extend(cost.map(|tables| section(crate::compare::cost::TITLE, style, &tables)));
    parts.extend(failures(summary, width, style));
    parts.extend(remarks(summary, width, style));
    parts.push(section(
        "Verdict",
        style,
        &wrap(&verdict::paragraph(summary), width, "", ""),
    ));
    parts.join("\n\n") + "\n"
}

fn heading(summary: &Summary, width: usize, style: Style) -> String {
    let facts = wrap(&notes::facts(summary), width, "", "");
    format!("{}\n{facts}", style.bold(&summary.header.title))
}

fn failures(summary: &Summary, width: usize, style: Style) -> Option<String> {
    let lines: Vec<String> = summary
        .designs
        .iter()
        .flat_map(|d| d.failures.iter().map(move |f| (d, f)))
        .map(|(design, failure)| {
            let place = style.red(&wrap(&figure::place(design, failure), width, "✗ ", "  "));
            format!("{place}\n{}", wrap(&failure.reason, width, "  ", "  "))
        })
        .collect();
    (!lines.is_empty()).then(|| section("Failures", style, &lines.join("\n")))
}

fn remarks(summary: &Summary, width: usize, style: Style) -> Option<String> {
    let lines: Vec<String> = notes::of(summary)
        .iter()
        .map(|note| wrap(note, width, "! ", "  "))
        .collect();
    (!lines.is_empty()).then(|| section("Notes", style, &lines.join("\n")))
}
