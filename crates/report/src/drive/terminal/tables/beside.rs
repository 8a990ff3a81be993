//! Renders the tables of questions beside a load: who answers at what cost to it, all that they cost it, and what
//! became of them.

use bakeoff_stats::drive::DriveSummary;
use comfy_table::Cell;

use super::{Column, Content, column, fitted, name};
use crate::compare::to_best;
use crate::drive::beside::{self, Answering, Asked, Cost};
use crate::text::layout::{left, red, right};
use crate::text::style::Style;
use crate::units;

/// Renders the designs that answer in turn, if there are several.
pub fn answering(summary: &DriveSummary, width: usize, style: Style) -> Option<String> {
    let answering = beside::answering(summary);
    let rates = answering
        .iter()
        .filter_map(|a| Some(&a.rate.as_ref()?.ratio));
    let interval = to_best::interval_heading(rates);
    let columns: [Column<Answering>; 11] = [
        column("Answers", 0, |a| Some(units::count(a.answered))),
        column("Time", 0, |a| a.time.map(units::duration)),
        column("Ops/s alone", 1, |a| {
            a.rate.map(|rate| units::rate(rate.without.median))
        }),
        column("Ops/s beside", 1, |a| {
            a.rate.map(|rate| units::rate(rate.with.median))
        }),
        column("Ratio", 0, |a| {
            a.rate.map(|rate| beside::ratio(rate.ratio.median))
        }),
        column(&interval, 2, |a| beside::interval(&a.rate?.ratio)),
        column("p99 of", 1, |a| a.operation.map(str::to_owned)),
        column("p99 alone", 1, |a| {
            a.p99.map(|p99| units::duration(p99.without.median))
        }),
        column("p99 beside", 1, |a| {
            a.p99.map(|p99| units::duration(p99.with.median))
        }),
        column("p99 ratio", 0, |a| {
            a.p99.map(|p99| beside::ratio(p99.ratio.median))
        }),
        column(&interval, 2, |a| beside::interval(&a.p99?.ratio)),
    ];
    let rows = answering.into_iter().map(|answering| {
        let driven = design(summary, answering.design, answering.place);
        (vec![driven, left(answering.by)], answering)
    });
    let rows: Vec<(Vec<Cell>, Answering)> = rows.collect();
    let names = ["Design", "Answered by"];
    (!rows.is_empty()).then(|| fitted(&columns, &rows, &names, width, style))
}

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
        let names = named(summary, (cost.design, cost.by), cost.place, &cost.what);
        (names, cost)
    });
    let rows: Vec<(Vec<Cell>, Cost)> = rows.collect();
    fitted(&columns, &rows, &headings(summary, "Load"), width, style)
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
            content: Content::Cell(|a| a.differing().map(none_or_red)),
        },
        Column {
            heading: "Failed".to_owned(),
            rank: 0,
            content: Content::Cell(|a| Some(none_or_red(a.question.failed))),
        },
    ];
    let rows = beside::questions(summary).into_iter().map(|asked| {
        let by = (asked.design, asked.by);
        let names = named(summary, by, asked.place, &asked.question.name);
        (names, asked)
    });
    let rows: Vec<(Vec<Cell>, Asked)> = rows.collect();
    fitted(
        &columns,
        &rows,
        &headings(summary, "Question"),
        width,
        style,
    )
}

/// Returns the headings of the names of rows: of who answered only if several take turns.
fn headings<'a>(summary: &DriveSummary, what: &'a str) -> Vec<&'a str> {
    if beside::take_turns(summary) {
        vec!["Design", "Answered by", what]
    } else {
        vec!["Design", what]
    }
}

/// Returns the names of a row, those of the designs in the first of their rows only.
fn named(
    summary: &DriveSummary,
    (driven, by): (&str, &str),
    place: usize,
    what: &str,
) -> Vec<Cell> {
    let mut names = vec![design(summary, driven, place)];
    if beside::take_turns(summary) {
        names.push(left(if place == 0 { by } else { "" }));
    }
    names.push(left(what));
    names
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
