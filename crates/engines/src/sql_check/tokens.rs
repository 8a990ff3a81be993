//! The tokens of SQL as PostgreSQL's own scanner sees them, with `standard_conforming_strings` on.

#[cfg(test)]
mod hostile;

use std::ops::Range;

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
        let Some(byte) = self.byte(0) else {
            return Ok(None);
        };
        let begin = self.at;
        let is_escaped = matches!(byte, b'e' | b'E') && self.byte(1) == Some(b'\'');
        let prefix = self.prefix_of_quoted(byte);
        let token = match byte {
            _ if is_escaped => {
                self.at += 1;
                self.skip_quoted(b'\'', true)?;
                Token::Text
            }
            _ if prefix > 0 => {
                self.at += prefix;
                return self.next();
            }
            b'\'' => {
                self.skip_quoted(b'\'', false)?;
                Token::Text
            }
            b'"' => {
                self.skip_quoted(b'"', false)?;
                Token::Name
            }
            b'$' if self.skip_dollar_quoted()? => Token::Text,
            _ if begins_word(byte) => {
                self.skip_while(|byte| begins_word(byte) || byte.is_ascii_digit() || byte == b'$');
                Token::Word(&self.sql[begin..self.at])
            }
            _ => {
                self.at += 1;
                match byte {
                    b'(' => Token::Open,
                    b')' => Token::Close,
                    b';' => Token::Semicolon,
                    _ => Token::Other,
                }
            }
        };
        Ok(Some((token, is_escaped)))
    }

    fn byte(&self, offset: usize) -> Option<u8> {
        self.sql.as_bytes().get(self.at + offset).copied()
    }

    fn skip_while(&mut self, belongs: impl Fn(u8) -> bool) {
        while self.byte(0).is_some_and(&belongs) {
            self.at += 1;
        }
    }

    /// Returns the length of what stands before a quote and changes nothing of where the quoted ends: the B of
    /// B'1', the U& of U&"a".
    fn prefix_of_quoted(&self, byte: u8) -> usize {
        match (byte, self.byte(1), self.byte(2)) {
            (b'b' | b'B' | b'x' | b'X' | b'n' | b'N', Some(b'\''), _) => 1,
            (b'u' | b'U', Some(b'&'), Some(b'\'' | b'"')) => 2,
            _ => 0,
        }
    }

    /// Skips white space and comments, which may be nested.
    fn skip_comments(&mut self) -> Result<(), String> {
        loop {
            self.skip_while(|byte| byte.is_ascii_whitespace() || byte == b'\x0b');
            match (self.byte(0), self.byte(1)) {
                (Some(b'-'), Some(b'-')) => self.skip_while(|byte| byte != b'\n' && byte != b'\r'),
                (Some(b'/'), Some(b'*')) => self.skip_block()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_block(&mut self) -> Result<(), String> {
        let mut depth = 0;
        loop {
            match (self.byte(0), self.byte(1)) {
                (Some(b'/'), Some(b'*')) => {
                    depth += 1;
                    self.nests_comments |= depth > 1;
                    self.at += 2;
                }
                (Some(b'*'), Some(b'/')) => {
                    depth -= 1;
                    self.at += 2;
                }
                (Some(_), _) => self.at += 1,
                (None, _) => return Err(without_end("comment")),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Skips a text or a name, from its first quote to its last one. A doubled quote is one in it.
    fn skip_quoted(&mut self, quote: u8, escapes: bool) -> Result<(), String> {
        self.at += 1;
        loop {
            match (self.byte(0), self.byte(1)) {
                (None, _) => return Err(without_end("quoted text or name")),
                (Some(b'\\'), Some(_)) if escapes => self.at += 2,
                (Some(byte), Some(next)) if byte == quote && next == quote => self.at += 2,
                (Some(byte), _) => {
                    self.at += 1;
                    if byte == quote {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Skips a text between dollars, such as `$tag$a$tag$`. Returns whether there is one here.
    fn skip_dollar_quoted(&mut self) -> Result<bool, String> {
        let after = &self.sql[self.at + 1..];
        let Some(length) = after.find('$') else {
            return Ok(false);
        };
        let tag = &after.as_bytes()[..length];
        let is_tag = tag.first().is_none_or(|byte| begins_word(*byte))
            && tag.iter().all(|b| begins_word(*b) || b.is_ascii_digit());
        if !is_tag {
            return Ok(false);
        }
        let mark = &self.sql[self.at..self.at + length + 2];
        let Some(text) = self.sql[self.at + mark.len()..].find(mark) else {
            return Err(without_end("text between dollars"));
        };
        self.at += 2 * mark.len() + text;
        Ok(true)
    }
}

/// Returns whether a word may begin with this byte. All bytes of characters beyond ASCII belong to words.
fn begins_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn without_end(what: &str) -> String {
    format!("a {what} does not end")
}
