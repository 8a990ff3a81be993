//! Shows the figures that a step's workload has from the publication, beside the measured ones.

use bakeoff_stats::PublishedFigure;
use bakeoff_stats::Summary;
use bakeoff_stats::drive::DriveSummary;
use bakeoff_stats::study::Measured;

use super::{Cell, Column, Part, Table};
use crate::page::table::NONE;
use crate::{compare, drive};

pub fn parts(measured: &Measured) -> Vec<Part> {
    match measured {
        Measured::Run(summary) => of_run(summary),
        Measured::Load(summary) => of_load(summary),
        // What is published of inserts is in the statements.
        Measured::Sweep(_) => Vec::new(),
    }
}

fn of_run(summary: &Summary) -> Vec<Part> {
    let header = &summary.header;
    let ours = |what: &str| {
        let designs = summary.designs.iter();
        let figures = designs.filter_map(|design| {
            let figure = compare::html::published::measured(summary, design, what)?;
            Some(format!("{}: {figure}", design.info.id))
        });
        figures.collect()
    };
    all(
        header.published_source.as_deref(),
        &header.published,
        &header.published_notes,
        ours,
    )
}

fn of_load(summary: &DriveSummary) -> Vec<Part> {
    let Some(published) = &summary.header.published else {
        return Vec::new();
    };
    let ours = |what: &str| {
        let designs = summary.designs.iter();
        let figures = designs.filter_map(|design| {
            let figure = drive::html::published::measured(summary, design, what)?;
            Some(format!("{}: {figure}", design.info.id))
        });
        figures.collect()
    };
    all(
        Some(&published.source),
        &published.figures,
        &published.notes,
        ours,
    )
}

fn all(
    source: Option<&str>,
    published: &[PublishedFigure],
    notes: &[String],
    ours: impl Fn(&str) -> Cell,
) -> Vec<Part> {
    if published.is_empty() && notes.is_empty() {
        return Vec::new();
    }
    let source = source.unwrap_or("An unnamed publication");
    let mut parts = vec![
        Part::Heading("Published figures".to_owned()),
        Part::Text(format!(
            "{}. Hardware, versions and row counts differ: for orientation, not for comparison.",
            source.trim_end_matches('.')
        )),
    ];
    if !published.is_empty() {
        parts.push(Part::Table(table(published, ours)));
    }
    if !notes.is_empty() {
        parts.push(Part::Items(notes.to_vec()));
    }
    parts
}

/// Puts published figures next to ours. Its designs and ours need not be the same, so lines are not paired.
fn table(published: &[PublishedFigure], ours: impl Fn(&str) -> Cell) -> Table {
    let mut whats: Vec<&str> = Vec::new();
    for figure in published {
        if !whats.contains(&figure.what.as_str()) {
            whats.push(&figure.what);
        }
    }
    let row = |what: &&str| {
        let theirs = published.iter().filter(|figure| figure.what == **what);
        let theirs = theirs.map(|figure| format!("{}: {}", figure.design, figure.figure));
        vec![
            vec![(*what).to_owned()],
            theirs.collect(),
            or_none(ours(what)),
        ]
    };
    Table {
        caption: String::new(),
        head: vec![
            Column::of("Figure"),
            Column::words("As published"),
            Column::words("Measured here"),
        ],
        rows: whats.iter().map(row).collect(),
    }
}

fn or_none(lines: Cell) -> Cell {
    if lines.is_empty() {
        vec![NONE.to_owned()]
    } else {
        lines
    }
}
