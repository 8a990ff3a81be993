//! Times in questions for a database that has no literals of times, but texts that stand for them.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit};
use bakeoff_workload::days;

use crate::adbc::Dialect;
use crate::sql_check::texts_after;

/// The words that make a text the literal of a time, and of a day.
const TIMESTAMP: &str = "timestamp";
const DATE: &str = "date";
/// Length of a stored text without a part of a second, such as `2026-05-01T08:00:00`.
const WHOLE_SECONDS: usize = 19;

/// Returns a question in which each time, such as `TIMESTAMP '2026-05-01 08:00:00'`, and each day is written as the
/// dialect has it: in SQLite as the text that its driver stores for it, so that texts are in the order of their times.
pub fn written_for(dialect: Dialect, sql: &str) -> Cow<'_, str> {
    if dialect.has_times() {
        return Cow::Borrowed(sql);
    }
    let times = as_texts(sql, TIMESTAMP, stored);
    let is_day = |text: &str| days::of_text(text).is_some();
    let both = as_texts(&times, DATE, |text| is_day(text).then(|| text.to_owned()));
    Cow::Owned(both)
}

/// Writes the literals of a type as the texts that are stored for them.
fn as_texts(sql: &str, word: &str, stored: impl Fn(&str) -> Option<String>) -> String {
    let mut written = String::with_capacity(sql.len());
    let mut copied = 0;
    for literal in texts_after(sql, word) {
        let text = sql[literal.clone()][word.len()..].trim_start();
        let text = { text.strip_prefix('\'') }.and_then(|text| text.strip_suffix('\''));
        if let Some(stored) = text.and_then(&stored) {
            written.push_str(&sql[copied..literal.start]);
            written.push('\'');
            written.push_str(&stored);
            written.push('\'');
            copied = literal.end;
        }
    }
    written.push_str(&sql[copied..]);
    written
}

/// Returns a time as it is stored: with at least milliseconds, in UTC. Returns `None` for a text that is no time.
fn stored(time: &str) -> Option<String> {
    let text: ArrayRef = Arc::new(StringArray::from(vec![time]));
    // What cannot be cast becomes null.
    let time = cast(&text, &DataType::Timestamp(TimeUnit::Microsecond, None)).ok()?;
    let texts = cast(&time, &DataType::Utf8).ok()?;
    let text = texts.as_string::<i32>().iter().next()??;
    Some(if text.len() == WHOLE_SECONDS {
        format!("{text}.000")
    } else {
        text.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_the_text_that_sqlite_stores() {
        for (time, text) in [
            ("2014-02-14T14:30:00.000", "2014-02-14T14:30:00.000"),
            ("2014-02-14 14:30:00", "2014-02-14T14:30:00.000"),
            ("2014-02-14", "2014-02-14T00:00:00.000"),
            ("2014-02-14T14:30:00.5", "2014-02-14T14:30:00.500"),
            ("2014-02-14T14:30:00.000250", "2014-02-14T14:30:00.000250"),
            ("2014-02-14T14:30:00+02:00", "2014-02-14T12:30:00.000"),
            ("1969-12-31T23:59:59.999", "1969-12-31T23:59:59.999"),
        ] {
            let sql = format!(
                "SELECT * FROM t WHERE a >= TIMESTAMP '{time}' AND b < timestamp\n'{time}'"
            );
            let expected = format!("SELECT * FROM t WHERE a >= '{text}' AND b < '{text}'");
            assert_eq!(written_for(Dialect::Sqlite, &sql), expected);
            assert_eq!(written_for(Dialect::Postgres, &sql), sql);
        }
    }

    #[test]
    fn a_day_is_the_text_that_sqlite_stores() {
        let sql =
            "SELECT * FROM t WHERE day >= DATE '2026-05-01' AND time < TIMESTAMP '2026-06-01'";
        let expected =
            "SELECT * FROM t WHERE day >= '2026-05-01' AND time < '2026-06-01T00:00:00.000'";
        assert_eq!(written_for(Dialect::Sqlite, sql), expected);
        let none = "SELECT DATE '2026-02-30', date FROM t";
        assert_eq!(written_for(Dialect::Sqlite, none), none);
    }

    #[test]
    fn nothing_else_is_touched() {
        for sql in [
            "SELECT 'TIMESTAMP ''2014-02-14''', \"timestamp '2014-02-14'\" FROM t",
            "SELECT 1 -- TIMESTAMP '2014-02-14'\n/* TIMESTAMP '2014-02-14' */",
            "SELECT timestamp, a FROM t WHERE timestamp > '2014-02-14' AND my_timestamp = 'x'",
            "SELECT TIMESTAMP 'tomorrow', TIMESTAMP '2014-02-14''', TIMESTAMP /* */ '2014-02-14'",
            "SELECT a FROM t WHERE b = 'does not end",
        ] {
            assert_eq!(written_for(Dialect::Sqlite, sql), sql);
        }
    }
}
