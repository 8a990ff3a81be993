//! The tokens of SQL with everything between them, so that what no rule changes is written again byte for byte.

use crate::sql_pieces::{between_dollars, block_comment, line_comment, quoted, while_all};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// White space.
    Blank,
    /// A comment, with the signs that begin and end it.
    Comment,
    /// A keyword or a name without quotes.
    Word,
    /// A name in quotes.
    Name,
    /// A text in quotes or between dollars.
    Text,
    /// A number without a sign.
    Number,
    /// A parameter, such as `${room}`.
    Parameter,
    /// Any other character.
    Sign(char),
}

/// A token as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
}

impl Token<'_> {
    /// Returns whether this is neither white space nor a comment.
    pub fn is_meaningful(&self) -> bool {
        !matches!(self.kind, Kind::Blank | Kind::Comment)
    }
}

/// Splits SQL into tokens, which together are the whole text. Returns `None` where a text, a name or a comment does not
/// end: such SQL is refused elsewhere, with the reason.
pub fn tokens(sql: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = next(rest, first)?;
        let (text, behind) = rest.split_at(length);
        tokens.push(Token { kind, text });
        rest = behind;
    }
    Some(tokens)
}

/// Returns the kind and the bytes of the token that a text begins with.
fn next(text: &str, first: char) -> Option<(Kind, usize)> {
    let begins = |mark: &str| text.starts_with(mark);
    if first.is_whitespace() {
        return Some((Kind::Blank, while_all(text, char::is_whitespace)));
    }
    if begins("--") {
        return Some((Kind::Comment, line_comment(text)));
    }
    if begins("/*") {
        return Some((Kind::Comment, block_comment(text)?));
    }
    if begins("e'") || begins("E'") {
        return Some((Kind::Text, 1 + quoted(&text[1..], '\'', true)?));
    }
    if begins("${") {
        let end = text.find('}')?;
        return Some((Kind::Parameter, end + 1));
    }
    if let Some(length) = between_dollars(text) {
        return Some((Kind::Text, length?));
    }
    match first {
        '\'' => Some((Kind::Text, quoted(text, '\'', false)?)),
        '"' | '`' => Some((Kind::Name, quoted(text, first, false)?)),
        _ if begins_number(text) => Some((Kind::Number, number(text))),
        _ if begins_word(first) => Some((Kind::Word, while_all(text, is_of_word))),
        _ => Some((Kind::Sign(first), first.len_utf8())),
    }
}

fn begins_word(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn begins_number(text: &str) -> bool {
    let mut characters = text.chars();
    match characters.next() {
        Some('.') => characters.next().is_some_and(|c| c.is_ascii_digit()),
        first => first.is_some_and(|c| c.is_ascii_digit()),
    }
}

/// Returns the bytes of a number with its decimals and its exponent, or in hexadecimal digits as `0xff`.
fn number(text: &str) -> usize {
    if let Some(rest) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let digits = while_all(rest, |c| c.is_ascii_hexdigit());
        if digits > 0 {
            return 2 + digits;
        }
    }
    let digits = |at: usize| at + while_all(&text[at..], |c| c.is_ascii_digit());
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_token_is_told_from_the_others() {
        let found =
            tokens("a1\n\"b\"\"\"('c''',`d`)1.5e-3.x-- f\n/* /* */ */${w.end}E'\\''$$ ' $$")
                .unwrap();
        let kinds: Vec<(Kind, &str)> = found.iter().map(|t| (t.kind, t.text)).collect();
        assert_eq!(
            kinds,
            [
                (Kind::Word, "a1"),
                (Kind::Blank, "\n"),
                (Kind::Name, "\"b\"\"\""),
                (Kind::Sign('('), "("),
                (Kind::Text, "'c'''"),
                (Kind::Sign(','), ","),
                (Kind::Name, "`d`"),
                (Kind::Sign(')'), ")"),
                (Kind::Number, "1.5e-3"),
                (Kind::Sign('.'), "."),
                (Kind::Word, "x"),
                (Kind::Comment, "-- f"),
                (Kind::Blank, "\n"),
                (Kind::Comment, "/* /* */ */"),
                (Kind::Parameter, "${w.end}"),
                (Kind::Text, "E'\\''"),
                (Kind::Text, "$$ ' $$"),
            ]
        );
    }

    #[test]
    fn all_tokens_together_are_the_text() {
        for sql in [
            "SELECT 1.e, .5, 1e, a$b, $1, é FROM \"t\" -- end",
            "'it''s' || E'\\\\' /* */ || $x$ $$ $x$",
            "",
        ] {
            let again: String = tokens(sql).unwrap().iter().map(|t| t.text).collect();
            assert_eq!(again, sql);
        }
    }

    #[test]
    fn what_does_not_end_has_no_tokens() {
        for sql in ["'a", "\"a", "E'a\\'", "/* /* */", "$$ a", "${a", "`a``"] {
            assert_eq!(tokens(sql), None, "{sql}");
        }
    }
}
