//! Figures of several users: what `bakeoff forecast --users` prints.

use bakeoff_stats::{UnderLoad, UnknownLoad, UsersForecast};

use super::{COLUMNS, unknown};
use crate::text::layout::{left, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Assumptions of the forecast for several users.
const ASSUMED: &str = "Every query is asked as often as any other, and each user asks the next question \
    when the last one is answered. Cores of this machine's kind are what users wait for; a single answer \
    gets no faster by more of them. Estimated from CPU times, without an interval.";

/// Renders what users get on some cores.
pub fn render_users(forecast: &UsersForecast) -> String {
    let headline = match fastest(&forecast.designs) {
        Some(best) => format!(
            "{} on {} get about {} answers a second (estimated), from {}{}.",
            units::plural(u64::from(forecast.users), "user", "users"),
            units::plural(u64::from(forecast.cores), "core", "cores"),
            units::rate(best.per_second).trim_end(),
            best.design,
            but_of(&forecast.unknown)
        ),
        None => "What several users get is not known of any design.".to_owned(),
    };
    let mut parts = vec![wrap(&headline, COLUMNS, "", "")];
    if !forecast.designs.is_empty() {
        parts.push(wrap(&assumed(forecast), COLUMNS, "", ""));
        parts.push(rows(&forecast.designs));
    }
    parts.extend(unknown::lines(&forecast.unknown));
    parts.join("\n\n") + "\n"
}

/// Renders the same as JSON. Times are in seconds.
///
/// # Errors
/// None that a summary made from records can cause.
pub fn users_json(forecast: &UsersForecast) -> serde_json::Result<String> {
    serde_json::to_string_pretty(forecast)
}

/// Joins what users get with the JSON of the machines, or of their cost, as `users` and `machines`.
///
/// # Errors
/// The text about machines is no JSON.
pub fn users_and_machines_json(
    forecast: &UsersForecast,
    machines: &str,
) -> serde_json::Result<String> {
    let machines: serde_json::Value = serde_json::from_str(machines)?;
    serde_json::to_string_pretty(&serde_json::json!({ "users": forecast, "machines": machines }))
}

/// Says that the best is that of the designs with a figure only, since these others have none.
fn but_of(unknown: &[UnknownLoad]) -> String {
    let rivals: Vec<&str> = unknown.iter().map(|load| load.design.as_str()).collect();
    if rivals.is_empty() {
        return String::new();
    }
    let rivals = rivals.join(", ");
    format!(", the best of those with a figure; it is not known whether {rivals} would get more")
}

fn assumed(forecast: &UsersForecast) -> String {
    let rows = units::plural(forecast.rows, "row", "rows");
    let without = super::without_unanswered(&forecast.unanswered);
    format!("With {rows}. {ASSUMED}{without}")
}

fn fastest(loads: &[UnderLoad]) -> Option<&UnderLoad> {
    let by_rate = |a: &&UnderLoad, b: &&UnderLoad| a.per_second.total_cmp(&b.per_second);
    loads.iter().max_by(by_rate)
}

fn rows(loads: &[UnderLoad]) -> String {
    let mut loads: Vec<&UnderLoad> = loads.iter().collect();
    loads.sort_by(|a, b| b.per_second.total_cmp(&a.per_second));
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    table.set_header([
        left("Design"),
        right("Answers/s"),
        right("Mean"),
        right("Alone"),
        right("CPU of an answer"),
    ]);
    for load in loads {
        table.add_row([
            left(&load.design),
            right(units::rate(load.per_second)),
            right(units::duration(load.mean)),
            right(units::duration(load.alone)),
            right(units::duration(load.cpu_seconds)),
        ]);
    }
    table.trim_fmt()
}
