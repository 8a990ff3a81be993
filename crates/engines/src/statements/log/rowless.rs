//! How a log of queries is told from a file of rows.

use super::full_query_log::{STARTED, TYPE};
use super::kind::{LogKind, is_comment, statement_of};
use super::postgres::{self, LOG, message_of};
use crate::statements::words::{SELECT, UPDATE, is, kind, tables, written_table};

impl LogKind {
    /// Returns whether the beginning of a file is that of a log that nobody means as rows. Those of PostgreSQL in CSV
    /// and JSON are rows, too. `is_whole` says whether that is the whole file.
    pub fn is_without_rows(begin: &str, is_whole: bool) -> bool {
        let mut lines: Vec<&str> = begin.lines().collect();
        if !is_whole {
            // The last one may be cut.
            lines.pop();
        }
        lines.retain(|line| !line.trim().is_empty());
        let has = |mark: &str| lines.iter().any(|line| line.starts_with(mark));
        (has(TYPE) && has(STARTED)) || is_of_postgres(&lines) || is_of_statements(&lines)
    }
}

/// Returns whether most lines are messages of PostgreSQL, and one of them has a statement.
fn is_of_postgres(lines: &[&str]) -> bool {
    // The others are further lines of a message.
    let begin = lines.iter().filter(|line| !line.starts_with('\t'));
    let (mut messages, mut others, mut has_statement) = (0_usize, 0_usize, false);
    for line in begin {
        let Some((_, mark, message)) = message_of(line) else {
            others += 1;
            continue;
        };
        messages += 1;
        has_statement |= mark == LOG && postgres::statement_of(message).is_some();
    }
    has_statement && messages > others
}

/// Returns whether the first line is a statement, and most lines ask or write a table.
fn is_of_statements(lines: &[&str]) -> bool {
    let mut written = lines.iter().filter(|line| !is_comment(line)).peekable();
    if written.peek().and_then(|line| statement_of(line)).is_none() {
        return false;
    }
    let (mut asking, mut others) = (0_usize, 0_usize);
    for line in written {
        let names_table = statement_of(line).is_some_and(|words| match kind(&words) {
            SELECT => !tables(&words).is_empty(),
            UPDATE if !words.iter().any(|token| is(Some(token), "set")) => false,
            other => written_table(&words, other).is_some(),
        });
        if names_table {
            asking += 1;
        } else {
            others += 1;
        }
    }
    asking > others
}

#[cfg(test)]
mod tests {
    use super::LogKind;

    #[test]
    fn logs_are_told_from_rows() {
        for log in [
            "SELECT a FROM t WHERE b = 1\nSELECT a FROM t WHERE b = 2\n",
            "-- from the proxy\n\nUSE shop\nSELECT a FROM t;\nINSERT INTO t VALUES (1);\n\
             UPDATE t SET a = 1 WHERE b = 2;\nDELETE FROM t WHERE b = 2;\n",
            "WITH d AS (SELECT a FROM t) SELECT a FROM d\n",
            "2026-05-01 10:00:00 UTC [7] LOG:  database system is ready\n\
             2026-05-01 10:00:01 UTC [7] me@shop LOG:  statement: SELECT a\n\tFROM t\n\tWHERE b = 1\n",
            "LOG:  duration: 5.000 ms  execute <unnamed>: SELECT a FROM t WHERE b = $1\n\
             DETAIL:  parameters: $1 = '1'\n",
            "Type: single-query\nQuery start time: 1\nProtocol version: 5\nQuery: SELECT a FROM t\nValues: \n",
        ] {
            assert!(LogKind::is_without_rows(log, true), "{log}");
        }
        let csv = format!(
            "{},LOG,00000,statement: SELECT 1,{}\n",
            ["x"; 11].join(","),
            [""; 9].join(",")
        );
        for rows in [
            csv.as_str(),
            "{\"error_severity\":\"LOG\",\"message\":\"statement: SELECT 1\"}\n",
            "query\nSELECT a FROM t\nSELECT b FROM t\n",
            "time,query\n2026-05-01,SELECT a FROM t\n2026-05-02,SELECT b FROM t\n",
            "select from,5,1\nselect from,6,2\n",
            "load\t5\t2024\nupdate\tphone\t2024\nshow\t7\t2024\n",
            "2026-05-01 10:00:00 a LOG:  started\n2026-05-01 10:00:01 a LOG:  ended\n",
            "host,message\na,LOG:  statement: SELECT 1\nb,started\nc,ended\n",
            "Type: a\nheat: 5\n",
            "room,time\na,1\n",
            "",
        ] {
            assert!(!LogKind::is_without_rows(rows, true), "{rows}");
        }
        // What may be cut does not count.
        assert!(!LogKind::is_without_rows("SELECT a FROM t", false));
    }
}
