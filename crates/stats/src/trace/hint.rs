//! What in a trace is probably worth a look, by the limits that Cassandra's users go by.

use serde::Serialize;

use super::summary::Trace;

/// SSTables that one node reads for a partition from which on its compaction is behind or does not fit.
const MANY_SSTABLES: u64 = 5;
/// Markers of deletions from which on Cassandra warns by itself, unless it is set otherwise.
const MANY_TOMBSTONES: u64 = 1000;
/// Rows read for each one returned from which on most are read in vain.
const MANY_ROWS: u64 = 10;
/// Fewest rows read in vain that matter.
const FEWEST_ROWS: u64 = 100;

/// Something that is probably worth a look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "hint", rename_all = "snake_case")]
pub enum Hint {
    /// A node read many SSTables.
    ManySstables { node: String, sstables: u64 },
    /// A node read many markers of deletions.
    ManyTombstones { node: String, tombstones: u64 },
    /// Of the rows that a node read, few were returned.
    RowsInVain { read: u64, returned: u64 },
    /// Copies of rows differed, and the request waited for their repair.
    CopiesDiffer,
    /// One more node was asked, since the others were slow.
    SlowReplica,
    /// A scan asked for several ranges of tokens.
    Scan { ranges: u64, nodes: u64 },
}

impl Trace {
    /// Returns what is worth a look, of a request that returned so many rows.
    pub fn hints(&self, returned: u64) -> Vec<Hint> {
        let mut hints = Vec::new();
        for work in &self.work {
            let node = || work.node.clone();
            // A scan reads all files anyway.
            if work.sstables >= MANY_SSTABLES && self.ranges.is_none() {
                hints.push(Hint::ManySstables {
                    node: node(),
                    sstables: work.sstables,
                });
            }
            if work.tombstones >= MANY_TOMBSTONES {
                hints.push(Hint::ManyTombstones {
                    node: node(),
                    tombstones: work.tombstones,
                });
            }
        }
        // Each copy is read once, so that the node which read most counts.
        let read = self
            .work
            .iter()
            .map(|work| work.live_rows)
            .max()
            .unwrap_or(0);
        if read >= FEWEST_ROWS && read / MANY_ROWS >= returned.max(1) {
            hints.push(Hint::RowsInVain { read, returned });
        }
        if self.digest_mismatches > 0 {
            hints.push(Hint::CopiesDiffer);
        }
        if self.speculative_retries > 0 {
            hints.push(Hint::SlowReplica);
        }
        if let Some(ranges) = self.ranges.filter(|ranges| *ranges > 1) {
            hints.push(Hint::Scan {
                ranges,
                nodes: self.replicas.len() as u64,
            });
        }
        hints
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{
        FIRST, mismatch_of_5_0, one_node_of_4_1, recorded, scan_of_5_0, slow_parsing,
    };
    use super::*;

    #[test]
    fn nothing_is_said_of_a_read_that_is_well() {
        assert!(Trace::new(&one_node_of_4_1()).hints(5).is_empty());
    }

    #[test]
    fn what_is_worth_a_look_is_named() {
        let many = Hint::ManySstables {
            node: FIRST.to_owned(),
            sstables: 9,
        };
        assert_eq!(Trace::new(&slow_parsing()).hints(5), [many]);
        let mismatch = Trace::new(&mismatch_of_5_0()).hints(1);
        assert_eq!(mismatch, [Hint::CopiesDiffer, Hint::SlowReplica]);
        let scan = Hint::Scan {
            ranges: 3,
            nodes: 2,
        };
        assert_eq!(Trace::new(&scan_of_5_0()).hints(120), [scan]);
    }

    #[test]
    fn rows_and_tombstones_are_named_from_their_limits_on() {
        let hints = |live: u64, tombstones: u64, returned: u64| {
            let text = format!("Read {live} live rows and {tombstones} tombstone cells");
            Trace::new(&recorded(Some(9), &[(FIRST, 5, text.as_str())])).hints(returned)
        };
        assert!(hints(99, 999, 0).is_empty());
        assert!(hints(100, 0, 11).is_empty());
        let in_vain = Hint::RowsInVain {
            read: 100,
            returned: 10,
        };
        assert_eq!(hints(100, 0, 10), [in_vain]);
        let tombstones = Hint::ManyTombstones {
            node: FIRST.to_owned(),
            tombstones: 1000,
        };
        assert_eq!(hints(1, 1000, 1), [tombstones]);
    }
}
