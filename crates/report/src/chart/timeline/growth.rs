//! Computes how fast the counters of the server grew.

use bakeoff_stats::drive::{SecondCounts, ServerSample};

use super::MOST_POINTS;
use crate::chart::line::{Line, Stroke};

/// Returns the growth of a counter per second; `None` if it is known less than twice.
pub fn line(
    seconds: &[SecondCounts],
    stroke: Stroke,
    value: impl Fn(&ServerSample) -> Option<f64>,
) -> Option<Line> {
    let rates = rates(seconds, value);
    let each = rates.len().div_ceil(MOST_POINTS).max(1);
    (!rates.is_empty()).then(|| Line {
        class: "plain".to_owned(),
        stroke,
        mark: None,
        points: rates.chunks(each).map(mean).collect(),
    })
}

/// Returns pairs of a time in seconds, halfway between two samples, and the growth per second there.
fn rates(
    seconds: &[SecondCounts],
    value: impl Fn(&ServerSample) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let known: Vec<(u32, f64)> = seconds
        .iter()
        .filter_map(|s| Some((s.second, value(&s.server)?)))
        .collect();
    known
        .windows(2)
        .map(|pair| rate(pair[0], pair[1]))
        .collect()
}

fn rate((then, before): (u32, f64), (now, value): (u32, f64)) -> (f64, f64) {
    // A restarted server counts from zero.
    let grown = if value < before {
        value
    } else {
        value - before
    };
    let seconds = f64::from(now - then);
    (f64::from(then + 1) + seconds / 2.0, grown / seconds)
}

fn mean(points: &[(f64, f64)]) -> (f64, Option<f64>) {
    let count = points.len() as f64;
    let sum = points
        .iter()
        .fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    (sum.0 / count, Some(sum.1 / count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restarted_server_counts_from_zero() {
        let second = |(second, cpu): (u32, f64)| {
            let server = ServerSample {
                cpu_seconds: Some(cpu),
                ..ServerSample::default()
            };
            SecondCounts::new(1, second, &[], 0, server)
        };
        let seconds: Vec<SecondCounts> = [(0, 50.0), (1, 51.5), (3, 3.0), (4, 4.0)]
            .map(second)
            .to_vec();
        let rates = rates(&seconds, |s| s.cpu_seconds);
        assert_eq!(rates, [(1.5, 1.5), (3.0, 1.5), (4.5, 1.0)]);
    }
}
