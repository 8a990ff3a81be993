//! Shows runs in the order of their time, as `bakeoff history` prints them.

use bakeoff_stats::between::{Group, History, Point, RunAbout, Series, Shift};
use serde::Serialize;

use super::{COLUMNS, paragraph, words};
use crate::text::layout::{left, or_none, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Explains what the figures are and what counts as a change.
const LEGEND: &str = "Figures are centres of the rounds of each run, as in `bakeoff compare`, with the interval of \
    each alone; those of loading are the rates of the reports. A change starts at the first run that differs from the \
    very first one, or from the run of the last change, provided that all later runs differ from it as well; runs in \
    which that is not settled count neither way, unless they rule the change out.";

/// Renders lasting changes and the figures that changed; every figure if `all` is set.
pub fn render(history: &History, all: bool) -> String {
    let mut parts = vec![paragraph(&headline(history))];
    for group in &history.groups {
        parts.push(paragraph(&heading(group)));
        parts.extend(changes(group));
        parts.extend(open(group));
        parts.extend(figures(group, all));
        let quiet = group.series.iter().filter(|s| s.shifts.is_empty()).count();
        let is_left_out = !all && quiet > 0 && group.runs.len() > 1;
        parts.extend(is_left_out.then(|| {
            format!(
                "--all also shows the other {}.",
                units::plural(quiet as u64, "figure", "figures")
            )
        }));
    }
    if history.groups.iter().any(|group| group.runs.len() > 1) {
        parts.push(paragraph(LEGEND));
    }
    parts.join("\n\n") + "\n"
}

/// Renders everything as JSON. Times are in seconds, loading times in seconds per row, and ratios are
/// of these.
///
/// # Errors
/// Fails only if a summary cannot be written as JSON, which one made from records always can.
pub fn json(history: &History) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Json {
        answer: headline(history),
        history,
    })
}

#[derive(Serialize)]
struct Json<'a> {
    answer: String,
    #[serde(flatten)]
    history: &'a History,
}

fn headline(history: &History) -> String {
    let compared = || history.groups.iter().filter(|group| group.runs.len() > 1);
    let series = || compared().flat_map(|group| &group.series);
    let changed = series().filter(|series| !series.shifts.is_empty()).count();
    let (all_runs, compared_runs) = (runs(history.groups.iter()), runs(compared()));
    let all = units::plural(series().count() as u64, "figure", "figures");
    match history.groups.as_slice() {
        [] => "There are no runs to compare.".to_owned(),
        groups if groups.iter().all(|group| group.runs.len() < 2) => {
            format!("Nothing to compare: no two of {all_runs} have the same table, data and rows.")
        }
        _ if changed == 0 => format!("No lasting change among {all} in {compared_runs}."),
        _ => format!("{changed} of {all} changed for good in {compared_runs}."),
    }
}

fn runs<'a>(groups: impl Iterator<Item = &'a Group>) -> String {
    let runs: usize = groups.map(|group| group.runs.len()).sum();
    units::plural(runs as u64, "run", "runs")
}

/// Names the workload of a group and the span of its runs.
fn heading(group: &Group) -> String {
    let (Some(first), Some(last)) = (group.runs.first(), group.runs.last()) else {
        return String::new();
    };
    let from = units::moment(&first.started_at);
    let span = match group.runs.len() {
        1 => format!("one run, {from}"),
        runs => format!("{runs} runs, {from} to {}", units::moment(&last.started_at)),
    };
    format!("{}: {span}", workload_and_rows(first))
}

fn workload_and_rows(run: &RunAbout) -> String {
    let rows = units::plural(run.rows, "row", "rows");
    format!("{} with {rows}", run.workload)
}

fn changes(group: &Group) -> Option<String> {
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    table.set_header([
        left("Since"),
        left("Run"),
        left("Design"),
        left("Figure"),
        right("Ratio"),
        right("Interval"),
        right("Runs"),
    ]);
    let mut shifts: Vec<(&Shift, &Series)> = group
        .series
        .iter()
        .flat_map(|series| series.shifts.iter().map(move |shift| (shift, series)))
        .collect();
    shifts.sort_by_key(|(shift, _)| shift.at);
    for (shift, series) in shifts {
        let (ratio, interval) = series.what.shown_ratio(shift.ratio, shift.interval);
        let run = &group.runs[shift.at];
        table.add_row([
            left(&units::moment(&run.started_at)),
            left(&run.name),
            left(&series.design),
            left(&words::what(&series.what)),
            right(words::ratio(ratio)),
            right(words::interval(interval)),
            right(shift.runs),
        ]);
    }
    (!table.is_empty()).then(|| {
        format!(
            "Changes: of times, above 1 is slower, and of rates, below 1\n{}",
            table.trim_fmt()
        )
    })
}

/// Counts undecided figures by what would decide them.
fn open(group: &Group) -> Option<String> {
    let mut remedies: Vec<(String, u64)> = Vec::new();
    for series in &group.series {
        let Some(unknown) = series.unknown else {
            continue;
        };
        let remedy = unknown.remedy_among_many(&series.what);
        match remedies.iter_mut().find(|(known, _)| *known == remedy) {
            Some((_, count)) => *count += 1,
            None => remedies.push((remedy, 1)),
        }
    }
    let line = |(remedy, count): &(String, u64)| {
        format!("{}: {remedy}", units::plural(*count, "figure", "figures"))
    };
    let lines: Vec<String> = remedies.iter().map(line).collect();
    super::settling(&lines)
}

/// Shows figures over time, one series after another.
fn figures(group: &Group, all: bool) -> Option<String> {
    let shown = group.series.iter().filter(|s| all || !s.shifts.is_empty());
    let parts: Vec<String> = shown.map(|series| series_table(group, series)).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn series_table(group: &Group, series: &Series) -> String {
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    let title = format!("{} {}", series.design, words::what(&series.what));
    table.set_header([
        left("Start"),
        left("Run"),
        right("Figure"),
        right("Interval"),
        left(""),
    ]);
    for (index, (run, point)) in group.runs.iter().zip(&series.points).enumerate() {
        let figure = |seconds: f64| words::figure(&series.what, seconds);
        let Some(Point { seconds, interval }) = point else {
            continue;
        };
        let interval = or_none(*interval, |(low, high)| {
            format!("{}–{}", figure(low), figure(high))
        });
        let is_change = series.shifts.iter().any(|shift| shift.at == index);
        table.add_row([
            left(&units::moment(&run.started_at)),
            left(&run.name),
            right(figure(*seconds)),
            right(interval),
            left(if is_change { "changed" } else { "" }),
        ]);
    }
    format!("{}\n{}", wrap(&title, COLUMNS, "", ""), table.trim_fmt())
}
