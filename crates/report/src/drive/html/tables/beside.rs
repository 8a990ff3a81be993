//! Renders the tables of questions beside a load: who answers at what cost to it, all that they cost it, and what
//! became of them.

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::DriveSummary;

use super::{Column, name, table, time};
use crate::drive::beside::{self, Answering, Asked, Cost};
use crate::markup::{Escaped, design_id};
use crate::page::table::or_none;
use crate::units;

const COSTS: &str = "Each round has a load without questions and one with them, one for each design that answers, in \
                     another order than the round before. The ratio is of the one with them to the one without, the \
                     median over rounds; below it: its own interval. All other figures of this page are of the loads \
                     without questions.";
const ANSWERING: &str = "Designs that answer, by what that costs the load: those with the least harm first, by the \
                         median of operations a second or, of a load at a rate, of p99; the verdict says which \
                         differences are shown. Last are those that answered nothing, or of which a question or too \
                         much of the load failed. Time: the median of an answer; of several questions, of all of \
                         them once. Alone and beside: the load without questions, and with those that this design \
                         answers. The ratio is the median of the ratios within rounds.";
const QUESTIONS: &str = "A separate client asked one question after the other, over and over. Unfinished: not \
                         answered when its load ended. Differed: from the first answer to the same question.";

/// Renders the designs that answer in turn, if there are several.
pub fn answering(summary: &DriveSummary) -> String {
    let columns: [Column<Answering>; 9] = [
        ("Answers", |a| units::count(a.answered)),
        ("Time", |a| or_none(a.time, units::duration)),
        ("Ops/s alone", |a| {
            or_none(a.rate, |rate| units::rate(rate.without.median))
        }),
        ("Ops/s beside", |a| {
            or_none(a.rate, |rate| units::rate(rate.with.median))
        }),
        ("Ratio", |a| or_none(a.rate, |rate| ratio(&rate.ratio))),
        ("p99 of", |a| {
            or_none(a.operation, |name| Escaped(name).to_string())
        }),
        ("p99 alone", |a| {
            or_none(a.p99, |p99| units::duration(p99.without.median))
        }),
        ("p99 beside", |a| {
            or_none(a.p99, |p99| units::duration(p99.with.median))
        }),
        ("p99 ratio", |a| or_none(a.p99, |p99| ratio(&p99.ratio))),
    ];
    let rows = beside::answering(summary).into_iter().map(|answering| {
        let by = design_id(answering.by);
        (vec![design(summary, answering.design), by], answering)
    });
    let rows: Vec<(Vec<String>, Answering)> = rows.collect();
    if rows.is_empty() {
        return String::new();
    }
    let p99_of = beside::p99_of(summary).map_or_else(String::new, |which| format!(" {which}."));
    let caption = format!("{ANSWERING}{p99_of}");
    table(&caption, &["Design", "Answered by"], &columns, rows)
}

pub fn costs(summary: &DriveSummary) -> String {
    let columns: [Column<Cost>; 3] = [
        ("Without", |c| Escaped(&c.without).to_string()),
        ("With", |c| Escaped(&c.with).to_string()),
        ("Ratio", |c| ratio(&c.ratio)),
    ];
    let rows = beside::costs(summary).into_iter().map(|cost| {
        let names = named(summary, (cost.design, cost.by), &cost.what);
        (names, cost)
    });
    table(COSTS, &headings(summary, "Load"), &columns, rows.collect())
}

pub fn questions(summary: &DriveSummary) -> String {
    let columns: [Column<Asked>; 8] = [
        ("Answered", |a| units::count(a.question.answered)),
        ("A minute", |a| {
            or_none(a.question.per_minute, |rate| units::rate(rate.median))
        }),
        ("p50", |a| or_none(a.question.p50, |p50| time(&p50))),
        ("Longest", |a| or_none(a.question.longest, units::duration)),
        ("Unfinished", |a| units::count(a.question.unfinished)),
        ("Compared", |a| units::count(a.question.compared)),
        ("Differed", |a| or_none(a.differing(), none_or_red)),
        ("Failed", |a| none_or_red(a.question.failed)),
    ];
    let rows = beside::questions(summary).into_iter().map(|asked| {
        let names = named(summary, (asked.design, asked.by), &asked.question.name);
        (names, asked)
    });
    table(
        QUESTIONS,
        &headings(summary, "Question"),
        &columns,
        rows.collect(),
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

fn named(summary: &DriveSummary, (driven, by): (&str, &str), what: &str) -> Vec<String> {
    let mut names = vec![design(summary, driven)];
    if beside::take_turns(summary) {
        names.push(design_id(by));
    }
    names.push(Escaped(what).to_string());
    names
}

/// Writes a ratio, and below it its interval after several rounds.
fn ratio(estimate: &Estimate) -> String {
    let median = beside::ratio(estimate.median);
    match beside::interval(estimate) {
        Some(interval) => format!("{median}<small>{interval}</small>"),
        None => median,
    }
}

fn design(summary: &DriveSummary, id: &str) -> String {
    let design = summary.design(id);
    design.map_or_else(|| Escaped(id).to_string(), name)
}

/// Writes a count of what should not be.
fn none_or_red(count: u64) -> String {
    match count {
        0 => "0".to_owned(),
        count => format!("<span class=\"failed\">{}</span>", units::count(count)),
    }
}
