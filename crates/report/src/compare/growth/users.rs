//! Figures of several users: what `bakeoff forecast --users` prints.

use bakeoff_stats::{Summary, UnderLoad};

use super::COLUMNS;
use crate::text::layout::{left, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Assumptions of the forecast for several users.
const ASSUMED: &str = "Every query is asked as often as any other, and each user asks the next question \
    when the last one is answered. Cores of this machine's kind are what users wait for; a single answer \
    gets no faster by more of them. Estimated from CPU times, without an interval.";

/// Renders what this many users get on this many cores at the measured number of rows.
pub fn render_users(summary: &Summary, users: u32, cores: u32) -> String {
    let loads = summary.under_load(users, cores);
    let headline = match fastest(&loads) {
        Some(best) => format!(
            "{} on {} get at most {} answers a second, from {}.",
            units::plural(u64::from(users), "user", "users"),
            units::plural(u64::from(cores), "core", "cores"),
            units::rate(best.per_second),
            best.design
        ),
        None => "The CPU time of no design is known, so nothing can be said about several users."
            .to_owned(),
    };
    let mut parts = vec![wrap(&headline, COLUMNS, "", "")];
    if !loads.is_empty() {
        parts.push(wrap(ASSUMED, COLUMNS, "", ""));
        parts.push(rows(loads));
    }
    parts.join("\n\n") + "\n"
}

fn fastest(loads: &[UnderLoad]) -> Option<&UnderLoad> {
    let by_rate = |a: &&UnderLoad, b: &&UnderLoad| a.per_second.total_cmp(&b.per_second);
    loads.iter().max_by(by_rate)
}

fn rows(mut loads: Vec<UnderLoad>) -> String {
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
    for load in &loads {
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
