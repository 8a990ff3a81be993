//! A statement without the values that differ from one time that it is asked to the next.

use super::words::{is, is_sign, marker_length};
use crate::dialect::tokens::{Kind, Token};

/// Words behind which constants are values that rows are compared with, or numbers of rows.
const OF_VALUES: [&str; 11] = [
    "from", "where", "having", "on", "limit", "offset", "fetch", "values", "into", "set", "using",
];
/// Words behind which constants say what is returned, such as the place of a column.
const OF_RESULT: [&str; 4] = ["select", "group", "order", "window"];
/// Functions whose first argument is a unit or a length of time, which is no value.
const OF_UNITS: [&str; 5] = [
    "date_trunc",
    "date_part",
    "date_bin",
    "time_bucket",
    "extract",
];
/// Words behind which a value is compared.
const COMPARE: [&str; 4] = ["like", "ilike", "between", "and"];

/// Returns a statement without its values, so that those that differ in them alone are the same. Constants that say
/// what is returned, such as those of ORDER BY, stay.
pub fn form(words: &[Token<'_>]) -> String {
    let mut parts: Vec<String> = Vec::with_capacity(words.len());
    // Whether constants are values, in each pair of parentheses that is open.
    let mut of_values = vec![false];
    let mut at = 0;
    while let Some(token) = words.get(at) {
        follow(words, at, &mut of_values);
        let is_value = of_values.last() == Some(&true) || is_compared(words, at);
        let mut part = match token.kind {
            Kind::Text | Kind::Number if is_value && !is_unit(words, at) => "?".to_owned(),
            Kind::Parameter | Kind::Sign('?') => "?".to_owned(),
            Kind::Word => token.text.to_lowercase(),
            _ => token.text.to_owned(),
        };
        at += 1;
        if let Some(length) = marker_length(words, at - 1) {
            at += length - 1;
            part = "?".to_owned();
        }
        if part == "?" {
            let length = parts.len();
            // A sign before a number is a part of it, and lists of any length are the same.
            if parts.last().is_some_and(|last| last == "-")
                && length > 1
                && is_operator(&parts[length - 2])
            {
                parts.pop();
            }
            if let [.., before, comma] = parts.as_slice()
                && before == "?"
                && comma == ","
            {
                parts.pop();
                continue;
            }
        }
        parts.push(part);
    }
    parts.join(" ")
}

/// Keeps whether constants are values, up to a token.
fn follow(words: &[Token<'_>], at: usize, of_values: &mut Vec<bool>) {
    let token = words.get(at);
    let is_one_of = |of: &[&str]| of.iter().any(|word| is(token, word));
    let around = of_values.last() == Some(&true);
    if is_sign(token, '(') {
        of_values.push(around || is(before(words, at), "in"));
    } else if is_sign(token, ')') && of_values.len() > 1 {
        of_values.pop();
    } else if let Some(here) = of_values.last_mut() {
        *here = (*here || is_one_of(&OF_VALUES)) && !is_one_of(&OF_RESULT);
    }
}

/// Returns whether a constant is compared, wherever it is.
fn is_compared(words: &[Token<'_>], at: usize) -> bool {
    let first = if is_sign(before(words, at), '-') {
        at - 1
    } else {
        at
    };
    let before = before(words, first);
    ['=', '<', '>'].iter().any(|sign| is_sign(before, *sign))
        || COMPARE.iter().any(|word| is(before, word))
}

/// Returns whether a constant is a unit or a length of time for a function.
fn is_unit(words: &[Token<'_>], at: usize) -> bool {
    let function = at.checked_sub(2).and_then(|place| words.get(place));
    is_sign(before(words, at), '(') && OF_UNITS.iter().any(|called| is(function, called))
}

fn before<'a, 'b>(words: &'b [Token<'a>], at: usize) -> Option<&'b Token<'a>> {
    at.checked_sub(1).and_then(|place| words.get(place))
}

fn is_operator(part: &str) -> bool {
    matches!(part, "=" | "<" | ">" | "(" | "," | "and" | "between" | "in")
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn of(sql: &str) -> String {
        form(&words(sql).unwrap())
    }

    #[test]
    fn statements_that_differ_in_values_have_one_form() {
        for (one, other) in [
            (
                "SELECT a FROM t WHERE b = 1",
                "select  a from T where b = -2.5e3",
            ),
            (
                "SELECT a FROM t WHERE b IN (1, 2, 3)",
                "SELECT a FROM t WHERE b IN ('x')",
            ),
            (
                "SELECT a FROM t WHERE b = $1 AND c = ?",
                "SELECT a FROM t WHERE b = 'it''s' AND c = :c",
            ),
            (
                "SELECT a FROM t -- x\nWHERE b > 1",
                "SELECT a FROM t WHERE b > -1",
            ),
            (
                "SELECT a FROM t ORDER BY a LIMIT 10",
                "SELECT a FROM t ORDER BY a LIMIT 20",
            ),
            (
                "SELECT sum(CASE WHEN a = 1 THEN b END) FROM t",
                "SELECT sum(CASE WHEN a = -2 THEN b END) FROM t",
            ),
            (
                "SELECT a IN (1, 2) FROM (SELECT a FROM t WHERE b = 1) x",
                "SELECT a IN (3) FROM (SELECT a FROM t WHERE b = 2) x",
            ),
            (
                "UPDATE t USING TTL 5 SET a = a + 1, b = f(2) WHERE c = 3",
                "UPDATE t USING TTL 6 SET a = a + 7, b = f(8) WHERE c = 9",
            ),
            (
                "INSERT INTO t JSON '{\"a\": 1}'",
                "INSERT INTO t JSON '{\"a\": 2}'",
            ),
            (
                "INSERT INTO t (a) VALUES (0xff)",
                "INSERT INTO t (a) VALUES (0x00)",
            ),
        ] {
            assert_eq!(of(one), of(other), "{one}");
        }
        assert_eq!(of("SELECT a::int FROM t"), "select a : : int from t");
    }

    #[test]
    fn statements_that_return_something_else_have_another_form() {
        for (one, other) in [
            ("SELECT a - 1 FROM t", "SELECT a FROM t"),
            (
                "SELECT a, b FROM t ORDER BY 1",
                "SELECT a, b FROM t ORDER BY 2",
            ),
            (
                "SELECT a, b, count(*) FROM t GROUP BY 1, 2",
                "SELECT a, b, count(*) FROM t GROUP BY 1",
            ),
            (
                "SELECT date_trunc('hour', time) FROM t",
                "SELECT date_trunc('day', time) FROM t",
            ),
            (
                "SELECT a FROM t WHERE date_trunc('hour', time) = '2026-05-01'",
                "SELECT a FROM t WHERE date_trunc('day', time) = '2026-05-01'",
            ),
            ("SELECT round(a, 1) FROM t", "SELECT round(a, 2) FROM t"),
            ("SELECT a FROM \"t\"", "SELECT a FROM \"T\""),
        ] {
            assert_ne!(of(one), of(other), "{one}");
        }
    }
}
