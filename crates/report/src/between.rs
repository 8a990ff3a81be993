//! Shows how two runs, loads or sweeps of one workload differ, as `bakeoff compare` prints it; [`page`] draws them, and
//! [`history`] shows many runs.

mod cautions;
mod counted;
pub mod fail_if;
pub mod history;
pub mod page;
pub mod sizes;
mod words;

use bakeoff_stats::between::{
    Between, Change, FailIf, Failing, Gate, Missing, RunAbout, Shown, StorageChange, Undecided,
    What,
};
use comfy_table::Cell;
use serde::Serialize;

use crate::text::COLUMNS;
use crate::text::layout::{left, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Relative change of bytes below which storage is not listed.
const SAME_BYTES: f64 = 0.01;
/// Explains how to read the ratios.
const LEGEND: &str = "B/A is B divided by A: of times, above 1 is slower, and of rates, below 1. A and B are centres \
    of their rounds (Hodges-Lehmann), where the report of each alone has medians";
/// Ends the sentence about A and B where loading is among the figures.
const OF_LOADING: &str = "; those of loading are the rates of the reports";
/// Says what the intervals hold together.
const INTERVALS: &str = "All intervals hold at once with 95% confidence.";
/// Heads what would decide undecided figures.
const SETTLING: &str = "What would settle the others";
/// Names the error that no comparison of two runs can show.
const NOT_SHOWN: &str = "Twins show how much tables of one run differ, not how much another start of \
    the server or another day changes: to see that, repeat A and compare the two.";

/// Names the error that no comparison of two loads or sweeps can show.
const NOT_SHOWN_OF_LOADS: &str = "Intervals are of rounds, or of the loads of one search, which settle nothing: they \
    do not show how much another table, another start of the server or another day changes. To see that, repeat A and \
    compare the two.";

/// Holds the limit of `--fail-if-slower` and its outcome.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// Relative limit, such as 0.05.
    pub limit: f64,
    pub gate: &'a Gate,
}

/// Renders the comparison of two runs; its first line is the answer.
pub fn render(between: &Between, judged: Option<Judged<'_>>) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(judged.map(|judged| paragraph(&words::judged(between, judged))));
    parts.push(paragraph(&words::headline(between)));
    parts.push(runs(between));
    parts.extend(words::only(between).map(|text| paragraph(&text)));
    parts.extend(other_differences(between));
    parts.extend(changes(between));
    parts.extend(open(between, judged));
    parts.extend(missing(between));
    parts.extend(counted::lost(between));
    parts.extend(storage(between));
    parts.extend(counted::table(between));
    if !between.changes.is_empty() {
        parts.push(paragraph(&legend(between)));
    }
    parts.join("\n\n") + "\n"
}

/// Says in a sentence whether B is slower by more than the limit.
pub fn answer(between: &Between, judged: Judged<'_>) -> String {
    words::judged(between, judged)
}

/// Renders the comparison as JSON. Times are in seconds, loading times in seconds per row.
///
/// # Errors
/// Fails only if the summary cannot be written as JSON, which one made from records always can.
pub fn json(between: &Between, judged: Option<Judged<'_>>) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&in_json(between, judged))
}

/// Renders as [`json`] does, with what became of the conditions of `--fail-if`.
///
/// # Errors
/// Those of [`json`].
pub fn json_of_conditions(
    between: &Between,
    conditions: &[FailIf],
    outcome: &Failing,
) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Json {
        fail_if: Some(ConditionsJson {
            answer: fail_if::sentence(conditions, outcome),
            conditions,
            outcome,
        }),
        ..in_json(between, None)
    })
}

fn in_json<'a>(between: &'a Between, judged: Option<Judged<'a>>) -> Json<'a> {
    Json {
        answer: words::headline(between),
        fail_if_slower: judged.map(|judged| JudgedJson {
            answer: words::judged(between, judged),
            limit: judged.limit,
            gate: judged.gate,
        }),
        fail_if: None,
        obstacles: between.obstacles.iter().map(words::obstacle).collect(),
        cautions: between.cautions.iter().map(ToString::to_string).collect(),
        comparison: between,
    }
}

#[derive(Serialize)]
struct Json<'a> {
    answer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fail_if_slower: Option<JudgedJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fail_if: Option<ConditionsJson<'a>>,
    obstacles: Vec<String>,
    cautions: Vec<String>,
    comparison: &'a Between,
}

#[derive(Serialize)]
struct ConditionsJson<'a> {
    answer: String,
    conditions: &'a [FailIf],
    #[serde(flatten)]
    outcome: &'a Failing,
}

#[derive(Serialize)]
struct JudgedJson<'a> {
    answer: String,
    limit: f64,
    #[serde(flatten)]
    gate: &'a Gate,
}

/// Says how the ratios are to be read, and what they do not show.
fn legend(between: &Between) -> String {
    let (of_loading, not_shown) = if between.of.is_run() {
        (OF_LOADING, NOT_SHOWN)
    } else {
        ("", NOT_SHOWN_OF_LOADS)
    };
    format!("{LEGEND}{of_loading}. {INTERVALS} {not_shown}")
}

fn paragraph(text: &str) -> String {
    wrap(text, COLUMNS, "", "")
}

fn runs(between: &Between) -> String {
    [("A", &between.a), ("B", &between.b)]
        .map(|(side, run)| wrap(&format!("{side} is {}", about(run)), COLUMNS, "", "  "))
        .join("\n")
}

/// Describes a run: `runs/formats: formats, 120,000 rows, 7 rounds, 2026-03-02 10:02, Bakeoff 0.1.0`.
fn about(run: &RunAbout) -> String {
    let rows = match run.rows {
        0 => String::new(),
        rows => format!(", {}", units::plural(rows, "row", "rows")),
    };
    format!(
        "{}: {}{rows}, {}, {}, Bakeoff {}",
        run.name,
        run.workload,
        units::plural(u64::from(run.rounds), "round", "rounds"),
        units::moment(&run.started_at),
        run.bakeoff_version
    )
}

fn other_differences(between: &Between) -> Option<String> {
    let lines: Vec<String> = cautions::clauses(between)
        .iter()
        .map(|clause| wrap(&format!("{clause}."), COLUMNS, "! ", "  "))
        .collect();
    (!lines.is_empty()).then(|| format!("Other differences\n{}", lines.join("\n")))
}

/// Lists settled changes, the largest first, then undecided figures, then those that stayed the same.
fn changes(between: &Between) -> Option<String> {
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    let titles = ["A", "B", "B/A", "95% interval"].map(right);
    let names = ["Design", "Figure"].map(left);
    table.set_header(names.into_iter().chain(titles).chain([left("B is")]));
    for change in ranked(between) {
        table.add_row(row(change));
    }
    (!table.is_empty()).then(|| table.trim_fmt())
}

fn ranked(between: &Between) -> Vec<&Change> {
    let mut changes: Vec<&Change> = between.changes.iter().collect();
    changes.sort_by(|a, b| rank(a).cmp(&rank(b)).then(size(b).total_cmp(&size(a))));
    changes
}

fn rank(change: &Change) -> u8 {
    match change.shown {
        Shown::Slower => 0,
        Shown::Faster => 1,
        Shown::CannotTell => 2,
        Shown::Same => 3,
    }
}

/// Returns the size of a change, so that half and twice the time count as equally large; what only the rounding of
/// numbers makes is no difference in size.
fn size(change: &Change) -> f64 {
    (change.ratio.ln().abs() * 1e9).round()
}

fn row(change: &Change) -> [Cell; 7] {
    let [a, b, ratio, interval, shown] = figures(change);
    [
        left(&change.design),
        left(&words::what(&change.what)),
        right(a),
        right(b),
        right(ratio),
        right(interval),
        left(&shown),
    ]
}

/// Writes A, B, the ratio of the two with its interval, and what that shows.
fn figures(change: &Change) -> [String; 5] {
    let (ratio, interval) = change.shown_ratio();
    [
        words::figure(&change.what, change.a),
        words::figure(&change.what, change.b),
        words::ratio(ratio),
        words::interval(interval),
        words::shown(change.shown).to_owned(),
    ]
}

/// Lists undecided figures by what would decide them.
fn open(between: &Between, judged: Option<Judged<'_>>) -> Option<String> {
    settling(&remedies(between, judged))
}

/// Lists what would decide undecided figures, under a heading.
fn settling(remedies: &[String]) -> Option<String> {
    let lines: Vec<String> = remedies
        .iter()
        .map(|line| wrap(line, COLUMNS, "? ", "  "))
        .collect();
    (!lines.is_empty()).then(|| format!("{SETTLING}\n{}", lines.join("\n")))
}

/// Says of undecided figures what would decide them. A limit leaves other figures undecided than those that the table
/// marks, so those are named.
fn remedies(between: &Between, judged: Option<Judged<'_>>) -> Vec<String> {
    let undecided: Vec<Undecided> = match judged.map(|judged| judged.gate) {
        Some(Gate::CannotTell { open }) => open.clone(),
        Some(_) => Vec::new(),
        None => between.undecided(),
    };
    let mut remedies: Vec<(String, Vec<&Undecided>)> = Vec::new();
    for open in undecided.iter().filter(|open| open.what.is_some()) {
        let remedy = open.remedy();
        match remedies.iter_mut().find(|(known, _)| *known == remedy) {
            Some((_, figures)) => figures.push(open),
            None => remedies.push((remedy, vec![open])),
        }
    }
    let line = |(remedy, figures): &(String, Vec<&Undecided>)| {
        let which = match judged {
            Some(_) => words::undecided(figures),
            None => units::plural(figures.len() as u64, "figure", "figures"),
        };
        format!("{which}: {remedy}")
    };
    remedies.iter().map(line).collect()
}

fn missing(between: &Between) -> Option<String> {
    let lines: Vec<String> = between.missing.iter().map(missing_line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn missing_line(missing: &Missing) -> String {
    let text = format!(
        "{} has no time for {} with {}: `bakeoff report` says why.",
        missing.side, missing.query, missing.design
    );
    wrap(&text, COLUMNS, "✗ ", "  ")
}

fn storage(between: &Between) -> Option<String> {
    let is_other = |change: &&StorageChange| change.ratio.ln().abs() > SAME_BYTES.ln_1p();
    let changed: Vec<&StorageChange> = between.storage.iter().filter(is_other).collect();
    let all = between.storage.len();
    if changed.is_empty() {
        let designs = units::plural(all as u64, "design", "designs");
        return (all > 0).then(|| format!("Storage is the same, within 1%, in {designs}."));
    }
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    table.set_header([
        left("Storage, bytes per row"),
        right("A"),
        right("B"),
        right("B/A"),
    ]);
    for change in &changed {
        table.add_row([
            left(&change.design),
            right(units::bytes(change.a)),
            right(units::bytes(change.b)),
            right(words::ratio(change.ratio)),
        ]);
    }
    let rest = match all - changed.len() {
        0 => String::new(),
        others => format!("\nThe same within 1%: {others} of {all} designs."),
    };
    Some(table.trim_fmt() + &rest)
}

/// Names a figure with its design.
fn name(design: &str, what: &What) -> String {
    format!("{design} {what}")
}
