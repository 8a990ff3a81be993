//! Rules that say what is wrong with a running cluster or table of Cassandra: pure functions from what was read of it
//! to a finding, to nothing, or to why it could not be checked.
//!
//! Each file has the rules of one group, and beside each rule its threshold and who states that. A rule without enough
//! evidence says so and never raises an alarm.

mod coordination;
mod cures;
pub mod evidence;
mod finding;
mod gather;
mod latency;
mod nodes;
mod partitions;
mod reads;
mod sstables;
mod storage;
#[cfg(test)]
mod tests;

pub use cures::{Change, Cures, Helped, NotTried, Proposed, Tried, TriedDesign, TriedFigure};
pub use evidence::Evidence;
pub use finding::{Check, Diagnosis, Finding, NotChecked, Observed, Outcome, Unit, Urgency};

type Rule<T> = (
    &'static str,
    fn(&Evidence, T) -> Result<Outcome, NotChecked>,
);

/// Rules about each table.
static OF_TABLES: [Rule<usize>; 16] = [
    ("coordinator-latency", latency::coordinator),
    ("tail-latency", latency::tail),
    ("slow-replica", latency::slow_replica),
    ("token-awareness", coordination::token_awareness),
    ("partition-size", partitions::size),
    ("hot-key", partitions::hot_key),
    ("sstables-per-read", sstables::per_read),
    ("sstable-count", sstables::count),
    ("bloom-filter", sstables::bloom_filter),
    ("tombstones", reads::tombstones),
    ("rows-per-read", reads::rows),
    ("index-selectivity", reads::index_selectivity),
    ("compression-ratio", storage::ratio),
    ("chunk-length", storage::chunk_length),
    ("row-cache", storage::row_cache),
    ("compaction-off", sstables::compaction_off),
];

/// Rules about the nodes.
static OF_NODES: [Rule<()>; 9] = [
    ("silent-node", nodes::silent),
    ("ring-address", nodes::ring_address),
    ("compaction-behind", sstables::behind),
    ("thread-pools", nodes::pools),
    ("dropped-messages", nodes::dropped),
    ("heap", nodes::heap),
    ("garbage-collection", nodes::gc),
    ("key-cache", storage::key_cache),
    ("read-ahead", nodes::read_ahead),
];

/// What a check of the nodes is about.
const CLUSTER: &str = "the cluster";

/// Applies all rules.
pub fn diagnose(evidence: &Evidence) -> Diagnosis {
    let check = |rule, about: &str, outcome: Result<Outcome, NotChecked>| Check {
        rule,
        about: about.to_owned(),
        outcome: outcome.unwrap_or_else(Outcome::NotChecked),
    };
    let mut checks = Vec::new();
    for (name, rule) in OF_NODES {
        checks.push(check(name, CLUSTER, rule(evidence, ())));
    }
    for (place, table) in evidence.tables.iter().enumerate() {
        for (name, rule) in OF_TABLES {
            checks.push(check(name, &table.name, rule(evidence, place)));
        }
    }
    Diagnosis { checks }
}

/// Returns the names of all rules.
pub fn rules() -> impl Iterator<Item = &'static str> {
    let of_nodes = OF_NODES.iter().map(|(name, _)| *name);
    of_nodes.chain(OF_TABLES.iter().map(|(name, _)| *name))
}
