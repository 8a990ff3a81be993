//! Draws the row of an operation.

use std::ops::Range;

use rand::distr::Distribution;
use rand_distr::{StandardNormal, Zipf};

use super::scatter::Scatter;
use crate::{Keys, Stream};

/// Draws rows for one operation of a mix, on one thread of one shard.
///
/// A shard draws from its own block of the loaded rows ([`shard_rows`]), so shards never touch each
/// other's rows; the threads of a shard share its block. A shard whose block is empty, because
/// there are fewer rows than shards, draws a row of another shard.
#[derive(Debug, Clone)]
pub struct RowChooser {
    law: Law,
    /// First row of the shard's block.
    first: u64,
    /// Number of rows in the block, at least one.
    block: u64,
    numbering: Numbering,
}

#[derive(Debug, Clone)]
enum Law {
    New,
    Uniform,
    Sequential,
    Zipf { ranks: Zipf<f64>, scatter: Scatter },
    Normal { deviation: f64 },
    Latest { ranks: Zipf<f64> },
}

/// Numbering of the rows that one thread inserts, so that no two threads or shards insert the same
/// row.
#[derive(Debug, Clone, Copy)]
struct Numbering {
    loaded: u64,
    shard: u64,
    shards: u64,
    thread: u64,
    threads: u64,
}

impl Numbering {
    /// Numbers the `count`-th row of this thread within the shard.
    fn of_shard(&self, count: u64) -> u64 {
        count.wrapping_mul(self.threads).wrapping_add(self.thread)
    }

    fn new_row(&self, count: u64) -> u64 {
        self.of_shard(count)
            .wrapping_mul(self.shards)
            .wrapping_add(self.shard)
            .wrapping_add(self.loaded)
    }
}

/// Returns the block of `rows` loaded rows that belongs to shard `shard.0` of `shard.1`. Blocks
/// divide all rows and never overlap; some are empty if there are fewer rows than shards.
pub fn shard_rows(rows: u64, shard: (u32, u32)) -> Range<u64> {
    let (shard, shards) = (u128::from(shard.0), u128::from(shard.1.max(1)));
    // A border is never above `rows`, since `shard` is limited to the number of shards.
    let border = |shard: u128| (u128::from(rows) * shard.min(shards) / shards) as u64;
    border(shard)..border(shard + 1)
}

impl RowChooser {
    /// Makes a chooser for `rows` loaded rows and shard `shard.0` of `shard.1`, for a single
    /// thread; see [`RowChooser::for_thread`]. Choosers with an equal seed have the same frequent
    /// rows.
    pub fn new(keys: Keys, seed: u64, rows: u64, shard: (u32, u32)) -> Self {
        let own = shard_rows(rows, shard);
        let first = own.start.min(rows.saturating_sub(1));
        let block = own.end.saturating_sub(first).max(1);
        let (shard, shards) = (u64::from(shard.0), u64::from(shard.1.max(1)));
        RowChooser {
            law: Law::new(keys, seed, block),
            first,
            block,
            numbering: Numbering {
                loaded: rows,
                shard,
                shards,
                thread: 0,
                threads: 1,
            },
        }
    }

    /// Makes the chooser one for thread `thread` of `threads`.
    pub fn for_thread(mut self, thread: u32, threads: u32) -> Self {
        self.numbering.thread = u64::from(thread);
        self.numbering.threads = u64::from(threads.max(1));
        self
    }

    /// Draws the row of an operation.
    ///
    /// `count` is the number of rows that this thread has drawn with this chooser before. `newest`
    /// is the number of rows that it has inserted, in the order of [`RowChooser::new_row`], and
    /// that exist for certain; only [`Keys::Latest`] uses it. With [`Keys::New`], the row is
    /// `new_row(count)`.
    #[inline]
    pub fn choose(&self, stream: &mut Stream, count: u64, newest: u64) -> u64 {
        match &self.law {
            Law::New => self.new_row(count),
            Law::Uniform => self.first + stream.below(self.block),
            Law::Sequential => self.first + self.numbering.of_shard(count) % self.block,
            Law::Zipf { ranks, scatter } => {
                self.first + scatter.permuted(rank(ranks, stream, self.block))
            }
            Law::Normal { deviation } => self.first + self.near_middle(*deviation, stream),
            Law::Latest { ranks } => self.by_age(rank(ranks, stream, self.block), newest),
        }
    }

    /// Returns the row that this thread inserts after `count` others, beyond the loaded ones.
    #[inline]
    pub fn new_row(&self, count: u64) -> u64 {
        self.numbering.new_row(count)
    }

    /// Returns the row that is `age` rows older than the newest: first those that this thread
    /// inserted, then the loaded ones.
    fn by_age(&self, age: u64, newest: u64) -> u64 {
        match age.checked_sub(newest) {
            None => self.new_row(newest - 1 - age),
            Some(age) => self.first + self.block - 1 - age.min(self.block - 1),
        }
    }

    /// Draws a position in the block; positions outside are moved to its end.
    fn near_middle(&self, deviation: f64, stream: &mut Stream) -> u64 {
        let normal: f64 = StandardNormal.sample(stream);
        // A cast from a float saturates at 0.
        let position = (0.5 + normal * deviation) * self.block as f64;
        (position as u64).min(self.block - 1)
    }
}

impl Law {
    fn new(keys: Keys, seed: u64, block: u64) -> Self {
        match keys {
            Keys::New => Law::New,
            Keys::Uniform => Law::Uniform,
            Keys::Sequential => Law::Sequential,
            Keys::Normal { deviation } => Law::Normal { deviation },
            Keys::Zipf { exponent } => match Zipf::new(block as f64, exponent) {
                Ok(ranks) => Law::Zipf {
                    ranks,
                    scatter: Scatter::new(block, seed),
                },
                // Exponents are checked to be above 0, and a block has a row.
                Err(_) => Law::Uniform,
            },
            Keys::Latest { exponent } => match Zipf::new(block as f64, exponent) {
                Ok(ranks) => Law::Latest { ranks },
                Err(_) => Law::Uniform,
            },
        }
    }
}

/// Draws a rank, counted from 0.
#[inline]
fn rank(ranks: &Zipf<f64>, stream: &mut Stream, block: u64) -> u64 {
    (ranks.sample(stream) as u64)
        .saturating_sub(1)
        .min(block - 1)
}

#[cfg(test)]
mod tests;
