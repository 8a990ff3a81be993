//! Renders a load for the terminal: tables of designs and operations, then the verdict.

mod tables;

use bakeoff_stats::drive::DriveSummary;

use super::{added, beside, notes, per_node, rows, verdict};
use crate::partitions;
use crate::per_node::terminal::sections;
use crate::text::style::{Style, wrap};
use crate::text::{self, section};

/// Renders lines of at most `width` columns (no fewer than 60), coloured when `color` is set.
pub fn render(summary: &DriveSummary, width: usize, color: bool) -> String {
    let width = width.max(60);
    let style = Style { color };
    let facts = notes::facts(summary);
    let mut parts = vec![text::paragraph(&summary.header.title, &facts, width, style)];
    if summary.designs.iter().any(|d| d.figures.is_some()) {
        let designs = tables::designs(summary, width, style);
        let legend = rows::legend(summary).map(|legend| wrap(&legend, width, "", ""));
        let designs: Vec<String> = legend.into_iter().chain([designs]).collect();
        parts.push(section("Load", style, &designs.join("\n")));
        let operations = tables::operations(summary, width, style);
        let which = rows::times_of_rounds(summary).map(|which| wrap(which, width, "", ""));
        let operations: Vec<String> = which.into_iter().chain([operations]).collect();
        parts.push(section("Response times", style, &operations.join("\n")));
    }
    if summary.beside.iter().any(|figures| figures.pairs > 0) {
        let ratio = Some(beside::RATIO).filter(|_| beside::has_rounds(summary));
        let answering = tables::answering(summary, width, style);
        parts.extend(answering.map(|table| {
            let legend = [beside::p99_of(summary), ratio];
            section(beside::TITLE, style, &below(&legend, &table, width))
        }));
        let costs = below(&[ratio], &tables::costs(summary, width, style), width);
        parts.push(section("Load beside questions", style, &costs));
        let questions = tables::questions(summary, width, style);
        parts.push(section("Questions beside the load", style, &questions));
    }
    for node in &summary.nodes_added {
        let table = tables::added(summary, node, width, style);
        parts.push(section(added::TITLE, style, &table));
    }
    if summary.passes.iter().any(|pass| pass.ended > 0) {
        let passes = tables::passes(summary, width, style);
        parts.push(section("Passes", style, &passes));
    }
    if summary.designs.iter().any(|d| !d.probes.is_empty()) {
        let probes = tables::probes(summary, width, style);
        parts.push(section("Search", style, &probes));
    }
    let per_node = per_node(summary);
    parts.extend({ per_node.iter() }.flat_map(|shown| sections(shown, width, style)));
    parts.extend(partitions(summary, width, style));
    parts.extend(failures(summary, width, style));
    parts.extend(text::notes(&notes::of(summary), width, style));
    parts.extend(published(summary, width, style));
    let verdict = verdict::paragraph(summary);
    parts.push(text::paragraph("Verdict", &verdict, width, style));
    parts.join("\n\n") + "\n"
}

/// Puts a table below the lines that explain it.
fn below(lines: &[Option<&str>], table: &str, width: usize) -> String {
    let lines = lines.iter().flatten();
    let lines = lines.map(|line| wrap(line, width, "", ""));
    let parts: Vec<String> = lines.chain([table.to_owned()]).collect();
    parts.join("\n")
}

fn partitions(summary: &DriveSummary, width: usize, style: Style) -> Option<String> {
    let legend = wrap(&partitions::legend(&summary.partitions)?, width, "", "");
    let table = tables::partitions(summary, width, style);
    Some(section("Partitions", style, &[legend, table].join("\n")))
}

fn failures(summary: &DriveSummary, width: usize, style: Style) -> Option<String> {
    let failures = notes::failures(summary);
    let lines: Vec<String> = { failures.iter() }
        .map(|(design, reason)| text::failure(design, reason, width, style))
        .collect();
    text::failures(&lines, style)
}

fn published(summary: &DriveSummary, width: usize, style: Style) -> Option<String> {
    let published = summary.header.published.as_ref()?;
    let figures = published.figures.iter();
    let figures = figures.map(|f| format!("{}, {}: {}", f.design, f.what, f.figure));
    let lines = figures.chain(published.notes.iter().cloned());
    let lines: Vec<String> = lines.map(|line| wrap(&line, width, "- ", "  ")).collect();
    let source = format!(
        "{}. Other hardware, versions and row counts: for orientation, not for comparison.",
        published.source.trim_end_matches('.')
    );
    let body = [wrap(&source, width, "", ""), lines.join("\n")].join("\n");
    (!lines.is_empty()).then(|| section("Published figures", style, &body))
}
