//! Which rows each of several processes inserts: blocks of rows by turns, so that all of them together go through the
//! rows in about the order of the source.

use crate::drive::Shard;

/// Number of rows of a block, rounded up to a whole number of batches.
const BLOCK_ROWS: u64 = 8_192;

/// Blocks of rows, each of which belongs to one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    /// Number of rows of a block.
    pub rows: u64,
    shard: Shard,
}

impl Blocks {
    /// Divides rows that are inserted in batches of `batch_rows` rows, of which there is at least one.
    pub fn new(batch_rows: u64, shard: Shard) -> Blocks {
        Blocks {
            rows: BLOCK_ROWS.div_ceil(batch_rows) * batch_rows,
            shard,
        }
    }

    /// Returns whether this process inserts all rows.
    pub fn are_all_own(self) -> bool {
        self.shard.is_whole()
    }

    /// Returns whether a block, counted from 0, belongs to this process.
    pub fn is_own(self, block: u64) -> bool {
        block % u64::from(self.shard.of) == u64::from(self.shard.index)
    }

    /// Returns the first row of each block of this process, in their order.
    pub fn first_rows(self) -> impl Iterator<Item = u64> {
        let own = (u64::from(self.shard.index)..).step_by(self.shard.of as usize);
        own.map_while(move |block| block.checked_mul(self.rows))
    }

    /// Returns how many of the first `all` rows belong to this process.
    pub fn own_rows(self, all: u64) -> u64 {
        let (index, of) = (u64::from(self.shard.index), u64::from(self.shard.of));
        let turn = self.rows * of;
        let rest = (all % turn).saturating_sub(self.rows * index);
        all / turn * self.rows + rest.min(self.rows)
    }

    /// Returns how many rows there have to be, so that at least `own` of them belong to each process.
    pub fn rows_for(self, own: u64) -> u64 {
        if self.are_all_own() {
            return own;
        }
        own.div_ceil(self.rows) * self.rows * u64::from(self.shard.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(batch_rows: u64, index: u32, of: u32) -> Blocks {
        Blocks::new(batch_rows, Shard { index, of })
    }

    #[test]
    fn blocks_are_whole_batches() {
        assert_eq!(of(1, 0, 1).rows, 8_192);
        assert_eq!(of(100, 0, 1).rows, 8_200);
        assert_eq!(of(100_000, 0, 1).rows, 100_000);
    }

    #[test]
    fn each_row_belongs_to_one_process() {
        for (batch_rows, processes) in [(1, 2), (100, 3), (10_000, 16)] {
            let all_of = |index| of(batch_rows, index, processes);
            let rows = all_of(0).rows;
            for all in [0, 1, rows - 1, rows, 2 * rows + 7, 50 * rows + 1] {
                let own = (0..processes).map(|index| all_of(index).own_rows(all));
                assert_eq!(own.sum::<u64>(), all, "{batch_rows} {processes} {all}");
            }
            let mut firsts: Vec<u64> = { 0..processes }
                .flat_map(|index| all_of(index).first_rows().take(5))
                .collect();
            firsts.sort_unstable();
            let expected = (0..5 * u64::from(processes)).map(|block| block * rows);
            assert_eq!(firsts, expected.collect::<Vec<_>>());
            let owners = |block| (0..processes).filter(move |i| all_of(*i).is_own(block));
            assert!((0..40).all(|block| owners(block).count() == 1));
        }
    }

    #[test]
    fn enough_rows_for_all_are_enough_for_each() {
        for own in [1, 8_192, 8_193, 100_000] {
            assert_eq!(of(1, 0, 1).rows_for(own), own);
            let all = of(1, 0, 3).rows_for(own);
            assert!((0..3).all(|index| of(1, index, 3).own_rows(all) >= own));
        }
    }
}
