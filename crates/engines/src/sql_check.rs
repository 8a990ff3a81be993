//! What a workload's SQL may be: one query. PostgreSQL knows much that is none, and that no transaction
//! which only reads keeps it from: `COPY ... TO PROGRAM` runs a program. DuckDB, whose scanner is that of
//! PostgreSQL, knows as much: `COPY ... TO` writes files, and `LOAD` runs code.
//!
//! Only tokens are looked at, since no parser of ours knows all queries of these engines and of their
//! extensions. In doubt a text is refused.

mod tokens;

pub use tokens::{Statement, line_without_end, statements, texts_after};
use tokens::{Token, nests_comments, tokens};

/// The words that a query begins with.
const FIRST: [&str; 4] = ["select", "with", "values", "table"];
/// What follows `FOR` if rows are to be locked.
const LOCKS: [&str; 4] = ["update", "no", "share", "key"];

/// Returns why a text is not exactly one query that only reads, or `None` if it is one.
pub fn complaint(sql: &str) -> Option<String> {
    match tokens(sql) {
        Err(why) => Some(why),
        Ok(tokens) => complaint_of_tokens(&tokens),
    }
}

/// Returns why a text is not exactly one query that only reads, for a database where a comment may end at the first
/// `*/`, whatever was begun in it, as in SQLite.
pub fn complaint_without_nesting(sql: &str) -> Option<String> {
    complaint(sql).or_else(|| {
        nests_comments(sql).then(|| {
            "a comment is within another one, which not every database takes for one: write them one \
             after the other"
                .to_owned()
        })
    })
}

fn complaint_of_tokens(tokens: &[Token<'_>]) -> Option<String> {
    let without_end = tokens.iter().rposition(|token| *token != Token::Semicolon);
    let tokens = &tokens[..without_end.map_or(0, |last| last + 1)];
    if tokens.contains(&Token::Semicolon) {
        return Some("these are several statements: write one SELECT".to_owned());
    }
    let first = tokens.iter().find(|token| **token != Token::Open);
    if !first.is_some_and(|first| FIRST.iter().any(|word| first.is(word))) {
        return Some("this is not a query: write a SELECT".to_owned());
    }
    (0..tokens.len()).find_map(|at| complaint_of_token(tokens, at))
}

/// Returns why a query with this token does more than read.
fn complaint_of_token(tokens: &[Token<'_>], at: usize) -> Option<String> {
    let token = &tokens[at];
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let next = tokens.get(at + 1);
    // Elsewhere these words may be names.
    let begins = matches!(before, Some(Token::Open | Token::Close));
    let writes = token.is("into")
        || (token.is("delete") && next.is_some_and(|next| next.is("from")))
        || (token.is("update") && begins && matches!(next, Some(Token::Word(_) | Token::Name)));
    if writes {
        return Some(
            "this query writes, and a question may only read: write a SELECT; put a name like INTO \
             into double quotes"
                .to_owned(),
        );
    }
    let locks = token.is("for") && next.is_some_and(|next| LOCKS.iter().any(|word| next.is(word)));
    locks.then(|| {
        "this query locks rows, and a question may only read: leave FOR UPDATE and its like out"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_asked() {
        for sql in [
            "SELECT 1",
            " -- first\n /* and /* nested */ -- */ (SELECT 1) UNION (SELECT 2); ;\n-- end",
            "WITH a AS (SELECT 1 AS n) SELECT * FROM a",
            "VALUES (1), (2)",
            "TABLE readings",
            "select ';', 'it''s', E'\\';', $$; INTO $$, $x$ $$; $x$, U&'\\0041', B'1' FROM \"into\"",
            "SELECT \"a;\"\"b\", substring(name FROM 1 FOR 2), a.copy, delete, sum(update) FROM t",
            "SELECT 1.5e3, .5, 0x1F, n::text, a - -1, a -1 /* * */ * 2, '{}'::jsonb #>> '{a}' FROM t",
            "SELECT $1, a$b$c, été FROM t",
        ] {
            assert_eq!(complaint(sql), None, "{sql}");
        }
    }

    #[test]
    fn whatever_else_is_refused() {
        let cases = [
            ("not a query", "COPY (SELECT 1) TO PROGRAM 'id'"),
            ("not a query", "/* SELECT */ COPY (SELECT 1) TO '/tmp/x'"),
            ("not a query", "-- SELECT\rCOPY (SELECT 1) TO '/tmp/x'"),
            ("not a query", "/* /* */ SELECT */ DO $$ BEGIN END $$"),
            ("not a query", "SET default_transaction_read_only TO off"),
            ("not a query", "CALL run()"),
            ("not a query", "EXPLAIN ANALYZE SELECT 1"),
            ("not a query", "DELETE FROM readings"),
            ("not a query", "\"select\" 1"),
            ("not a query", "'SELECT 1'"),
            ("not a query", "$$ SELECT 1 $$"),
            ("not a query", "COMMIT"),
            ("not a query", ""),
            ("not a query", ";;"),
            ("several statements", "SELECT 1; COPY t TO '/tmp/x'"),
            ("several statements", "SELECT '\\'; COMMIT --'"),
            ("several statements", "SELECT $a$ $b$ $a$; COMMIT --$b$"),
            ("several statements", "SELECT E'\\\\'; COMMIT --'"),
            ("writes", "SELECT 1 AS a INTO TEMP t"),
            ("writes", "SELECT 1 AS a InTo t"),
            ("writes", "SELECT 1into t"),
            (
                "writes",
                "WITH a AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM a",
            ),
            (
                "writes",
                "WITH a AS MATERIALIZED (DELETE FROM t RETURNING 1) SELECT 1",
            ),
            ("writes", "WITH a AS (SELECT 1) UPDATE t SET a = 1"),
            ("writes", "WITH a AS (SELECT 1) UPDATE \"t\" SET a = 1"),
            (
                "writes",
                "WITH a AS (SELECT 1) MERGE INTO t USING a ON true WHEN MATCHED THEN DELETE",
            ),
            ("locks rows", "SELECT * FROM t FOR UPDATE"),
            ("locks rows", "SELECT * FROM t FOR /* */ NO KEY UPDATE"),
            ("locks rows", "SELECT * FROM t FOR SHARE OF t"),
        ];
        for (why, sql) in cases {
            let complaint = complaint(sql).unwrap_or_default();
            assert!(complaint.contains(why), "{sql}: {complaint}");
        }
    }

    #[test]
    fn a_comment_within_another_one_is_refused_where_it_may_end_early() {
        for sql in [
            "SELECT 1 /* a /* b */ ; DROP TABLE t; -- */",
            "/* /* */ */ SELECT 1",
            "SELECT 1 -- end\n/* /**/ */",
        ] {
            assert_eq!(complaint(sql), None, "{sql}");
            let complaint = complaint_without_nesting(sql).unwrap_or_default();
            assert!(complaint.contains("within another one"), "{complaint}");
        }
        for sql in [
            "/* a */ /* b */ SELECT '/* /* */ */' AS t /* -- */",
            "SELECT 1 -- /* /* */ */",
        ] {
            assert_eq!(complaint_without_nesting(sql), None, "{sql}");
        }
        let complaint = complaint_without_nesting("DROP TABLE t").unwrap_or_default();
        assert!(complaint.contains("not a query"), "{complaint}");
    }

    #[test]
    fn what_does_not_end_is_refused() {
        for sql in [
            "SELECT 'a",
            "SELECT E'a\\'",
            "SELECT \"a",
            "SELECT $$a$",
            "SELECT $a$ $A$",
            "SELECT 1 /* /* */",
        ] {
            let complaint = complaint(sql).unwrap_or_default();
            assert!(complaint.contains("does not end"), "{sql}: {complaint}");
        }
    }

    #[test]
    fn a_text_that_goes_on_with_backslashes_on_the_next_line_is_refused() {
        for between in ["\n", " -- more\n ", "\r/* */\n"] {
            let sql = format!("SELECT E'a'{between}'\\'; COPY t TO PROGRAM $$id$$ --'");
            let complaint = complaint(&sql).unwrap_or_default();
            assert!(complaint.contains("one literal"), "{sql}: {complaint}");
        }
        assert_eq!(complaint("SELECT E'a', 'b'"), None);
    }
}
