//! Which row of a series of the sample is at a position of a copy of it.

use crate::Stream;

/// Blocks of consecutive rows of a series, whose order each copy changes.
///
/// Every row of the series is once in each copy, so that a copy has the values, nulls and shares of the series.
#[derive(Debug, Clone, Copy)]
pub struct Blocks {
    /// Rows of the series.
    pub rows: u32,
    /// Rows of a block; at least 1.
    pub length: u32,
    /// Whether a block is a day, so that no row may change its time of the day.
    pub is_day: bool,
}

impl Blocks {
    /// Returns the position in the series whose values are at `position` of a copy. `draws` are those of the
    /// copy, which all series share, so that what series of equal length have in common stays.
    pub fn source(self, position: u32, mut draws: Stream) -> u32 {
        let length = self.length.max(1);
        let blocks = self.rows / length;
        if self.rows == 0 || blocks == 0 {
            return position;
        }
        let factor = coprime(draws.next_u64(), u64::from(blocks));
        let first = draws.below(u64::from(blocks));
        let turned = if self.is_day {
            0
        } else {
            draws.below(u64::from(self.rows))
        };
        let block = position / length;
        let moved = if block < blocks {
            let block = (factor * u64::from(block) + first) % u64::from(blocks);
            block * u64::from(length) + u64::from(position % length)
        } else {
            // Rows at the end that are no whole block.
            u64::from(position)
        };
        ((moved + turned) % u64::from(self.rows)) as u32
    }
}

/// Returns a number from 1 to `n` that has no divisor in common with it.
pub fn coprime(random: u64, n: u64) -> u64 {
    let start = random % n;
    let numbers = (start + 1..=n).chain(1..=start);
    { numbers }
        .find(|number| divisor(*number, n) == 1)
        .unwrap_or(1)
}

/// Returns the greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(rows: u32, length: u32, is_day: bool, copy: u64) -> Vec<u32> {
        let blocks = Blocks {
            rows,
            length,
            is_day,
        };
        let draws = Stream::new(&[1, copy]);
        (0..rows).map(|p| blocks.source(p, draws.clone())).collect()
    }

    #[test]
    fn each_row_is_once_in_a_copy_and_mostly_after_the_one_before_it() {
        for (rows, length) in [(1, 1), (2, 1), (7, 3), (100, 22), (1_000, 100), (5, 9)] {
            for copy in 1..20 {
                let order = order(rows, length, false, copy);
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..rows).collect::<Vec<_>>());
                let breaks = order.windows(2).filter(|w| w[1] != w[0] + 1).count();
                assert!(breaks as u32 <= rows / length + 1, "{order:?}");
            }
        }
        assert_ne!(order(1_000, 100, false, 1), order(1_000, 100, false, 2));
    }

    #[test]
    fn days_change_places_and_the_times_of_the_day_stay() {
        let whole: Vec<u32> = (0..240).collect();
        let copies: Vec<Vec<u32>> = (1..6).map(|copy| order(240, 24, true, copy)).collect();
        let is_same_time =
            |order: &Vec<u32>| order.iter().zip(&whole).all(|(a, b)| a % 24 == b % 24);
        assert!(copies.iter().all(is_same_time));
        assert!(copies.iter().any(|order| *order != whole));
    }
}
