//! Texts that nobody meant as SQL: one query or a reason why not, never a panic or an endless loop. What is sent to Spark is
//! to Spark what was checked.

use std::path::Path;

use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;

use super::*;

/// The memory for a text of at most 128 KiB: a token for each byte.
const TOKENS_BYTES: u64 = 32 << 20;

/// Reads a text as Spark's own scanner does, and says what it is in standard SQL.
fn read_by_spark(sql: &str) -> Vec<Token<'static>> {
    let mut found = Vec::new();
    let mut characters = sql.chars().peekable();
    while let Some(character) = characters.next() {
        let token = match character {
            '\'' => {
                let mut text = String::new();
                loop {
                    match characters.next().expect("a text ends") {
                        '\\' => {
                            let escaped = characters.next().expect("an escape is two characters");
                            assert!(
                                matches!(escaped, '\\' | '\''),
                                "\\{escaped} means something else"
                            );
                            text.push(escaped);
                        }
                        '\'' => break,
                        other => text.push(other),
                    }
                }
                // To Spark two texts without anything in between are one.
                assert_ne!(characters.peek(), Some(&'\''));
                Token::Text(text)
            }
            '`' => {
                let mut name = String::new();
                loop {
                    match characters.next().expect("a name ends") {
                        '`' if characters.peek() == Some(&'`') => {
                            characters.next();
                            name.push('`');
                        }
                        '`' => break,
                        other => name.push(other),
                    }
                }
                Token::Name(name)
            }
            '(' => Token::Open,
            ')' => Token::Close,
            ' ' => continue,
            other => {
                let next = characters.peek();
                let begins_comment = matches!((other, next), ('-', Some('-')) | ('/', Some('*')));
                assert!(!begins_comment, "{sql}");
                assert!(!matches!(other, '"' | ';'), "{sql}");
                Token::Other(other)
            }
        };
        found.push(token);
    }
    found
}

/// Returns the same of what was checked: words as their characters, and neither blanks nor what Spark has no word for.
fn checked(tokens: &[Token<'_>]) -> Vec<Token<'static>> {
    let mut found = Vec::new();
    let mut before = None;
    for token in tokens {
        match token {
            Token::Space => continue,
            Token::Semicolon => {}
            Token::Word(_) if token.is("precision") && is_word(before, "double") => {}
            Token::Word(word) => found.extend(word.chars().map(Token::Other)),
            Token::Name(name) => found.push(Token::Name(name.clone())),
            Token::Text(text) => found.push(Token::Text(text.clone())),
            Token::Open => found.push(Token::Open),
            Token::Close => found.push(Token::Close),
            Token::Other(other) => found.push(Token::Other(*other)),
        }
        before = Some(token);
    }
    found
}

#[test]
fn spark_reads_what_was_checked() {
    let parser = Parser {
        name: "sql for spark",
        most_bytes: TOKENS_BYTES,
        cases: times(3_000, 150_000),
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/sql");
    parser.feed(&Corpus::read(&folder), |bytes| {
        let Ok(sql) = std::str::from_utf8(bytes) else {
            return false;
        };
        let Ok(sent) = in_spark(sql) else {
            return false;
        };
        assert_eq!(
            read_by_spark(&sent),
            checked(&tokens(sql).unwrap()),
            "{sql:?}"
        );
        // No statement follows one that is taken for a query.
        let more = in_spark(&format!("{sql}\n;SELECT 1"));
        assert!(more.is_err_and(|why| why.contains("several statements")));
        true
    });
}
