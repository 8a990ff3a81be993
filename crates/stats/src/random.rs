//! Pseudo-random numbers for resampling, which have to be the same in every version and on every
//! machine: the same journal gives the same report.

/// Generator SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
pub struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    /// Returns 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns an index below `count`, which is not 0. The bias of the remainder is below 2^-40 for
    /// a million.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// Returns a number from 0 to below 1, of 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a normal deviate (Box, Muller: A note on the generation of random normal deviates,
    /// 1958).
    pub fn normal(&mut self) -> f64 {
        let (one, two) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * two).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_published_generator() {
        // The first outputs for the seed 1234567, as in the reference implementation.
        let mut random = SplitMix64::new(1_234_567);
        let first = [random.next(), random.next(), random.next()];
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn normal_numbers_have_the_mean_and_deviation_of_the_distribution() {
        let mut random = SplitMix64::new(2);
        let drawn: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let variance = drawn.iter().map(|x| x * x).sum::<f64>() / drawn.len() as f64;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03);
        assert!(drawn.iter().all(|x| x.is_finite()));
    }

    #[test]
    fn every_index_is_drawn_and_none_beyond() {
        let mut random = SplitMix64::new(1);
        let mut drawn = [0u32; 7];
        for _ in 0..7_000 {
            drawn[random.below(7)] += 1;
        }
        assert!(
            drawn.iter().all(|count| (800..1_200).contains(count)),
            "{drawn:?}"
        );
    }

    #[test]
    fn normal_deviates_have_their_mean_and_variance() {
        let mut random = SplitMix64::new(3);
        let drawn: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        let squares: f64 = drawn.iter().map(|z| z * z).sum();
        assert!(mean.abs() < 0.03, "{mean}");
        assert!((squares / 20_000.0 - 1.0).abs() < 0.04, "{squares}");
    }
}
