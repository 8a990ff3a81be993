//! Renders how long each question takes with the recommended design.

use bakeoff_stats::decide::{AnswerClass, Decision};

use super::fit::{clean, clip, columns, shorten};
use crate::decide::questions::{Wait, waits};
use crate::decide::words;
use crate::text::layout::NONE;
use crate::units;

/// Width of the widest name. The other columns are as wide as their content.
const NAME: usize = 28;
const GAP: &str = "  ";
const COLUMNS: usize = 5;

/// Renders a heading and a line for each question, none of which is cut.
pub fn all(decision: &Decision) -> Vec<String> {
    let waits = waits(decision);
    if waits.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![heading(decision)];
    rows.extend(waits.iter().map(|wait| cells(decision, wait, usize::MAX)));
    aligned(&rows, usize::MAX)
}

/// Renders no more than `most` lines: a heading, one for each question, and one for the questions that have
/// no room.
pub fn lines(decision: &Decision, width: usize, most: usize) -> Vec<String> {
    let waits = waits(decision);
    if waits.is_empty() || most < 2 {
        return Vec::new();
    }
    let room = most - 1;
    let shown = if waits.len() <= room {
        waits.len()
    } else {
        room - 1
    };
    let mut rows = vec![heading(decision)];
    let shown_waits = waits[..shown].iter();
    rows.extend(shown_waits.map(|wait| cells(decision, wait, NAME)));
    let mut lines = aligned(&rows, width);
    lines.extend(rest(&waits[shown..], width));
    lines
}

fn heading(decision: &Decision) -> [String; COLUMNS] {
    let has_limits = waits(decision).iter().any(|wait| wait.limit.is_some());
    let then = format!("at {} rows, 90%", units::rows(decision.rows));
    let now = if decision.forecasts_times() {
        "now"
    } else {
        ""
    };
    let limit = if has_limits { "limit" } else { "" };
    ["question", now, &then, limit, "rests on"].map(str::to_owned)
}

/// Writes the cells of a question, whose name is shortened to `name` columns.
fn cells(decision: &Decision, wait: &Wait<'_>, name: usize) -> [String; COLUMNS] {
    let basis = match wait.class {
        AnswerClass::FromMetadata => "metadata, no row read",
        AnswerClass::AlwaysEmpty => "always empty",
        AnswerClass::ByKey | AnswerClass::Scan => wait.basis,
    };
    let now = match wait.measured {
        _ if !decision.forecasts_times() => String::new(),
        Some(seconds) => words::seconds(seconds),
        None => NONE.to_owned(),
    };
    [
        shorten(wait.name, name),
        now,
        words::seconds_with_interval(wait.seconds),
        wait.limit
            .map_or_else(String::new, |state| words::limit(state, wait.quantile)),
        clean(basis),
    ]
}

/// Aligns the columns of all rows; a column without any text takes no room.
fn aligned(rows: &[[String; COLUMNS]], width: usize) -> Vec<String> {
    let widths: Vec<usize> = (0..COLUMNS)
        .map(|column| {
            rows.iter()
                .map(|row| columns(&row[column]))
                .max()
                .unwrap_or(0)
        })
        .collect();
    let line = |row: &[String; COLUMNS]| {
        let mut line = String::new();
        for (column, cell) in row
            .iter()
            .enumerate()
            .filter(|(column, _)| widths[*column] > 0)
        {
            let blanks = " ".repeat(widths[column].saturating_sub(columns(cell)));
            // Figures are aligned at their right end.
            line += &match column {
                1 => format!("{blanks}{cell}{GAP}"),
                _ => format!("{cell}{blanks}{GAP}"),
            };
        }
        cut(&line, width)
    };
    rows.iter().map(line).collect()
}

/// Cuts a line to `width` columns.
fn cut(line: &str, width: usize) -> String {
    let line = line.trim_end();
    if columns(line) <= width {
        return line.to_owned();
    }
    let mut kept = line.to_owned();
    while columns(&kept) + 1 > width {
        kept.pop();
    }
    kept.trim_end().to_owned() + "…"
}

/// Sums up the questions for which there is no room, by the slowest of them.
fn rest(waits: &[Wait<'_>], width: usize) -> Option<String> {
    let seconds = waits.iter().map(|wait| wait.seconds.point);
    let most = seconds.max_by(f64::total_cmp)?;
    let questions = units::count(waits.len() as u64);
    Some(clip(
        &format!(
            "and {questions} more, each at most {}",
            words::seconds(most)
        ),
        width,
    ))
}
