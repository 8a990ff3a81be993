//! What the tokens of a statement say of it: its kind, and the tables that it asks.

use std::collections::HashSet;

use super::asked_table::AskedTable;
use crate::dialect::tokens::{Kind, Token, tokens};

/// Kinds of statements that are told apart; all others are one.
const KINDS: [&str; 14] = [
    "SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "ROLLBACK", "SET", "CREATE",
    "ALTER", "DROP", "TRUNCATE", "COPY", "MERGE",
];
/// Kinds of statements that may follow what `WITH` names.
const AFTER_WITH: [&str; 4] = ["INSERT", "UPDATE", "DELETE", "MERGE"];
/// Most tables of a query that are told apart.
const MOST_TABLES: usize = 16;
/// The kind of statements that ask.
pub const SELECT: &str = "SELECT";
/// Kinds of statements that write rows.
pub const INSERT: &str = "INSERT";
pub const UPDATE: &str = "UPDATE";
pub const DELETE: &str = "DELETE";
/// The kind of statements that are none of those that are told apart.
pub const OTHER: &str = "other";

/// Splits a statement into tokens, without white space and comments; `None` where one does not end.
pub fn words(sql: &str) -> Option<Vec<Token<'_>>> {
    let mut all = tokens(sql)?;
    all.retain(|token| token.is_meaningful());
    Some(all)
}

/// Returns whether a token is this keyword.
pub fn is(token: Option<&Token<'_>>, keyword: &str) -> bool {
    token.is_some_and(|token| token.kind == Kind::Word && token.text.eq_ignore_ascii_case(keyword))
}

/// Returns whether a token is this sign.
pub fn is_sign(token: Option<&Token<'_>>, sign: char) -> bool {
    token.is_some_and(|token| token.kind == Kind::Sign(sign))
}

/// Returns the name that a token is: in lower case unless it has quotes, and then without them.
pub fn name(token: Option<&Token<'_>>) -> Option<String> {
    let token = token?;
    match token.kind {
        Kind::Word => Some(token.text.to_lowercase()),
        Kind::Name => {
            let quote = token.text.chars().next()?;
            let inside = token.text.get(1..token.text.len().checked_sub(1)?)?;
            let doubled = format!("{quote}{quote}");
            Some(inside.replace(&doubled, &quote.to_string()))
        }
        _ => None,
    }
}

/// Returns the kind of a statement, as its first word says it.
pub fn kind(words: &[Token<'_>]) -> &'static str {
    let mut first = words
        .iter()
        .skip_while(|token| token.kind == Kind::Sign('('));
    let first = first.next();
    if is(first, "with") {
        let writes = |kind: &&&'static str| words.iter().any(|token| is(Some(token), kind));
        return AFTER_WITH.iter().find(writes).copied().unwrap_or(SELECT);
    }
    let found = KINDS.iter().find(|kind| is(first, kind));
    found.copied().unwrap_or(OTHER)
}

/// Returns the names of the tables that a query asks, each once, up to 16. Names that the query gives to parts of
/// itself are none.
pub fn tables(words: &[Token<'_>]) -> Vec<AskedTable> {
    let mut found: Vec<AskedTable> = Vec::new();
    let parts = parts(words);
    // Whether each pair of parentheses that is open here has a query in it.
    let mut queries = vec![true];
    let mut at = 0;
    while at < words.len() {
        let (token, next) = (&words[at], words.get(at + 1));
        match token.kind {
            Kind::Sign('(') => {
                queries.push(begins_query(next));
            }
            Kind::Sign(')') if queries.len() > 1 => {
                queries.pop();
            }
            _ => {}
        }
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        at += 1;
        // What is behind IS DISTINCT FROM is a value.
        let is_from = is(Some(token), "from") && !is(before, "distinct");
        let begins = is_from || is(Some(token), "join");
        if !begins || queries.last() != Some(&true) {
            continue;
        }
        while let Some((table, behind)) = table_at(words, at) {
            let is_part = table.schema.is_none() && parts.contains(&table.name);
            match found.iter_mut().find(|known| known.may_be(&table)) {
                _ if is_part => {}
                None => found.push(table),
                Some(known) if known.schema.is_none() => *known = table,
                Some(_) => {}
            }
            if found.len() == MOST_TABLES {
                return found;
            }
            at = behind;
            // A further table may follow the other name of this one.
            if is(words.get(at), "as") {
                at += 1;
            }
            if is_sign(words.get(at + 1), ',') && name(words.get(at)).is_some() {
                at += 1;
            }
            if !is_sign(words.get(at), ',') {
                break;
            }
            at += 1;
        }
    }
    found
}

/// Returns the name of the table that a statement of a kind writes, and the place behind it.
pub fn written_table(words: &[Token<'_>], kind: &str) -> Option<(AskedTable, usize)> {
    let before = match kind {
        INSERT => "into",
        UPDATE => "update",
        DELETE => "from",
        _ => return None,
    };
    let at = 1 + words.iter().position(|token| is(Some(token), before))?;
    whole_name(words, at + usize::from(is(words.get(at), "only")))
}

/// Returns the place behind the pair of parentheses that opens at a place.
pub fn behind_parentheses(words: &[Token<'_>], at: usize) -> Option<usize> {
    if !is_sign(words.get(at), '(') {
        return None;
    }
    let mut open = 0_usize;
    for (place, token) in words.iter().enumerate().skip(at) {
        match token.kind {
            Kind::Sign('(') => open += 1,
            Kind::Sign(')') if open == 1 => return Some(place + 1),
            Kind::Sign(')') => open -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the name of the table that is asked at a place, and the place behind it.
pub fn table_at(words: &[Token<'_>], at: usize) -> Option<(AskedTable, usize)> {
    // A function that returns rows is no table.
    whole_name(words, at).filter(|(_, behind)| !is_sign(words.get(*behind), '('))
}

/// Returns the name with those before its dots that is written at a place, and the place behind it.
fn whole_name(words: &[Token<'_>], mut at: usize) -> Option<(AskedTable, usize)> {
    let mut table = AskedTable {
        schema: None,
        name: name(words.get(at))?,
    };
    at += 1;
    while is_sign(words.get(at), '.') {
        let further = name(words.get(at + 1))?;
        table.schema = Some(std::mem::replace(&mut table.name, further));
        at += 2;
    }
    Some((table, at))
}

/// Returns the names that a query gives to parts of itself, as in `WITH days AS (...)`.
fn parts(words: &[Token<'_>]) -> HashSet<String> {
    if !is(words.first(), "with") {
        return HashSet::new();
    }
    let named = words
        .windows(3)
        .filter(|three| is(three.get(1), "as") && is_sign(three.get(2), '('));
    named.filter_map(|three| name(three.first())).collect()
}

/// Returns whether a query begins behind a parenthesis whose next token is this one.
pub fn begins_query(next: Option<&Token<'_>>) -> bool {
    is(next, "select") || is(next, "with") || is_sign(next, '(')
}

/// Returns whether a list of columns ends with a comma, which some parsers let pass and most engines do not.
pub fn has_stray_comma(words: &[Token<'_>]) -> bool {
    words
        .windows(2)
        .any(|two| is_sign(two.first(), ',') && is(two.get(1), "from"))
}

/// Returns the number of tokens of the marker at a place, for which a value is bound: `?`, `$1` or `:name`.
pub fn marker_length(words: &[Token<'_>], at: usize) -> Option<usize> {
    let (token, next) = (words.get(at)?, words.get(at + 1));
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    match token.kind {
        Kind::Sign('?') => Some(1),
        Kind::Sign('$') if next.is_some_and(|next| next.kind == Kind::Number) => Some(2),
        // Two colons are a cast.
        Kind::Sign(':') if !is_sign(before, ':') => {
            let is_name = next.is_some_and(|next| matches!(next.kind, Kind::Word | Kind::Name));
            is_name.then_some(2)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sql: &str) -> Vec<Token<'_>> {
        words(sql).unwrap()
    }

    #[test]
    fn the_kind_of_a_statement_is_its_first_word() {
        for (sql, expected) in [
            ("/* x */ select 1", "SELECT"),
            ("(SELECT 1) UNION (SELECT 2)", "SELECT"),
            ("WITH a AS (SELECT 1) SELECT * FROM a", "SELECT"),
            (
                "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a",
                "INSERT",
            ),
            ("insert into t values (1)", "INSERT"),
            ("VACUUM t", "other"),
            ("", "other"),
        ] {
            assert_eq!(kind(&of(sql)), expected, "{sql}");
        }
    }

    #[test]
    fn the_table_that_is_written_is_behind_its_keyword() {
        for (sql, expected) in [
            ("INSERT INTO ks.Readings (a) VALUES (1)", "ks.readings"),
            ("INSERT INTO t(a) SELECT b FROM u", "t"),
            ("UPDATE ONLY \"T\" SET a = 1", "T"),
            ("DELETE a FROM ks.t USING TIMESTAMP 5 WHERE b = 1", "ks.t"),
        ] {
            let words = of(sql);
            let (table, _) = written_table(&words, kind(&words)).unwrap();
            assert_eq!(table.to_string(), expected, "{sql}");
        }
        assert!(written_table(&of("SELECT 1 FROM t"), SELECT).is_none());
        assert!(written_table(&of("INSERT 5"), INSERT).is_none());
        let nested = of("x ((a), b) c");
        assert_eq!(behind_parentheses(&nested, 1), Some(nested.len() - 1));
        assert_eq!(behind_parentheses(&nested, 0), None);
        assert_eq!(behind_parentheses(&of("((a)"), 0), None);
    }

    #[test]
    fn a_comma_before_from_is_stray() {
        assert!(has_stray_comma(&of("SELECT a, -- b\nFROM t")));
        assert!(!has_stray_comma(&of("SELECT a, \"from\" FROM t, u")));
    }

    #[test]
    fn tables_are_behind_from_and_join() {
        for (sql, expected) in [
            ("SELECT a FROM ks.Readings WHERE a = 1", vec!["ks.readings"]),
            ("SELECT 1 FROM a.t, db.b.t", vec!["a.t", "b.t"]),
            ("SELECT 1 FROM t JOIN a.t b ON true, t c", vec!["a.t"]),
            ("SELECT a FROM \"My Table\" t", vec!["My Table"]),
            (
                "SELECT extract(year FROM time), substring(a FROM 2) FROM t",
                vec!["t"],
            ),
            (
                "SELECT 1 FROM a x, b AS y, c JOIN d ON true",
                vec!["a", "b", "c", "d"],
            ),
            ("WITH w AS (SELECT 1 FROM a) SELECT 1 FROM w", vec!["a"]),
            ("SELECT 1 FROM (SELECT a FROM t) x", vec!["t"]),
            ("SELECT 1 FROM t WHERE a IS DISTINCT FROM b", vec!["t"]),
            ("SELECT 1 FROM generate_series(1, 2)", vec![]),
            ("SELECT create_hypertable('t', 'time')", vec![]),
        ] {
            let asked = tables(&of(sql));
            let found: Vec<String> = asked.iter().map(AskedTable::to_string).collect();
            assert_eq!(found, expected, "{sql}");
        }
    }
}
