//! Whether response times climb throughout a load, so that its rate cannot last.

use super::SecondCounts;

/// Number of seconds below which nothing is said.
const FEWEST_SECONDS: usize = 5;
/// Quantile of the normal distribution for a one-sided limit of 95%.
const ONE_SIDED: f64 = 1.645;

/// Returns the least growth of the response time that the seconds of a load support, in seconds each
/// second: the lower limit, one-sided with 95%, of the slope of the medians of all seconds from
/// `from` up to `until`. Returns `None` for fewer than five seconds.
///
/// Each second, a server that gets more than it can serve falls behind by its overload, and an
/// operation that is due a second later waits that much longer. So the slope is the share by which
/// the rate is too high.
///
/// The slope is the median of those between all pairs of seconds, and its limit comes from Kendall's
/// tau (Sen: Estimates of the regression coefficient based on Kendall's tau, Journal of the American
/// Statistical Association 63(324), 1968), so that a pause of the server is no climb.
pub fn least_climb(seconds: &[SecondCounts], from: u32, until: u32) -> Option<f64> {
    let points: Vec<(f64, f64)> = seconds
        .iter()
        .filter(|s| (from..until).contains(&s.second) && s.successes() > 0)
        .map(|s| (f64::from(s.second), s.median_response_ns() / 1e9))
        .collect();
    (points.len() >= FEWEST_SECONDS).then(|| lower_limit(&points))
}

fn lower_limit(points: &[(f64, f64)]) -> f64 {
    let mut slopes = Vec::new();
    for (nth, (at, value)) in points.iter().enumerate() {
        let later = points[nth + 1..].iter();
        slopes.extend(later.map(|(then, grown)| (grown - value) / (then - at)));
    }
    slopes.sort_by(f64::total_cmp);
    let count = points.len() as f64;
    // The variance of Kendall's statistic without ties.
    let deviation = (count * (count - 1.0) * (2.0 * count + 5.0) / 18.0).sqrt();
    let place = (slopes.len() as f64 - ONE_SIDED * deviation) / 2.0;
    slopes[place.max(0.0) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::{OperationCounts, ServerSample};
    use crate::random::SplitMix64;

    fn series(medians_ms: impl IntoIterator<Item = f64>) -> Vec<SecondCounts> {
        let medians = medians_ms.into_iter().enumerate();
        let second = |(second, ms): (usize, f64)| SecondCounts {
            trial: 1,
            second: second as u32,
            operations: vec![OperationCounts {
                successes: 100,
                response_p50_ns: (ms * 1e6) as u64,
                ..OperationCounts::default()
            }],
            queued: 0,
            server: ServerSample::default(),
        };
        medians.map(second).collect()
    }

    fn climb(medians_ms: impl IntoIterator<Item = f64>) -> f64 {
        least_climb(&series(medians_ms), 0, 10).unwrap()
    }

    #[test]
    fn an_overload_shows_as_its_share() {
        // 5% more than can be served: 50 ms longer each second.
        let least = climb((0..10).map(|n| 3.0 + 50.0 * f64::from(n)));
        assert!((least - 0.05).abs() < 1e-6, "{least}");
    }

    #[test]
    fn a_pause_is_no_climb_wherever_it_is() {
        for at in 0..10 {
            let least = climb((0..10).map(|n| if n == at { 400.0 } else { 3.0 }));
            assert!(least <= 0.0, "{at}: {least}");
        }
    }

    #[test]
    fn noise_climbs_in_one_of_twenty_loads() {
        let mut random = SplitMix64::new(7);
        let climbs = (0..2_000)
            .filter(|_| climb((0..10).map(|_| 5.0 + random.uniform())) > 0.0)
            .count();
        assert!((40..=130).contains(&climbs), "{climbs}");
    }

    #[test]
    fn seconds_outside_do_not_count_and_few_say_nothing() {
        let seconds = series([900.0, 3.0, 3.0, 3.0, 3.0, 3.0, 900.0]);
        assert_eq!(least_climb(&seconds, 1, 6), Some(0.0));
        assert_eq!(least_climb(&seconds, 2, 6), None);
    }
}
