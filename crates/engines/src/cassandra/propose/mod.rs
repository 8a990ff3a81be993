//! Rules of experts on tables of Cassandra: pure functions from what is known of a workload to designs worth measuring
//! and to what is known to go wrong.
//!
//! Each file has the rules of one group, and each rule says who states it.

mod analytics;
mod base;
mod compaction;
mod finds;
mod keys;
mod lookups;
mod order;
mod partitions;
mod sizes;
mod sources;
mod storage;
mod written;

use crate::advice::{Advice, Facts, Rank, Rule, Stated, apply};
use base::Base;
pub use finds::finds;
pub use sizes::bucket_of_one_series;

/// The rules for tables that Bakeoff makes, in the order in which they are applied.
const RULES: [Rule; 14] = [
    begin,
    keys::other,
    analytics::columnar,
    partitions::size,
    partitions::window,
    partitions::few,
    partitions::one_row,
    order::newest_first,
    lookups::found_by,
    storage::chunk_length,
    storage::compressor,
    storage::blobs,
    compaction::strategy,
    analytics::aggregates,
];

/// Further rules, whose designs come after those of [`RULES`].
const LATER: [Rule; 5] = [
    compaction::windows,
    compaction::deletes,
    lookups::several_partitions,
    analytics::summary,
    analytics::series,
];

/// Applies all rules.
pub fn advise(facts: &Facts) -> Vec<Advice> {
    if facts.is_written_in_cql {
        return apply(&[written::as_written, written::statements], facts);
    }
    if facts.is_wide {
        return Vec::new();
    }
    let mut advice = apply(&RULES, facts);
    advice.extend(apply(&LATER, facts));
    advice
}

const BY_KEY: Stated = Stated {
    rule: "by-key",
    source: "Apache Cassandra's documentation: rows that are read together are in one partition",
};

/// Proposes the table that all others are compared with.
fn begin(facts: &Facts) -> Vec<Advice> {
    let base = Base::of(facts);
    let says = match &facts.table.order_key[..] {
        [] => "a partition for each row, since the key has no order".to_owned(),
        order => format!(
            "a partition for each {}, in the order of {}",
            facts.table.partition_key.join(", "),
            order.join(", ")
        ),
    };
    vec![BY_KEY.measure(Rank::First, base.id(), says)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::testing::{designs, facts};

    #[test]
    fn a_table_begins_with_its_key_whatever_is_asked() {
        let mut facts = facts();
        let advice = advise(&facts);
        assert_eq!(designs(&advice)[0], "cassandra/wide");
        facts.table.order_key.clear();
        assert_eq!(designs(&begin(&facts)), ["cassandra/narrow"]);
    }

    #[test]
    fn nothing_is_proposed_for_a_table_of_very_many_columns() {
        let mut facts = facts();
        facts.is_wide = true;
        assert_eq!(advise(&facts), []);
    }
}
