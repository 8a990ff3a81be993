//! Splits CQL into words, quoted names and signs.

/// Byte offset and description of an error.
pub type Complaint = (usize, String);

/// A token of a statement with its byte offset; literals and comments are no tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Token<'a> {
    pub at: usize,
    pub kind: Kind<'a>,
}

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind<'a> {
    /// A keyword, a name, a number, or part of a name in `${...}`.
    Word(&'a str),
    /// A name, without its quotes.
    Quoted(&'a str),
    Sign(char),
}

impl Token<'_> {
    /// Returns whether the token is this word, regardless of case.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.kind, Kind::Word(own) if own.eq_ignore_ascii_case(word))
    }

    /// Returns whether the token is this sign.
    pub fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }
}

/// Splits a statement into tokens.
///
/// # Errors
/// A literal, a quoted name or a comment does not end.
pub fn tokens(statement: &str) -> Result<Vec<Token<'_>>, Complaint> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(character) = statement[at..].chars().next() {
        let rest = &statement[at..];
        let word = word_length(rest);
        let (kind, length) = match quoted(rest) {
            Some((opening, None)) => return Err((at, unending(opening))),
            Some(("\"", Some(length))) => (Some(Kind::Quoted(&rest[1..length - 1])), length),
            Some((_, Some(length))) => (None, length),
            None if word > 0 => (Some(Kind::Word(&rest[..word])), word),
            None if character.is_whitespace() => (None, character.len_utf8()),
            None => (Some(Kind::Sign(character)), character.len_utf8()),
        };
        tokens.extend(kind.map(|kind| Token { at, kind }));
        at += length;
    }
    Ok(tokens)
}

/// Describes a literal, quoted name or comment that does not end.
pub fn unending(opening: &str) -> String {
    format!("the {opening} here is never closed")
}

/// Counts the bytes of letters, digits, underscores and placeholders that `text` begins with.
fn word_length(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        let placeholder = rest.strip_prefix("${").and_then(|inside| inside.find('}'));
        length += match (placeholder, rest.chars().next()) {
            (Some(end), _) => end + 3,
            (None, Some(c)) if c.is_alphanumeric() || c == '_' => c.len_utf8(),
            _ => return length,
        };
    }
}

/// Returns the opening sign of a literal, quoted name or comment that `text` begins with, and its
/// length if it ends.
pub fn quoted(text: &str) -> Option<(&'static str, Option<usize>)> {
    const QUOTED: [(&str, &str); 6] = [
        ("'", "'"),
        ("\"", "\""),
        ("$$", "$$"),
        ("/*", "*/"),
        ("--", "\n"),
        ("//", "\n"),
    ];
    let (opening, closing) = QUOTED.iter().find(|(o, _)| text.starts_with(o))?;
    let inside = &text[opening.len()..];
    let end = match inside.find(closing) {
        Some(end) => Some(opening.len() + end + closing.len()),
        // A comment to the end of the line may be at the end of the statement.
        None => (*closing == "\n").then_some(text.len()),
    };
    Some((opening, end))
}
