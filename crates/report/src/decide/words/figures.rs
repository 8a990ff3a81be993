//! Writes figures with their intervals.

use bakeoff_stats::decide::{LimitState, Ratio, Span};

use crate::units;

/// Writes a size: `739 MiB (723–755 MiB)`.
pub fn bytes(span: Span) -> String {
    with_interval(span, units::bytes)
}

/// Writes a rate: `18.6 k rows/s (17.9 k–19.2 k)`.
pub fn rate(span: Span) -> String {
    let shown = |rate: f64| units::rate(rate);
    match shown_interval(span, shown) {
        Some(interval) => format!("{} rows/s ({interval})", shown(span.point)),
        None => format!("{} rows/s", shown(span.point)),
    }
}

pub fn seconds(seconds: f64) -> String {
    units::duration(seconds)
}

/// Writes a time with its interval: `106 ms (92.0–118 ms)`.
pub fn seconds_with_interval(span: Span) -> String {
    with_interval(span, units::duration)
}

/// Writes a multiple with its interval: `1.9× (1.6–2.3)`.
pub fn times(ratio: &Ratio) -> String {
    let number = |times: f64| units::factor(times).trim_end_matches('×').to_owned();
    match ratio.interval {
        Some((low, high)) if number(low) != number(high) => {
            format!(
                "{} ({}–{})",
                units::factor(ratio.times),
                number(low),
                number(high)
            )
        }
        _ => units::factor(ratio.times),
    }
}

/// Writes a share as `5%` or `0.4%`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent == 0.0 || percent >= 9.5 {
        format!("{percent:.0}%")
    } else if percent < 0.05 {
        "<0.1%".to_owned()
    } else {
        let text = format!("{percent:.1}");
        format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

pub fn limit_state(state: LimitState) -> String {
    match state {
        LimitState::Kept => "kept".to_owned(),
        LimitState::ProbablyKept => "probably kept".to_owned(),
        LimitState::ProbablyBroken(by) => format!("probably broken, {}", units::factor(by)),
        LimitState::Broken(by) => format!("broken, {}", units::factor(by)),
        LimitState::NotKnown => "not measured".to_owned(),
    }
}

/// Says how a limit is kept, with the quantile that it is on and its seconds: `probably kept: p80 41.0 ms`.
pub fn limit(state: LimitState, quantile: Option<(f64, f64)>) -> String {
    let state = limit_state(state);
    let Some((share, seconds)) = quantile else {
        return state;
    };
    let percent = format!("{:.3}", 100.0 * share);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    format!("{state}: p{percent} {}", units::duration(seconds))
}

fn with_interval(span: Span, show: impl Fn(f64) -> String) -> String {
    let point = show(span.point);
    match shown_interval(span, show) {
        Some(interval) => format!("{point} ({interval})"),
        None => point,
    }
}

/// Writes an interval; `None` if its ends are the same to the digits that are shown.
fn shown_interval(span: Span, show: impl Fn(f64) -> String) -> Option<String> {
    let (low, high) = span.interval?;
    let (low, high) = (show(low), show(high));
    if low == high {
        return None;
    }
    // The unit is written once if both ends have it.
    let (low_number, low_unit) = low.rsplit_once(' ').unwrap_or((&low, ""));
    match high.rsplit_once(' ') {
        Some((_, unit)) if unit == low_unit => Some(format!("{low_number}–{high}")),
        _ => Some(format!("{low}–{high}")),
    }
}
