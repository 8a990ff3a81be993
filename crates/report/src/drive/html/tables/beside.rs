//! Renders the tables of questions beside a load: what they cost it, and what became of them.

use bakeoff_stats::drive::DriveSummary;

use super::{Column, name, table, time};
use crate::drive::beside::{self, Asked, Cost};
use crate::markup::Escaped;
use crate::page::table::or_none;
use crate::units;

const COSTS: &str = "Each round has a load without and one with questions, in this order in every second round. The \
                     ratio is of the one with them to the one without, the median over rounds; below it: its own \
                     interval. All other figures of this page are of the loads without questions.";
const QUESTIONS: &str = "A separate client asked one question after the other, over and over. Unfinished: not \
                         answered when its load ended. Differed: from the first answer to the same question.";

pub fn costs(summary: &DriveSummary) -> String {
    let columns: [Column<Cost>; 3] = [
        ("Without", |c| Escaped(&c.without).to_string()),
        ("With", |c| Escaped(&c.with).to_string()),
        ("Ratio", |c| {
            let median = beside::ratio(c.ratio.median);
            match beside::interval(&c.ratio) {
                Some(interval) => format!("{median}<small>{interval}</small>"),
                None => median,
            }
        }),
    ];
    let rows = beside::costs(summary).into_iter().map(|cost| {
        let names = vec![
            design(summary, cost.design),
            Escaped(&cost.what).to_string(),
        ];
        (names, cost)
    });
    table(COSTS, &["Design", "Load"], &columns, rows.collect())
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
        ("Differed", |a| none_or_red(a.question.differing)),
        ("Failed", |a| none_or_red(a.question.failed)),
    ];
    let rows = beside::questions(summary).into_iter().map(|asked| {
        let question = Escaped(&asked.question.name).to_string();
        (vec![design(summary, asked.design), question], asked)
    });
    table(QUESTIONS, &["Design", "Question"], &columns, rows.collect())
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
