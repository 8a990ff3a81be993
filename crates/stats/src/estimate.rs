//! Medians with their uncertainty.

/// Probability with which an interval is meant to hold the true median.
const AIM: f64 = 0.95;

/// Median of a sample with a distribution-free confidence interval.
///
/// The bounds of the interval are order statistics, chosen by the binomial distribution of the
/// number of observations below the median (Hahn, Meeker: Statistical Intervals, 1991, section
/// 5.2). With fewer than six observations the widest interval, from minimum to maximum, covers less
/// than 95%; `coverage` gives the probability.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Estimate {
    pub median: f64,
    pub low: f64,
    pub high: f64,
    /// Probability that the interval holds the true median, from 0 to 1; it is 0 for a single
    /// observation.
    pub coverage: f64,
    pub observations: u32,
}

impl Estimate {
    /// Estimates the median of a sample. Returns `None` if the sample is empty or holds an infinity
    /// or NaN.
    pub fn from_samples(samples: &[f64]) -> Option<Estimate> {
        if samples.is_empty() || samples.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (rank, coverage) = interval(sorted.len());
        Some(Estimate {
            median: median(&sorted),
            low: sorted[rank],
            high: sorted[sorted.len() - 1 - rank],
            coverage,
            observations: u32::try_from(sorted.len()).unwrap_or(u32::MAX),
        })
    }
}

/// Returns the median of sorted values; there has to be at least one.
pub fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        sorted[middle - 1].midpoint(sorted[middle])
    }
}

/// Returns the number of observations to leave out at each end for the narrowest symmetric interval
/// that still covers [`AIM`], and the probability that it covers.
fn interval(observations: usize) -> (usize, f64) {
    let n = observations as f64;
    // Logarithms, since 2^-n underflows for a load of thousands of slices.
    let mut ln_probability = -n * std::f64::consts::LN_2;
    let mut tail = ln_probability.exp();
    let mut best = (0, (1.0 - 2.0 * tail).max(0.0));
    for left_out in 1..observations.div_ceil(2) {
        let k = left_out as f64;
        ln_probability += ((n - k + 1.0) / k).ln();
        tail += ln_probability.exp();
        let coverage = 1.0 - 2.0 * tail;
        if coverage < AIM {
            break;
        }
        best = (left_out, coverage);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(samples: &[f64]) -> Estimate {
        Estimate::from_samples(samples).unwrap()
    }

    #[test]
    fn nothing_and_no_numbers_give_no_estimate() {
        assert_eq!(Estimate::from_samples(&[]), None);
        assert_eq!(Estimate::from_samples(&[1.0, f64::NAN]), None);
        assert_eq!(Estimate::from_samples(&[1.0, f64::INFINITY]), None);
    }

    #[test]
    fn one_observation_covers_nothing() {
        let one = of(&[3.0]);
        assert_eq!((one.low, one.median, one.high), (3.0, 3.0, 3.0));
        assert_eq!((one.coverage, one.observations), (0.0, 1));
    }

    #[test]
    fn few_observations_give_their_range_and_what_it_covers() {
        let five = of(&[5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!((five.low, five.median, five.high), (1.0, 3.0, 5.0));
        assert!((five.coverage - 0.9375).abs() < 1e-12);
    }

    #[test]
    fn ranks_and_coverage_are_those_of_the_published_tables() {
        // Two-sided intervals for the median: n, lower rank, coverage.
        for (n, rank, coverage) in [(6, 1, 0.96875), (10, 2, 0.978_515_625), (20, 6, 0.958_6)] {
            let samples: Vec<f64> = (1..=n).map(f64::from).collect();
            let estimate = of(&samples);
            assert_eq!(estimate.low, f64::from(rank), "{n}");
            assert_eq!(estimate.high, f64::from(n + 1 - rank), "{n}");
            assert!((estimate.coverage - coverage).abs() < 1e-4, "{n}");
        }
    }

    #[test]
    fn many_observations_do_not_underflow() {
        let samples: Vec<f64> = (0..5000).map(f64::from).collect();
        let estimate = of(&samples);
        assert!((0.95..0.96).contains(&estimate.coverage));
        assert!(estimate.low > 2400.0 && estimate.high < 2600.0);
    }

    #[test]
    fn an_even_count_has_the_mean_of_the_middle_two() {
        assert_eq!(of(&[4.0, 1.0, 2.0, 10.0]).median, 3.0);
    }

    proptest::proptest! {
        #[test]
        fn the_median_lies_in_its_interval_and_the_interval_in_the_sample(
            samples in proptest::collection::vec(-1e9..1e9f64, 1..60)
        ) {
            let estimate = of(&samples);
            let least = samples.iter().copied().fold(f64::INFINITY, f64::min);
            let greatest = samples.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            proptest::prop_assert!(least <= estimate.low && estimate.low <= estimate.median);
            proptest::prop_assert!(estimate.median <= estimate.high && estimate.high <= greatest);
        }
    }
}
