//! Rules on statements in CQL that a workload file has.

use super::compaction::{DELETE_INSTEAD, DELETES, WHY_NOT_DELETE};
use super::lookups::{IN_INSTEAD, SEVERAL, WHY_NOT_IN};
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

const LISTS: Stated = Stated {
    rule: "lists",
    source: HADDAD,
};
const GROWING: Stated = Stated {
    rule: "growing-collection",
    source: HADDAD,
};

/// What a statement says of the table that it makes, in capitals.
struct Made {
    name: String,
    partition_key: Vec<String>,
    /// Columns that are lists, sets and maps of which single elements can be written.
    collections: Vec<String>,
    has_list: bool,
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
    let made: Vec<(&String, Made)> = { facts.cql.iter() }
        .filter_map(|cql| Some((cql, made(cql)?)))
        .collect();
    let find = |goes_wrong: &dyn Fn(&str, &Made) -> bool| {
        let mut all = facts.cql.iter();
        all.find(|cql| made.iter().any(|(_, table)| goes_wrong(cql, table)))
            .map(|cql| shortened(cql))
    };
    let mut advice = Vec::new();
    if let Some((cql, _)) = made.iter().find(|(_, table)| table.has_list) {
        let why = "elements are set and removed by their place only after the list was read, and what is added again \
                   after a time-out is there twice";
        advice.push(LISTS.avoid(
            shortened(cql),
            why,
            "a set or a map, or a row for each element",
        ));
    }
    if let Some(what) = find(&adds_element) {
        let why = "nothing bounds the elements, and a read returns all of them";
        let instead = "a row for each element, in the order in which they are wanted";
        advice.push(GROWING.avoid(what, why, instead));
    }
    if let Some(what) = find(&asks_several) {
        advice.push(SEVERAL.avoid(what, WHY_NOT_IN, IN_INSTEAD));
    }
    let by_range = |cql: &&String| first_word(cql) == "DELETE" && cql.contains('<');
    if let Some(cql) = facts.cql.iter().find(by_range) {
        advice.push(DELETES.avoid(shortened(cql), WHY_NOT_DELETE, DELETE_INSTEAD));
    }
    advice
}

/// Reads a statement that makes a table; `None` if it does something else.
fn made(cql: &str) -> Option<Made> {
    let upper = cql.to_ascii_uppercase().replace('"', "").replace(" <", "<");
    let (head, body) = upper.split_once('(')?;
    if !has_words(head, &["CREATE", "TABLE"]) {
        return None;
    }
    let columns: Vec<&str> = body
        .split(|c: char| c.is_whitespace() || ",()".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let of_kind = |kinds: &'static [&'static str]| {
        let pairs = columns.windows(2);
        pairs.filter(move |pair| kinds.iter().any(|kind| pair[1].starts_with(*kind)))
    };
    Some(Made {
        name: words(head).pop()?,
        partition_key: partition_key(body),
        collections: of_kind(&["LIST<", "SET<", "MAP<"])
            .map(|pair| pair[0].to_owned())
            .collect(),
        has_list: of_kind(&["LIST<"]).next().is_some(),
    })
}

/// Returns the columns of the partition key in what follows the name of a table, in capitals.
fn partition_key(body: &str) -> Vec<String> {
    let Some((before, after)) = body.split_once("PRIMARY KEY") else {
        return Vec::new();
    };
    match after.trim_start().strip_prefix('(') {
        // `PRIMARY KEY (a, ...)` or `PRIMARY KEY ((a, b), ...)`.
        Some(key) => match key.trim_start().strip_prefix('(') {
            Some(several) => words(several.split(')').next().unwrap_or_default()),
            None => words(key.split([',', ')']).next().unwrap_or_default()),
        },
        // `a text PRIMARY KEY`.
        None => {
            let column = before.rsplit(',').next().unwrap_or_default();
            words(column).into_iter().take(1).collect()
        }
    }
}

/// Returns whether a statement adds elements to a collection of a table.
fn adds_element(cql: &str, table: &Made) -> bool {
    if first_word(cql) != "UPDATE" || !words(cql).contains(&table.name) {
        return false;
    }
    let upper = cql.to_ascii_uppercase();
    let plain: String = upper
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '"')
        .collect();
    table.collections.iter().any(|column| {
        let added = [
            format!("{column}={column}+"),
            format!("?+{column}"),
            format!("]+{column}"),
            format!("{column}["),
        ];
        added.iter().any(|part| plain.contains(part))
    })
}

/// Returns whether a statement asks for several partitions of a table.
fn asks_several(cql: &str, table: &Made) -> bool {
    if first_word(cql) != "SELECT" || !has_words(cql, &[&table.name, "WHERE"]) {
        return false;
    }
    let mut key = table.partition_key.iter();
    key.any(|column| has_words(cql, &[column, "IN"]))
}

/// Returns the first word of a statement in capitals.
fn first_word(cql: &str) -> String {
    words(cql).into_iter().next().unwrap_or_default()
}

/// Returns whether a statement has these words, one directly after the other.
fn has_words(cql: &str, words: &[&str]) -> bool {
    let all = self::words(cql);
    all.windows(words.len()).any(|some| some == words)
}

/// Returns the names and other words of a statement in capitals.
fn words(cql: &str) -> Vec<String> {
    let upper = cql.to_ascii_uppercase();
    let all = upper.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let all = all.filter(|word| !word.is_empty());
    all.map(str::to_owned).collect()
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
        let mut facts = facts();
        facts.cql = vec![
            "CREATE TABLE IF NOT EXISTS ${keyspace}.tags (key text PRIMARY KEY, names set<text>)"
                .to_owned(),
            "CREATE TABLE ks.days (a text, b int, at timestamp, seen map <text, int>, \
             PRIMARY KEY ((a, b), at))"
                .to_owned(),
            statement.to_owned(),
        ];
        let advice = statements(&facts).into_iter();
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
        let old = "DELETE FROM ks.days WHERE a = ? AND b = ? AND at < ?";
        assert_eq!(rules(old), ["delete-to-expire"]);
        let one = "DELETE FROM ks.days WHERE a = ? AND b = ? AND at = ?";
        assert_eq!(rules(one), [""; 0]);
    }
}
