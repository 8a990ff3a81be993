//! Statements in the log of a PostgreSQL as JSON, an object in each line, with the values that were bound.

use std::collections::BTreeSet;
use std::io::{self, BufRead};

use serde::Deserialize;

use super::lines::Lines;
use super::postgres::{MOST_DATABASES, bound, statement_of};
use super::sent::time_in;

/// What a line says, as far as it matters here. The key `statement` is of errors alone: it has what failed.
#[derive(Deserialize)]
struct Entry {
    error_severity: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    dbname: String,
    #[serde(default)]
    timestamp: String,
}

/// Returns whether a line is one of PostgreSQL's logs in JSON.
pub fn is_json(line: &str) -> bool {
    line.starts_with('{') && line.contains("\"error_severity\"") && entry(line).is_some()
}

/// Passes on each statement of a log, with the milliseconds since 1970 of its line, and returns the names of the
/// databases that they are of, up to 16. Lines with an object that is cut off, or is none of the log, are counted with
/// those that are too long.
///
/// # Errors
/// It cannot be read.
pub fn read<R: BufRead>(
    lines: &mut Lines<R>,
    mut take: impl FnMut(&str, Option<i64>),
) -> io::Result<BTreeSet<String>> {
    let mut databases = BTreeSet::new();
    while let Some(line) = lines.line()? {
        let Some(entry) = entry(&line) else {
            lines.too_long += u64::from(line.starts_with('{'));
            continue;
        };
        let is_log = entry.error_severity == "LOG";
        let Some(sql) = statement_of(&entry.message).filter(|_| is_log) else {
            continue;
        };
        take(&bound(sql, &entry.detail), time_in(&entry.timestamp));
        if !entry.dbname.is_empty() && databases.len() < MOST_DATABASES {
            databases.insert(entry.dbname);
        }
    }
    Ok(databases)
}

fn entry(line: &str) -> Option<Entry> {
    serde_json::from_str(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(log: &str) -> (Vec<String>, BTreeSet<String>, u64) {
        let mut found = Vec::new();
        let mut lines = Lines::new(log.as_bytes());
        let databases = read(&mut lines, |sql, _| found.push(sql.to_owned())).unwrap();
        (found, databases, lines.too_long)
    }

    const LOG: &str = concat!(
        r#"{"timestamp":"2026-05-01 10:00:00.000 UTC","pid":7,"error_severity":"LOG","#,
        r#""message":"database system is ready","backend_type":"postmaster","query_id":0}"#,
        "\n",
        r#"{"user":"me","dbname":"shop","pid":8,"ps":"idle","vxid":"3/4","error_severity":"LOG","#,
        r#""message":"statement: SELECT \"a\"\nFROM t;","application_name":"psql","query_id":-5}"#,
        "\n",
        r#"{"dbname":"shop","ps":"SELECT","error_severity":"LOG","message":"duration: 5.000 ms  "#,
        r#"execute <unnamed>: SELECT a FROM t WHERE b = $1","detail":"Parameters: $1 = 'it''s'"}"#,
        "\n",
        r#"{"dbname":"old","error_severity":"ERROR","message":"syntax error","statement":"SELEC 1"}"#,
        "\n",
        r#"{"dbname":"old","error_severity":"LOG","message":"duration: 0.123 ms"}"#,
        "\n",
    );

    #[test]
    fn statements_are_in_messages_and_their_values_in_details() {
        let (found, databases, too_long) = read_all(LOG);
        assert_eq!(
            found,
            ["SELECT \"a\"\nFROM t;", "SELECT a FROM t WHERE b = 'it''s'"]
        );
        assert_eq!(databases, BTreeSet::from(["shop".to_owned()]));
        assert_eq!(too_long, 0);
        assert!(LOG.lines().all(is_json));
    }

    #[test]
    fn lines_that_are_cut_off_or_something_else_are_no_statements() {
        let cut = &LOG[..LOG.len() - 20];
        let deep = "[".repeat(100_000);
        let others = format!(
            "{cut}\n{{\"error_severity\":\"LOG\",\"message\":{deep}\n{{}}\nnull\n\n{{\"error_severity\":5}}\nplain\n"
        );
        let (found, _, too_long) = read_all(&others);
        assert_eq!(found.len(), 2);
        assert_eq!(too_long, 4);
        for line in ["{\"message\":\"statement: SELECT 1\"}", "error_severity"] {
            assert!(!is_json(line), "{line}");
        }
    }
}
