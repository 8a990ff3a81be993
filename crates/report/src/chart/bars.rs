//! Draws horizontal bars with interval whiskers, for the charts of times, loading and storage.
//!
//! Each bar has its label above it, so that a chart fits the width of a phone.

use std::fmt::Write;

use super::scale::Scale;
use crate::markup::Escaped;

const WIDTH: f64 = 360.0;
const ROW: f64 = 35.0;
const BAR: f64 = 10.0;
/// Distance from a row's top to its bar.
const LABEL: f64 = 18.0;
/// Height of the axis: its ticks, and the note that it is logarithmic.
const AXIS: f64 = 40.0;
/// Width allowed for a character of a label or a value, a little more than the average.
const CHARACTER: f64 = 7.2;

pub struct Bar {
    pub label: String,
    /// CSS class that sets the engine's colour.
    pub class: String,
    /// The value in words, or why there is none.
    pub text: String,
    pub value: Option<Value>,
    pub failed: bool,
}

pub struct Value {
    pub value: f64,
    /// Ends of the interval, if there is one.
    pub whisker: Option<(f64, f64)>,
}

/// Draws the chart, on a logarithmic axis if the bars differ much; `None` if no bar has a value.
pub fn bars(title: &str, bars: &[Bar], tick: impl Fn(f64) -> String) -> Option<String> {
    let scale = Scale::bars(&ends(bars), 1.0, WIDTH - 2.0)?;
    Some(drawn(title, bars, &scale, tick))
}

/// Draws the chart with bars from zero, whose lengths are in proportion; `None` if no bar has a value.
pub fn bars_from_zero(title: &str, bars: &[Bar], tick: impl Fn(f64) -> String) -> Option<String> {
    let scale = Scale::bars_from_zero(&ends(bars), 1.0, WIDTH - 2.0)?;
    Some(drawn(title, bars, &scale, tick))
}

/// Returns the values, and the upper ends of their intervals.
fn ends(bars: &[Bar]) -> Vec<f64> {
    bars.iter()
        .filter_map(|b| b.value.as_ref())
        .flat_map(|v| [v.value, v.whisker.map_or(v.value, |(_, high)| high)])
        .collect()
}

fn drawn(title: &str, bars: &[Bar], scale: &Scale, tick: impl Fn(f64) -> String) -> String {
    let height = bars.len() as f64 * ROW + AXIS;
    let mut content = axis(scale, height - AXIS, tick);
    for (index, bar) in bars.iter().enumerate() {
        content += &row(bar, scale, index as f64 * ROW);
    }
    super::svg(WIDTH, height, title, &description(bars, scale), &content)
}

fn axis(scale: &Scale, bottom: f64, tick: impl Fn(f64) -> String) -> String {
    let mut axis = String::new();
    for value in scale.ticks() {
        let x = scale.at(value);
        // Labels at the ends must stay inside the chart.
        let anchor = match x {
            x if x < 20.0 => "start",
            x if x > WIDTH - 20.0 => "end",
            _ => "middle",
        };
        let _ = writeln!(
            axis,
            "<path class=\"grid\" d=\"M{x:.1} 0V{bottom}\"/><text class=\"tick\" x=\"{x:.1}\" \
             y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            bottom + 16.0,
            Escaped(tick(value)),
        );
    }
    if scale.is_logarithmic() {
        let (middle, bottom) = (WIDTH / 2.0, bottom + 33.0);
        let _ = writeln!(
            axis,
            "<text class=\"tick\" x=\"{middle}\" y=\"{bottom}\" \
             text-anchor=\"middle\">logarithmic</text>"
        );
    }
    axis
}

fn row(bar: &Bar, scale: &Scale, top: f64) -> String {
    let baseline = top + LABEL - 5.0;
    let failed = failed_class(bar.failed);
    let missing = failed_class(bar.failed && bar.value.is_none());
    let mut row = format!(
        "<g class=\"{}\"><text class=\"label{failed}\" x=\"1\" y=\"{baseline:.1}\">{}</text>\
         <text class=\"value{missing}\" x=\"{}\" y=\"{baseline:.1}\" text-anchor=\"end\">{}</text>",
        bar.class,
        Escaped(fitted(&bar.label, &bar.text)),
        WIDTH - 1.0,
        Escaped(&bar.text),
    );
    if let Some(value) = &bar.value {
        row += &bar_and_whisker(value, scale, top + LABEL);
    }
    row + "</g>\n"
}

fn failed_class(failed: bool) -> &'static str {
    if failed { " failed" } else { "" }
}

/// Cuts a label to the room next to the value.
fn fitted(label: &str, value: &str) -> String {
    let room = ((WIDTH / CHARACTER) as usize).saturating_sub(value.chars().count());
    super::cut(label, room)
}

fn bar_and_whisker(value: &Value, scale: &Scale, top: f64) -> String {
    let start = scale.at(0.0);
    let width = (scale.at(value.value) - start).max(1.0);
    let mut shapes = format!(
        "<rect class=\"mark\" x=\"{start:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
         height=\"{BAR}\"/>"
    );
    if let Some((low, high)) = value.whisker {
        let (low, high, middle) = (scale.at(low), scale.at(high), top + BAR / 2.0);
        let cap = top + 1.5;
        let _ = write!(
            shapes,
            "<path class=\"whisker\" d=\"M{low:.1} {middle:.1}H{high:.1}M{low:.1} {cap:.1}v7\
             M{high:.1} {cap:.1}v7\"/>"
        );
    }
    shapes
}

fn description(bars: &[Bar], scale: &Scale) -> String {
    let kind = if scale.is_logarithmic() {
        "Logarithmic scale."
    } else {
        "Linear scale."
    };
    let figures: Vec<String> = bars
        .iter()
        .map(|b| format!("{}: {}.", b.label, b.text))
        .collect();
    format!("{kind} {}", figures.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_leave_room_for_values_and_keep_their_ends() {
        let short = "cassandra/wide?chunk=4KiB";
        assert_eq!(fitted(short, "16.5 k ops/s"), short);
        let long = "cassandra/wide?chunk=256KiB&compressor=Deflate";
        let cut = fitted(long, "2.95 k ops/s");
        assert_eq!(cut, "…wide?chunk=256KiB&compressor=Deflate");
        assert_eq!(fitted("ab", &"9".repeat(100)), "…");
    }
}
