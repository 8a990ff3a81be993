//! Draws the axes that several charts share.

use std::fmt::Write;

use super::scale::Scale;
use crate::markup::Escaped;
use crate::units;

/// Draws times along the left side, with grid lines across the plot.
pub fn times(y: &Scale, left: f64, right: f64) -> String {
    let mut axis = String::new();
    for tick in y.ticks() {
        let at = y.at(tick);
        let _ = writeln!(
            axis,
            "<path class=\"grid\" d=\"M{left} {at:.1}H{right}\"/><text class=\"tick\" \
             x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            at + 4.0,
            Escaped(units::trimmed(&units::duration(tick)))
        );
    }
    axis
}
