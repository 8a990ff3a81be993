//! Arrival of the readings of `iot`: which ones, and in what order.
//!
//! Readings come in batches of ten. One batch in 91 is lost and one in 20 comes later, half of them
//! after the very next batch, a quarter after the one after that, and so on. A batch draws readings
//! until it is full. Of its first ten draws one is lost on average and three in ten of the others
//! are delayed; each of these draws takes, with probability 1/2, the first reading that was delayed
//! before the batch began, and a new one otherwise. So that a row's number determines its readings,
//! the number of losses is exact in every block of 1,000 readings, and delayed readings come before
//! their block ends.

use std::collections::VecDeque;
use std::ops::Range;

use crate::Stream;

const BATCH: usize = 10;
/// Batches of a block that arrive; one more is lost.
const BATCHES: usize = 90;
/// Rows of a block. Rows of other blocks are all earlier, or all later.
pub const ARRIVING: usize = BATCHES * BATCH;
/// Draws of a block in which single readings can be lost.
const LOSING_DRAWS: usize = ARRIVING;
/// Single readings of a block that are lost.
const LOSSES: usize = LOSING_DRAWS / 10;
/// Readings of a block that are drawn into batches.
const DRAWN: usize = ARRIVING + LOSSES;
/// All readings of a block.
const READINGS: usize = DRAWN + BATCH;
const LATE_BATCH: f64 = 0.05;
const LATE_READING: f64 = 0.3;
/// Probability that something late comes at the next chance, at the one after that, and so on.
const COMES_NOW: f64 = 0.5;

/// Arrivals among a number of readings.
pub struct Arrivals {
    stream: Stream,
    entries: u64,
    rows: u64,
}

impl Arrivals {
    /// Makes the arrivals of a stream from which nothing was drawn.
    pub fn new(stream: Stream, entries: u64) -> Self {
        let mut arrivals = Arrivals {
            stream,
            entries,
            rows: 0,
        };
        let blocks = entries / READINGS as u64;
        arrivals.rows = blocks * ARRIVING as u64 + arrivals.block(blocks).len() as u64;
        arrivals
    }

    /// Returns the number of readings that arrive.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the numbers of the readings that arrive as these rows.
    pub fn entries(&self, rows: Range<u64>) -> Vec<u64> {
        let arriving = ARRIVING as u64;
        let mut entries = Vec::with_capacity((rows.end - rows.start) as usize);
        let mut next = rows.start;
        while next < rows.end {
            let (block, first) = (next / arriving, next % arriving);
            let last = (rows.end - block * arriving).min(arriving);
            let all = self.block(block);
            let Some(wanted) = all.get(first as usize..(last as usize).min(all.len())) else {
                break;
            };
            entries.extend_from_slice(wanted);
            next = (block + 1) * arriving;
        }
        entries
    }

    /// Returns the readings of a block that arrive, in order; the last block may be incomplete.
    fn block(&self, block: u64) -> Vec<u64> {
        let first = block * READINGS as u64;
        let arrived = Block::new(self.stream.and(block)).arrived();
        let entries = arrived.into_iter().map(|entry| first + entry as u64);
        entries.filter(|entry| *entry < self.entries).collect()
    }
}

/// State of a block while its batches are made.
struct Block {
    stream: Stream,
    /// Number of readings that were drawn.
    drawn: usize,
    /// Number of readings before them that were lost with their batch.
    skipped: usize,
    late: VecDeque<usize>,
    draws_left: usize,
    losses_left: usize,
}

impl Block {
    fn new(stream: Stream) -> Self {
        Block {
            stream,
            drawn: 0,
            skipped: 0,
            late: VecDeque::new(),
            draws_left: LOSING_DRAWS,
            losses_left: LOSSES,
        }
    }

    /// Returns the positions in the block of the readings that arrive, in order.
    fn arrived(mut self) -> Vec<usize> {
        let lost_batch = self.stream.below(BATCHES as u64 + 1) as usize;
        let mut arrived = Vec::with_capacity(ARRIVING);
        let mut late = VecDeque::new();
        for batch in 0..BATCHES {
            if batch == lost_batch {
                self.skipped = BATCH;
            }
            while !late.is_empty() && self.stream.chance(COMES_NOW) {
                arrived.extend(late.pop_front().into_iter().flatten());
            }
            let readings = self.batch();
            if self.stream.chance(LATE_BATCH) {
                late.push_back(readings);
            } else {
                arrived.extend(readings);
            }
        }
        arrived.extend(late.into_iter().flatten());
        arrived
    }

    fn batch(&mut self) -> Vec<usize> {
        let mut batch = Vec::with_capacity(BATCH);
        // Only readings that were delayed before this batch may come in it.
        let mut may_come = self.late.len();
        let mut draws = 0;
        while batch.len() < BATCH {
            // Later draws only fill up the batch, so that its size stays fixed.
            let is_early = draws < BATCH;
            draws += 1;
            let comes_late = is_early && may_come > 0 && self.stream.chance(COMES_NOW);
            may_come -= usize::from(comes_late);
            let Some(reading) = self.draw(comes_late) else {
                break;
            };
            if is_early && self.is_lost() {
                continue;
            }
            if is_early && self.stream.chance(LATE_READING) {
                self.late.push_back(reading);
            } else {
                batch.push(reading);
            }
        }
        batch
    }

    /// Draws a new reading, or a delayed one. At the end of a block only delayed ones are left.
    fn draw(&mut self, comes_late: bool) -> Option<usize> {
        if comes_late || self.drawn == DRAWN {
            return self.late.pop_front();
        }
        let reading = self.drawn + self.skipped;
        self.drawn += 1;
        Some(reading)
    }

    /// Draws whether a reading is lost: exactly `LOSSES` of `LOSING_DRAWS`, all with the same
    /// probability.
    fn is_lost(&mut self) -> bool {
        let is_lost = self.stream.below(self.draws_left.max(1) as u64) < self.losses_left as u64;
        self.draws_left = self.draws_left.saturating_sub(1);
        self.losses_left -= usize::from(is_lost);
        is_lost
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn arrivals(entries: u64) -> Arrivals {
        Arrivals::new(Stream::new(&[9]), entries)
    }

    #[test]
    fn every_block_loses_its_share_and_nothing_comes_twice() {
        let all = arrivals(u64::MAX >> 1);
        for block in [0, 1, 1_000_000] {
            let rows = all.entries(block * 900..(block + 1) * 900);
            let distinct: HashSet<u64> = rows.iter().copied().collect();
            assert_eq!((rows.len(), distinct.len()), (900, 900));
            let places = block * 1000..(block + 1) * 1000;
            assert!(rows.iter().all(|entry| places.contains(entry)));
        }
    }

    #[test]
    fn rows_do_not_depend_on_where_reading_starts() {
        let all = arrivals(1_000_000);
        let whole = all.entries(0..5000);
        assert_eq!(whole[700..2100], all.entries(700..2100));
        assert_eq!(whole[900..901], all.entries(900..901));
        assert!(all.entries(3..3).is_empty());
    }

    #[test]
    fn a_last_block_that_is_not_whole_keeps_what_is_there() {
        let (whole, part) = (arrivals(2000), arrivals(1500));
        assert_eq!(whole.rows(), 1800);
        let expected: Vec<u64> = whole.entries(0..1800);
        let expected: Vec<u64> = expected.into_iter().filter(|e| *e < 1500).collect();
        assert_eq!(part.entries(0..part.rows()), expected);
        assert_eq!(part.entries(0..part.rows() + 500), expected);
        assert!((1300..1400).contains(&part.rows()), "{}", part.rows());
    }

    /// Tests that most delayed readings are overtaken by another one, and few by many.
    #[test]
    fn some_come_late() {
        let rows = arrivals(10_000_000).entries(0..900_000);
        let mut newest = 0;
        let mut behind = Vec::new();
        for entry in &rows {
            newest = newest.max(*entry);
            behind.push(newest - entry);
        }
        let share =
            |least: u64| behind.iter().filter(|b| **b >= least).count() as f64 / rows.len() as f64;
        // As of four million readings that are put off by the rules of TSBS.
        for (least, expected) in [(1, 0.190), (12, 0.1045), (32, 0.0190), (64, 0.00186)] {
            let ratio = share(least) / expected;
            assert!((ratio - 1.0).abs() < 0.15, "{least}: {}", share(least));
        }
    }

    #[test]
    fn ten_readings_in_a_row_are_lost_together() {
        let all = arrivals(u64::MAX >> 1);
        for block in 0..1000 {
            let mut rows = all.entries(block * 900..(block + 1) * 900);
            rows.extend([block * 1000, (block + 1) * 1000]);
            rows.sort_unstable();
            let gap = rows.windows(2).map(|pair| pair[1] - pair[0]).max();
            assert!(gap >= Some(10), "{block}: {gap:?}");
        }
    }
}
