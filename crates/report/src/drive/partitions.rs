//! Makes the rows of the tables of partitions, and explains them.

use bakeoff_stats::drive::{DriveSummary, PartitionBytes, Partitions};

use crate::units;

/// A design with one of its tables.
pub struct Row<'a> {
    pub partitions: &'a Partitions,
    /// `None` where no table's bytes are known.
    pub bytes: Option<&'a PartitionBytes>,
    /// Whether it is the first row of the design.
    pub is_first: bool,
}

pub fn rows(summary: &DriveSummary) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for partitions in &summary.partitions {
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
pub fn legend(summary: &DriveSummary) -> Option<String> {
    let has = |is: fn(&Partitions) -> bool| summary.partitions.iter().any(is);
    let counted = has(|p| p.rows.is_some()).then(|| {
        "Rows are counted in the data, where they repeat keys as often as these occur.".to_owned()
    });
    let sampled = summary.partitions.iter().filter_map(|p| p.rows);
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
