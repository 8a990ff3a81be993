//! Draws the axes that several charts share.

use std::fmt::Write;

use super::placement::Rectangle;
use super::scale::Scale;
use crate::markup::Escaped;
use crate::units;

/// Width allowed for a character of a label.
const CHARACTER: f64 = 6.7;

/// Draws times along the left side, with grid lines across the plot.
pub fn times(y: &Scale, left: f64, right: f64) -> String {
    left_side(y, left, right, units::duration)
}

/// Draws values along the left side as `show` writes them, with grid lines across the plot.
pub fn left_side(y: &Scale, left: f64, right: f64, show: impl Fn(f64) -> String) -> String {
    let mut axis = String::new();
    for tick in y.ticks() {
        let at = y.at(tick);
        let _ = writeln!(
            axis,
            "<path class=\"grid\" d=\"M{left} {at:.1}H{right}\"/><text class=\"tick\" \
             x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            at + 4.0,
            Escaped(units::trimmed(&show(tick)))
        );
    }
    axis
}

/// Draws grid lines at these positions from the left to the right, with the labels that have room below the plot of a
/// chart of this width.
pub fn below(ticks: &[(f64, String)], plot: &Rectangle, width: f64) -> String {
    let (top, bottom) = (plot.top, plot.bottom);
    let mut axis = String::new();
    for ((at, text), label) in ticks.iter().zip(with_room(ticks, width)) {
        let _ = writeln!(axis, "<path class=\"grid\" d=\"M{at:.1} {top}V{bottom}\"/>");
        if let Some(middle) = label {
            let _ = writeln!(
                axis,
                "<text class=\"tick\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 16.0,
                Escaped(text)
            );
        }
    }
    axis
}

/// Draws the left and the lower edge of the plot, and the name of what is from the left to the right.
pub fn frame(plot: &Rectangle, name: &str) -> String {
    let (left, top, right, bottom) = (plot.left, plot.top, plot.right, plot.bottom);
    format!(
        "<path class=\"axis\" d=\"M{left} {top}V{bottom}H{right}\"/><text class=\"name\" x=\"{:.1}\" \
         y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
        (left + right) / 2.0,
        bottom + 33.0,
        Escaped(name)
    )
}

/// Returns the middle of each label, `None` where it would touch another one. The last label is always there, since
/// it says how far the axis reaches.
fn with_room(ticks: &[(f64, String)], width: f64) -> Vec<Option<f64>> {
    let half = |(_, text): &(f64, String)| text.chars().count() as f64 * CHARACTER / 2.0;
    // Labels at the edges stay inside the chart.
    let middle = |tick: &(f64, String)| tick.0.min(width - half(tick)).max(half(tick));
    let last_begins = ticks.last().map_or(width, |last| middle(last) - half(last));
    let mut free_from = f64::NEG_INFINITY;
    let mut places = Vec::new();
    for (index, tick) in ticks.iter().enumerate() {
        let (begins, ends) = (middle(tick) - half(tick), middle(tick) + half(tick));
        let is_last = index + 1 == ticks.len();
        let has_room = begins >= free_from && ends + CHARACTER <= last_begins;
        if is_last || has_room {
            free_from = ends + CHARACTER;
            places.push(Some(middle(tick)));
        } else {
            places.push(None);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(ticks: &[(f64, &str)], width: f64) -> Vec<String> {
        let ticks: Vec<(f64, String)> = { ticks.iter() }
            .map(|(at, text)| (*at, (*text).to_owned()))
            .collect();
        let labels = with_room(&ticks, width).into_iter().zip(&ticks);
        let shown = labels.filter_map(|(label, (_, text))| label.map(|_| text.clone()));
        shown.collect()
    }

    #[test]
    fn labels_that_would_touch_are_left_out_but_for_the_last_one() {
        let apart = [(50.0, "100"), (150.0, "1000"), (250.0, "10000")];
        assert_eq!(shown(&apart, 360.0), ["100", "1000", "10000"]);
        let close = [
            (50.0, "100"),
            (60.0, "500"),
            (300.0, "50000"),
            (320.0, "80000"),
        ];
        assert_eq!(shown(&close, 360.0), ["100", "80000"]);
        assert_eq!(shown(&[(50.0, "100"), (50.0, "100")], 360.0), ["100"]);
        assert!(shown(&[], 360.0).is_empty());
    }

    #[test]
    fn labels_at_the_edges_stay_inside() {
        let ticks = [(0.0, "1000000".to_owned()), (360.0, "8000000".to_owned())];
        let half = 7.0 * CHARACTER / 2.0;
        assert_eq!(with_room(&ticks, 360.0), [Some(half), Some(360.0 - half)]);
        let long = [(0.0, "9".repeat(1000)), (360.0, "9".repeat(1000))];
        assert_eq!(with_room(&long, 360.0).iter().flatten().count(), 1);
    }
}
