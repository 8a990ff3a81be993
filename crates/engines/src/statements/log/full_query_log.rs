//! Statements in a full query log of Cassandra, as `fqltool dump` prints it.

use std::io::{self, BufRead};

use super::lines::Lines;

/// What begins an entry.
pub const TYPE: &str = "Type: ";
/// What every entry says of itself.
pub const STARTED: &str = "Query start time: ";
/// What begins a statement, of which a batch has several.
const QUERY: &str = "Query: ";
/// What ends a statement. The bytes behind it are values that were bound, whose types are not there.
const VALUES: &str = "Values:";
/// Bytes of a statement beyond which its further lines do not matter, since it is counted only.
const MOST_BYTES: usize = 1 << 20;

/// Passes on each statement, with the milliseconds since 1970 at which it began.
///
/// # Errors
/// It cannot be read.
pub fn read<R: BufRead>(
    lines: &mut Lines<R>,
    mut take: impl FnMut(&str, Option<i64>),
) -> io::Result<()> {
    let mut statement: Option<String> = None;
    let mut started = None;
    while let Some(line) = lines.line()? {
        if lines.skipped_quotes.take().is_some() {
            // A line of it may be among those that were skipped.
            statement = None;
        }
        if let Some(sql) = line.strip_prefix(QUERY) {
            statement = Some(sql.to_owned());
        } else if line.starts_with(VALUES) || line.starts_with(TYPE) {
            if let Some(sql) = statement.take() {
                take(&sql, started);
            }
        } else if let Some(at) = line.strip_prefix(STARTED).filter(|_| statement.is_none()) {
            started = at.trim().parse().ok();
        } else if let Some(sql) = &mut statement
            && sql.len() < MOST_BYTES
        {
            sql.push('\n');
            sql.push_str(&line);
        }
    }
    if let (Some(sql), None) = (statement, lines.skipped_quotes) {
        take(&sql, started);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_read_without_their_values() {
        let log = "Type: single-query\nQuery start time: 1\nProtocol version: 5\n\
            Generated timestamp:-9223372036854775808\nGenerated nowInSeconds:1\n\
            Query: SELECT a\nFROM ks.t WHERE k = ?\nValues: \n00000000 61 62       ab\n-----\n\n\
            Type: batch\nQuery start time: 2\nProtocol version: 5\nGenerated timestamp:1\n\
            Generated nowInSeconds:1\nBatch type: LOGGED\nQuery: INSERT INTO ks.t (k) VALUES (?)\nValues: \n\
            00000000 61       a\nQuery: DELETE FROM ks.t WHERE k = 'x'\nValues: \n\n";
        let mut found = Vec::new();
        read(&mut Lines::new(log.as_bytes()), |sql, at| {
            found.push((sql.to_owned(), at.unwrap()))
        })
        .unwrap();
        let expected = [
            ("SELECT a\nFROM ks.t WHERE k = ?", 1),
            ("INSERT INTO ks.t (k) VALUES (?)", 2),
            ("DELETE FROM ks.t WHERE k = 'x'", 2),
        ];
        assert_eq!(found, expected.map(|(sql, at)| (sql.to_owned(), at)));
    }
}
