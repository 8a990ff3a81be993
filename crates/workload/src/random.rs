//! Random streams with random access.

use std::convert::Infallible;

use rand::TryRng;

/// A stream of pseudo-random numbers that is a pure function of its keys, so that row *i* never
/// depends on the rows before it, on the engine, or on the number of workers.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): the
/// keys are hashed into the state, which then advances by the golden gamma.
#[derive(Debug, Clone)]
pub struct Stream {
    state: u64,
}

const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn add_key(state: u64, key: u64) -> u64 {
    mix(state.wrapping_add(GOLDEN_GAMMA) ^ mix(key))
}

impl Stream {
    /// Returns the stream of these keys, such as (seed, row).
    pub fn new(keys: &[u64]) -> Self {
        let state = keys
            .iter()
            .fold(GOLDEN_GAMMA, |state, key| add_key(state, *key));
        Stream { state }
    }

    /// Returns the stream of the keys of this one (from which nothing was drawn) and one more.
    pub(crate) fn and(&self, key: u64) -> Self {
        Stream {
            state: add_key(self.state, key),
        }
    }

    /// Draws 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN_GAMMA);
        mix(self.state)
    }

    /// Draws a uniform number in 0..n; `n` must not be 0.
    pub fn below(&mut self, n: u64) -> u64 {
        // Multiply-shift (Lemire 2019) without rejection: the bias is below n / 2^64.
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// Draws a uniform number in 0.0..1.0.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Draws a uniform number between two bounds, whose distance has to be finite.
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        // A product is rounded, too.
        (from + self.unit() * (to - from)).min(to)
    }

    /// Draws `true` with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

/// Makes the distributions of `rand_distr` available.
impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next_u64() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next_u64().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;

    #[test]
    fn a_stream_depends_on_every_key_and_on_nothing_else() {
        let first = |keys: &[u64]| Stream::new(keys).next_u64();
        assert_eq!(first(&[1, 2]), first(&[1, 2]));
        assert_ne!(first(&[1, 2]), first(&[2, 1]));
        assert_ne!(first(&[1, 2]), first(&[1, 3]));
    }

    #[test]
    fn a_key_may_be_added_later() {
        let mut later = Stream::new(&[1, 2]).and(3);
        assert_eq!(later.next_u64(), Stream::new(&[1, 2, 3]).next_u64());
    }

    #[test]
    fn bytes_are_those_of_the_numbers() {
        let mut bytes = [0; 11];
        rand::Rng::fill_bytes(&mut Stream::new(&[1]), &mut bytes);
        let mut numbers = Stream::new(&[1]);
        assert_eq!(bytes[..8], numbers.next_u64().to_le_bytes());
        assert_eq!(bytes[8..], numbers.next_u64().to_le_bytes()[..3]);
    }

    #[test]
    fn draws_are_uniform() {
        let mut buckets = [0u32; 10];
        for row in 0..100_000 {
            buckets[Stream::new(&[7, row]).below(10) as usize] += 1;
        }
        // Binomial(100000, 0.1): standard deviation 95; five of them either way.
        assert!(
            buckets.iter().all(|n| n.abs_diff(10_000) < 475),
            "{buckets:?}"
        );
    }
}
