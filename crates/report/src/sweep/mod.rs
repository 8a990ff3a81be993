//! Shows an insert sweep: in the terminal, as one HTML file, as JSON.

pub mod html;
pub mod json;
pub(crate) mod notes;
pub mod terminal;
mod verdict;

use bakeoff_stats::sweep::{Cell, Check, Inserted, SweepDesign, SweepSetting, SweepSummary};

use crate::per_node::Shown;
use crate::units;

/// Share of the workers' time from which on rates are those at which rows are made.
const MUCH_WAITING: f64 = 0.05;

/// Rounds below which no difference can be shown.
const FEWEST_ROUNDS: u32 = 5;
/// Rounds to ask for where there were fewer.
const ROUNDS_TO_ASK_FOR: u32 = 7;

/// A setting in words, as heat maps show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellText {
    /// `12.3 k`: rows a second, median over the rounds.
    pub rate: Option<String>,
    /// `4.20 ms`: p99 of an insert, where there are enough of them.
    pub p99: Option<String>,
    /// `12 failed`, or what makes the rate a doubtful one.
    pub trouble: Option<String>,
}

impl CellText {
    pub fn of(setting: &SweepSetting) -> CellText {
        let inserted = setting.cell.inserted.as_ref();
        CellText {
            rate: setting.rows_per_second().map(units::rate),
            p99: inserted.and_then(|i| i.p99).map(units::duration),
            trouble: trouble(&setting.cell),
        }
    }
}

fn trouble(cell: &Cell) -> Option<String> {
    match (&cell.check, cell.failures.count()) {
        (Some(Check::Wrong { .. }), _) => Some("wrong count".to_owned()),
        (Some(Check::Failed { .. }), _) => Some("no count".to_owned()),
        (_, 0) => match &cell.inserted {
            Some(inserted) => shortage(inserted),
            None => Some("none".to_owned()),
        },
        (_, failed) => Some(format!(
            "{} failed",
            units::rate(failed as f64).replace(".00", "")
        )),
    }
}

/// `rows ran out` or `waited 12%`: where the rate says as much of how rows were made.
fn shortage(inserted: &Inserted) -> Option<String> {
    if inserted.rows_ran_out {
        Some("rows ran out".to_owned())
    } else {
        (inserted.waited_share > MUCH_WAITING)
            .then(|| format!("waited {:.0}%", inserted.waited_share * 100.0))
    }
}

/// Designs with a best setting, the one with the most rows a second first.
pub(crate) fn by_rate(summary: &SweepSummary) -> Vec<(&SweepDesign, &SweepSetting)> {
    let designs = summary.designs.iter();
    let mut best: Vec<_> = designs
        .filter_map(|design| Some((design, design.best_setting()?)))
        .collect();
    let rate = |setting: &SweepSetting| setting.rows_per_second().unwrap_or_default();
    best.sort_by(|(_, a), (_, b)| rate(b).total_cmp(&rate(a)));
    best
}

/// Rates per node, where they are more than the rates themselves.
fn per_node(summary: &SweepSummary) -> Option<Shown<'_>> {
    Shown::new(summary.per_node.as_ref(), "rows", &summary.header.designs)
}

/// Designs that there is something to show of.
fn shown(summary: &SweepSummary) -> impl Iterator<Item = &SweepDesign> {
    summary
        .designs
        .iter()
        .filter(|d| d.measured().next().is_some())
}

/// `batches of 1,000 rows from 8 workers`
fn setting(batch_rows: u64, workers: u32) -> String {
    let rows = units::plural(batch_rows, "row", "rows");
    let workers = units::plural(u64::from(workers), "worker", "workers");
    format!("batches of {rows} from {workers}")
}

/// `3 timed out, 1 rejected`
fn errors(cell: &Cell) -> String {
    let kinds = cell.failures.kinds.iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| format!("{} {kind}", units::count(*count)))
        .collect();
    if kinds.is_empty() {
        "no errors".to_owned()
    } else {
        format!("errors: {}", kinds.join(", "))
    }
}
