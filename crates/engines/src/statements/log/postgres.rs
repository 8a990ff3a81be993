//! Statements in the log of a PostgreSQL, as text or as CSV, with the values that were bound.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufRead};

use super::lines::Lines;
use super::sent::time_in;
use crate::dialect::tokens::{Kind, tokens};
use crate::statements::words::{is, is_sign, words};

/// What a line has before a message, behind a prefix that is configured.
pub const LOG: &str = "LOG:  ";
const DETAIL: &str = "DETAIL:  ";
/// What lines have before other messages, each of which ends the one before.
const OTHERS: [&str; 8] = [
    "ERROR:  ",
    "STATEMENT:  ",
    "HINT:  ",
    "WARNING:  ",
    "FATAL:  ",
    "NOTICE:  ",
    "PANIC:  ",
    "CONTEXT:  ",
];
/// Places of the severity, the message and its detail among the fields of a line of CSV.
const FIELDS: [usize; 3] = [11, 13, 14];
/// Place of the database among the fields of a line of CSV.
const DATABASE: usize = 2;
/// Most databases that are told apart.
pub const MOST_DATABASES: usize = 16;
/// Fewest fields of a line of CSV, those of version 9.
pub const FEWEST_FIELDS: usize = 22;
/// Most bytes of a message that goes on over many lines.
const MOST_BYTES: usize = 1 << 20;

/// A statement whose values may follow.
#[derive(Default)]
struct Pending {
    sql: String,
    /// When it was logged, in milliseconds since 1970.
    at: Option<i64>,
    detail: String,
    in_detail: bool,
}

impl Pending {
    /// Returns the statement with its values.
    fn bound(self) -> String {
        bound(&self.sql, &self.detail)
    }

    fn go_on(&mut self, line: &str) {
        let text = if self.in_detail {
            &mut self.detail
        } else {
            &mut self.sql
        };
        // What is longer than that is counted only, so that its end does not matter.
        if text.len() < MOST_BYTES {
            text.push('\n');
            text.push_str(line);
        }
    }
}

/// Passes on each statement of a log that is text, with the milliseconds since 1970 that the prefix of its line has.
///
/// # Errors
/// It cannot be read.
pub fn read_text<R: BufRead>(
    lines: &mut Lines<R>,
    mut take: impl FnMut(&str, Option<i64>),
) -> io::Result<()> {
    let mut pending: Option<Pending> = None;
    while let Some(line) = lines.line()? {
        if lines.skipped_quotes.take().is_some() {
            // A line of it may be among those that were skipped.
            pending = None;
        }
        if let Some(more) = line.strip_prefix('\t') {
            if let Some(pending) = &mut pending {
                pending.go_on(more);
            }
            continue;
        }
        let Some((prefix, mark, message)) = message_of(&line) else {
            continue;
        };
        if mark == DETAIL {
            if let Some(pending) = &mut pending {
                pending.detail = message.to_owned();
                pending.in_detail = true;
            }
            continue;
        }
        if let Some(pending) = pending.take() {
            let at = pending.at;
            take(&pending.bound(), at);
        }
        if mark == LOG {
            pending = statement_of(message).map(|sql| Pending {
                sql: sql.to_owned(),
                at: time_in(prefix),
                ..Pending::default()
            });
        }
    }
    if let (Some(pending), None) = (pending, lines.skipped_quotes) {
        let at = pending.at;
        take(&pending.bound(), at);
    }
    Ok(())
}

/// Passes on each statement of a log that is CSV, with the milliseconds since 1970 of its line, and returns the names
/// of the databases that they are of, up to 16.
///
/// # Errors
/// It cannot be read.
pub fn read_csv<R: BufRead>(
    lines: &mut Lines<R>,
    mut take: impl FnMut(&str, Option<i64>),
) -> io::Result<BTreeSet<String>> {
    let mut databases = BTreeSet::new();
    let mut record = String::new();
    let mut is_open = false;
    // Whether the record goes on beyond what is held of it.
    let mut is_cut = false;
    while let Some(line) = lines.line()? {
        if let Some(quotes) = lines.skipped_quotes.take() {
            is_open ^= quotes % 2 == 1;
            is_cut = is_open;
            record.clear();
        }
        // A field in quotes may have ends of lines in it.
        is_open ^= line.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
        if !is_cut && record.len() + line.len() >= MOST_BYTES {
            is_cut = true;
            lines.too_long += 1;
        }
        if is_cut {
            record.clear();
        } else {
            if !record.is_empty() {
                record.push('\n');
            }
            record.push_str(&line);
        }
        if is_open {
            continue;
        }
        is_cut = false;
        let fields = fields(&record);
        record.clear();
        let [severity, message, detail] =
            FIELDS.map(|place| fields.get(place).map_or("", String::as_str));
        if severity == "LOG"
            && let Some(sql) = statement_of(message)
        {
            let at = fields.first().and_then(|time| time_in(time));
            take(&bound(sql, detail), at);
            let database = fields.get(DATABASE).filter(|name| !name.is_empty());
            if let Some(database) = database.filter(|_| databases.len() < MOST_DATABASES) {
                databases.insert(database.clone());
            }
        }
    }
    Ok(databases)
}

/// Divides a line of CSV.
pub fn fields(record: &str) -> Vec<String> {
    let (mut fields, mut field) = (Vec::new(), String::new());
    let mut is_quoted = false;
    let mut rest = record.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if is_quoted && rest.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(std::mem::take(&mut field)),
            _ => field.push(c),
        }
    }
    fields.push(field);
    fields
}

/// Returns the first mark of a message in a line, with what is before and behind it: further ones are within the
/// message.
pub fn message_of(line: &str) -> Option<(&str, &'static str, &str)> {
    let marks = OTHERS.into_iter().chain([LOG, DETAIL]);
    let places = marks.filter_map(|mark| Some((line.find(mark)?, mark)));
    let (place, mark) = places.min()?;
    Some((&line[..place], mark, &line[place + mark.len()..]))
}

/// Returns the statement that a message says was executed.
pub fn statement_of(message: &str) -> Option<&str> {
    let message = match message.strip_prefix("duration: ") {
        Some(timed) => timed.split_once(" ms  ")?.1,
        None => message,
    };
    if let Some(sql) = message.strip_prefix("statement: ") {
        return Some(sql);
    }
    // Further rows of a portal are no further question.
    let executed = message
        .strip_prefix("execute ")
        .filter(|rest| !rest.starts_with("fetch from "))?;
    executed.split_once(": ").map(|(_, sql)| sql)
}

/// Returns a statement with the values in place of its markers, as far as a detail says them.
pub fn bound(sql: &str, detail: &str) -> String {
    let values = values(detail);
    if values.is_empty() {
        return sql.to_owned();
    }
    let Some(all) = tokens(sql) else {
        return sql.to_owned();
    };
    let mut out = String::with_capacity(sql.len());
    let mut at = 0;
    while let Some(token) = all.get(at) {
        let number = all.get(at + 1).filter(|next| next.kind == Kind::Number);
        let value = number
            .filter(|_| token.kind == Kind::Sign('$'))
            .and_then(|number| values.get(number.text));
        match value {
            Some(value) => {
                out.push_str(value);
                at += 2;
            }
            None => {
                out.push_str(token.text);
                at += 1;
            }
        }
    }
    out
}

/// Returns the values that a detail says were bound, by their numbers.
fn values(detail: &str) -> HashMap<String, String> {
    let mut values = HashMap::new();
    let begin = "parameters:";
    let is_it = detail
        .get(..begin.len())
        .is_some_and(|word| word.eq_ignore_ascii_case(begin));
    let Some(words) = detail.get(begin.len()..).filter(|_| is_it).and_then(words) else {
        return values;
    };
    for at in 0..words.len() {
        let number = words.get(at + 1).filter(|word| word.kind == Kind::Number);
        let is_named = is_sign(words.get(at), '$') && is_sign(words.get(at + 2), '=');
        if let (Some(number), true, Some(value)) = (number, is_named, words.get(at + 3))
            && (value.kind == Kind::Text || is(Some(value), "null"))
        {
            values.insert(number.text.to_owned(), value.text.to_owned());
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(log: &str) -> Vec<String> {
        let mut found = Vec::new();
        read_text(&mut Lines::new(log.as_bytes()), |sql, _| {
            found.push(sql.to_owned())
        })
        .unwrap();
        found
    }

    #[test]
    fn a_statement_has_the_time_of_its_line() {
        let mut times = Vec::new();
        let log = "2026-05-01 10:00:00.250 UTC [7] LOG:  statement: SELECT 1\n\
                   app LOG:  statement: SELECT '2026-05-01 10:00:00'\n\
                   2026-05-01 10:00:01 UTC LOG:  statement: SELECT 2\n";
        read_text(&mut Lines::new(log.as_bytes()), |_, at| times.push(at)).unwrap();
        assert_eq!(
            times,
            [Some(1_777_629_600_250), None, Some(1_777_629_601_000)]
        );
    }

    #[test]
    fn statements_are_behind_their_durations_and_before_their_values() {
        let log = "2026-05-01 10:00:00 UTC [7] LOG:  database system is ready\n\
            2026-05-01 10:00:01 UTC [7] me@shop LOG:  statement: SELECT a\n\tFROM t\n\tWHERE b = 1;\n\
            2026-05-01 10:00:01 UTC [7] LOG:  duration: 0.123 ms\n\
            2026-05-01 10:00:02 UTC [7] LOG:  duration: 5.000 ms  parse <unnamed>: SELECT 1\n\
            2026-05-01 10:00:02 UTC [7] LOG:  duration: 5.000 ms  execute <unnamed>: SELECT a FROM t \
            WHERE b = $1 AND c = $2\n\
            2026-05-01 10:00:02 UTC [7] DETAIL:  Parameters: $1 = 'it''s, $2', $2 = NULL\n\
            2026-05-01 10:00:03 UTC [7] ERROR:  syntax error\n\
            2026-05-01 10:00:03 UTC [7] STATEMENT:  SELEC 'LOG:  statement: SELECT 3'\n\
            2026-05-01 10:00:04 UTC [7] LOG:  execute fetch from S_1/C_2: SELECT 2\n\
            2026-05-01 10:00:04 UTC [7] LOG:  execute S_1: INSERT INTO t VALUES ($1)\n";
        assert_eq!(
            text(log),
            [
                "SELECT a\nFROM t\nWHERE b = 1;",
                "SELECT a FROM t WHERE b = 'it''s, $2' AND c = NULL",
                "INSERT INTO t VALUES ($1)",
            ]
        );
    }

    #[test]
    fn a_statement_of_which_a_line_was_skipped_is_none() {
        let wide = "x".repeat(3 << 20);
        let log = format!(
            "p LOG:  statement: SELECT a\n\t, '{wide}'\n\tFROM t\np LOG:  statement: SELECT 1\n"
        );
        assert_eq!(text(&log), ["SELECT 1"]);
        let at_end = format!("p LOG:  statement: SELECT a\n\t, '{wide}'");
        assert!(text(&at_end).is_empty());
    }

    #[test]
    fn csv_has_the_same_in_its_fields() {
        let line = |message: &str, detail: &str| {
            let before = ["x"; 11].join(",");
            let behind = [""; 9].join(",");
            format!("{before},LOG,00000,\"{message}\",\"{detail}\",{behind}\n")
        };
        let log = line("statement: SELECT \"\"a\"\"\nFROM t", "")
            + &line(
                "duration: 1.0 ms  execute <unnamed>: SELECT $1",
                "parameters: $1 = 'a,b'",
            )
            + &line("checkpoint starting: time", "");
        let mut found = Vec::new();
        let databases = read_csv(&mut Lines::new(log.as_bytes()), |sql, _| {
            found.push(sql.to_owned())
        })
        .unwrap();
        assert_eq!(databases, BTreeSet::from(["x".to_owned()]));
        assert_eq!(found, ["SELECT \"a\"\nFROM t", "SELECT 'a,b'"]);
        assert!(fields(log.lines().next_back().unwrap()).len() >= FEWEST_FIELDS);
        // What is too long is left out, and what follows is read as before.
        let long = "x\n".repeat(MOST_BYTES);
        let wide = "x".repeat(3 << 20);
        let inner = log.replace('"', "\"\"");
        let log = line(&format!("statement: SELECT '{long}'"), "")
            + &line("statement: SELECT 1", "")
            + &line(&format!("statement: SELECT 'a\n{wide}\n{inner}'"), "")
            + &line("statement: SELECT 2", "")
            + &line(&format!("statement: SELECT '{wide}'"), "")
            + &line("statement: SELECT 3", "");
        let mut found = Vec::new();
        read_csv(&mut Lines::new(log.as_bytes()), |sql, _| {
            found.push(sql.to_owned())
        })
        .unwrap();
        assert_eq!(found, ["SELECT 1", "SELECT 2", "SELECT 3"]);
        let broken = "a,\"b\nc,d\n";
        read_csv(&mut Lines::new(broken.as_bytes()), |sql, _| panic!("{sql}")).unwrap();
    }
}
