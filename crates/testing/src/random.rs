//! Random choices of a test, which the seed that it prints repeats.

use std::hash::{BuildHasher, RandomState};

/// Variable with the seed of a run that is to be repeated.
const SEED: &str = "BAKEOFF_TEST_SEED";

/// Numbers that look random, the same for the same seed (SplitMix64).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// Begins with another seed each time, or with that in `BAKEOFF_TEST_SEED`, and prints it.
    ///
    /// # Panics
    /// Panics if the variable is not a number.
    pub fn printed(test: &str) -> Random {
        let seed = match std::env::var(SEED) {
            Ok(seed) => seed.parse().expect("BAKEOFF_TEST_SEED is a number"),
            Err(_) => RandomState::new().hash_one(test),
        };
        println!("{test}: {SEED}={seed}");
        Random(seed)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Returns a number from 0 to one less than `end`.
    ///
    /// # Panics
    /// Panics if `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.number() % end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_all_choices_and_another_one_does_not() {
        let choices = |seed| {
            let mut random = Random(seed);
            (0..8).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(choices(7), choices(7));
        assert_ne!(choices(7), choices(8));
    }
}
