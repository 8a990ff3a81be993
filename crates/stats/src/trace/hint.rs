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
/// Microseconds for an answer of another node above which a read is not good on SSD any more, as AxonOps has it for
/// p99.
const LATE_ANSWER: u64 = 20_000;
/// Multiple of the other nodes' answers from which on one is late; Bakeoff's own, as that of a slow replica.
const LATE_FACTOR: u64 = 3;

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
    /// The answer of a node took most of the time, and much longer than those of other nodes.
    LateAnswer {
        node: String,
        /// Microseconds of the coordinator from its request until the answer.
        micros: u64,
        /// Microseconds that the node itself has counted; `None` if it has recorded nothing.
        own_micros: Option<u64>,
    },
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
        hints.extend(self.late_answer());
        if let Some(ranges) = self.ranges.filter(|ranges| *ranges > 1) {
            hints.push(Hint::Scan {
                ranges,
                nodes: self.replicas.len() as u64,
            });
        }
        hints
    }

    /// Returns the answer that a request has waited for, if one was late.
    fn late_answer(&self) -> Option<Hint> {
        let late = self.answers.iter().max_by_key(|answer| answer.micros)?;
        let others = self.answers.iter().filter(|other| other.node != late.node);
        let next = others.map(|other| other.micros).max().unwrap_or(0);
        let is_late = late.micros > LATE_ANSWER
            && late.micros >= self.total_micros / 2
            && late.micros > next.saturating_mul(LATE_FACTOR);
        is_late.then(|| Hint::LateAnswer {
            node: late.node.clone(),
            micros: late.micros,
            own_micros: late.own_micros,
        })
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

    /// Hints of a read whose coordinator had these answers of the second and the third node after so many microseconds,
    /// 100 µs before its end.
    fn of_answers(second: u64, third: u64, total_micros: u64) -> Vec<Hint> {
        let mut events = Vec::new();
        for (node, micros) in [("127.0.0.2", second), ("127.0.0.3", third)] {
            events.push((
                50,
                format!("Sending READ_REQ message to /{node}:7000 message size 9 bytes"),
            ));
            let answer = format!("READ_RSP message received from /{node}:7000");
            events.push((50 + micros, answer));
        }
        let events: Vec<_> = { events.iter() }
            .map(|(at, activity)| (FIRST, *at, activity.as_str()))
            .collect();
        Trace::new(&recorded(Some(total_micros), &events)).hints(1)
    }

    #[test]
    fn an_answer_that_is_late_is_named_with_its_node() {
        let late = Hint::LateAnswer {
            node: "127.0.0.3".to_owned(),
            micros: 150_000,
            own_micros: None,
        };
        assert_eq!(of_answers(2_000, 150_000, 151_000), [late]);
        for (second, third, total) in [
            // Short, no longer than others, or of a request that took its time elsewhere.
            (2_000, 19_000, 20_000),
            (60_000, 150_000, 151_000),
            (2_000, 150_000, 400_000),
        ] {
            let hints = of_answers(second, third, total);
            assert!(hints.is_empty(), "{second} {third}: {hints:?}");
        }
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
