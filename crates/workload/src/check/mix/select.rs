//! Checks that a statement is one SELECT of CQL, and finds the table that it reads.

use super::tokens::{Kind, Token, tokens};
use crate::literal::quoted;

/// The table that a SELECT reads, with its names as Cassandra stores them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedTable {
    /// Keyspace, if the statement names it.
    pub keyspace: Option<String>,
    pub name: String,
    /// Byte offset of the name, or of the keyspace before it, in the statement.
    pub at: usize,
}

impl SelectedTable {
    /// Returns the statement that it was found in, with a keyspace before the name unless there is one.
    pub fn in_keyspace(&self, statement: &str, keyspace: &str) -> String {
        match self.keyspace {
            Some(_) => statement.to_owned(),
            None => {
                let (before, from) = statement.split_at(self.at);
                format!("{before}{}.{from}", quoted(keyspace))
            }
        }
    }
}

/// Returns the table that a statement reads, which has to be one SELECT of CQL without markers.
///
/// # Errors
/// Says why it is none, and what to write instead.
pub fn selected_table(statement: &str) -> Result<SelectedTable, String> {
    let tokens = tokens(statement).map_err(|(at, why)| format!("at character {at}: {why}"))?;
    let without_end = tokens.iter().rposition(|token| !token.is_sign(';'));
    let tokens = &tokens[..without_end.map_or(0, |last| last + 1)];
    if !tokens.first().is_some_and(|first| first.is_word("select")) {
        return Err(
            "this is not a SELECT, and nothing else is traced: a trace changes no rows".to_owned(),
        );
    }
    if tokens.iter().any(|token| token.is_sign(';')) {
        return Err("these are several statements: write one SELECT".to_owned());
    }
    if tokens.iter().any(|token| token.is_sign('?')) {
        return Err("there is no value for the marker ?: write the value in its place".to_owned());
    }
    let from = tokens.iter().position(|token| token.is_word("from"));
    let after = from.map_or(&[][..], |from| &tokens[from + 1..]);
    let name = |at: usize| after.get(at).and_then(name_of);
    let no_table =
        || "there is no table after FROM: write SELECT ... FROM KEYSPACE.TABLE".to_owned();
    let first = name(0).ok_or_else(no_table)?;
    let at = after.first().map_or(0, |token| token.at);
    if !after.get(1).is_some_and(|token| token.is_sign('.')) {
        return Ok(SelectedTable {
            keyspace: None,
            name: first,
            at,
        });
    }
    Ok(SelectedTable {
        keyspace: Some(first),
        name: name(2).ok_or_else(no_table)?,
        at,
    })
}

/// Returns the name that a token is; CQL folds names without quotes to lower case.
fn name_of(token: &Token<'_>) -> Option<String> {
    match token.kind {
        Kind::Word(word) if !word.contains("${") => Some(word.to_lowercase()),
        Kind::Quoted(name) => Some(name.replace("\"\"", "\"")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(keyspace: Option<&str>, name: &str) -> Result<(Option<String>, String), String> {
        Ok((keyspace.map(str::to_owned), name.to_owned()))
    }

    #[test]
    fn the_table_is_found_as_cassandra_calls_it() {
        for (statement, expected) in [
            ("SELECT * FROM t", table(None, "t")),
            ("select a, b from Ks.T where k = 1;", table(Some("ks"), "t")),
            (
                "SELECT \"from\" -- FROM x\n FROM \"Ks\" . \"T\"\"1\" WHERE k = ';'; ;",
                table(Some("Ks"), "T\"1"),
            ),
            (
                "/* ; */ SELECT json * FROM ks.t LIMIT 1",
                table(Some("ks"), "t"),
            ),
        ] {
            let found = selected_table(statement).map(|table| (table.keyspace, table.name));
            assert_eq!(found, expected, "{statement}");
        }
    }

    #[test]
    fn a_keyspace_is_put_before_a_name_that_has_none() {
        let within = |statement: &str| {
            let table = selected_table(statement).unwrap();
            table.in_keyspace(statement, "My \"ks")
        };
        assert_eq!(
            within("SELECT ü FROM t WHERE k = 't'"),
            "SELECT ü FROM \"My \"\"ks\".t WHERE k = 't'"
        );
        assert_eq!(within("SELECT * FROM ks.t"), "SELECT * FROM ks.t");
    }

    #[test]
    fn whatever_else_is_refused() {
        for (why, statement) in [
            ("not a SELECT", ""),
            ("not a SELECT", "INSERT INTO t (k) VALUES (1)"),
            ("not a SELECT", "DELETE FROM t WHERE k = 1"),
            ("not a SELECT", "TRUNCATE t"),
            (
                "not a SELECT",
                "BEGIN BATCH DELETE FROM t WHERE k = 1; APPLY BATCH",
            ),
            ("not a SELECT", "\"select\" * FROM t"),
            ("several statements", "SELECT * FROM t; DROP TABLE t"),
            ("marker", "SELECT * FROM t WHERE k = ?"),
            ("no table", "SELECT 1"),
            ("no table", "SELECT * FROM"),
            ("no table", "SELECT * FROM ks."),
            ("no table", "SELECT * FROM ${keyspace}.t"),
            ("never closed", "SELECT * FROM t WHERE k = 'a"),
        ] {
            let error = match selected_table(statement) {
                Err(error) => error,
                Ok(found) => panic!("{statement}: {found:?}"),
            };
            assert!(error.contains(why), "{statement}: {error}");
        }
    }
}
