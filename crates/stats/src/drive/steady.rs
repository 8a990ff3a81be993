//! Finds when a load has warmed up.

/// Number of seconds below which a series is too short for a statement.
const FEWEST_SECONDS: usize = 10;
/// Number of seconds of the running median.
const WINDOW: usize = 5;
/// Number of consecutive seconds in which the series has to look like the rest of it.
const SETTLED_SECONDS: usize = 3;
/// Share of the mean below which a difference does not matter.
const STEADY_SHARE: f64 = 0.05;
/// Number of standard errors below which halves of a series do not differ.
const STEADY_ERRORS: f64 = 3.0;
/// Share by which a falling throughput shows that a load has not warmed up.
const FALL_SHARE: f64 = 0.2;

/// Warm-up of a trial, which its figures leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarmUp {
    /// Number of leading seconds to leave out, at most half of the series.
    pub seconds: usize,
    /// Whether the rest is steady; `None` if the series is too short for a statement.
    pub steady: Option<bool>,
}

/// Finds the warm-up in a series with a value for each second, such as the mean service time or the
/// throughput.
///
/// The rule is MSER (White: An effective truncation heuristic for bias reduction in simulation
/// output, Simulation 69(6), 1997): leave out the number of leading values that makes the squared
/// standard error of the mean of the rest, sum (x - mean)^2 / n^2, the smallest, looking at the
/// first half only. Two rules are added, since a pause of the server in the middle of a load
/// belongs to the measurement: MSER looks at a running median, which short pauses do not move; and
/// the warm-up ends where the series first looks like the rest.
///
/// Values that are no numbers stand for seconds without any, and the value before them is used
/// instead.
pub fn warm_up(series: &[f64]) -> WarmUp {
    if series.len() < FEWEST_SECONDS {
        return WarmUp {
            seconds: 0,
            steady: None,
        };
    }
    let raw = filled(series);
    let smooth = running_median(&raw);
    let cut = truncation(&smooth);
    let settled = first_settled(&smooth, cut);
    // At the end of the first half the statistic may still be falling, and the series not yet be
    // steady: then the cut only counts if values before it already look like the rest.
    let found = cut < series.len() / 2 || settled < cut;
    WarmUp {
        seconds: settled,
        steady: Some(found && halves_agree(&smooth[settled..], &raw[settled..])),
    }
}

/// Finds the warm-up as [`warm_up`] does, in successes by second. A load that does less after the
/// warm-up than before has not warmed up: its server has become slower, or has died. Nothing is
/// left out then.
pub fn warm_up_of_throughput(series: &[f64]) -> WarmUp {
    let found = warm_up(series);
    let (left_out, rest) = series.split_at(found.seconds);
    let falls = !left_out.is_empty() && mean(rest) < (1.0 - FALL_SHARE) * mean(left_out);
    let nothing_left = found.steady.is_some() && rest.iter().all(|successes| *successes == 0.0);
    if falls || nothing_left {
        WarmUp {
            seconds: 0,
            steady: Some(false),
        }
    } else {
        found
    }
}

fn filled(series: &[f64]) -> Vec<f64> {
    let first = series.iter().copied().find(|x| x.is_finite());
    let mut last = first.unwrap_or(0.0);
    series
        .iter()
        .map(|&x| {
            last = if x.is_finite() { x } else { last };
            last
        })
        .collect()
}

/// Computes a running median. Windows are shorter at the ends, so that a bad first second stays
/// bad.
fn running_median(series: &[f64]) -> Vec<f64> {
    (0..series.len())
        .map(|at| {
            let reach = (WINDOW / 2).min(at).min(series.len() - 1 - at);
            let mut window = series[at - reach..=at + reach].to_vec();
            window.sort_by(f64::total_cmp);
            window[reach]
        })
        .collect()
}

/// Returns the smallest number of leading values that minimises the statistic.
fn truncation(series: &[f64]) -> usize {
    // Differences below this come from rounding alone.
    let tiny = (1e-9 * mean(series)).powi(2);
    let mut best = (0, f64::INFINITY);
    for left_out in 0..=series.len() / 2 {
        let rest = &series[left_out..];
        let statistic = squared_error_of_mean(rest);
        if statistic < best.1 - tiny {
            best = (left_out, statistic);
        }
    }
    best.0
}

/// Returns the first second, up to `cut`, from which on the values are like those after `cut`.
fn first_settled(series: &[f64], cut: usize) -> usize {
    let rest = &series[cut..];
    let middle = mean(rest);
    let deviation = (squared_deviations(rest) / rest.len() as f64).sqrt();
    // Three deviations hold nearly all of the rest; the share is for a rest without any noise.
    let spread = (3.0 * deviation).max(STEADY_SHARE * middle.abs());
    (0..cut)
        .find(|&at| {
            let next = &series[at..(at + SETTLED_SECONDS).min(series.len())];
            next.iter().all(|x| (x - middle).abs() <= spread)
        })
        .unwrap_or(cut)
}

/// Returns whether both halves have about the same mean. Neighbours in a running median are alike,
/// so the error of a mean has to come from the raw values.
fn halves_agree(smooth: &[f64], raw: &[f64]) -> bool {
    let middle = smooth.len() / 2;
    let difference = (mean(&smooth[..middle]) - mean(&smooth[middle..])).abs();
    let (first, second) = raw.split_at(middle);
    let error = (squared_error_of_mean(first) + squared_error_of_mean(second)).sqrt();
    difference <= STEADY_SHARE * mean(smooth).abs() || difference <= STEADY_ERRORS * error
}

fn squared_error_of_mean(values: &[f64]) -> f64 {
    squared_deviations(values) / (values.len() as f64).powi(2)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn squared_deviations(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|x| (x - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests;
