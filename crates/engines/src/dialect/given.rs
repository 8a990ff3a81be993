//! Names of columns that a question gives to something else as well, so that nobody knows which of both is meant.

use bakeoff_workload::Table;

use super::tokens::{Kind, Token, tokens};
use super::types::KEYWORDS;

/// Words of queries whose rows have nulls in columns that have none in the table, or that are joined with others.
const ADD_NULLS: [&str; 6] = ["cube", "except", "grouping", "intersect", "rollup", "union"];
/// Words before `JOIN` or `OUTER` of joins that add nulls.
const OUTER: [&str; 3] = ["left", "right", "full"];

/// Returns the tokens of SQL that mean something; none where a token does not end.
pub fn meaningful(sql: &str) -> Vec<Token<'_>> {
    let mut words = tokens(sql).unwrap_or_default();
    words.retain(|token| token.is_meaningful());
    words
}

/// Returns a table without those columns in its keys that may be null in a query.
pub fn without_nulls(table: &Table, sql: &str) -> Table {
    let words = meaningful(sql);
    let adds_nulls = adds_nulls(&words);
    let is_certain = |name: &String| !adds_nulls && !is_given(table, &words, name);
    let mut certain = table.clone();
    certain.partition_key.retain(is_certain);
    certain.order_key.retain(is_certain);
    certain
}

fn adds_nulls(words: &[Token<'_>]) -> bool {
    let is_outer = |two: &[Token<'_>]| {
        OUTER.iter().any(|word| is(&two[0], word)) && (is(&two[1], "join") || is(&two[1], "outer"))
    };
    let adds = |token: &Token<'_>| ADD_NULLS.iter().any(|word| is(token, word));
    words.windows(2).any(is_outer) || words.iter().any(adds)
}

/// Returns whether SQL gives the name of a column to something, with or without `AS`. In doubt it does.
pub fn is_given(table: &Table, words: &[Token<'_>], name: &str) -> bool {
    let gives = |at: usize| match words[at].kind {
        Kind::Name | Kind::Text | Kind::Number | Kind::Parameter => true,
        Kind::Word => {
            let mut names = table.columns.iter().map(|column| column.name.as_str());
            is(&words[at], "as") || is(&words[at], "end") || names.any(|own| is(&words[at], own))
        }
        Kind::Sign(')') => !is_distinct_on(words, at),
        Kind::Sign(_) | Kind::Blank | Kind::Comment => false,
    };
    is_listed(words, name)
        || (1..words.len()).any(|at| is_called(&words[at], name) && gives(at - 1))
}

/// Returns whether a name is in a list of names that SQL gives, as in `WITH days(day) AS (...)` and
/// `(VALUES (1)) AS days(day)`, with or without `AS`.
fn is_listed(words: &[Token<'_>], name: &str) -> bool {
    let is_of_list =
        |token: &Token<'_>| matches!(token.kind, Kind::Word | Kind::Name) || is_sign(token, ',');
    (2..words.len()).any(|open| {
        if !is_sign(&words[open], '(') {
            return false;
        }
        let inside = &words[open + 1..];
        let length = inside.iter().position(|token| !is_of_list(token));
        let (list, behind) = inside.split_at(length.unwrap_or(0));
        let mut items = list.split(|token| is_sign(token, ','));
        behind.first().is_some_and(|token| is_sign(token, ')'))
            && list.iter().any(|token| is_called(token, name))
            && items.all(|item| item.len() == 1)
            && (is_before_query(behind) || is_behind_alias(words, open))
    })
}

/// Returns whether a query with a name begins behind the list of its columns, which ends with the first token here.
fn is_before_query(behind: &[Token<'_>]) -> bool {
    let begins =
        |next: &Token<'_>| is_sign(next, '(') || is(next, "not") || is(next, "materialized");
    matches!(behind, [_, word, next, ..] if is(word, "as") && begins(next))
}

/// Returns whether the parenthesis at a place is behind the name that SQL gives to a table or to another parenthesis.
fn is_behind_alias(words: &[Token<'_>], open: usize) -> bool {
    let is_name = |token: &Token<'_>| match token.kind {
        Kind::Name => true,
        Kind::Word => !is(token, "using") && !KEYWORDS.iter().any(|word| is(token, word)),
        _ => false,
    };
    let (before, alias) = (&words[open - 2], &words[open - 1]);
    let begins_table =
        |token: &Token<'_>| is(token, "from") || is(token, "join") || is_sign(token, ',');
    // The table may have the name of its schema before its own.
    let mut table = open - 2;
    while table > 1 && is_sign(&words[table - 1], '.') {
        table -= 2;
    }
    let is_of_table = is_name(before) && table > 0 && begins_table(&words[table - 1]);
    let is_of_parenthesis = is_sign(before, ')') && !is_distinct_on(words, open - 2);
    is_name(alias) && (is(before, "as") || is_of_table || is_of_parenthesis)
}

/// Returns whether a token is this name, with or without quotes.
pub fn is_called(token: &Token<'_>, name: &str) -> bool {
    match token.kind {
        Kind::Name => token.text.trim_matches(['"', '`']) == name,
        _ => is(token, name),
    }
}

/// Returns whether a token is this word, in any case.
pub fn is(token: &Token<'_>, word: &str) -> bool {
    token.kind == Kind::Word && token.text.eq_ignore_ascii_case(word)
}

/// Returns whether a token is this sign.
pub fn is_sign(token: &Token<'_>, sign: char) -> bool {
    token.kind == Kind::Sign(sign)
}

/// Returns whether the parenthesis that closes at a place is that of `DISTINCT ON (...)`, behind which a column is.
fn is_distinct_on(words: &[Token<'_>], closing: usize) -> bool {
    let mut open = 0_usize;
    for at in (0..=closing).rev() {
        if is_sign(&words[at], ')') {
            open += 1;
        } else if is_sign(&words[at], '(') {
            open -= 1;
            if open == 0 {
                let before = at.checked_sub(1).and_then(|before| words.get(before));
                return before.is_some_and(|before| is(before, "on"));
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::{Column, ColumnType};

    use super::*;

    fn table() -> Table {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        Table {
            name: "readings".to_owned(),
            columns: vec![
                column("room", ColumnType::Text),
                column("time", ColumnType::Timestamp),
                column("note", ColumnType::Text),
            ],
            partition_key: vec!["room".to_owned()],
            order_key: vec!["time".to_owned()],
        }
    }

    #[test]
    fn keys_are_never_null_where_nothing_else_has_their_names() {
        let certain = |sql: &str| {
            let certain = without_nulls(&table(), sql);
            let names = certain.partition_key.iter().chain(&certain.order_key);
            names.cloned().collect::<Vec<String>>().join(" ")
        };
        for (sql, expected) in [
            ("SELECT room, time FROM readings ORDER BY room", "room time"),
            (
                "SELECT DISTINCT ON (room) room, r.time FROM readings AS r JOIN readings AS s ON r.room = s.room \
                 ORDER BY room",
                "room time",
            ),
            (
                "SELECT left(room, 1) AS beginning FROM readings WHERE time > 'a' ORDER BY time",
                "room time",
            ),
            ("SELECT nullif(room, 'a') AS room FROM readings", "time"),
            (
                "SELECT lag(room) OVER (ORDER BY time) room FROM readings",
                "time",
            ),
            ("SELECT note room FROM readings", "time"),
            ("SELECT note AS \"time\" FROM readings", "room"),
            (
                "SELECT CASE WHEN true THEN time END time FROM readings",
                "room",
            ),
            ("SELECT room FROM readings GROUP BY ROLLUP (room)", ""),
            (
                "SELECT room FROM readings GROUP BY grouping sets ((room), ())",
                "",
            ),
            (
                "SELECT s.room FROM readings AS r LEFT JOIN readings AS s ON r.note = s.room",
                "",
            ),
            (
                "SELECT s.room FROM readings AS r FULL OUTER JOIN readings AS s USING (room)",
                "",
            ),
            (
                "SELECT room FROM readings UNION ALL SELECT note FROM readings",
                "",
            ),
            (
                "WITH r(room) AS (SELECT note FROM readings) SELECT room FROM r",
                "time",
            ),
            (
                "WITH r(\"room\", time) AS NOT MATERIALIZED (SELECT note, note FROM readings) SELECT room FROM r",
                "",
            ),
            ("SELECT room FROM (VALUES (NULL)) AS v(room)", "time"),
            ("SELECT a FROM readings AS v(a, time)", "room"),
            ("SELECT a FROM readings v(a, time)", "room"),
            ("SELECT a FROM public.readings v(a, time)", "room"),
            (
                "SELECT note, lower(room), abs(time) FROM readings JOIN readings AS s USING (room, time)",
                "room time",
            ),
            (
                "SELECT time FROM (SELECT note, NULL FROM readings) v(a, \"time\")",
                "room",
            ),
            (
                "SELECT DISTINCT ON (note) lower(room) AS low, CAST((1 + 2) AS decimal(10, 2)) AS sum FROM readings \
                 WHERE note IN ('a') AND (room) > 'b' AND time IN (SELECT max(time) FROM readings)",
                "room time",
            ),
        ] {
            assert_eq!(certain(sql), expected, "{sql}");
        }
    }
}
