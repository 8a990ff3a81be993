//! The part of a text that tells it from others.

use std::ops::Range;

/// Characters that a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Decimal,
    /// Digits and letters from a to f.
    Hex,
    Letters,
}

impl Kind {
    /// Returns how many characters it has.
    pub fn radix(self) -> u64 {
        match self {
            Kind::Decimal => 10,
            Kind::Hex => 16,
            Kind::Letters => 26,
        }
    }

    pub fn digit(self, value: u64) -> char {
        let letter = |offset: u64| char::from(b'a' + (offset % 26) as u8);
        match self {
            Kind::Letters => letter(value),
            _ if value < 10 => char::from(b'0' + value as u8),
            _ => letter(value - 10),
        }
    }

    /// Returns the number that a token is, capitals like small letters.
    pub fn number(self, token: &str) -> u64 {
        let digit = |byte: u8| match byte.to_ascii_lowercase() {
            byte @ b'0'..=b'9' => u64::from(byte - b'0'),
            byte @ b'a'..=b'z' if self == Kind::Letters => u64::from(byte - b'a'),
            byte => u64::from(byte.saturating_sub(b'a')) + 10,
        };
        { token.bytes() }.fold(0, |number, byte| number * self.radix() + digit(byte))
    }
}

/// The part of a text that tells it from others: the digits that come last, with letters from a to f among
/// them, or otherwise the letters that come last. It is empty where a text has neither.
#[derive(Debug, Clone)]
pub struct Token {
    pub range: Range<usize>,
    pub kind: Kind,
}

/// Shortest token that is taken for hexadecimal.
const SHORTEST_HEX: usize = 4;
/// Most characters of a token; of a longer one the first characters stay.
const LONGEST: usize = 12;

impl Token {
    pub fn find(text: &str) -> Token {
        let bytes = text.as_bytes();
        let last_digit = bytes.iter().rposition(u8::is_ascii_digit);
        if let Some(last) = last_digit {
            let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            let hex = run(bytes, last, is_hex);
            let is_whole = |at: Option<&u8>| at.is_none_or(|byte| !byte.is_ascii_alphanumeric());
            let before = hex.start.checked_sub(1).and_then(|at| bytes.get(at));
            let has_letters = bytes[hex.clone()].iter().any(u8::is_ascii_lowercase);
            if has_letters
                && hex.len() >= SHORTEST_HEX
                && is_whole(before)
                && is_whole(bytes.get(hex.end))
            {
                return Token::new(hex, Kind::Hex);
            }
            return Token::new(run(bytes, last, u8::is_ascii_digit), Kind::Decimal);
        }
        match bytes.iter().rposition(u8::is_ascii_alphabetic) {
            Some(last) => Token::new(run(bytes, last, u8::is_ascii_alphabetic), Kind::Letters),
            None => Token::new(bytes.len()..bytes.len(), Kind::Decimal),
        }
    }

    fn new(range: Range<usize>, kind: Kind) -> Token {
        let start = range.start.max(range.end.saturating_sub(LONGEST));
        Token {
            range: start..range.end,
            kind,
        }
    }
}

/// Returns the longest run of such bytes that holds the one at `at`.
fn run(bytes: &[u8], at: usize, is_in: impl Fn(&u8) -> bool) -> Range<usize> {
    let before = bytes[..at].iter().rev().take_while(|byte| is_in(byte));
    let after = bytes[at..].iter().take_while(|byte| is_in(byte));
    at - before.count()..at + after.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_what_tells_texts_apart() {
        for (text, token, kind) in [
            ("host_12", "12", Kind::Decimal),
            ("ec2_cpu_24ae8d", "24ae8d", Kind::Hex),
            ("speed_t4013", "4013", Kind::Decimal),
            ("r2-d2.example", "2", Kind::Decimal),
            ("Living room", "room", Kind::Letters),
            ("北京", "", Kind::Decimal),
            ("12345678901234567890", "901234567890", Kind::Decimal),
        ] {
            let found = Token::find(text);
            assert_eq!(
                (&text[found.range.clone()], found.kind),
                (token, kind),
                "{text}"
            );
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        assert_eq!(Kind::Decimal.number("0120"), 120);
        assert_eq!(Kind::Hex.number("ff"), 255);
        assert_eq!(Kind::Letters.number("Ba"), 26);
        assert_eq!(Kind::Hex.digit(15), 'f');
        assert_eq!(Kind::Letters.digit(25), 'z');
    }
}
