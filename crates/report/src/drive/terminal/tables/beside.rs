//! Renders the tables of questions beside a load: what they cost it, and what became of them.

use bakeoff_stats::drive::DriveSummary;
use comfy_table::Cell;

use super::{Column, Content, column, fitted, name};
use crate::compare::to_best;
use crate::drive::beside::{self, Asked, Cost};
use crate::text::layout::{left, red, right};
use crate::text::style::Style;
use crate::units;

pub fn costs(summary: &DriveSummary, width: usize, style: Style) -> String {
    let costs = beside::costs(summary);
    let ratios = costs.iter().map(|cost| &cost.ratio);
    let columns: [Column<Cost>; 4] = [
        column("Without", 0, |c| Some(c.without.clone())),
        column("With", 0, |c| Some(c.with.clone())),
        column("Ratio", 0, |c| Some(beside::ratio(c.ratio.median))),
        column(&to_best::interval_heading(ratios), 1, |c| {
            beside::interval(&c.ratio)
        }),
    ];
    let rows = costs.into_iter().map(|cost| {
        let names = vec![design(summary, cost.design, cost.place), left(&cost.what)];
        (names, cost)
    });
    let rows: Vec<(Vec<Cell>, Cost)> = rows.collect();
    fitted(&columns, &rows, &["Design", "Load"], width, style)
}

pub fn questions(summary: &DriveSummary, width: usize, style: Style) -> String {
    let columns: [Column<Asked>; 7] = [
        column("Answered", 0, |a| Some(units::count(a.question.answered))),
        column("A minute", 1, |a| {
            a.question.per_minute.map(|rate| units::rate(rate.median))
        }),
        column("p50", 0, |a| {
            a.question.p50.map(|time| units::duration(time.median))
        }),
        column("Longest", 1, |a| a.question.longest.map(units::duration)),
        column("Unfinished", 2, |a| {
            Some(units::count(a.question.unfinished))
        }),
        Column {
            heading: "Differed".to_owned(),
            rank: 0,
            content: Content::Cell(|a| Some(none_or_red(a.question.differing))),
        },
        Column {
            heading: "Failed".to_owned(),
            rank: 0,
            content: Content::Cell(|a| Some(none_or_red(a.question.failed))),
        },
    ];
    let rows = beside::questions(summary).into_iter().map(|asked| {
        let names = vec![
            design(summary, asked.design, asked.place),
            left(&asked.question.name),
        ];
        (names, asked)
    });
    let rows: Vec<(Vec<Cell>, Asked)> = rows.collect();
    fitted(&columns, &rows, &["Design", "Question"], width, style)
}

/// Returns the design's name in the first of its rows.
fn design(summary: &DriveSummary, id: &str, place: usize) -> Cell {
    let design = summary.design(id).filter(|_| place == 0);
    design.map_or_else(|| left(""), name)
}

/// Writes a count of what should not be.
fn none_or_red(count: u64) -> Cell {
    match count {
        0 => right("0"),
        count => red(right(units::count(count))),
    }
}
