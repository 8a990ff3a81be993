//! Rules on questions that find rows by a column outside the key: indexes, second tables, and what goes wrong.

use super::base::Base;
use super::sources::HADDAD;
use crate::advice::{Advice, Facts, FilterKind, Question, Rank, Stated, count, percent};

const INDEX: Stated = Stated {
    rule: "index",
    source: "J. Haddad (an index only beside the partition key) against the study of 2016 (secondary indexes: 103 and \
             264 times faster for 0.1% of the rows, 2 to 7 times for 9%)",
};
const SECOND_TABLE: Stated = Stated {
    rule: "second-table",
    source: HADDAD,
};
const KEYS_ONLY: Stated = Stated {
    rule: "index-table",
    source: "Apache Cassandra's documentation: a table for each query, here with keys alone",
};
const UNSELECTIVE: Stated = Stated {
    rule: "unselective-index",
    source: "The study of 2016: an index for at most 1% of the rows, since it is slower than its share lets expect",
};
const UNIQUE: Stated = Stated {
    rule: "unique-index",
    source: "Apache Cassandra's documentation on secondary indexes",
};
const VIEW: Stated = Stated {
    rule: "materialized-view",
    source: HADDAD,
};
const FILTERING: Stated = Stated {
    rule: "allow-filtering",
    source: HADDAD,
};

/// The rule on statements that ask for several partitions, why these go wrong, and what to do instead.
pub const SEVERAL: Stated = Stated {
    rule: "in-of-partitions",
    source: HADDAD,
};
pub const WHY_NOT_IN: &str =
    "one node asks for all of them, keeps what comes, and answers when the last one has";
pub const IN_INSTEAD: &str =
    "a statement for each partition, all at the same time, as Bakeoff reads its own tables";

/// Share of the rows above which an index finds too many of them.
const MOST_FOUND: f64 = 0.1;
/// Share of the rows with a value of their own from which on a column is unique, or almost.
const UNIQUE_FROM: f64 = 0.9;
/// Rows from which on it is known of a column that it tells almost all rows apart.
const ENOUGH_ROWS: u64 = 1_000;
/// Columns from which on a second copy of whole rows is large.
const MANY_COLUMNS: usize = 10;
/// Partitions in one statement from which on they are many.
const MANY_PARTITIONS: u64 = 4;
/// Most columns for which there are proposals.
const MOST_COLUMNS: usize = 3;

/// Proposes ways to find rows by columns outside the key, and names those that are known to go wrong.
pub fn found_by(facts: &Facts) -> Vec<Advice> {
    let is_indexed = |column: &str| {
        let column = facts.table.column(column);
        column.is_some_and(|c| c.kind.can_be_key())
    };
    let found = facts.found_by();
    let columns = found.iter().filter(|(column, _)| is_indexed(column));
    let mut advice = Vec::new();
    for (column, share) in columns.take(MOST_COLUMNS) {
        advice.extend(of_column(facts, column, *share));
    }
    if !advice.is_empty() {
        let columns: Vec<&str> = found.keys().copied().collect();
        let has_designs = advice.iter().any(|a| matches!(a, Advice::Measure(_)));
        let instead = if has_designs {
            "one of the designs above, or a scan by ranges of tokens, as Bakeoff makes it"
        } else {
            "a scan by ranges of tokens, as Bakeoff makes it"
        };
        advice.push(FILTERING.avoid(
            format!("ALLOW FILTERING on {}", columns.join(", ")),
            "each such request reads all rows, and ends by a time-out when the table has grown",
            instead,
        ));
    }
    advice
}

/// Names `IN` of many partition keys in one statement.
pub fn several_partitions(facts: &Facts) -> Vec<Advice> {
    let key = &facts.table.partition_key;
    let asked = |question: &Question| -> u64 {
        let filters = key.iter().filter_map(|column| question.equals(column));
        let numbers = filters.map(|filter| match filter.kind {
            FilterKind::Equals { values } => u64::from(values),
            _ => 1,
        });
        numbers.fold(1, u64::saturating_mul)
    };
    let named = { facts.questions.iter() }.filter(|q| q.names_partition(&facts.table));
    let Some(most) = named.max_by_key(|question| asked(question)) else {
        return Vec::new();
    };
    if asked(most) < MANY_PARTITIONS {
        return Vec::new();
    }
    let what = format!(
        "IN with the {} partitions of {} in one statement",
        asked(most),
        most.name
    );
    vec![SEVERAL.avoid(what, WHY_NOT_IN, IN_INSTEAD)]
}

fn of_column(facts: &Facts, column: &str, share: Option<f64>) -> Vec<Advice> {
    let base = Base::of(facts);
    if let Some(share) = share.filter(|share| *share > MOST_FOUND) {
        let why = format!("it finds {} of the rows one by one", percent(share));
        let instead = "a scan of columnar chunks or files";
        return vec![UNSELECTIVE.avoid(base.with("index", column), why, instead)];
    }
    let found = share.map_or("rows".to_owned(), |share| {
        format!("{} of the rows", percent(share))
    });
    let mut advice = Vec::new();
    let is_unique = distinct_share(facts, column).is_some_and(|share| share >= UNIQUE_FROM);
    if is_unique {
        let values = facts
            .rows
            .as_ref()
            .and_then(|rows| rows.distinct.get(column));
        let why = format!(
            "almost each row has another {column} ({} values), and every node is asked for a single row",
            count(values.copied().unwrap_or_default() as f64)
        );
        let instead = format!("a second table by it: table_by={column}");
        advice.push(UNIQUE.avoid(base.with("index", column), why, instead));
    } else {
        let says = format!("a question finds {found} by {column}, which is not in the key");
        advice.push(INDEX.measure(Rank::Likely, base.with("index", column), says));
    }
    // Both would keep the row of an earlier value where a key is written again.
    if !facts.keys_repeat {
        let says = format!("a second table keyed by {column}: {found} are then read together");
        let design = base.with("table_by", column);
        advice.push(SECOND_TABLE.measure(Rank::Likely, design, says));
        let has_double = facts.table.key().any(|name| {
            let column = facts.table.column(name);
            column.is_some_and(|column| column.kind.is_floating())
        });
        let is_worth = facts.table.columns.len() >= MANY_COLUMNS || is_unique;
        if is_worth && !has_double {
            let says = format!("by {column} only keys are stored a second time, not whole rows");
            let design = base.with("index_table", column);
            advice.push(KEYS_ONLY.measure(Rank::Further, design, says));
        }
    }
    advice.push(VIEW.avoid(
        base.with("view", column),
        "views are experimental in Cassandra, and may miss rows without anyone noticing",
        format!("a second table that the application writes: table_by={column}"),
    ));
    advice
}

/// Returns how many different values a column has, as a share of the rows that were read; `None` if these are few.
fn distinct_share(facts: &Facts, column: &str) -> Option<f64> {
    let rows = { facts.rows.as_ref() }.filter(|rows| rows.read >= ENOUGH_ROWS)?;
    Some(*rows.distinct.get(column)? as f64 / rows.read as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::testing::{avoided, designs, equals, facts, question};

    fn asking(column: &str, share: Option<f64>) -> Facts {
        let mut facts = facts();
        facts.questions = vec![question("one", vec![equals(column, share)])];
        facts
    }

    #[test]
    fn rows_that_are_few_are_found_by_an_index_or_a_second_table() {
        let mut facts = asking("status", Some(0.01));
        let advice = found_by(&facts);
        let expected = [
            "cassandra/wide?index=status",
            "cassandra/wide?table_by=status",
        ];
        assert_eq!(designs(&advice), expected);
        let expected = ["cassandra/wide?view=status", "ALLOW FILTERING on status"];
        assert_eq!(avoided(&advice), expected);
        facts.keys_repeat = true;
        let advice = found_by(&facts);
        assert_eq!(designs(&advice), ["cassandra/wide?index=status"]);
    }

    #[test]
    fn an_index_that_finds_many_rows_is_bad_practice() {
        let advice = found_by(&asking("status", Some(0.2)));
        assert!(designs(&advice).is_empty());
        let has_instead = |advice: &Advice, words: &str| match advice {
            Advice::Avoid(bad) => bad.instead.contains(words),
            Advice::Measure(_) => false,
        };
        assert!(!advice.iter().any(|a| has_instead(a, "designs above")));
        let of_few = found_by(&asking("status", Some(0.01)));
        assert!(of_few.iter().any(|a| has_instead(a, "designs above")));
        assert_eq!(avoided(&advice)[0], "cassandra/wide?index=status");
    }

    #[test]
    fn an_index_of_a_unique_column_is_bad_practice() {
        let mut facts = asking("other", Some(0.0001));
        let rows = facts.rows.as_mut().unwrap();
        rows.distinct.insert("other".to_owned(), 9_900);
        let advice = found_by(&facts);
        let expected = [
            "cassandra/wide?table_by=other",
            "cassandra/wide?index_table=other",
        ];
        assert_eq!(designs(&advice), expected);
        assert_eq!(avoided(&advice)[0], "cassandra/wide?index=other");
        // Of four rows nobody knows.
        let rows = facts.rows.as_mut().unwrap();
        rows.read = 4;
        rows.distinct.insert("other".to_owned(), 4);
        let advice = found_by(&facts);
        let proposed = designs(&advice);
        // The table may have a bucket as well: of four rows not much is known of its partitions either.
        let is_index = |id: &&str| id.ends_with("index=other");
        assert_eq!(
            proposed.iter().filter(|id| is_index(id)).count(),
            1,
            "{proposed:?}"
        );
    }

    #[test]
    fn many_partitions_in_one_statement_are_bad_practice() {
        let mut facts = asking("series", None);
        assert_eq!(several_partitions(&facts), []);
        let several = |values| FilterKind::Equals { values };
        facts.questions[0].filters[0].kind = several(3);
        assert_eq!(several_partitions(&facts), []);
        facts.questions[0].filters[0].kind = several(8);
        let named = ["IN with the 8 partitions of one in one statement"];
        assert_eq!(avoided(&several_partitions(&facts)), named);
        facts.table.partition_key.push("other".to_owned());
        assert_eq!(several_partitions(&facts), []);
        facts.questions[0].filters.push(equals("other", None));
        assert_eq!(avoided(&several_partitions(&facts)), named);
        assert_eq!(several_partitions(&asking("status", Some(0.01))), []);
    }

    #[test]
    fn columns_of_the_key_and_doubles_are_not_indexed() {
        assert_eq!(found_by(&asking("value", Some(0.01))), []);
        assert_eq!(found_by(&asking("series", Some(0.01))), []);
        assert_eq!(found_by(&asking("time", Some(0.01))), []);
    }
}
