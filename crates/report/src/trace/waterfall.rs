//! Renders the events of a trace as a waterfall: a line for each, with a bar from its time to that of the next one.

use bakeoff_stats::trace::{Trace, TraceStep};
use unicode_width::UnicodeWidthStr;

use crate::text::style::Style;
use crate::units;

/// Columns of the bars.
const BAR: usize = 24;
/// Largest number of events that are shown.
const MOST_STEPS: usize = 100;

/// Renders the events, the longest ones if there are many.
pub fn render(trace: &Trace, style: Style) -> String {
    if trace.steps.is_empty() {
        return "No event was recorded.".to_owned();
    }
    let shown = shown(&trace.steps);
    let width = |text: fn(&TraceStep) -> &str, title: &str| {
        let widths = shown.iter().map(|step| text(step).width());
        widths.max().unwrap_or(0).max(title.width())
    };
    let (node, thread) = (
        width(|step| step.node.as_str(), "node"),
        width(|step| step.thread.as_str(), "thread"),
    );
    let head = format!(
        "{:>10}  {:BAR$}  {}  {}  activity",
        "µs",
        "",
        padded("node", node),
        padded("thread", thread)
    );
    let mut lines = vec![style.bold(&head)];
    for step in shown.iter().copied() {
        let line = format!(
            "{:>10}  {}  {}  {}  {}",
            units::count(step.start_micros),
            bar(step, trace.total_micros),
            padded(&on_one_line(&step.node), node),
            padded(&on_one_line(&step.thread), thread),
            on_one_line(&step.activity)
        );
        let is_slowest = trace.slowest_step() == Some(step) && step.micros > 0;
        lines.push(if is_slowest { style.bold(&line) } else { line });
    }
    let left_out = trace.steps.len() - shown.len();
    if left_out > 0 {
        lines.push(format!(
            "{} are left out; --json has all",
            short_events(left_out)
        ));
    }
    lines.join("\n")
}

fn short_events(events: usize) -> String {
    units::plural(
        events as u64,
        "event that took less",
        "events that took less",
    )
}

/// Returns the steps that take longest, in the order of their times.
fn shown(steps: &[TraceStep]) -> Vec<&TraceStep> {
    let mut by_time: Vec<usize> = (0..steps.len()).collect();
    by_time.sort_by_key(|at| std::cmp::Reverse(steps[*at].micros));
    by_time.truncate(MOST_STEPS);
    by_time.sort_unstable();
    by_time.into_iter().map(|at| &steps[at]).collect()
}

/// Renders the time of a step as its share of the whole.
fn bar(step: &TraceStep, total_micros: u64) -> String {
    let place = |micros: u64| {
        let share = micros as f64 / total_micros.max(1) as f64;
        ((share * BAR as f64).floor() as usize).min(BAR)
    };
    let start = place(step.start_micros).min(BAR - 1);
    let end = place(step.start_micros.saturating_add(step.micros));
    let length = end.saturating_sub(start);
    let filled = match length {
        0 => "▏".to_owned(),
        length => "█".repeat(length),
    };
    padded(&format!("{}{filled}", " ".repeat(start)), BAR)
}

/// Replaces ends of lines, since words of a server come from anywhere.
fn on_one_line(text: &str) -> String {
    text.replace(['\n', '\r', '\t'], " ")
}

/// Fills a text up with spaces to a width in columns.
fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}
