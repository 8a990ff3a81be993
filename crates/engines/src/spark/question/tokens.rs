//! The tokens of standard SQL, as far as questions to Spark need them.

use crate::sql_pieces::{block_comment, line_comment, quoted, while_all};

/// A token, or what is between tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token<'a> {
    /// A blank or a comment.
    Space,
    /// A keyword, a name without quotes or a number, as it is written.
    Word(&'a str),
    /// A name in quotes, without them.
    Name(String),
    /// A text, without its quotes.
    Text(String),
    Open,
    Close,
    Semicolon,
    /// A character of an operator, a comma or a dot.
    Other(char),
}

impl Token<'_> {
    /// Returns whether this is that keyword.
    pub fn is(&self, keyword: &str) -> bool {
        matches!(self, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }
}

/// Splits SQL into tokens.
///
/// # Errors
/// Fails for a comment, a name or a text that does not end.
pub fn tokens(sql: &str) -> Result<Vec<Token<'_>>, String> {
    let mut scanner = Scanner { rest: sql };
    let mut tokens = Vec::new();
    while let Some(token) = scanner.next()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Scanner<'a> {
    /// What is still to be read.
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    fn next(&mut self) -> Result<Option<Token<'a>>, String> {
        let Some(first) = self.rest.chars().next() else {
            return Ok(None);
        };
        if self.rest.starts_with("--") {
            self.take(line_comment(self.rest));
            return Ok(Some(Token::Space));
        }
        if self.rest.starts_with("/*") {
            let no_end = || "a comment does not end: write */ behind it".to_owned();
            self.take(block_comment(self.rest).ok_or_else(no_end)?);
            return Ok(Some(Token::Space));
        }
        let token = match first {
            '\'' => Token::Text(self.take_quoted('\'', "a text")?),
            '"' | '`' => Token::Name(self.take_quoted(first, "a name")?),
            _ if is_of_word(first) => Token::Word(self.take(while_all(self.rest, is_of_word))),
            _ => {
                self.rest = &self.rest[first.len_utf8()..];
                match first {
                    '(' => Token::Open,
                    ')' => Token::Close,
                    ';' => Token::Semicolon,
                    _ if first.is_whitespace() => Token::Space,
                    _ => Token::Other(first),
                }
            }
        };
        Ok(Some(token))
    }

    /// Takes so many bytes.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    /// Takes what is in these quotes; a doubled one stands for itself.
    fn take_quoted(&mut self, quote: char, what: &str) -> Result<String, String> {
        let bytes = quoted(self.rest, quote, false);
        let bytes = bytes.ok_or_else(|| format!("{what} does not end: write {quote} behind it"))?;
        let inside = &self.take(bytes)[1..bytes - 1];
        let quote = quote.to_string();
        Ok(inside.replace(&quote.repeat(2), &quote))
    }
}

/// Returns whether a character belongs to a word. A point in a number ends it, which does not matter here.
fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_token_is_told_from_the_others() {
        let found = tokens("a1 \"b\"\"\"('c''',`d``e`);-- f\n/* g */1.5").unwrap();
        assert_eq!(
            found,
            [
                Token::Word("a1"),
                Token::Space,
                Token::Name("b\"".to_owned()),
                Token::Open,
                Token::Text("c'".to_owned()),
                Token::Other(','),
                Token::Name("d`e".to_owned()),
                Token::Close,
                Token::Semicolon,
                Token::Space,
                Token::Space,
                Token::Space,
                Token::Word("1"),
                Token::Other('.'),
                Token::Word("5"),
            ]
        );
    }

    #[test]
    fn words_are_keywords_in_any_case_and_names_in_quotes_are_not() {
        assert!(tokens("SeLeCt").unwrap()[0].is("select"));
        assert!(!tokens("\"select\"").unwrap()[0].is("select"));
        assert!(!tokens("selected").unwrap()[0].is("select"));
    }
}
