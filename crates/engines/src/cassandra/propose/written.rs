//! Rules on statements in CQL that a workload file has.

use super::compaction::{DELETE_INSTEAD, DELETES, WHY_NOT_DELETE};
use super::lookups::{IN_INSTEAD, SEVERAL, WHY_NOT_IN};
use super::sources::{APACHE, HADDAD};
use crate::advice::{Advice, Facts, Rank, Stated};
use crate::cassandra::declared::parse::{Made, table};
use crate::cassandra::names::in_keyspace;
use crate::dialect::tokens::Token;
use crate::statements::words::{is, is_sign, name, table_at, tables, words};

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

const LISTS: Stated = Stated {
    rule: "lists",
    source: HADDAD,
};
const GROWING: Stated = Stated {
    rule: "growing-collection",
    source: HADDAD,
};

/// Name of the keyspace in place of its placeholder, so that statements can be read.
const KEYSPACE: &str = "keyspace";
/// What types of columns begin with of which single elements can be written.
const COLLECTIONS: [&str; 3] = ["list<", "set<", "map<"];
/// Types of columns by whose values rows are old.
const TIMES: [&str; 3] = ["timestamp", "date", "timeuuid"];

/// A statement that the workload file has.
struct Statement<'a> {
    /// As it is written.
    written: &'a str,
    /// With a keyspace in place of the placeholder.
    cql: String,
}

impl Statement<'_> {
    /// Returns its words; none if it has a text or a comment that does not end.
    fn words(&self) -> Vec<Token<'_>> {
        words(&self.cql).unwrap_or_default()
    }
}

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
    advice.extend(of_tables(facts));
    advice
}

/// Names what goes wrong by how a table is declared, or by that and a statement on it.
fn of_tables(facts: &Facts) -> Vec<Advice> {
    let statements: Vec<Statement<'_>> = { facts.cql.iter() }
        .map(|written| Statement {
            written,
            cql: in_keyspace(written, KEYSPACE),
        })
        .collect();
    // Of a statement that cannot be read nothing is known.
    let made: Vec<(&Statement<'_>, Made)> = { statements.iter() }
        .filter_map(|statement| Some((statement, table(&statement.cql).ok()??)))
        .collect();
    let find = |goes_wrong: fn(&[Token<'_>], &Made) -> bool| {
        let found = statements.iter().find(|statement| {
            let words = statement.words();
            made.iter().any(|(_, table)| goes_wrong(&words, table))
        });
        found.map(|statement| shortened(statement.written))
    };
    let mut advice = Vec::new();
    let has_list = |table: &Made| {
        let mut columns = table.columns.iter();
        columns.any(|column| column.kind.starts_with("list<"))
    };
    if let Some((statement, _)) = made.iter().find(|(_, table)| has_list(table)) {
        let why = "elements are set and removed by their place only after the list was read, and what is added again \
                   after a time-out is there twice";
        advice.push(LISTS.avoid(
            shortened(statement.written),
            why,
            "a set or a map, or a row for each element",
        ));
    }
    if let Some(what) = find(adds_element) {
        let why = "nothing bounds the elements, and a read returns all of them";
        let instead = "a row for each element, in the order in which they are wanted";
        advice.push(GROWING.avoid(what, why, instead));
    }
    if let Some(what) = find(asks_several) {
        advice.push(SEVERAL.avoid(what, WHY_NOT_IN, IN_INSTEAD));
    }
    if let Some(what) = find(deletes_old_rows) {
        advice.push(DELETES.avoid(what, WHY_NOT_DELETE, DELETE_INSTEAD));
    }
    advice
}

/// Returns whether a statement adds elements to a collection of a table.
fn adds_element(words: &[Token<'_>], table: &Made) -> bool {
    let updated = table_at(words, 1).map(|(updated, _)| (updated.schema, updated.name));
    let is_updated = updated.is_some_and(|updated| table.is_called(&updated));
    if !(is_updated && is(words.first(), "update")) {
        return false;
    }
    let is_collection = |kind: &str| COLLECTIONS.iter().any(|begin| kind.starts_with(begin));
    let mut collections = { table.columns.iter() }.filter(|column| is_collection(&column.kind));
    collections.any(|column| {
        let is_it = |token: &Token<'_>| is_name(token, &column.name);
        let sign = |token: &Token<'_>, sign: char| is_sign(Some(token), sign);
        let adds_behind = words
            .windows(4)
            .any(|w| is_it(&w[0]) && sign(&w[1], '=') && is_it(&w[2]) && sign(&w[3], '+'));
        let adds_before = words
            .windows(3)
            .any(|w| (sign(&w[0], '?') || sign(&w[0], ']')) && sign(&w[1], '+') && is_it(&w[2]));
        let sets_one = words.windows(2).any(|w| is_it(&w[0]) && sign(&w[1], '['));
        adds_behind || adds_before || sets_one
    })
}

/// Returns whether a statement asks for several partitions of a table.
fn asks_several(words: &[Token<'_>], table: &Made) -> bool {
    let is_in = |column: &String| {
        let mut pairs = words.windows(2);
        pairs.any(|pair| is_name(&pair[0], column) && is(pair.get(1), "in"))
    };
    is(words.first(), "select") && is_from(words, table) && table.partition_key.iter().any(is_in)
}

/// Returns whether a statement deletes the rows of a table before a time, by the first column of its order that is one.
fn deletes_old_rows(words: &[Token<'_>], table: &Made) -> bool {
    let is_time = |name: &&String| {
        let mut columns = table.columns.iter();
        columns.any(|column| column.name == **name && TIMES.contains(&column.kind.as_str()))
    };
    let Some(time) = table.order_key.iter().find(is_time) else {
        return false;
    };
    let mut pairs = words.windows(2);
    let is_before = pairs.any(|pair| is_name(&pair[0], time) && is_sign(pair.get(1), '<'));
    is(words.first(), "delete") && is_from(words, table) && is_before
}

/// Returns whether a statement is about a table that it names behind `FROM`.
fn is_from(words: &[Token<'_>], table: &Made) -> bool {
    let mut named = tables(words).into_iter();
    named.any(|named| table.is_called(&(named.schema, named.name)))
}

/// Returns whether a token is the name of a column.
fn is_name(token: &Token<'_>, column: &str) -> bool {
    name(Some(token)).as_deref() == Some(column)
}

/// Returns whether a statement has these words in capitals, one directly after the other.
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

    /// Rules that say that a statement goes wrong, where these tables are made before.
    fn rules(statement: &str) -> Vec<&'static str> {
        rules_of(&[
            "CREATE TABLE IF NOT EXISTS ${keyspace}.tags (key text PRIMARY KEY, names set<text>)",
            "CREATE TABLE ks.days (a text, b int, at timestamp, seen map <text, int>, \
             PRIMARY KEY ((a, b), at))",
            statement,
        ])
    }

    fn rules_of(statements: &[&str]) -> Vec<&'static str> {
        let mut facts = facts();
        facts.cql = statements.iter().map(|cql| (*cql).to_owned()).collect();
        let advice = super::statements(&facts).into_iter();
        let rules = advice.filter_map(|advice| match advice {
            Advice::Avoid(bad) => Some(bad.rule),
            Advice::Measure(_) => None,
        });
        rules.collect()
    }

    #[test]
    fn lists_and_collections_that_grow_are_named() {
        for added in [
            "UPDATE ${keyspace}.tags SET names = names + {'x'} WHERE key = ?",
            "update ks.days set \"seen\"['x'] = ? where a = ? and b = ? and at = ?",
        ] {
            assert_eq!(rules(added), ["growing-collection"], "{added}");
        }
        for other in [
            "UPDATE ${keyspace}.tags SET names = names - {'x'} WHERE key = ?",
            "UPDATE other SET names = names + {'x'} WHERE key = ?",
            "UPDATE ks.days SET count = count + 1 WHERE a = ?",
            "INSERT INTO tags (key, names) VALUES (?, ?)",
        ] {
            assert_eq!(rules(other), [""; 0], "{other}");
        }
        let list = "CREATE TABLE l (k int PRIMARY KEY, v list<int>)";
        assert_eq!(rules(list), ["lists"]);
        assert_eq!(
            rules("CREATE TABLE f (k int PRIMARY KEY, v frozen<list<int>>)"),
            [""; 0]
        );
    }

    #[test]
    fn several_partitions_in_one_statement_are_named() {
        for several in [
            "SELECT * FROM ks.days WHERE a IN ('x', 'y') AND b = 1",
            "SELECT * FROM ks.days WHERE a = 'x' AND b IN ?",
            "SELECT names FROM ${keyspace}.tags WHERE key IN (?, ?)",
        ] {
            assert_eq!(rules(several), ["in-of-partitions"], "{several}");
        }
        for one in [
            "SELECT * FROM ks.days WHERE a = 'x' AND b = 1 AND at IN (?, ?)",
            "SELECT * FROM other WHERE key IN (?, ?)",
        ] {
            assert_eq!(rules(one), [""; 0], "{one}");
        }
    }

    #[test]
    fn old_rows_that_are_deleted_are_named() {
        for old in [
            "DELETE FROM ks.days WHERE a = ? AND b = ? AND at < ?",
            "delete from days where a = ? and b = ? and \"at\" <= ? and at > ?",
        ] {
            assert_eq!(rules(old), ["delete-to-expire"], "{old}");
        }
        for other in [
            "DELETE FROM ks.days WHERE a = ? AND b = ? AND at = ?",
            "DELETE FROM ks.days WHERE a = ? AND b = ? AND at > ?",
            "DELETE FROM ks.days WHERE a = 'at < 1' AND b = ? AND at = ?",
            "DELETE FROM ks.days WHERE a = ? AND b < ? AND at = ?",
            "DELETE FROM unknown WHERE a = ? AND b = ? AND at < ?",
            "SELECT * FROM ks.days WHERE a = ? AND b = ? AND at < ?",
        ] {
            assert_eq!(rules(other), [""; 0], "{other}");
        }
    }

    #[test]
    fn rows_are_old_by_the_first_time_of_the_order() {
        let rules = |key: &str, condition: &str| {
            rules_of(&[
                &format!(
                    "CREATE TABLE ${{keyspace}}.t (k text, n int, day date, seen timestamp, \
                     PRIMARY KEY (k, {key}))"
                ),
                &format!("DELETE FROM ${{keyspace}}.t WHERE k = ? AND {condition}"),
            ])
        };
        let old = ["delete-to-expire"];
        assert_eq!(rules("n, day, seen", "n = ? AND day < ?"), old);
        assert_eq!(rules("n, day, seen", "n < ?"), [""; 0]);
        let later = "n = ? AND day = ? AND seen < ?";
        assert_eq!(rules("n, day, seen", later), [""; 0]);
        assert_eq!(rules("n", "n < ?"), [""; 0]);
    }
}
