//! Words of CQL and `cqlsh` that SQL lacks: statements that list tables, and advice for the others.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::SqlError;

/// A statement that lists keyspaces or tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listing {
    Keyspaces,
    Tables {
        keyspace: Option<String>,
        /// A pattern for the names of tables, as SQL's LIKE has it.
        like: Option<String>,
    },
}

/// Recognizes a statement that lists something: `SHOW TABLES`, and the same in the words of `cqlsh`.
pub fn listing(sql: &str) -> Option<Listing> {
    let tokens = tokens(sql);
    let keywords: Vec<Option<String>> = tokens.iter().map(|t| keyword(&t.token)).collect();
    let words: Vec<&str> = { keywords.iter() }
        .map(|word| word.as_deref().unwrap_or(""))
        .collect();
    let name = |at: usize| tokens.get(at).and_then(|t| name(&t.token));
    let like = |at: usize| tokens.get(at).and_then(|t| text(&t.token));
    let all = Listing::Tables {
        keyspace: None,
        like: None,
    };
    match words.as_slice() {
        [
            "SHOW" | "DESCRIBE" | "DESC",
            "KEYSPACES" | "SCHEMAS" | "DATABASES",
        ] => Some(Listing::Keyspaces),
        ["SHOW" | "DESCRIBE" | "DESC", "TABLES"] => Some(all),
        ["SHOW", "TABLES", "IN" | "FROM", _] => Some(Listing::Tables {
            keyspace: Some(name(3)?),
            like: None,
        }),
        ["SHOW", "TABLES", "LIKE", _] => Some(Listing::Tables {
            keyspace: None,
            like: Some(like(3)?),
        }),
        ["SHOW", "TABLES", "IN" | "FROM", _, "LIKE", _] => Some(Listing::Tables {
            keyspace: Some(name(3)?),
            like: Some(like(5)?),
        }),
        ["DESCRIBE" | "DESC", "KEYSPACE", _] => Some(Listing::Tables {
            keyspace: Some(name(2)?),
            like: None,
        }),
        _ => None,
    }
}

/// Rewrites `DESCRIBE TABLE x` to `DESCRIBE x`, with spaces in place of the word, so that positions in
/// the SQL stay the same.
pub fn without_word_table(sql: &str) -> Option<String> {
    let tokens = tokens(sql);
    let first = keyword(&tokens.first()?.token)?;
    let word = tokens.get(1)?;
    let has_word = ["TABLE", "COLUMNFAMILY"].contains(&keyword(&word.token)?.as_str());
    if !["DESCRIBE", "DESC"].contains(&first.as_str()) || !has_word || tokens.len() < 3 {
        return None;
    }
    let start = offset(sql, position(word))?;
    let end = start + word.token.to_string().len();
    Some(format!(
        "{}{}{}",
        &sql[..start],
        " ".repeat(end - start),
        &sql[end..]
    ))
}

/// Returns an error with the SQL to write instead of the first words of CQL in a statement, if it has
/// any.
pub fn complaint(sql: &str) -> Option<SqlError> {
    let tokens = tokens(sql);
    let words: Vec<Option<String>> = tokens.iter().map(|t| keyword(&t.token)).collect();
    let word = |at: usize| words.get(at).and_then(|w| w.as_deref());
    (0..tokens.len()).find_map(|at| {
        let phrase = [word(at), word(at + 1), word(at + 2)];
        let is_call = tokens.get(at + 1).is_some_and(|t| t.token == Token::LParen);
        let message = match phrase {
            [Some("ALLOW"), Some("FILTERING"), _] => {
                "ALLOW FILTERING is CQL, and is not needed here: leave it out, any column can be in \
                 a condition"
                    .to_owned()
            }
            [Some("PER"), Some("PARTITION"), Some("LIMIT")] => {
                "PER PARTITION LIMIT is CQL: number the rows of each key with row_number() OVER \
                 (PARTITION BY key ORDER BY time), and take those below the limit"
                    .to_owned()
            }
            [Some(function), ..] if is_call => function_advice(function)?,
            _ => return None,
        };
        Some(SqlError {
            position: Some(position(tokens.get(at)?)),
            message,
        })
    })
}

fn function_advice(name: &str) -> Option<String> {
    let instead = match name {
        "TTL" | "WRITETIME" | "MAXWRITETIME" => {
            "write times and times to live are not read here: query them with cqlsh"
        }
        "TOKEN" => {
            "leave it out: a table is read in parts by itself, and a partition is found by the \
             values of its key"
        }
        "TOTIMESTAMP" | "DATEOF" => "write CAST(... AS timestamp)",
        "TODATE" => "write CAST(... AS date)",
        "TOUNIXTIMESTAMP" | "UNIXTIMESTAMPOF" => "write to_unixtime(...), which is in seconds",
        "MINTIMEUUID" | "MAXTIMEUUID" => "compare a column that is a time",
        "BLOBASTEXT" | "TEXTASBLOB" => "write CAST(... AS text), or X'...' for bytes",
        "CURRENTTIMESTAMP" => "write now()",
        _ => return None,
    };
    Some(format!("{}() is CQL: {instead}", name.to_lowercase()))
}

/// Returns whether a name has double quotes in the SQL, which may have been meant as a text.
pub fn is_in_double_quotes(sql: &str, name: &str) -> bool {
    tokens(sql).iter().any(
        |t| matches!(&t.token, Token::Word(w) if w.quote_style == Some('"') && w.value == name),
    )
}

/// Finds the text in single quotes that a message cites, and its position.
pub fn cited_text(sql: &str, message: &str) -> Option<((usize, usize), String)> {
    tokens(sql).iter().find_map(|token| {
        let text = text(&token.token)?;
        let is_cited = message.contains(&format!("'{text}'"));
        is_cited.then(|| (position(token), text))
    })
}

/// Returns the tokens of a statement without spaces, comments and final semicolons. Returns none if a
/// quote is not closed.
fn tokens(sql: &str) -> Vec<TokenWithSpan> {
    let dialect = GenericDialect {};
    let all = Tokenizer::new(&dialect, sql).tokenize_with_location();
    let mut tokens = all.unwrap_or_default();
    tokens.retain(|t| !matches!(t.token, Token::Whitespace(_) | Token::EOF));
    while tokens.last().is_some_and(|t| t.token == Token::SemiColon) {
        tokens.pop();
    }
    tokens
}

fn keyword(token: &Token) -> Option<String> {
    match token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_uppercase()),
        _ => None,
    }
}

/// Returns the name that a token is, in lower case unless it has quotes.
fn name(token: &Token) -> Option<String> {
    match token {
        Token::Word(word) => Some(match word.quote_style {
            None => word.value.to_lowercase(),
            Some(_) => word.value.clone(),
        }),
        _ => None,
    }
}

fn text(token: &Token) -> Option<String> {
    match token {
        Token::SingleQuotedString(text) => Some(text.clone()),
        _ => None,
    }
}

/// Returns the line and the column of a token, both counted from 1.
fn position(token: &TokenWithSpan) -> (usize, usize) {
    let start = token.span.start;
    (start.line as usize, start.column as usize)
}

fn offset(sql: &str, (line, column): (usize, usize)) -> Option<usize> {
    let before: usize = { sql.split_inclusive('\n') }
        .take(line.checked_sub(1)?)
        .map(str::len)
        .sum();
    let in_line = sql[before..].char_indices().nth(column.checked_sub(1)?);
    in_line.map(|(at, _)| before + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(keyspace: Option<&str>, like: Option<&str>) -> Option<Listing> {
        Some(Listing::Tables {
            keyspace: keyspace.map(str::to_owned),
            like: like.map(str::to_owned),
        })
    }

    #[test]
    fn what_lists_is_known_in_every_form() {
        for sql in ["show tables", "DESCRIBE TABLES;", "-- all\nDesc Tables ;;"] {
            assert_eq!(listing(sql), tables(None, None), "{sql}");
        }
        assert_eq!(listing("SHOW TABLES IN Prod"), tables(Some("prod"), None));
        assert_eq!(
            listing("DESCRIBE KEYSPACE \"Pr d\""),
            tables(Some("Pr d"), None)
        );
        let both = listing("SHOW TABLES FROM ks LIKE 'r%'");
        assert_eq!(both, tables(Some("ks"), Some("r%")));
        assert_eq!(listing("SHOW TABLES LIKE 'r%'"), tables(None, Some("r%")));
        for sql in ["DESCRIBE KEYSPACES", "SHOW KEYSPACES", "show schemas"] {
            assert_eq!(listing(sql), Some(Listing::Keyspaces), "{sql}");
        }
        for sql in [
            "",
            "SELECT 1",
            "DESCRIBE t",
            "SHOW ALL",
            "SHOW TABLES LIKE x",
            "'",
            "DESCRIBE \"tables\"",
            "SHOW TABLES IN 'ks'",
        ] {
            assert_eq!(listing(sql), None, "{sql}");
        }
    }

    #[test]
    fn the_word_table_is_left_out_and_nothing_moves() {
        let without = without_word_table("DESCRIBE\n table ks.\"T\"");
        assert_eq!(without.unwrap(), "DESCRIBE\n       ks.\"T\"");
        assert_eq!(
            without_word_table("DESCRIBE table"),
            None,
            "a table of that name"
        );
        assert_eq!(without_word_table("DESCRIBE ks.t"), None);
        assert_eq!(without_word_table("SELECT table FROM t"), None);
    }

    #[test]
    fn cql_is_told_with_its_place_and_not_in_texts() {
        let advice = |sql| complaint(sql).map(|c| c.to_string()).unwrap_or_default();
        let said = advice("SELECT 1 FROM t\n  WHERE ü = 1 ALLOW FILTERING");
        assert!(
            said.starts_with("SQL 2:15: ALLOW FILTERING is CQL"),
            "{said}"
        );
        assert!(advice("SELECT ttl(value) FROM t").starts_with("SQL 1:8: ttl() is CQL"));
        assert!(advice("SELECT * FROM t PER PARTITION LIMIT 2").contains("row_number()"));
        assert_eq!(
            advice("SELECT 'allow filtering', ttl, \"token\"(1) FROM t"),
            ""
        );
    }

    #[test]
    fn cited_texts_are_found() {
        let sql = "SELECT 1 WHERE a = 'it''s' AND b > 'soon'";
        assert_eq!(
            cited_text(sql, "no 'soon'"),
            Some(((1, 36), "soon".to_owned()))
        );
        assert_eq!(cited_text(sql, "no 'later'"), None);
        assert!(is_in_double_quotes("SELECT \"a b\"", "a b"));
        assert!(!is_in_double_quotes("SELECT 'a b', a", "a"));
    }
}
