//! Rules on statements in CQL that a workload file has.

use super::sources::{APACHE, HADDAD};
use crate::advice::{Advice, Facts, Rank, Stated};

const AS_WRITTEN: Stated = Stated {
    rule: "as-written",
    source: "The workload file, whose statements make its tables",
};

/// What is known to go wrong in a statement: words that it has, one after the other; the rule; why; and what to do
/// instead.
const BAD: [(&[&str], Stated, &str, &str); 4] = [
    (
        &["ALLOW", "FILTERING"],
        Stated {
            rule: "allow-filtering",
            source: HADDAD,
        },
        "each such request reads all rows, and ends by a time-out when the table has grown",
        "a second table that is keyed by what is filtered",
    ),
    (
        &["MATERIALIZED", "VIEW"],
        Stated {
            rule: "materialized-view",
            source: HADDAD,
        },
        "views are experimental in Cassandra, and may miss rows without anyone noticing",
        "a second table that the application writes",
    ),
    (
        &["SASIINDEX"],
        Stated {
            rule: "sasi",
            source: APACHE,
        },
        "SASI is experimental, and storage-attached indexes took its place",
        "USING 'StorageAttachedIndex'",
    ),
    (
        &["BEGIN", "BATCH"],
        Stated {
            rule: "logged-batch",
            source: HADDAD,
        },
        "a logged batch of several partitions is written to a log on two other nodes first",
        "single statements at the same time, or an unlogged batch of one partition",
    ),
];

/// Proposes the tables that the workload's own statements make.
pub fn as_written(_: &Facts) -> Vec<Advice> {
    let says = "its tables and statements are in the workload, and no design changes them";
    vec![AS_WRITTEN.measure(Rank::First, "cassandra/as-written", says)]
}

/// Names statements that are known to go wrong.
pub fn statements(facts: &Facts) -> Vec<Advice> {
    let mut advice = Vec::new();
    for (words, stated, why, instead) in BAD {
        let statement = facts.cql.iter().find(|cql| has_words(cql, words));
        advice.extend(statement.map(|cql| stated.avoid(shortened(cql), why, instead)));
    }
    advice
}

/// Returns whether a statement has these words, one directly after the other.
fn has_words(cql: &str, words: &[&str]) -> bool {
    let upper = cql.to_ascii_uppercase();
    let all = upper.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let all: Vec<&str> = all.filter(|word| !word.is_empty()).collect();
    all.windows(words.len()).any(|some| some == words)
}

/// Returns the beginning of a statement, in one line.
fn shortened(cql: &str) -> String {
    const LETTERS: usize = 70;
    let line = cql.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::testing::{avoided, facts};

    #[test]
    fn statements_that_go_wrong_are_named() {
        let mut facts = facts();
        facts.cql = [
            "SELECT * FROM t WHERE a = ?",
            "SELECT * FROM t WHERE b = ?  allow filtering",
            "BEGIN UNLOGGED BATCH INSERT INTO t (a) VALUES (1); APPLY BATCH",
            "CREATE CUSTOM INDEX ON t (b) USING 'org.apache.cassandra.index.sasi.SASIIndex'",
        ]
        .map(str::to_owned)
        .to_vec();
        let advice = statements(&facts);
        let avoided = avoided(&advice);
        assert_eq!(avoided[0], "SELECT * FROM t WHERE b = ? allow filtering");
        assert!(avoided[1].ends_with('…'), "{avoided:?}");
        assert_eq!(avoided.len(), 2);
    }
}
