//! The tokens of SQL as PostgreSQL's own scanner sees them, with `standard_conforming_strings` on.

#[cfg(test)]
mod hostile;

use std::ops::Range;

use crate::sql_pieces::{
    begins_word, between_dollars, block_comment, line_comment, quoted, while_all,
};

/// A token, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// A keyword or a name without quotes, as it is written.
    Word(&'a str),
    /// A name in double quotes.
    Name,
    /// A text in quotes or between dollars.
    Text,
    Open,
    Close,
    Semicolon,
    /// A number, an operator, a comma or a dot.
    Other,
}

impl Token<'_> {
    /// Returns whether this is that keyword.
    pub fn is(&self, keyword: &str) -> bool {
        matches!(self, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }
}

/// Splits SQL into tokens, without its comments.
///
/// # Errors
/// Fails for a comment, a name or a text that does not end, and for a text that cannot be told from code.
pub fn tokens(sql: &str) -> Result<Vec<Token<'_>>, String> {
    let mut scanner = Scanner::new(sql);
    let mut tokens = Vec::new();
    let mut escapes = false;
    while let Some((token, has_escapes)) = scanner.next()? {
        // PostgreSQL joins texts on different lines, and reads backslashes as in the first one.
        if escapes && token == Token::Text {
            return Err(
                "a text with backslashes goes on in another one: write one literal".to_owned(),
            );
        }
        escapes = has_escapes;
        tokens.push(token);
    }
    Ok(tokens)
}

/// Returns whether SQL that can be split into tokens has a comment within another one.
pub fn nests_comments(sql: &str) -> bool {
    let mut scanner = Scanner::new(sql);
    while let Ok(Some(_)) = scanner.next() {}
    scanner.nests_comments
}

/// Returns the bytes of each such keyword together with the text behind it, as in `DATE '2026-05-01'`, of SQL that can
/// be split into tokens.
pub fn texts_after(sql: &str, keyword: &str) -> Vec<Range<usize>> {
    let mut scanner = Scanner::new(sql);
    let mut found = Vec::new();
    // The byte at which the last token begins, if that is the keyword.
    let mut begun = None;
    while let Ok(Some((token, _))) = scanner.next() {
        if let (Token::Text, Some(begin)) = (token, begun) {
            found.push(begin..scanner.at);
        }
        begun = match token {
            Token::Word(word) if token.is(keyword) => Some(scanner.at - word.len()),
            _ => None,
        };
    }
    found
}

/// One statement of a text of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement<'a> {
    /// White space and comments before it.
    pub before: &'a str,
    /// The byte at which its text begins.
    pub begin: usize,
    /// Its text from the first token to the last one, without the semicolon.
    pub sql: &'a str,
}

/// Divides a text at its semicolons into statements. What is between two semicolons and is no statement is left out.
///
/// # Errors
/// Fails for a comment, a name or a text that does not end.
pub fn statements(sql: &str) -> Result<Vec<Statement<'_>>, String> {
    let mut scanner = Scanner::new(sql);
    let mut found = Vec::new();
    // Where the text before the next statement begins, and the bytes of that statement as far as it was read.
    let (mut before, mut read): (usize, Option<Range<usize>>) = (0, None);
    loop {
        scanner.skip_comments()?;
        let begin = scanner.at;
        let token = scanner.next()?;
        match token {
            Some((Token::Semicolon, _)) | None => {
                if let Some(range) = read.take() {
                    found.push(Statement {
                        before: &sql[before..range.start],
                        begin: range.start,
                        sql: &sql[range],
                    });
                }
                before = scanner.at;
            }
            Some(_) => {
                let start = read.map_or(begin, |range| range.start);
                read = Some(start..scanner.at);
            }
        }
        if token.is_none() {
            return Ok(found);
        }
    }
}

/// Returns the line, counted from 1, on which begins what does not end in SQL, or its last line if all of it ends.
pub fn line_without_end(sql: &str) -> usize {
    let mut scanner = Scanner::new(sql);
    while let Ok(Some(_)) = scanner.next() {}
    sql[..scanner.at].matches('\n').count() + 1
}

struct Scanner<'a> {
    sql: &'a str,
    /// The byte at which the next token or what is between tokens begins.
    at: usize,
    /// Whether a comment within another one was skipped.
    nests_comments: bool,
}

impl<'a> Scanner<'a> {
    fn new(sql: &'a str) -> Self {
        Scanner {
            sql,
            at: 0,
            nests_comments: false,
        }
    }

    /// Returns the next token, and whether it is a text in which backslashes escape.
    fn next(&mut self) -> Result<Option<(Token<'a>, bool)>, String> {
        self.skip_comments()?;
        let rest = &self.sql[self.at..];
        let Some(first) = rest.chars().next() else {
            return Ok(None);
        };
        let is_escaped = rest.starts_with("e'") || rest.starts_with("E'");
        // Before a quote it changes nothing of where the quoted ends.
        let prefix = if is_escaped {
            1
        } else {
            prefix_of_quoted(rest)
        };
        let token = match rest[prefix..].chars().next() {
            Some(quote @ ('\'' | '"')) => {
                let bytes = quoted(&rest[prefix..], quote, is_escaped);
                self.at += prefix + bytes.ok_or_else(|| without_end("quoted text or name"))?;
                match quote {
                    '"' => Token::Name,
                    _ => Token::Text,
                }
            }
            _ => self.unquoted(rest, first)?,
        };
        Ok(Some((token, is_escaped)))
    }

    /// Returns a token that is not in quotes, which is the first of the rest.
    fn unquoted(&mut self, rest: &'a str, first: char) -> Result<Token<'a>, String> {
        if let Some(bytes) = between_dollars(rest) {
            self.at += bytes.ok_or_else(|| without_end("text between dollars"))?;
            return Ok(Token::Text);
        }
        if begins_word(first) {
            let length = while_all(rest, |c| begins_word(c) || c.is_ascii_digit() || c == '$');
            self.at += length;
            return Ok(Token::Word(&rest[..length]));
        }
        self.at += first.len_utf8();
        Ok(match first {
            '(' => Token::Open,
            ')' => Token::Close,
            ';' => Token::Semicolon,
            _ => Token::Other,
        })
    }

    /// Skips white space and comments, which may be nested.
    fn skip_comments(&mut self) -> Result<(), String> {
        loop {
            self.at += while_all(&self.sql[self.at..], is_blank);
            let rest = &self.sql[self.at..];
            if rest.starts_with("--") {
                self.at += line_comment(rest);
            } else if rest.starts_with("/*") {
                let length = block_comment(rest).ok_or_else(|| without_end("comment"))?;
                self.nests_comments |= rest[2..length].contains("/*");
                self.at += length;
            } else {
                return Ok(());
            }
        }
    }
}

/// Returns whether PostgreSQL's scanner takes a character for white space.
fn is_blank(character: char) -> bool {
    character.is_ascii_whitespace() || character == '\x0b'
}

/// Returns the bytes of what stands before a quote and changes nothing of where the quoted ends: the B of B'1', the U&
/// of U&"a"; 0 if there is no such quote.
fn prefix_of_quoted(text: &str) -> usize {
    match text.as_bytes() {
        [b'b' | b'B' | b'x' | b'X' | b'n' | b'N', b'\'', ..] => 1,
        [b'u' | b'U', b'&', b'\'' | b'"', ..] => 2,
        _ => 0,
    }
}

fn without_end(what: &str) -> String {
    format!("a {what} does not end")
}
