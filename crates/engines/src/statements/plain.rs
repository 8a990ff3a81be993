//! Statements as the scanner of SQL reads them: without what is only in CQL, or meant for a program that sends them.

use bakeoff_workload::quoted_in_cql;

use crate::sql_pieces::{block_comment, line_comment, quoted};

/// Characters of a UUID, and where its hyphens are.
const UUID: usize = 36;
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// Returns CQL with comments that begin as in SQL, and UUIDs in quotes.
pub fn plain_cql(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let length = match quoted_in_cql(rest) {
            Some(("//", Some(length))) => {
                out.push_str("--");
                out.push_str(&rest[2..length]);
                length
            }
            Some((_, length)) => {
                let length = length.unwrap_or(rest.len());
                out.push_str(&rest[..length]);
                length
            }
            None if !is_of_word(before) && begins_uuid(rest) => {
                out.push('\'');
                out.push_str(&rest[..UUID]);
                out.push('\'');
                UUID
            }
            None => {
                out.push(first);
                first.len_utf8()
            }
        };
        before = rest[..length].chars().next_back().unwrap_or(' ');
        rest = &rest[length..];
    }
    out
}

/// Returns whether a text begins with a UUID that is no part of a longer word.
fn begins_uuid(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_uuid = bytes.len() >= UUID
        && bytes[..UUID].iter().enumerate().all(|(at, byte)| {
            if HYPHENS.contains(&at) {
                *byte == b'-'
            } else {
                byte.is_ascii_hexdigit()
            }
        });
    is_uuid
        && bytes
            .get(UUID)
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What only statements for MySQL have, in lower case.
const OF_MYSQL: [&str; 4] = [
    "create table `",
    "insert into `",
    "engine=",
    "auto_increment",
];

/// Returns SQL without the commands of psql, which begin with a backslash, and without rows behind
/// `COPY ... FROM stdin`; if it is MySQL's, quotes within quotes are doubled. Lines stay where they are.
pub fn plain_sql(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut has_rows = false;
    for line in text.split_inclusive('\n') {
        let written = line.trim_end();
        let ends = written == "\\.";
        if has_rows || written.starts_with('\\') {
            out.push_str(if line.ends_with('\n') { "\n" } else { "" });
            has_rows = has_rows && !ends;
            continue;
        }
        out.push_str(line);
        let lower = written.to_ascii_lowercase();
        has_rows = lower.starts_with("copy ") && lower.ends_with("from stdin;");
    }
    let lower = out.to_ascii_lowercase();
    if OF_MYSQL.iter().any(|mark| lower.contains(mark)) {
        plain_mysql(&out)
    } else {
        out
    }
}

/// Returns SQL of MySQL with its quotes doubled where a backslash is before them, and with comments that begin as in all
/// SQL.
fn plain_mysql(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' => {
                out.push_str("--");
                let length = line_comment(rest);
                out.push_str(&rest[1..length]);
                rest = &rest[length..];
                continue;
            }
            '\'' | '"' => {
                let length = quoted(rest, first, true).unwrap_or(rest.len());
                push_text(&rest[..length], first, &mut out);
                rest = &rest[length..];
                continue;
            }
            '`' => quoted(rest, first, false).unwrap_or(rest.len()),
            _ if rest.starts_with("--") => line_comment(rest),
            _ if rest.starts_with("/*") => block_comment(rest).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// Adds a text, of which its quote is a part, without backslashes before that.
fn push_text(text: &str, quote: char, out: &mut String) {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some(escaped) if escaped == quote => {
                out.push(quote);
                out.push(quote);
            }
            escaped => {
                out.push(character);
                out.extend(escaped);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_uuids_of_cql_become_those_of_sql() {
        let cql = "SELECT a // don't\nFROM t WHERE id = 123e4567-e89b-12d3-a456-426614174000 -- it's\n\
                   AND s = '//' AND b = a123e4567-e89b-12d3-a456-426614174000 /* ' */";
        assert_eq!(
            plain_cql(cql),
            "SELECT a -- don't\nFROM t WHERE id = '123e4567-e89b-12d3-a456-426614174000' -- it's\n\
             AND s = '//' AND b = a123e4567-e89b-12d3-a456-426614174000 /* ' */"
        );
        for text in ["", "'", "größe", "123e4567-e89b", "/* x"] {
            assert_eq!(plain_cql(text), text);
        }
    }

    #[test]
    fn backslashes_of_mysql_escape_quotes() {
        let dump = "CREATE TABLE `a'` (b int); # it's\nINSERT INTO t VALUES ('it\\'s', \"a\\\"\", '\\\\', 'a\\n'); -- '\n/* ' */";
        assert_eq!(
            plain_sql(dump),
            "CREATE TABLE `a'` (b int); -- it's\nINSERT INTO t VALUES ('it''s', \"a\"\"\", '\\\\', 'a\\n'); -- '\n/* ' */"
        );
        let other = "SELECT '\\';";
        assert_eq!(plain_sql(other), other);
        for open in ["SELECT `a", "auto_increment 'a\\", "engine= /* a"] {
            assert_eq!(plain_sql(open), open);
        }
    }

    #[test]
    fn rows_and_commands_of_a_dump_are_left_out() {
        let dump = "\\restrict x\nCOPY t (a) FROM stdin;\nit's\t1\n\\.\nSELECT 1;";
        assert_eq!(plain_sql(dump), "\nCOPY t (a) FROM stdin;\n\n\nSELECT 1;");
    }
}
