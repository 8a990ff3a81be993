//! How a log of queries is told from a file of questions.

use std::collections::HashSet;

use super::full_query_log::{STARTED, TYPE};
use super::postgres::{FEWEST_FIELDS, LOG, fields};
use super::postgres_json::is_json;
use crate::dialect::tokens::Token;
use crate::questions_file::QuestionsFile;
use crate::statements::form::form;
use crate::statements::words::{OTHER, SELECT, is, is_sign, kind, words};

/// Kinds of statements that make tables, of which a log tells nothing.
const MAKE: [&str; 3] = ["CREATE", "ALTER", "DROP"];
/// Words that begin statements whose kinds are not told apart. None of them are those that often begin a further line
/// of a query, such as `END`.
const FURTHER: &[&str] = &[
    "abort",
    "analyze",
    "apply",
    "call",
    "checkpoint",
    "close",
    "deallocate",
    "declare",
    "desc",
    "describe",
    "discard",
    "do",
    "execute",
    "explain",
    "grant",
    "listen",
    "load",
    "lock",
    "notify",
    "optimize",
    "pragma",
    "prepare",
    "refresh",
    "reindex",
    "release",
    "replace",
    "reset",
    "revoke",
    "savepoint",
    "show",
    "start",
    "unlisten",
    "unlock",
    "use",
    "vacuum",
];

/// How statements are written in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    /// Each in a line.
    Plain,
    /// As PostgreSQL logs them, behind a prefix that is configured.
    PostgresText,
    /// As PostgreSQL logs them in CSV.
    PostgresCsv,
    /// As PostgreSQL logs them in JSON.
    PostgresJson,
    /// As `fqltool dump` of Cassandra prints them.
    FullQueryLog,
}

impl LogKind {
    /// Tells by the beginning of a file what kind of log it is; `None` if it is none, but a file of questions.
    /// `is_whole` says whether that is the whole file, and `is_sql` whether its name says that it is SQL.
    pub fn of(begin: &str, is_whole: bool, is_sql: bool) -> Option<LogKind> {
        let mut lines: Vec<&str> = begin.lines().collect();
        if !is_whole {
            // The last one may be cut.
            lines.pop();
        }
        let has = |mark: &str| lines.iter().any(|line| line.starts_with(mark));
        if has(TYPE) && has(STARTED) {
            return Some(LogKind::FullQueryLog);
        }
        if lines.iter().any(|line| is_json(line)) {
            return Some(LogKind::PostgresJson);
        }
        if lines.iter().any(|line| line.contains(LOG)) {
            return Some(LogKind::PostgresText);
        }
        if lines.iter().any(|line| is_csv(line)) {
            return Some(LogKind::PostgresCsv);
        }
        is_plain(begin, &lines, is_whole, is_sql).then_some(LogKind::Plain)
    }

    /// Returns the number of the first line that is no statement, where others are one; `None` if all or none are.
    pub fn line_without_statement(text: &str) -> Option<usize> {
        let is_written = |line: &str| !line.trim().is_empty() && !is_comment(line);
        let has_statement = text.lines().any(|line| statement_of(line).is_some());
        let place = text
            .lines()
            .position(|line| is_written(line) && statement_of(line).is_none());
        place.filter(|_| has_statement).map(|place| place + 1)
    }
}

/// Returns whether a line is one of PostgreSQL's logs in CSV.
fn is_csv(line: &str) -> bool {
    line.contains(",LOG,") && fields(line).len() >= FEWEST_FIELDS
}

/// Returns whether most lines are statements, and not all of them together are questions.
fn is_plain(begin: &str, lines: &[&str], is_whole: bool, is_sql: bool) -> bool {
    let mut kinds = Vec::with_capacity(lines.len());
    let mut forms = HashSet::new();
    let mut others = 0;
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        if let Some(words) = statement_of(line) {
            kinds.push(kind(&words));
            forms.insert(form(&words).trim_end_matches([' ', ';']).to_owned());
        } else if !is_comment(line) {
            others += 1;
        }
    }
    if kinds.len() < 2 || kinds.len() <= others {
        return false;
    }
    let makes = |kind: &&str| MAKE.contains(kind);
    let asks_only = kinds.iter().all(|kind| *kind == SELECT || makes(kind));
    if is_sql && asks_only {
        return false;
    }
    let repeats = forms.len() < kinds.len();
    let is_file = is_whole && QuestionsFile::parse(begin).is_ok_and(|file| file.table.is_some());
    let is_mixed =
        others > 0 || kinds.iter().any(makes) || lines.iter().any(|line| is_comment(line));
    if is_mixed {
        // Lines of one query may look like statements.
        !is_file && (repeats || !asks_only)
    } else {
        repeats || !is_file
    }
}

/// Returns whether a line is a comment, which a log with a statement in each line may have.
pub fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("--")
}

/// Returns the words of a line that is a statement; `None` if it is none, or one that goes on in the next line.
pub fn statement_of(line: &str) -> Option<Vec<Token<'_>>> {
    let words = words(line)?;
    let signs = |sign: char| {
        words
            .iter()
            .filter(|token| is_sign(Some(*token), sign))
            .count()
    };
    let is_whole = signs('(') == signs(')');
    let begins = kind(&words) != OTHER || begins_further(&words);
    (is_whole && begins).then_some(words)
}

/// Returns whether words are a statement of a kind that is not told apart.
fn begins_further(words: &[Token<'_>]) -> bool {
    let (first, next) = (words.first(), words.get(1));
    // Columns and functions may be called like this, too.
    let is_name = [',', '.', '='].iter().any(|sign| is_sign(next, *sign))
        || (is(first, "replace") && is_sign(next, '('));
    !is_name && FURTHER.iter().any(|word| is(first, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_told_from_questions() {
        let selects = "SELECT a FROM t WHERE b = 1\nSELECT a FROM t WHERE b = 2\n";
        let csv = format!("{},LOG,{}\n", ["x"; 11].join(","), [""; 11].join(","));
        for (text, is_sql, expected) in [
            (selects, false, Some(LogKind::Plain)),
            (
                "SELECT a FROM t\nINSERT INTO t VALUES (1)\n",
                true,
                Some(LogKind::Plain),
            ),
            (
                "SELECT a FROM t\nSELECT b FROM t\n",
                false,
                Some(LogKind::Plain),
            ),
            (
                "x LOG:  statement: SELECT 1\n",
                true,
                Some(LogKind::PostgresText),
            ),
            (csv.as_str(), false, Some(LogKind::PostgresCsv)),
            (
                "{\"error_severity\":\"LOG\",\"message\":\"statement: SELECT 'LOG:  '\"}\n",
                false,
                Some(LogKind::PostgresJson),
            ),
            ("{\"query\":\"SELECT 1\"}\n", false, None),
            (
                "Type: single-query\nQuery start time: 1\n",
                false,
                Some(LogKind::FullQueryLog),
            ),
            ("SELECT a FROM t;\nSELECT b FROM t;\n", false, None),
            (
                "SELECT a FROM t WHERE b = 1;\nSELECT a FROM t WHERE b = 2;\n",
                true,
                None,
            ),
            ("SELECT a FROM t UNION ALL\nSELECT b FROM t;\n", false, None),
            (
                "WITH a AS (SELECT b FROM t)\nSELECT b FROM a;\n",
                false,
                None,
            ),
            ("SELECT a\nFROM t;\n", false, None),
            (
                "-- name: x\nSELECT a FROM t;\nSELECT b FROM t;\n",
                false,
                None,
            ),
            ("SELECT a FROM t; INSERT INTO t VALUES (1)", false, None),
            ("CREATE TABLE t (a int);\nSELECT a FROM t;\n", true, None),
            ("room,time\na,1\n", false, None),
            ("", false, None),
        ] {
            assert_eq!(LogKind::of(text, true, is_sql), expected, "{text}");
        }
        // Statements of other kinds, comments and a few other lines are in logs, too.
        let asked = "SELECT a FROM t WHERE b = 1\nINSERT INTO t (b) VALUES (1)\nSELECT a FROM t WHERE b = 2\n";
        for further in [
            "USE shop",
            "START TRANSACTION",
            "SHOW server_version",
            "EXPLAIN (ANALYZE) SELECT a FROM t",
            "SAVEPOINT a",
            "RELEASE SAVEPOINT a",
            "DISCARD ALL",
            "VACUUM",
            "GRANT SELECT ON t TO me",
            "ALTER TABLE t ADD c int",
            "CREATE TABLE u (a int)",
            "DROP TABLE u",
            "CALL f()",
            "REPLACE INTO t VALUES (1)",
            "APPLY BATCH;",
            "-- a comment",
            "what is this?",
            "SELECT 'cut",
        ] {
            for text in [format!("{further}\n{asked}"), format!("{asked}{further}\n")] {
                for is_sql in [false, true] {
                    assert_eq!(
                        LogKind::of(&text, true, is_sql),
                        Some(LogKind::Plain),
                        "{text}"
                    );
                }
            }
        }
        for text in [
            // Most lines are none.
            "SELECT a FROM t WHERE b = 1\nINSERT INTO t (b) VALUES (1)\nx\ny\n",
            "SELECT a FROM t WHERE b = 1\nUNION ALL\nSELECT a FROM t WHERE b = 2;\n",
            "WITH d AS (\nSELECT a FROM t\n)\nSELECT a FROM d;\n",
            "SELECT\nshow\nFROM t;\n",
            "SELECT\nREPLACE(a, 'b', 'c') AS x\nFROM t;\n",
            "-- the first one\nSELECT a FROM t WHERE b = 1;\n-- and another\nSELECT a FROM t WHERE b = 2;\n",
        ] {
            for is_sql in [false, true] {
                assert_eq!(LogKind::of(text, true, is_sql), None, "{text}");
            }
        }
        let deep = format!(
            "SELECT a FROM t;\nSELECT {}a FROM t;\n",
            "a + ".repeat(10_000)
        );
        assert_eq!(LogKind::of(&deep, true, false), Some(LogKind::Plain));
        // The end of a long file is not needed.
        let cut = format!("{selects}SELECT 'a");
        assert_eq!(LogKind::of(&cut, false, false), Some(LogKind::Plain));
    }

    #[test]
    fn the_line_that_is_no_statement_is_found() {
        for (text, expected) in [
            (
                "-- x\nSELECT a FROM t\n\nquery: 5\nINSERT INTO t VALUES (1)\n",
                Some(4),
            ),
            ("SELECT f(a\n) FROM t\nSELECT b FROM t", Some(1)),
            ("SELECT a FROM t\nUSE shop\n", None),
            ("room,time\na,1\n", None),
            ("", None),
        ] {
            assert_eq!(LogKind::line_without_statement(text), expected, "{text}");
        }
    }
}
