//! Scatters frequent rows, so that they are not neighbours.

use crate::Stream;

/// A permutation of 0..n that looks random, in constant time and space.
///
/// YCSB's scrambled Zipfian hashes ranks to rows, so that several ranks meet on one row and others
/// are never read; a permutation keeps the law as it is. Multiplying by an odd number, adding, and
/// folding the high bits onto the low ones are all permutations of the numbers below a power of
/// two; results outside 0..n are permuted again until they are inside ("cycle walking", Black and
/// Rogaway: "Ciphers with arbitrary finite domains", 2002), less than once on average.
#[derive(Debug, Clone, Copy)]
pub struct Scatter {
    n: u64,
    mask: u64,
    shift: u32,
    factors: [u64; 3],
    offset: u64,
}

impl Scatter {
    /// Makes the permutation of 0..n that a seed determines.
    pub fn new(n: u64, seed: u64) -> Self {
        let mut stream = Stream::new(&[seed, n]);
        let mask = u64::MAX
            .checked_shr(n.saturating_sub(1).leading_zeros())
            .unwrap_or(0);
        Scatter {
            n,
            mask,
            shift: mask.count_ones().div_ceil(2),
            factors: std::array::from_fn(|_| stream.next_u64() | 1),
            offset: stream.next_u64(),
        }
    }

    /// Returns the number that `i` (below n) is permuted to.
    #[inline]
    pub fn permuted(&self, i: u64) -> u64 {
        let mut number = i;
        loop {
            number = self.permute(number);
            if number < self.n || self.mask == 0 {
                return number;
            }
        }
    }

    fn permute(&self, i: u64) -> u64 {
        let start = i.wrapping_add(self.offset) & self.mask;
        self.factors.iter().fold(start, |x, factor| {
            let x = x.wrapping_mul(*factor) & self.mask;
            x ^ (x >> self.shift)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_taken_once() {
        for n in [1, 2, 3, 7, 8, 9, 1000, 65_536, 65_537] {
            let scatter = Scatter::new(n, 5);
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let position = scatter.permuted(i) as usize;
                assert!(
                    !std::mem::replace(&mut seen[position], true),
                    "{n}: {position}"
                );
            }
        }
    }

    #[test]
    fn the_first_ranks_are_far_apart_and_depend_on_the_seed() {
        let n = 1_000_000;
        let positions = |seed| {
            let scatter = Scatter::new(n, seed);
            let mut positions: Vec<u64> = (0..100).map(|i| scatter.permuted(i)).collect();
            positions.sort_unstable();
            positions
        };
        let sorted = positions(1);
        assert!(sorted[0] < n / 20 && sorted[99] > n - n / 20, "{sorted:?}");
        // The gaps of 100 uniform positions: mean 10,000, at most five of them 46,000 wide or more.
        let widest = sorted.windows(2).map(|w| w[1] - w[0]).max();
        assert!(widest < Some(n / 8), "{sorted:?}");
        assert_ne!(sorted, positions(2));
    }
}
