//! Words the sentences about two runs.

use bakeoff_stats::between::{
    Between, Gate, Measurement, Obstacle, Shown, Undecided, Unknown, Value, What,
};

use super::{Judged, name};
use crate::decide::words::percent;
use crate::rows_from::rows_from;
use crate::text::layout::NONE;
use crate::units;

/// Writes the first line: how B compares with A.
pub fn headline(between: &Between) -> String {
    if !between.obstacles.is_empty() {
        return not_comparable(between);
    }
    let all = between.changes.len();
    let count = |shown| between.count(shown);
    let parts = [
        (count(Shown::Slower), "slower in"),
        (count(Shown::Faster), "faster in"),
        (count(Shown::Same), "the same in"),
    ];
    let open = count(Shown::CannotTell);
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .enumerate()
        .map(|(index, (count, what))| match index {
            0 if *count == all => format!("{what} all {all}"),
            0 => format!("{what} {count} of {all}"),
            _ => format!("{what} {count}"),
        })
        .collect();
    match (parts.is_empty(), open) {
        _ if all == 0 && between.of.is_run() => {
            "Nothing to compare: the runs have no times in common.".to_owned()
        }
        _ if all == 0 => format!(
            "Nothing to compare: the {} have no figures in common.",
            several(between.of)
        ),
        (true, _) => {
            format!("Cannot tell whether B is slower or faster in any of {all} figures.")
        }
        (false, 0) => format!("B is {}.", parts.join(", ")),
        (false, open) => format!("B is {}; {open} not settled.", parts.join(", ")),
    }
}

fn not_comparable(between: &Between) -> String {
    let why: Vec<String> = between.obstacles.iter().map(obstacle).collect();
    let remedy = match between.of {
        Measurement::Run => {
            "Repeat one of them with the workload, data and number of rows of the other."
        }
        Measurement::Load | Measurement::Sweep => {
            "Repeat one of them with the workload and options of the other."
        }
    };
    format!(
        "These {} cannot be compared: {}. {remedy}",
        several(between.of),
        why.join("; ")
    )
}

/// Names several measurements of a kind.
pub fn several(of: Measurement) -> &'static str {
    match of {
        Measurement::Run => "runs",
        Measurement::Load => "loads",
        Measurement::Sweep => "sweeps",
    }
}

/// Says which figures are compared, if not all are.
pub fn only(between: &Between) -> Option<String> {
    let names = between.only.as_ref()?.join(", ");
    Some(format!(
        "Compared are only {names}, and intervals allow for no others."
    ))
}

/// Says whether B is slower by more than a limit.
pub fn judged(between: &Between, judged: Judged<'_>) -> String {
    let (all, limit) = (between.changes.len(), percent(judged.limit));
    match judged.gate {
        Gate::Slower { slower } => {
            let names: Vec<String> = slower
                .iter()
                .map(|change| name(&change.design, &change.what))
                .collect();
            let count = slower.len();
            format!(
                "Slower by more than {limit} in {count} of {all}: {}.",
                names.join(", ")
            )
        }
        Gate::NotSlower => format!("Not slower by more than {limit} in any of {all}."),
        Gate::CannotTell { open } if open.iter().all(|open| open.what.is_none()) => {
            format!("Cannot tell whether B is slower by more than {limit}.")
        }
        Gate::CannotTell { open } => format!(
            "Cannot tell whether B is slower by more than {limit}: {} undecided, {all} compared.",
            units::plural(open.len() as u64, "figure is", "figures are"),
        ),
    }
}

/// Names undecided figures: each with the ratio that it may still have, and those without any ratio together, by their
/// design if B has not got it, and else by their question.
pub fn undecided(open: &[&Undecided]) -> String {
    let mut groups: Vec<Vec<&Undecided>> = Vec::new();
    for &figure in open {
        match groups.iter_mut().find(|group| are_one(group[0], figure)) {
            Some(group) => group.push(figure),
            None => groups.push(vec![figure]),
        }
    }
    let names: Vec<String> = groups.iter().map(|group| undecided_group(group)).collect();
    names.join(", ")
}

/// Returns whether two figures are named together.
fn are_one(figure: &Undecided, other: &Undecided) -> bool {
    let is_same = match figure.why {
        Unknown::NoDesign => figure.design == other.design,
        _ => figure.what == other.what,
    };
    is_same && figure.why == other.why && figure.at_most.is_none() && other.at_most.is_none()
}

fn undecided_group(group: &[&Undecided]) -> String {
    let named = |figure: &Undecided| {
        let what = figure.what.as_ref();
        what.map_or_else(String::new, |what| name(&figure.design, what))
    };
    let count = group.len() as u64;
    match group {
        [] => String::new(),
        [figure] => match figure.at_most {
            Some(high) if figure.what.as_ref().is_some_and(What::is_rate) => {
                format!("{} (at most {} the time)", named(figure), ratio(high))
            }
            Some(high) => format!("{} (at most {})", named(figure), ratio(high)),
            None => named(figure),
        },
        [figure, ..] if figure.why == Unknown::NoDesign => {
            let figures = units::plural(count, "figure", "figures");
            format!("{} ({figures})", figure.design)
        }
        [figure, ..] => {
            let what = figure.what.as_ref().map(What::to_string);
            let designs = units::plural(count, "design", "designs");
            format!("{} ({designs})", what.unwrap_or_default())
        }
    }
}

pub fn shown(shown: Shown) -> &'static str {
    match shown {
        Shown::Slower => "slower",
        Shown::Faster => "faster",
        Shown::Same => "the same",
        Shown::CannotTell => "?",
    }
}

/// Names an obstacle, with separators in its numbers and generators of columns in short.
pub fn obstacle(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::Rows { a, b } => {
            format!("A has {} rows, B {}", units::count(*a), units::count(*b))
        }
        Obstacle::Data { a, b } => match [a, b].map(|data| rows_from(data)) {
            [a, b] if a == b => format!("their rows are from {a}, with other options"),
            [a, b] => format!("A has rows from {a}, B from {b}"),
        },
        other => other.to_string(),
    }
}

/// Names a figure, with the unit that its values lack.
pub fn what(what: &What) -> String {
    match what {
        What::Query(name) | What::Time(name) => name.clone(),
        What::Rate(name) => format!("{name}, /s"),
        What::Loading => "load, rows/s".to_owned(),
    }
}

/// Writes a ratio with as many digits as it needs: `1.31×`, `12×`.
pub fn ratio(times: f64) -> String {
    match times {
        t if t < 0.0995 => format!("{t:.3}×"),
        t if t < 9.995 => format!("{t:.2}×"),
        t => units::factor(t),
    }
}

/// Writes seconds as a time, and those for a row or an operation of a rate as so many a second.
pub fn figure(what: &What, seconds: f64) -> String {
    if what.is_rate() {
        return units::rate(1.0 / seconds).trim_end().to_owned();
    }
    units::duration(seconds)
}

/// Writes a figure without an interval.
pub fn value(value: Option<Value>) -> String {
    match value {
        None => NONE.to_owned(),
        Some(Value::Bytes(bytes)) => units::bytes(bytes),
        Some(Value::Share(0.0)) => "0%".to_owned(),
        Some(Value::Share(share)) => format!("{:.3}%", 100.0 * share),
        Some(Value::Seconds(seconds)) => units::duration(seconds),
        Some(Value::Ratio(times)) => ratio(times),
        Some(Value::PerSecond(rate)) => format!("{}/s", units::trimmed(&units::rate(rate))),
        Some(Value::Setting {
            batch_rows,
            workers,
        }) => format!(
            "{} in a batch, {}",
            units::plural(batch_rows, "row", "rows"),
            units::plural(u64::from(workers), "worker", "workers")
        ),
    }
}

/// Writes the bounds of a ratio: `1.20–1.40`.
pub fn interval(bounds: Option<(f64, f64)>) -> String {
    let number = |times: f64| ratio(times).trim_end_matches('×').to_owned();
    bounds.map_or_else(
        || NONE.to_owned(),
        |(low, high)| format!("{}–{}", number(low), number(high)),
    )
}
