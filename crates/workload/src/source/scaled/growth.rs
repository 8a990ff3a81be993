//! How the number of different values of a column grows with its rows.

/// Smallest exponent with which different values grow with the rows; below it they are all there.
const LEAST_GROWTH: f64 = 0.02;
/// Distance from 1 below which each doubling counts as adding as many as the one before.
const STEADY: f64 = 1e-6;

/// Growth of the different values beyond a sample.
///
/// A doubling of the rows adds so many times as many values as the one before it, as in the sample, and at most as many
/// as under a power of the rows (Heaps' law), which overestimates columns whose values are rounded or few.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    /// Values that the last doubling of the rows added, as a share of all.
    last: f64,
    /// How many times as many each doubling adds as the one before.
    ratio: f64,
}

impl Growth {
    /// Finds the growth from the rows and the different values of about a quarter, about a half and all of a sample;
    /// `None` if there is none.
    pub fn of(rows: [u64; 3], different: [usize; 3]) -> Option<Growth> {
        let all = different[2] as f64;
        if all > 0.0 && different[2] as u64 == rows[2] {
            let (last, ratio) = (0.5, 2.0);
            return Some(Growth { last, ratio });
        }
        let doublings = |from: usize| {
            let is_known = rows[from] > 0 && rows[from] < rows[from + 1] && different[from] > 0;
            is_known.then(|| (rows[from + 1] as f64 / rows[from] as f64).log2())
        };
        let added = |from: usize| {
            let added = different[from + 1].saturating_sub(different[from]) as f64;
            doublings(from).map(|doublings| added / doublings / all)
        };
        let exponent = (all / different[1] as f64).log2() / doublings(1)?;
        if exponent < LEAST_GROWTH {
            return None;
        }
        let added_last = added(1)?;
        let most = 2_f64.powf(exponent.min(1.0));
        let before = added(0).filter(|before| *before > 0.0);
        let ratio = before.map_or(most, |before| most.min(added_last / before));
        // As many as under the power: half of a sample may have few values by chance, or be nearly all of its rows.
        let last = added_last.min(1.0 - 1.0 / most);
        Some(Growth { last, ratio })
    }

    /// Returns how many values a copy, from 1 on, adds for each one of the sample.
    pub fn of_copy(self, copy: u64) -> f64 {
        let (before, after) = (copy as f64, copy as f64 + 1.0);
        if (self.ratio - 1.0).abs() < STEADY {
            return self.last * (after / before).log2();
        }
        let exponent = self.ratio.log2();
        let factor = self.last * self.ratio / (self.ratio - 1.0);
        (factor * (after.powf(exponent) - before.powf(exponent))).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values at ten times the rows, for each one of the sample.
    fn at_ten_times(growth: Growth) -> f64 {
        1.0 + (1..10).map(|copy| growth.of_copy(copy)).sum::<f64>()
    }

    fn near(value: f64, expected: f64) {
        assert!(
            (value / expected - 1.0).abs() < 0.02,
            "{value}, not {expected}"
        );
    }

    #[test]
    fn different_values_stay_different() {
        let growth = Growth::of([25, 50, 100], [25, 50, 100]).unwrap();
        near(at_ten_times(growth), 10.0);
    }

    #[test]
    fn a_power_of_the_rows_goes_on() {
        let growth = Growth::of([1_000, 2_000, 4_000], [500, 707, 1_000]).unwrap();
        near(at_ten_times(growth), 10_f64.sqrt());
        // Nothing is known of a quarter.
        let growth = Growth::of([0, 2_000, 4_000], [0, 707, 1_000]).unwrap();
        near(at_ten_times(growth), 10_f64.sqrt());
    }

    #[test]
    fn what_slows_down_goes_on_doing_so() {
        let growth = Growth::of([1_000, 2_000, 4_000], [800, 900, 1_000]).unwrap();
        near(at_ten_times(growth), 1.0 + 0.1 * 10_f64.log2());
        let growth = Growth::of([1_000, 2_000, 4_000], [850, 950, 1_000]).unwrap();
        assert!(
            at_ten_times(growth) < 1.05,
            "each doubling adds half as many"
        );
        let growth = Growth::of([1_000, 2_000, 4_000], [0, 900, 1_000]).unwrap();
        assert!(
            at_ten_times(growth) < 1.5,
            "no more than a power of the rows"
        );
    }

    #[test]
    fn values_grow_no_faster_than_the_rows_however_late_they_come() {
        for (rows, different) in [
            ([25, 50, 101], [1, 10, 100]),
            ([900, 999, 1_000], [90, 99, 100]),
        ] {
            let growth = Growth::of(rows, different).unwrap();
            assert!(at_ten_times(growth) < 10.1, "{growth:?}");
        }
    }

    #[test]
    fn few_values_do_not_grow() {
        for different in [[3, 3, 3], [0, 0, 0], [990, 995, 1_000]] {
            assert!(Growth::of([1_000, 2_000, 4_000], different).is_none());
        }
        assert!(Growth::of([0, 0, 4_000], [0, 0, 30]).is_none());
    }
}
