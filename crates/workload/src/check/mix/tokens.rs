//! Splits CQL into words, quoted names, constants and signs, where Cassandra's own lexer does: what a
//! statement may touch is decided by them.

mod constants;

/// Byte offset and description of an error.
pub type Complaint = (usize, String);

/// Characters between tokens. Cassandra takes no others.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];
/// Characters that may be right before a placeholder.
const BEFORE_PLACEHOLDERS: [char; 6] = [' ', '\t', '\n', '\r', '(', ','];
/// Characters that may be right behind a placeholder.
const BEHIND_PLACEHOLDERS: [char; 7] = [' ', '\t', '\n', '\r', ')', ',', ';'];

/// A token of a statement with its byte offset; literals and comments are no tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Token<'a> {
    pub at: usize,
    pub kind: Kind<'a>,
}

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind<'a> {
    /// A keyword, a name, or part of a name in `${...}`.
    Word(&'a str),
    /// A name as it is between its quotes.
    Quoted(&'a str),
    /// A number, a duration, a UUID or bytes.
    Constant,
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

/// Splits a statement into tokens. They are those of Cassandra, whatever replaces the placeholders: names in
/// lower case for `${keyspace}`, whole numbers for `${number}`.
///
/// # Errors
/// A literal, a quoted name or a comment does not end, or a placeholder touches what it could become
/// part of.
pub fn tokens(statement: &str) -> Result<Vec<Token<'_>>, Complaint> {
    check_dollars(statement)?;
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(character) = statement[at..].chars().next() {
        let rest = &statement[at..];
        let (word, constant) = (word_length(rest), constants::length(rest));
        let (kind, length) = match quoted(rest) {
            Some((opening, None)) => return Err((at, unending(opening))),
            Some(("\"", Some(length))) => (Some(Kind::Quoted(&rest[1..length - 1])), length),
            Some((_, Some(length))) => (None, length),
            None if constant > 0 && constant >= word => (Some(Kind::Constant), constant),
            None if word > 0 => (Some(Kind::Word(&rest[..word])), word),
            None if BLANKS.contains(&character) => (None, 1),
            None => (Some(Kind::Sign(character)), character.len_utf8()),
        };
        if let Some(Kind::Word(word)) = kind {
            check_placeholders(statement, at, word)?;
        }
        tokens.extend(kind.map(|kind| Token { at, kind }));
        at += length;
    }
    Ok(tokens)
}

/// Describes a literal, quoted name or comment that does not end.
pub fn unending(opening: &str) -> String {
    format!("the {opening} here is never closed")
}

/// Counts the bytes of letters, digits, underscores and placeholders that `text` begins with, if that is
/// a word.
fn word_length(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        length += match (placeholder_length(rest), rest.bytes().next()) {
            (Some(placeholder), _) => placeholder,
            (None, Some(c)) if c.is_ascii_alphabetic() => 1,
            (None, Some(c)) if length > 0 && (c.is_ascii_digit() || c == b'_') => 1,
            _ => return length,
        };
    }
}

fn placeholder_length(text: &str) -> Option<usize> {
    let name = text.strip_prefix("${")?.find('}')?;
    Some("${".len() + name + "}".len())
}

/// Checks that nothing which replaces the placeholders of a word changes where tokens begin and end: each
/// is either a word by itself, or behind an underscore in a name.
fn check_placeholders(statement: &str, at: usize, word: &str) -> Result<(), Complaint> {
    let mut placeholders = word.match_indices("${").map(|(first, _)| first).peekable();
    let Some(first) = placeholders.peek().copied() else {
        return Ok(());
    };
    let begins_name = word.starts_with(|c: char| c.is_ascii_alphabetic());
    let in_name = begins_name && placeholders.all(|first| word[..first].ends_with('_'));
    let is_word = placeholder_length(word) == Some(word.len());
    let before = statement[..at].chars().next_back();
    let behind = statement[at + word.len()..].chars().next();
    // A dot behind a number would become part of it.
    let may_touch = |c| c == '.' && word != "${number}";
    let apart = before.is_none_or(|c| BEFORE_PLACEHOLDERS.contains(&c) || may_touch(c))
        && behind.is_none_or(|c| BEHIND_PLACEHOLDERS.contains(&c) || may_touch(c));
    if in_name || is_word && apart {
        return Ok(());
    }
    let length = placeholder_length(&word[first..]).unwrap_or(word.len() - first);
    let message = format!(
        "write {} with spaces around it, or behind an underscore in a name: here it would become part of \
         what it touches",
        &word[first..first + length]
    );
    Err((at + first, message))
}

/// Checks that no placeholder is behind a dollar sign, since one is left of the two when it is replaced.
fn check_dollars(statement: &str) -> Result<(), Complaint> {
    let mut doubled = statement.match_indices("$${");
    let Some((at, _)) = doubled.find(|(at, _)| placeholder_length(&statement[at + 1..]).is_some())
    else {
        return Ok(());
    };
    let message = "write a space behind this $: two of them would open or close a literal here, but the \
                   second one is part of a placeholder";
    Err((at, message.to_owned()))
}

/// Returns the opening sign of a literal, quoted name or comment that `text` begins with, and its
/// length if it ends.
pub fn quoted(text: &str) -> Option<(&'static str, Option<usize>)> {
    const OPENINGS: [&str; 6] = ["'", "\"", "$$", "/*", "--", "//"];
    let opening = OPENINGS.into_iter().find(|o| text.starts_with(o))?;
    let inside = &text[opening.len()..];
    let end = match opening {
        "'" | "\"" => end_of_quotes(inside, opening),
        "$$" => inside.find("$$").map(|end| end + 2),
        "/*" => inside.find("*/").map(|end| end + 2),
        // A comment to the end of the line may be at the end of the statement.
        _ => Some(
            inside
                .find(['\n', '\r'])
                .map_or(inside.len(), |end| end + 1),
        ),
    };
    Some((opening, end.map(|end| opening.len() + end)))
}

/// Returns the length up to and including the closing quote; two of them stand for one that is quoted.
fn end_of_quotes(inside: &str, quote: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += inside[at..].find(quote)? + 1;
        if !inside[at..].starts_with(quote) {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests;
