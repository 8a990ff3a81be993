//! Makes the rows of the tables of partitions of a comparison or a load, explains them, and says which are large.

use bakeoff_stats::drive::{PartitionBytes, Partitions};

use crate::listing::list;
use crate::units;

/// Most designs that are named in a note.
const LISTED: usize = 4;

/// A design with one of its tables.
pub struct Row<'a> {
    pub partitions: &'a Partitions,
    /// `None` where no table's bytes are known.
    pub bytes: Option<&'a PartitionBytes>,
    /// Whether it is the first row of the design.
    pub is_first: bool,
}

/// Returns the rows of a table of partitions: one for each design and table.
pub fn rows(all: &[Partitions]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for partitions in all {
        if partitions.bytes.is_empty() {
            rows.push(Row {
                partitions,
                bytes: None,
                is_first: true,
            });
        }
        for (place, bytes) in partitions.bytes.iter().enumerate() {
            rows.push(Row {
                partitions,
                bytes: Some(bytes),
                is_first: place == 0,
            });
        }
    }
    rows
}

impl Row<'_> {
    /// Writes the number of partitions, with a mark where it is estimated.
    pub fn partitions(&self) -> Option<String> {
        let rows = self.partitions.rows.filter(|_| self.is_first)?;
        Some(format!(
            "{}{}",
            mark(rows.one_in),
            units::count(rows.partitions)
        ))
    }

    /// Writes a number of rows of a partition.
    pub fn rows(&self, of: fn(&bakeoff_stats::drive::PartitionRows) -> u64) -> Option<String> {
        let rows = self.partitions.rows.filter(|_| self.is_first)?;
        Some(format!("{}{}", mark(rows.one_in), units::count(of(&rows))))
    }

    /// Writes the share of the most frequent key, and of the most frequent hundredth of them, in the rows.
    pub fn of_rows(&self) -> Option<String> {
        let rows = self.partitions.rows.filter(|_| self.is_first)?;
        Some(shares(&rows.shares))
    }

    /// Writes the same of the operations.
    pub fn of_requests(&self) -> Option<String> {
        let requests = self.partitions.requests.filter(|_| self.is_first)?;
        Some(shares(&requests))
    }

    /// Writes a number of bytes of a partition, which is always an estimate.
    pub fn size(&self, of: fn(&PartitionBytes) -> u64) -> Option<String> {
        Some(format!("~{}", units::bytes(of(self.bytes?) as f64)))
    }
}

fn mark(one_in: u64) -> &'static str {
    if one_in > 1 { "~" } else { "" }
}

fn shares(shares: &bakeoff_stats::drive::KeyShares) -> String {
    let percent = |share: f64| format!("{:.2}%", share * 100.0);
    format!("{}, {}", percent(shares.first), percent(shares.hundredth))
}

/// Explains the figures; `None` where there are none.
pub fn legend(partitions: &[Partitions]) -> Option<String> {
    let has = |is: fn(&Partitions) -> bool| partitions.iter().any(is);
    let counted = has(|p| p.rows.is_some()).then(|| {
        "Rows are counted in the data, where they repeat keys as often as these occur.".to_owned()
    });
    let sampled = partitions.iter().filter_map(|p| p.rows);
    let sampled = sampled
        .map(|rows| rows.one_in)
        .max()
        .filter(|one_in| *one_in > 1);
    let sampled = sampled.map(|one_in| {
        format!(
            "~ before them: estimated from up to one key in {one_in}, so that the largest partition may be missed."
        )
    });
    let requests = has(|p| p.requests.is_some()).then(|| {
        "Shares are those of the most frequent key, and of the most frequent hundredth of the keys; of the \
         operations the first 100,000 that the load sends, queries left out."
            .to_owned()
    });
    let bytes = has(|p| !p.bytes.is_empty()).then(|| {
        "Bytes are estimated by Cassandra's histogram (nodetool tablehistograms), before compression and \
         rounded up by a fifth at most; of several nodes the highest."
            .to_owned()
    });
    let all: Vec<String> = [counted, sampled, requests, bytes]
        .into_iter()
        .flatten()
        .collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// Says which designs have partitions above the rule of thumb; `None` if there are none.
pub fn note(partitions: &[Partitions]) -> Option<String> {
    let large: Vec<String> = partitions.iter().filter_map(large).collect();
    let large: Vec<&str> = large.iter().map(String::as_str).collect();
    (!large.is_empty()).then(|| {
        format!(
            "partitions of more than {} rows or {} MB, which by a rule of thumb are too large for Cassandra: {}; a \
             bucket (bucket=1d), or a longer partition key, makes them smaller",
            units::count(Partitions::MOST_ROWS),
            Partitions::MOST_BYTES / 1_000_000,
            list(&large, LISTED)
        )
    })
}

/// Names a design with the sizes of its largest partition that are above the rule of thumb.
fn large(partitions: &Partitions) -> Option<String> {
    let rows = { partitions.too_many_rows() }.map(|rows| format!("{} rows", units::count(rows)));
    let bytes = partitions.too_many_bytes();
    let bytes = bytes.map(|bytes| format!("~{}", units::bytes(bytes as f64)));
    let sizes: Vec<String> = [rows, bytes].into_iter().flatten().collect();
    (!sizes.is_empty()).then(|| format!("{} ({})", partitions.design, sizes.join(", ")))
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::drive::PartitionRows;

    use super::*;

    fn partitions(design: &str, rows: u64, bytes: u64) -> Partitions {
        Partitions {
            design: design.to_owned(),
            key: None,
            rows: PartitionRows::of(&[1, rows], 1),
            requests: None,
            bytes: vec![PartitionBytes {
                table: "t".to_owned(),
                p50: 1,
                p99: bytes,
                max: bytes,
                nodes: 1,
            }],
        }
    }

    #[test]
    fn only_large_partitions_are_told_with_what_is_large() {
        let at_most = partitions("a", 100_000, 100_000_000);
        assert_eq!(note(std::slice::from_ref(&at_most)), None);
        let all = [
            at_most,
            partitions("b", 100_001, 1),
            partitions("c", 1, 104_857_600),
        ];
        let told = note(&all).unwrap();
        let start = "partitions of more than 100,000 rows or 100 MB,";
        assert!(told.starts_with(start), "{told}");
        assert!(
            told.contains(": b (100,001 rows) and c (~100 MiB); a bucket"),
            "{told}"
        );
    }
}
