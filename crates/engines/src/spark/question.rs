//! Questions to Spark. Texts and names in quotes are those of standard SQL, as for all other engines, and become Spark's
//! own, in which a backslash escapes, a doubled quote is none, and double quotes enclose a text. Whatever is sent has no
//! comments, and no text or name that Spark could read otherwise than it was read here.
//!
//! A question only reads. In doubt a text is refused, since Spark runs programs and writes files for SQL.

#[cfg(test)]
mod hostile;
mod tokens;

use tokens::{Token, tokens};

/// The words that a query begins with.
const FIRST: [&str; 4] = ["select", "with", "values", "table"];
/// Functions that call any method of any Java class.
const CALLS: [&str; 3] = ["reflect", "java_method", "try_reflect"];

/// Returns a question in Spark's SQL.
///
/// # Errors
/// Fails with the reason why a text is not exactly one query that only reads.
pub fn in_spark(sql: &str) -> Result<String, String> {
    let tokens = tokens(sql)?;
    match complaint(&tokens) {
        Some(complaint) => Err(complaint),
        None => Ok(written(&tokens)),
    }
}

/// Writes a name in Spark's quotes.
pub fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// Writes a text as a literal of Spark's.
pub fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn written(tokens: &[Token<'_>]) -> String {
    let mut sql = String::new();
    let mut before = None;
    for token in tokens {
        match token {
            Token::Space | Token::Semicolon => sql.push(' '),
            Token::Word(word) => {
                // Spark has one word for this type.
                let is_added = token.is("precision") && is_word(before, "double");
                if !is_added {
                    sql.push_str(word);
                }
            }
            Token::Name(name) => {
                // Two names without anything in between would be one.
                if sql.ends_with('`') {
                    sql.push(' ');
                }
                sql.push_str(&quoted(name));
            }
            Token::Text(text) => {
                // A letter right before a text may change what its backslashes mean.
                sql.push(' ');
                sql.push_str(&literal(text));
            }
            Token::Open => sql.push('('),
            Token::Close => sql.push(')'),
            Token::Other(character) => sql.push(*character),
        }
        if *token != Token::Space {
            before = Some(token);
        }
    }
    sql.trim().to_owned()
}

fn complaint(tokens: &[Token<'_>]) -> Option<String> {
    let tokens: Vec<&Token<'_>> = tokens.iter().filter(|t| **t != Token::Space).collect();
    let last = tokens.iter().rposition(|token| **token != Token::Semicolon);
    let tokens = &tokens[..last.map_or(0, |last| last + 1)];
    if tokens.iter().any(|token| **token == Token::Semicolon) {
        return Some("these are several statements: write one SELECT".to_owned());
    }
    let first = tokens.iter().find(|token| ***token != Token::Open);
    if !first.is_some_and(|first| FIRST.iter().any(|word| first.is(word))) {
        return Some("this is not a query: write a SELECT".to_owned());
    }
    (0..tokens.len()).find_map(|at| complaint_of_token(tokens, at))
}

/// Returns why a query with this token does more than read.
fn complaint_of_token(tokens: &[&Token<'_>], at: usize) -> Option<String> {
    let token = tokens[at];
    let before = at.checked_sub(1).map(|before| tokens[before]);
    let next = tokens.get(at + 1).copied();
    // Elsewhere these words may be names.
    let begins = matches!(before, Some(Token::Open | Token::Close));
    let writes = (token.is("insert") && (is_word(next, "into") || is_word(next, "overwrite")))
        || (token.is("merge") && is_word(next, "into"))
        || (token.is("delete") && is_word(next, "from"))
        || (token.is("update") && begins && matches!(next, Some(Token::Word(_) | Token::Name(_))));
    if writes {
        return Some("this query writes, and a question may only read: write a SELECT".to_owned());
    }
    if token.is("using") && matches!(next, Some(Token::Text(_))) {
        return Some(
            "this query runs a program, and a question may only read: leave USING and its text out"
                .to_owned(),
        );
    }
    if token.is("identifier") && next == Some(&Token::Open) {
        return Some(
            "IDENTIFIER makes a name of a text, and this may be any: write the name itself"
                .to_owned(),
        );
    }
    let name = match token {
        // Spark reads letters such as ſ as those that they have in capitals.
        Token::Word(word) if !word.is_ascii() => {
            return Some(format!(
                "{word} is not ASCII: write the name in double quotes"
            ));
        }
        Token::Word(word) => *word,
        Token::Name(name) => name.as_str(),
        _ => return None,
    };
    let calls = CALLS.iter().any(|call| name.eq_ignore_ascii_case(call));
    (calls && next == Some(&Token::Open))
        .then(|| format!("{name} calls Java, and a question may only read: leave it out"))
}

fn is_word(token: Option<&Token<'_>>, word: &str) -> bool {
    token.is_some_and(|token| token.is(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(sql: &str) -> String {
        in_spark(sql).unwrap_or_else(|complaint| panic!("{sql}: {complaint}"))
    }

    #[test]
    fn texts_and_names_become_sparks() {
        for (standard, spark) in [
            ("SELECT 1", "SELECT 1"),
            ("SELECT 'it''s'", "SELECT  'it\\'s'"),
            (r"SELECT 'a\'", r"SELECT  'a\\'"),
            (r"SELECT 'a\u0041\''b'", r"SELECT  'a\\u0041\\\'b'"),
            ("SELECT \"order\" FROM t", "SELECT `order` FROM t"),
            ("SELECT \"a\"\"b`c\", `d``e`", "SELECT `a\"b``c`, `d``e`"),
            ("SELECT \"a\"`b`", "SELECT `a` `b`"),
            ("SELECT R'a' AS r, X'00ff'", "SELECT R 'a' AS r, X '00ff'"),
            (
                "SELECT CAST('NaN' AS DOUBLE PRECISION), CAST(a AS double/* */ precision)",
                "SELECT CAST( 'NaN' AS DOUBLE ), CAST(a AS double  )",
            ),
            (
                "SELECT a >= -1.5e3, b<>c FROM t;",
                "SELECT a >= -1.5e3, b<>c FROM t",
            ),
            (
                "SELECT \"précision\", \"ſ\" AS `ı`, 'ü' FROM t",
                "SELECT `précision`, `ſ` AS `ı`,  'ü' FROM t",
            ),
        ] {
            assert_eq!(asked(standard), spark, "{standard}");
        }
    }

    #[test]
    fn what_is_sent_has_no_comments() {
        for sql in [
            "SELECT 1 -- a\n+ 2",
            "SELECT 1 -- a\\\n+ 2",
            "SELECT 1 -- ' \r+ 2",
            "SELECT 1 /* a */ + 2",
            "SELECT 1 /* /* ' */ */ + 2",
            "SELECT 1 /*+ hint */ + 2",
        ] {
            let sent: String = asked(sql).split_whitespace().collect();
            assert_eq!(sent, "SELECT1+2", "{sql}");
        }
        assert_eq!(asked("SELECT '--', \"/*\""), "SELECT  '--', `/*`");
    }

    #[test]
    fn queries_are_asked() {
        for sql in [
            "(SELECT 1) UNION (SELECT 2); ;\n-- end",
            "WITH a AS (SELECT 1 AS n) SELECT * FROM a JOIN b USING (n)",
            "VALUES (1), (2)",
            "TABLE readings",
            "SELECT update, delete, merge, insert, reflect FROM t",
            "SELECT (update) FROM t",
            "SELECT 'insert into', \"insert\" FROM t",
            "SELECT transform(a, x -> x + 1) FROM t",
            "SELECT identifier, \"identifier\"(a) FROM t",
        ] {
            asked(sql);
        }
    }

    #[test]
    fn whatever_else_is_refused() {
        for (why, sql) in [
            ("not a query", ""),
            ("not a query", ";"),
            ("not a query", "INSERT INTO t VALUES (1)"),
            ("not a query", "-- SELECT\nDROP TABLE t"),
            ("not a query", "/* /* */ SELECT */ SET a = b"),
            ("not a query", "FROM t SELECT a"),
            (
                "not a query",
                "FROM t INSERT OVERWRITE DIRECTORY '/x' SELECT a",
            ),
            ("not a query", "ADD JAR '/x.jar'"),
            ("not a query", "CREATE TABLE a AS SELECT 1"),
            ("not a query", "MAP a USING 'cat' FROM t"),
            ("not a query", "\"select\" 1"),
            ("not a query", "'SELECT 1'"),
            ("several statements", "SELECT 1; DROP TABLE t"),
            ("several statements", "SELECT 'a\\'; DROP TABLE t --'"),
            (
                "writes",
                "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a",
            ),
            (
                "writes",
                "WITH a AS (SELECT 1) FROM a INSERT/**/OVERWRITE DIRECTORY '/x' SELECT 1",
            ),
            ("writes", "WITH a AS (SELECT 1) DELETE FROM t"),
            ("writes", "WITH a AS (SELECT 1) UPDATE \"t\" SET a = 1"),
            (
                "writes",
                "WITH a AS (SELECT 1) MERGE INTO t USING a ON true WHEN MATCHED THEN DELETE",
            ),
            (
                "runs a program",
                "SELECT TRANSFORM(a) USING 'cat' AS (b) FROM t",
            ),
            ("runs a program", "SELECT 1 FROM (MAP a USING'cat' FROM t)"),
            (
                "calls Java",
                "SELECT reflect('java.lang.System', 'exit', 0)",
            ),
            (
                "calls Java",
                "SELECT `Java_Method` ('java.lang.System', 'exit', 0)",
            ),
            (
                "calls Java",
                "SELECT \"try_reflect\"('java.lang.System', 'exit', 0)",
            ),
            (
                "makes a name of a text",
                "SELECT IDENTIFIER('reflect')('java.lang.System', 'load', '/x.so')",
            ),
            (
                "makes a name of a text",
                "SELECT a FROM Identifier/* */ ('parquet.`/x`')",
            ),
            ("ſelect", "TABLE t UNION ſelect 1"),
            ("not a query", "ſELECT 1"),
            (
                "uſing is not ASCII",
                "SELECT TRANSFORM(a) uſing 'cat' AS (b) FROM t",
            ),
            (
                "ıdentıfıer is not ASCII",
                "SELECT ıdentıfıer('reflect')('java.lang.System', 'exit', 0)",
            ),
            ("précision is not ASCII", "SELECT précision FROM t"),
            ("does not end", "SELECT 'a"),
            ("does not end", "SELECT 'a''"),
            ("does not end", "SELECT \"a"),
            ("does not end", "SELECT `a``"),
            ("does not end", "SELECT 1 /* /* */"),
        ] {
            let complaint = in_spark(sql).err().unwrap_or_default();
            assert!(complaint.contains(why), "{sql}: {complaint}");
        }
    }
}
