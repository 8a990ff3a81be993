//! How a log of queries is told from a file of questions.

use std::collections::HashSet;

use super::full_query_log::{STARTED, TYPE};
use super::postgres::{FEWEST_FIELDS, LOG, fields};
use super::postgres_json::is_json;
use crate::questions_file::QuestionsFile;
use crate::statements::depth::too_deep;
use crate::statements::form::form;
use crate::statements::words::{OTHER, SELECT, kind, words};

/// Kinds of statements that make tables, of which a log tells nothing.
const MAKE: [&str; 3] = ["CREATE", "ALTER", "DROP"];

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
}

/// Returns whether a line is one of PostgreSQL's logs in CSV.
fn is_csv(line: &str) -> bool {
    line.contains(",LOG,") && fields(line).len() >= FEWEST_FIELDS
}

/// Returns whether each line is a statement, and not all of them together are questions.
fn is_plain(begin: &str, lines: &[&str], is_whole: bool, is_sql: bool) -> bool {
    let written: Vec<&str> = { lines.iter() }
        .copied()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let mut kinds = Vec::with_capacity(written.len());
    let mut forms = HashSet::new();
    let mut is_deep = false;
    for line in &written {
        let Some(words) = words(line) else {
            return false;
        };
        let kind = kind(&words);
        if kind == OTHER {
            return false;
        }
        kinds.push(kind);
        is_deep |= too_deep(&words).is_some();
        forms.insert(form(&words).trim_end_matches([' ', ';']).to_owned());
    }
    if written.len() < 2 || kinds.iter().any(|kind| MAKE.contains(kind)) {
        return false;
    }
    let asks_only = kinds.iter().all(|kind| *kind == SELECT);
    if is_sql {
        return !asks_only;
    }
    let repeats = forms.len() < written.len();
    // No parser is given what is nested too deeply: as a log it is refused with the reason.
    let is_file =
        is_whole && !is_deep && QuestionsFile::parse(begin).is_ok_and(|file| file.table.is_some());
    repeats || !is_file
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
        let deep = format!(
            "SELECT a FROM t;\nSELECT {}a FROM t;\n",
            "a + ".repeat(10_000)
        );
        assert_eq!(LogKind::of(&deep, true, false), Some(LogKind::Plain));
        // The end of a long file is not needed.
        let cut = format!("{selects}SELECT 'a");
        assert_eq!(LogKind::of(&cut, false, false), Some(LogKind::Plain));
    }
}
