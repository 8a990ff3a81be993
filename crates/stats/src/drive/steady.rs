//! When a load has warmed up.

/// With fewer seconds nothing is said.
const FEWEST_SECONDS: usize = 10;
/// Seconds of the running median.
const WINDOW: usize = 5;
/// For so many seconds in a row the series has to look like the rest of it.
const SETTLED_SECONDS: usize = 3;
/// What differs by less than this share of the mean is alike; so are halves of a series that differ
/// by less than this many standard errors.
const STEADY_SHARE: f64 = 0.05;
const STEADY_ERRORS: f64 = 3.0;

/// What of a trial to leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarmUp {
    /// Leading seconds, at most half of the series.
    pub seconds: usize,
    /// Whether the rest is steady; `None` for a series that is too short to say.
    pub steady: Option<bool>,
}

/// Finds the warm-up in a value for each second, such as the mean service time, or the throughput.
///
/// The rule is MSER (White: An effective truncation heuristic for bias reduction in simulation
/// output, Simulation 69(6), 1997): leave out the number of leading values that makes the squared
/// standard error of the mean of the rest, sum (x - mean)^2 / n^2, the smallest, looking at the
/// first half only. Two things are added, since a pause of the server in the middle of a load
/// belongs to what is measured: the rule looks at a running median, which short pauses do not move;
/// and what is left out ends where the series first comes to look like the rest.
///
/// Values that are no numbers stand for seconds without any and are taken for their neighbour.
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
    // A minimum at the end of where it is looked for is none, unless the rest looks like it.
    let found = cut < series.len() / 2 || settled < cut;
    WarmUp {
        seconds: settled,
        steady: Some(found && halves_agree(&smooth[settled..], &raw[settled..])),
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

/// Windows are shorter at the ends, so that a bad first second stays bad.
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

/// The smallest number of leading values that minimises the statistic.
fn truncation(series: &[f64]) -> usize {
    // What is due to rounding alone.
    let tiny = (1e-9 * mean(series)).powi(2);
    let mut best = (0, f64::INFINITY);
    for left_out in 0..=series.len() / 2 {
        let rest = &series[left_out..];
        let statistic = squared_deviations(rest) / (rest.len() as f64).powi(2);
        if statistic < best.1 - tiny {
            best = (left_out, statistic);
        }
    }
    best.0
}

/// The first second, up to `cut`, from which on the values are like those after `cut`.
fn first_settled(series: &[f64], cut: usize) -> usize {
    let rest = &series[cut..];
    let middle = mean(rest);
    let spread = 3.0 * (squared_deviations(rest) / rest.len() as f64).sqrt();
    let spread = spread.max(STEADY_SHARE * middle.abs());
    let like_the_rest = |x: &f64| (x - middle).abs() <= spread;
    (0..cut)
        .find(|&at| {
            let next = &series[at..(at + SETTLED_SECONDS).min(series.len())];
            next.iter().all(like_the_rest)
        })
        .unwrap_or(cut)
}

/// Neighbours in a running median are alike, so that the error of a mean comes from the raw values.
fn halves_agree(smooth: &[f64], raw: &[f64]) -> bool {
    let middle = smooth.len() / 2;
    let difference = (mean(&smooth[..middle]) - mean(&smooth[middle..])).abs();
    let variance = |half: &[f64]| squared_deviations(half) / (half.len() as f64).powi(2);
    let error = (variance(&raw[..middle]) + variance(&raw[middle..])).sqrt();
    difference <= STEADY_SHARE * mean(smooth).abs() || difference <= STEADY_ERRORS * error
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn squared_deviations(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|x| (x - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Repeatable, between -1 and 1.
    fn noise(n: usize) -> f64 {
        let x = (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let x = (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((x ^ (x >> 32)) as f64 / u64::MAX as f64) * 2.0 - 1.0
    }

    fn series(seconds: usize, value: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..seconds).map(value).collect()
    }

    #[test]
    fn a_constant_series_has_no_warm_up() {
        for seconds in [10, 11, 60, 600] {
            let found = warm_up(&series(seconds, |_| 0.1));
            assert_eq!(
                found,
                WarmUp {
                    seconds: 0,
                    steady: Some(true)
                },
                "{seconds}"
            );
        }
    }

    #[test]
    fn noise_alone_is_hardly_left_out() {
        for start in 0..50 {
            let found = warm_up(&series(60, |n| 100.0 + 10.0 * noise(1000 * start + n)));
            assert!(found.seconds <= 3, "{start}: {found:?}");
            assert_eq!(found.steady, Some(true), "{start}");
        }
    }

    #[test]
    fn noise_is_hardly_ever_unsteady() {
        let steady = |start: usize| {
            let found = warm_up(&series(30, |n| 100.0 + 8.0 * noise(1000 * start + n)));
            found.steady == Some(true)
        };
        let unsteady = (0..200).filter(|&start| !steady(start)).count();
        assert!(unsteady <= 2, "{unsteady}");
    }

    #[test]
    fn a_slow_beginning_is_left_out() {
        for time_constant in [2.0, 3.0, 4.0] {
            let decay = |n: usize| 900.0 * (-(n as f64) / time_constant).exp();
            let found = warm_up(&series(60, |n| 100.0 + decay(n) + 5.0 * noise(n)));
            // When what is left of it is lost in the noise.
            let expected = time_constant * (900.0f64 / 5.0).ln();
            assert!(
                (found.seconds as f64 - expected).abs() < 4.0,
                "{time_constant}: {found:?}"
            );
            assert_eq!(found.steady, Some(true));
        }
    }

    #[test]
    fn one_bad_second_at_the_start_is_left_out() {
        let found = warm_up(&series(
            30,
            |n| if n == 0 { 400.0 } else { 100.0 + noise(n) },
        ));
        assert_eq!(
            found,
            WarmUp {
                seconds: 1,
                steady: Some(true)
            }
        );
    }

    #[test]
    fn a_throughput_that_climbs_at_first_is_left_out() {
        let climb = |n: usize| (n as f64 / 8.0).min(1.0) * 50_000.0;
        let found = warm_up(&series(60, |n| climb(n) + 300.0 * noise(n)));
        assert!((7..=9).contains(&found.seconds), "{found:?}");
        assert_eq!(found.steady, Some(true));
    }

    #[test]
    fn what_never_settles_is_said_to_be_unsteady() {
        let trends: [fn(usize) -> f64; 3] = [
            |n| 100.0 + n as f64,
            |n| 100.0 + n as f64 + 10.0 * noise(n),
            |n| 1000.0 / (1.0 + n as f64 / 20.0),
        ];
        for (number, trend) in trends.into_iter().enumerate() {
            let found = warm_up(&series(60, trend));
            assert_eq!(found.steady, Some(false), "{number}: {found:?}");
            assert!(found.seconds <= 30);
        }
    }

    #[test]
    fn a_pause_in_the_middle_is_no_warm_up() {
        for (from, to) in [(10, 11), (20, 22), (12, 20), (25, 30)] {
            let pause = |n| {
                if (from..to).contains(&n) {
                    1000.0
                } else {
                    100.0
                }
            };
            let found = warm_up(&series(60, |n| pause(n) + noise(n)));
            assert_eq!(found.seconds, 0, "{from}..{to}");
        }
    }

    #[test]
    fn short_series_are_left_alone() {
        let found = warm_up(&series(9, |n| 1000.0 / (n as f64 + 1.0)));
        assert_eq!(
            found,
            WarmUp {
                seconds: 0,
                steady: None
            }
        );
        assert_eq!(warm_up(&[]).seconds, 0);
    }

    #[test]
    fn seconds_without_a_value_do_not_disturb() {
        let found = warm_up(&series(30, |n| if n % 7 == 0 { f64::NAN } else { 5.0 }));
        assert_eq!(
            found,
            WarmUp {
                seconds: 0,
                steady: Some(true)
            }
        );
        assert_eq!(warm_up(&[f64::NAN; 20]).seconds, 0);
    }

    proptest::proptest! {
        #[test]
        fn never_more_than_half_is_left_out(
            series in proptest::collection::vec(0.0..1e9f64, 0..80)
        ) {
            proptest::prop_assert!(warm_up(&series).seconds <= series.len() / 2);
        }
    }
}
