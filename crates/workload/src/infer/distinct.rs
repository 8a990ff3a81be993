//! Counts different values in bounded memory.

use std::collections::HashMap;

/// Hashes of values, each with how often it came. If there are too many, only a share of the hashes is kept,
/// which is a half, a quarter and so on, and counts are of these alone.
pub struct Distinct {
    times: HashMap<u64, u64>,
    /// Bits that are zero in all hashes that are kept.
    mask: u64,
    most: usize,
}

impl Distinct {
    /// Counts with at most so many hashes in memory, of which there is at least one.
    pub fn new(most: usize) -> Distinct {
        Distinct {
            times: HashMap::new(),
            mask: 0,
            most: most.max(1),
        }
    }

    /// Counts a value by its hash.
    pub fn add(&mut self, hash: u64) {
        if hash & self.mask != 0 {
            return;
        }
        *self.times.entry(hash).or_default() += 1;
        while self.times.len() > self.most {
            let mask = self.mask << 1 | 1;
            self.mask = mask;
            self.times.retain(|hash, _| hash & mask == 0);
        }
    }

    /// Returns the number of different values; an estimate if [`Distinct::share`] is not 1.
    pub fn distinct(&self) -> u64 {
        (self.times.len() as u64).saturating_mul(self.share())
    }

    /// Returns the number of values of which one was counted: 1 if all were.
    pub fn share(&self) -> u64 {
        self.mask.saturating_add(1)
    }

    /// Returns the share of the values that came again later, from 0 to 1.
    pub fn repeated(&self) -> f64 {
        let values: u64 = self.times.values().sum();
        if values == 0 {
            0.0
        } else {
            1.0 - self.times.len() as f64 / values as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn counted(most: usize, values: impl Iterator<Item = u64>) -> Distinct {
        let mut distinct = Distinct::new(most);
        for value in values {
            distinct.add(xxh3_64(&value.to_le_bytes()));
        }
        distinct
    }

    #[test]
    fn few_values_are_counted_exactly() {
        let counted = counted(100, (0..50).chain(0..25));
        assert_eq!((counted.distinct(), counted.share()), (50, 1));
        assert!((counted.repeated() - 25.0 / 75.0).abs() < 1e-9);
        assert_eq!(Distinct::new(5).repeated(), 0.0);
    }

    #[test]
    fn many_values_are_estimated_in_bounded_memory() {
        let counted = counted(1_000, (0..100_000).chain(0..10_000));
        assert!(counted.times.len() <= 1_000);
        assert!(counted.share() >= 64);
        let (distinct, repeated) = (counted.distinct() as f64, counted.repeated());
        assert!((80_000.0..120_000.0).contains(&distinct), "{distinct}");
        assert!((0.06..0.12).contains(&repeated), "{repeated}");
    }
}
