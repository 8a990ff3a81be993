//! The words that begin a batch of Cassandra in front of its first statement.

use crate::dialect::tokens::{Token, tokens};
use crate::statements::words::{is, is_sign, marker_length};

/// What may be between BEGIN and BATCH.
const KINDS: [&str; 3] = ["logged", "unlogged", "counter"];

/// Returns the first statement of a batch, and how many words are before it; `None` if the words begin no batch, or
/// nothing is behind them.
pub fn first_of_batch<'a>(sql: &'a str, words: &[Token<'_>]) -> Option<(&'a str, usize)> {
    let before = words_of_begin(words)?;
    let mut begin = 0;
    let mut seen = 0;
    for token in tokens(sql)? {
        if token.is_meaningful() {
            if seen == before {
                return Some((sql.get(begin..)?, before));
            }
            seen += 1;
        }
        begin += token.text.len();
    }
    None
}

/// Returns how many words `BEGIN [UNLOGGED | COUNTER] BATCH [USING TIMESTAMP n]` are; `None` if words begin otherwise.
fn words_of_begin(words: &[Token<'_>]) -> Option<usize> {
    if !is(words.first(), "begin") {
        return None;
    }
    let has_kind = KINDS.iter().any(|kind| is(words.get(1), kind));
    let mut at = 1 + usize::from(has_kind);
    if !is(words.get(at), "batch") {
        return None;
    }
    at += 1;
    if is(words.get(at), "using") && is(words.get(at + 1), "timestamp") {
        at += 2 + usize::from(is_sign(words.get(at + 2), '-'));
        at += marker_length(words, at).unwrap_or(1);
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements::words::words;

    #[test]
    fn what_begins_a_batch_is_left_out() {
        for (sql, expected) in [
            (
                "BEGIN BATCH INSERT INTO t (a) VALUES (1)",
                Some("INSERT INTO t (a) VALUES (1)"),
            ),
            (
                "begin /* x */ unlogged batch\n UPDATE t SET a = 1",
                Some("UPDATE t SET a = 1"),
            ),
            (
                "BEGIN COUNTER BATCH USING TIMESTAMP 5 DELETE FROM t",
                Some("DELETE FROM t"),
            ),
            (
                "BEGIN BATCH USING TIMESTAMP -5 DELETE FROM t",
                Some("DELETE FROM t"),
            ),
            (
                "BEGIN BATCH USING TIMESTAMP ? DELETE FROM t",
                Some("DELETE FROM t"),
            ),
            (
                "BEGIN BATCH USING TIMESTAMP :at DELETE FROM t",
                Some("DELETE FROM t"),
            ),
            ("BEGIN BATCH", None),
            ("BEGIN BATCH USING TIMESTAMP", None),
            ("BEGIN", None),
            ("BEGIN READ ONLY", None),
            ("SELECT batch FROM t", None),
            ("", None),
        ] {
            let words = words(sql).unwrap();
            let found = first_of_batch(sql, &words);
            assert_eq!(found.map(|(first, _)| first), expected, "{sql}");
            if let Some((first, before)) = found {
                assert!(first.starts_with(words[before].text), "{sql}");
            }
        }
    }
}
