//! Rate of loading: rows by the seconds of loading and settling, since a design that puts work off
//! has to do it before it answers.

use crate::Estimate;
use crate::counts::add;
use crate::decide::interval;
use crate::estimate::median;
use crate::random::SplitMix64;

/// Number of resamples of a rate.
const RESAMPLES: usize = 400;
const SEED: u64 = 0x0010_AD00;
const COVERAGE: f64 = 0.95;
/// Fewest slices whose differences say something about the error of the whole.
const FEWEST_SLICES: usize = 5;

/// Slices of a load, each with its rows and seconds, and the seconds of settling after them.
#[derive(Debug, Clone, Default)]
pub struct Loading {
    pub slices: Vec<(u64, f64)>,
    pub settle_seconds: f64,
}

impl Loading {
    /// Returns the rows per second of the whole. Returns `None` if nothing was loaded, or in no time.
    pub fn rate(&self) -> Option<f64> {
        self.rate_of(self.slices.iter())
    }

    /// Returns rates of resamples: of blocks of neighbouring slices, since one stall or compaction
    /// takes several of them (Künsch: The jackknife and the bootstrap for general stationary
    /// observations, 1989), each of the length sqrt(slices). Returns none for fewer than five slices.
    pub fn resamples(&self) -> Vec<f64> {
        let count = self.slices.len();
        if count < FEWEST_SLICES {
            return Vec::new();
        }
        let block = (count as f64).sqrt().round() as usize;
        let mut random = SplitMix64::new(SEED);
        let mut one = || {
            let mut drawn = Vec::with_capacity(count + block);
            while drawn.len() < count {
                // Around the end, so that the first and last slices are drawn as often as others.
                let first = random.below(count);
                drawn.extend((first..first + block).map(|index| self.slices[index % count]));
            }
            drawn.truncate(count);
            self.rate_of(drawn.iter())
        };
        (0..RESAMPLES).filter_map(|_| one()).collect()
    }

    /// Returns the rate with its interval. That of fewer than five slices covers nothing.
    pub fn estimate(&self) -> Option<Estimate> {
        let rate = self.rate()?;
        let resamples = self.resamples();
        let (low, high, coverage) = if resamples.is_empty() {
            (rate, rate, 0.0)
        } else {
            let (low, high) = interval(&resamples, COVERAGE);
            (low.min(rate), high.max(rate), COVERAGE)
        };
        Some(Estimate {
            median: rate,
            low,
            high,
            coverage,
            observations: u32::try_from(self.slices.len()).unwrap_or(u32::MAX),
        })
    }

    /// Returns how many times as long the slowest slice took for its rows as the median one: what
    /// flushes and compactions add while others wait. Returns `None` for fewer than five slices.
    pub fn longest_stall(&self) -> Option<f64> {
        if self.slices.len() < FEWEST_SLICES {
            return None;
        }
        let by_row = |slice: &(u64, f64)| slice.1 / slice.0.max(1) as f64;
        let mut seconds: Vec<f64> = self.slices.iter().map(by_row).collect();
        seconds.sort_by(f64::total_cmp);
        let longest = *seconds.last()?;
        let middle = median(&seconds);
        (middle > 0.0).then(|| longest / middle)
    }

    fn rate_of<'a>(&self, slices: impl Iterator<Item = &'a (u64, f64)>) -> Option<f64> {
        let (mut rows, mut seconds) = (0, self.settle_seconds);
        for slice in slices {
            add(&mut rows, slice.0);
            seconds += slice.1;
        }
        (rows > 0 && seconds > 0.0).then(|| rows as f64 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loading(slices: &[(u64, f64)], settle_seconds: f64) -> Loading {
        Loading {
            slices: slices.to_vec(),
            settle_seconds,
        }
    }

    #[test]
    fn settling_counts_and_so_does_every_stall() {
        let with_a_stall = loading(&[(100, 1.0), (100, 1.0), (100, 6.0)], 2.0);
        assert_eq!(with_a_stall.rate(), Some(30.0));
    }

    #[test]
    fn nothing_loaded_and_no_time_give_no_rate() {
        assert_eq!(loading(&[], 1.0).rate(), None);
        assert_eq!(loading(&[(10, 0.0)], 0.0).rate(), None);
        assert!(loading(&[], 0.0).estimate().is_none());
    }

    #[test]
    fn few_slices_say_nothing_about_the_error() {
        let estimate = loading(&[(10, 1.0); 4], 0.0).estimate().unwrap();
        assert_eq!((estimate.median, estimate.coverage), (10.0, 0.0));
        assert_eq!(loading(&[(10, 1.0); 4], 0.0).longest_stall(), None);
    }

    #[test]
    fn the_interval_holds_the_rate_and_widens_with_the_differences() {
        let even = loading(&[(100, 1.0); 30], 0.0).estimate().unwrap();
        assert_eq!((even.low, even.high), (100.0, 100.0));
        let mut slices = [(100, 1.0); 30];
        for slice in slices.iter_mut().step_by(3) {
            slice.1 = 4.0;
        }
        let uneven = loading(&slices, 0.0).estimate().unwrap();
        assert!(uneven.low < uneven.median && uneven.median < uneven.high);
        assert_eq!(uneven.median, 50.0);
    }

    #[test]
    fn the_longest_stall_is_of_a_row_and_not_of_a_slice() {
        let slices = [(100, 1.0), (200, 2.0), (400, 4.0), (100, 1.0), (100, 9.0)];
        assert_eq!(loading(&slices, 0.0).longest_stall(), Some(9.0));
    }

    #[test]
    fn a_run_of_slow_slices_widens_the_interval_more_than_scattered_ones() {
        let scattered: Vec<(u64, f64)> = (0..36)
            .map(|n| (100, if n % 6 == 0 { 5.0 } else { 1.0 }))
            .collect();
        let together: Vec<(u64, f64)> = (0..36)
            .map(|n| (100, if n < 6 { 5.0 } else { 1.0 }))
            .collect();
        let width = |slices: &[(u64, f64)]| {
            let estimate = loading(slices, 0.0).estimate().unwrap();
            estimate.high - estimate.low
        };
        assert!(width(&together) > 1.5 * width(&scattered));
    }
}
