//! How often forecasts held: sentences over the entries of a ledger.

use bakeoff_stats::ledger::{Entry, Score, held_out, scores};
use bakeoff_stats::{Summary, thousands};

use super::COLUMNS;
use super::error::ratio;
use crate::text::style::wrap;

/// Returns the sentence about a run's own forecasts of times, with those by factor of extrapolation. Returns
/// `None` for a run that could make none.
pub fn of_run(summary: &Summary) -> Option<String> {
    let entries = held_out(summary);
    let text = sentence(&scores(times(&entries)))?;
    Some(format!(
        "Checked in this run, each larger table predicted from all smaller ones: {text}"
    ))
}

/// Renders how often the forecasts of several runs held.
pub fn render_ledger(entries: &[Entry], runs: usize) -> String {
    let of = |entries: Vec<&Entry>, what: &str| {
        let text = sentence(&scores(entries))?;
        Some(wrap(&format!("{what}: {text}"), COLUMNS, "", ""))
    };
    let bytes = entries.iter().filter(|entry| entry.query.is_none());
    let parts = [
        of(times(entries).collect(), "Times"),
        of(bytes.collect(), "Storage"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return "No forecast was checked yet: run `bakeoff forecast RUN --validate` first.\n"
            .to_owned();
    }
    let from = format!(
        "From the ledgers of {}.",
        crate::units::plural(runs as u64, "run", "runs")
    );
    parts.join("\n\n") + "\n\n" + &from + "\n"
}

/// Renders the entries of ledgers as JSON.
///
/// # Errors
/// None that entries can cause.
pub fn ledger_json(entries: &[Entry]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(entries)
}

fn times(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    entries.iter().filter(|entry| entry.query.is_some())
}

/// `of 412 forecasts of this method 91% lay within their 90% interval, median error 8%; 2 times as many rows:
/// 200, 93%, 6%`
fn sentence(scores: &[Score]) -> Option<String> {
    let (all, by_factor) = scores.split_first()?;
    let parts: Vec<String> = { by_factor.iter() }
        .filter_map(|score| {
            Some(format!(
                "{}× the rows: {} of {}, {}",
                score.factor?,
                thousands(score.covered as u64),
                thousands(score.forecasts as u64),
                ratio(score.median_error)
            ))
        })
        .collect();
    Some(format!(
        "of {} of this method {:.0}% lay within their 90% interval, median error {} ({}).",
        crate::units::plural(all.forecasts as u64, "forecast", "forecasts"),
        100.0 * all.covered as f64 / all.forecasts.max(1) as f64,
        ratio(all.median_error),
        parts.join("; ")
    ))
}
