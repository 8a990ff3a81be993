//! The names in a question that may be those of columns.

use std::collections::BTreeSet;

use super::words::{is, is_sign, name, words};
use crate::dialect::tokens::{Kind, Token};

/// Returns the names in a question that may be those of columns, in lower case, with keywords among them; none if it
/// cannot be read. Names in texts and comments, of functions, of types and of what the question makes are left out.
pub fn named_columns(sql: &str) -> BTreeSet<String> {
    let Some(words) = words(sql) else {
        return BTreeSet::new();
    };
    let may_be_columns = (0..words.len()).filter(|at| may_be_column(&words, *at));
    may_be_columns
        .filter_map(|at| name(words.get(at)))
        .map(|name| name.to_lowercase())
        .collect()
}

/// Returns the names in a question of columns that have to have one value, or one of a list, in the rows that it asks for,
/// in lower case; none if it cannot be read. A comparison with another column, as in a join, is none of these, and neither
/// is one that rows do not depend on: between CASE and END, in FILTER, and in HAVING.
pub fn columns_with_values(sql: &str) -> BTreeSet<String> {
    let Some(words) = words(sql) else {
        return BTreeSet::new();
    };
    let mut found = BTreeSet::new();
    let (mut cases, mut is_in_having) = (0_usize, false);
    let mut at = 0;
    while at < words.len() {
        let word = words.get(at);
        if is(word, "case") {
            cases += 1;
        } else if is(word, "end") {
            cases = cases.saturating_sub(1);
        } else if is(word, "having") {
            is_in_having = true;
        } else if is(word, "select") {
            is_in_having = false;
        } else if is(word, "filter") && is_sign(words.get(at + 1), '(') {
            at = end_of_parentheses(&words, at + 1);
            continue;
        }
        if cases == 0 && !is_in_having && has_value(&words, at) {
            found.extend(name(word).map(|name| name.to_lowercase()));
        }
        at += 1;
    }
    found
}

/// Returns the place behind the parentheses that open at this one.
fn end_of_parentheses(words: &[Token<'_>], begin: usize) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate().skip(begin) {
        if is_sign(Some(word), '(') {
            depth += 1;
        } else if is_sign(Some(word), ')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + 1;
            }
        }
    }
    words.len()
}

/// Returns whether what stands at a place is followed by `=` or `IN` and a value.
fn has_value(words: &[Token<'_>], at: usize) -> bool {
    let [sign, first] = [1, 2].map(|by| words.get(at + by));
    let is_value = |token: Option<&Token<'_>>| {
        let values = [Kind::Text, Kind::Number, Kind::Parameter];
        let has_marker = is_sign(token, '?') || is_sign(token, '$') || is_sign(token, ':');
        token.is_some_and(|token| values.contains(&token.kind)) || has_marker
    };
    let is_equal = is_sign(sign, '=') && is_value(first);
    let is_in = is(sign, "in") && is_sign(first, '(') && is_value(words.get(at + 3));
    is_equal || is_in
}

/// Returns whether the name at a place may be that of a column, by what is around it.
fn may_be_column(words: &[Token<'_>], at: usize) -> bool {
    let back = |by: usize| at.checked_sub(by).and_then(|at| words.get(at));
    let (before, next) = (back(1), words.get(at + 1));
    let is_text = |token: Option<&Token<'_>>| token.is_some_and(|token| token.kind == Kind::Text);
    // A type or another name, as in CAST(a AS date) and a AS day, and a::date and the marker :day.
    let is_behind = is(before, "as") || is_sign(before, ':');
    let is_function = is_sign(next, '(');
    // As in DATE '2026-05-01' and INTERVAL '1' DAY.
    let is_of_text = is_text(before) || is_text(next);
    let is_zone = is(next, "zone");
    let is_part = is(next, "from") && is_sign(before, '(') && is(back(2), "extract");
    !(is_behind || is_function || is_of_text || is_zone || is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_by_words_and_names_in_quotes_alone() {
        let names = |sql: &str| {
            let named = named_columns(sql);
            let asked = ["time", "date", "day", "pick up"].map(str::to_owned);
            let found = asked.into_iter().filter(|name| named.contains(name));
            found.collect::<Vec<String>>()
        };
        for (sql, expected) in [
            ("SELECT max(Time) AS m FROM t", vec!["time"]),
            ("SELECT t.\"Pick up\", date FROM t", vec!["date", "pick up"]),
            ("SELECT pick_up_time FROM t -- time", vec![]),
            ("SELECT 'time' AS day, date(x) FROM t /* date */", vec![]),
            ("SELECT a FROM t WHERE a > DATE '2026-05-01'", vec![]),
            ("SELECT a::date, CAST(a AS time) FROM t", vec![]),
            ("SELECT a AT TIME ZONE 'UTC' FROM t", vec![]),
            ("SELECT extract(day FROM time) AS hour FROM t", vec!["time"]),
            ("SELECT a FROM t WHERE a > b - INTERVAL '1' DAY", vec![]),
            (
                "SELECT a FROM t WHERE time > :date AND day = ?",
                vec!["time", "day"],
            ),
            (
                "SELECT a FROM t WHERE time IN (${date.begin})",
                vec!["time"],
            ),
            ("SELECT time FROM t WHERE a = 'x", vec![]),
        ] {
            assert_eq!(names(sql), expected, "{sql}");
        }
    }

    #[test]
    fn columns_have_values_if_they_are_compared_with_some() {
        for (sql, expected) in [
            ("SELECT a FROM t WHERE Room = 'x' AND b > 1", vec!["room"]),
            (
                "SELECT a FROM t WHERE t.\"Room\" IN ('x', 'y')",
                vec!["room"],
            ),
            (
                "SELECT a FROM t WHERE room = ${room} AND n = 7",
                vec!["n", "room"],
            ),
            (
                "SELECT a FROM t WHERE room = $1 OR n = ? OR m = :m",
                vec!["m", "n", "room"],
            ),
            (
                "SELECT a FROM t WHERE room <> 'x' AND n >= 7 AND m != 1",
                vec![],
            ),
            ("SELECT a FROM t JOIN u ON t.room = u.room", vec![]),
            ("SELECT a FROM t WHERE room IN (SELECT room FROM u)", vec![]),
            (
                "SELECT sum(CASE WHEN m = 'a' THEN 1 ELSE 0 END) FROM t WHERE n = 1",
                vec!["n"],
            ),
            (
                "SELECT count(*) FILTER (WHERE (m = 'a') OR m = 'b') AS c FROM t WHERE n = 1",
                vec!["n"],
            ),
            ("SELECT a FROM t GROUP BY a HAVING m = 3", vec![]),
            ("SELECT 'room = 1' FROM t -- n = 1", vec![]),
            ("SELECT a FROM t WHERE room = 'x", vec![]),
        ] {
            let found: Vec<String> = columns_with_values(sql).into_iter().collect();
            assert_eq!(found, expected, "{sql}");
        }
    }
}
