//! Sizes of a design's partitions, and how often single ones are asked for.

use serde::{Deserialize, Serialize};

use crate::quantile::place;

/// What is known of a design's partitions before a load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Partitions {
    pub design: String,
    /// The partition key in words; `None` where statements of the workload make the tables.
    pub key: Option<String>,
    /// Rows by partition, counted in the data while they were loaded.
    pub rows: Option<PartitionRows>,
    /// Operations by partition, of those that the load is going to send.
    pub requests: Option<KeyShares>,
    /// Bytes by partition of each table, by the server's own histogram.
    pub bytes: Vec<PartitionBytes>,
}

/// Rows of a design's partitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PartitionRows {
    /// Number of partitions.
    pub partitions: u64,
    pub p50: u64,
    pub p99: u64,
    pub max: u64,
    /// Of how many partitions one was counted: 1 if the figures are exact, more if they are estimated
    /// from a sample of all keys.
    pub one_in: u64,
    pub shares: KeyShares,
}

/// How unevenly something is distributed over keys.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct KeyShares {
    /// Number of rows or operations that were counted.
    pub counted: u64,
    /// Number of different keys among them.
    pub keys: u64,
    /// Share of the most frequent key in what was counted, from 0 to 1.
    pub first: f64,
    /// Share of the most frequent hundredth of the keys, at least one.
    pub hundredth: f64,
}

/// Bytes of a table's partitions before compression, as Cassandra estimates them in steps of a fifth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartitionBytes {
    pub table: String,
    pub p50: u64,
    pub p99: u64,
    pub max: u64,
    /// Number of nodes; of several the figures are the highest ones.
    pub nodes: u64,
}

impl Partitions {
    /// Rows of a partition that by a rule of thumb it should not exceed in Cassandra.
    pub const MOST_ROWS: u64 = 100_000;
    /// Bytes of a partition that by the same rule it should not exceed.
    pub const MOST_BYTES: u64 = 100_000_000;

    /// Returns the rows of the largest partition if they are more than the rule of thumb allows.
    pub fn too_many_rows(&self) -> Option<u64> {
        let most = self.rows.map(|rows| rows.max);
        most.filter(|rows| *rows > Partitions::MOST_ROWS)
    }

    /// Returns the bytes of the largest partition of any table if they are more than the rule of thumb allows.
    pub fn too_many_bytes(&self) -> Option<u64> {
        let most = self.bytes.iter().map(|bytes| bytes.max).max();
        most.filter(|bytes| *bytes > Partitions::MOST_BYTES)
    }
}

impl KeyShares {
    /// Computes the shares of keys that occur this often; `None` if there are none.
    pub fn of(counts: &[u64]) -> Option<KeyShares> {
        let counted = crate::counts::total(counts.iter().copied());
        let first = counts.iter().max().filter(|_| counted > 0)?;
        let mut sorted = counts.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let frequent = sorted.iter().take(counts.len().div_ceil(100)).copied();
        let share = |count: u64| count as f64 / counted as f64;
        Some(KeyShares {
            counted,
            keys: counts.len() as u64,
            first: share(*first),
            hundredth: share(crate::counts::total(frequent)),
        })
    }
}

impl PartitionRows {
    /// Sums up partitions with this many rows each, of which one in `one_in` was counted; `None` if there
    /// are none.
    pub fn of(counts: &[u64], one_in: u64) -> Option<PartitionRows> {
        let shares = KeyShares::of(counts)?;
        let mut sorted = counts.to_vec();
        sorted.sort_unstable();
        Some(PartitionRows {
            partitions: shares.keys.saturating_mul(one_in),
            p50: quantile(&sorted, 0.5),
            p99: quantile(&sorted, 0.99),
            max: quantile(&sorted, 1.0),
            one_in,
            shares,
        })
    }
}

/// Returns the least value that this share of the values does not exceed; 0 if there are none.
fn quantile(sorted: &[u64], share: f64) -> u64 {
    place(sorted.len(), share).map_or(0, |place| sorted[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_counts_that_occur() {
        let counts: Vec<u64> = (1..=200).rev().collect();
        let rows = PartitionRows::of(&counts, 1).unwrap();
        assert_eq!((rows.p50, rows.p99, rows.max), (100, 198, 200));
        assert_eq!((rows.partitions, rows.one_in), (200, 1));
        let one = PartitionRows::of(&[7], 1).unwrap();
        assert_eq!((one.p50, one.p99, one.max), (7, 7, 7));
        assert_eq!(PartitionRows::of(&[], 1), None);
    }

    #[test]
    fn shares_are_those_of_the_most_frequent_keys() {
        // 200 keys, of which two are a hundredth.
        let mut counts = vec![1; 198];
        counts.extend([500, 302]);
        let shares = KeyShares::of(&counts).unwrap();
        assert_eq!((shares.counted, shares.keys), (1000, 200));
        assert_eq!((shares.first, shares.hundredth), (0.5, 0.802));
        let even = KeyShares::of(&[5; 4]).unwrap();
        assert_eq!((even.first, even.hundredth), (0.25, 0.25));
        assert_eq!(KeyShares::of(&[]), None);
        assert_eq!(KeyShares::of(&[0, 0]), None);
    }

    #[test]
    fn a_sample_stands_for_all_partitions() {
        let rows = PartitionRows::of(&[3, 3, 4], 8).unwrap();
        assert_eq!(
            (rows.partitions, rows.max, rows.shares.counted),
            (24, 4, 10)
        );
    }
}
