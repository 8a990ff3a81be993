//! What the words of a statement of SQL say before it is parsed.

use super::words::{is, name, words};
use crate::dialect::tokens::{Kind, Token};

/// What only statements for PostgreSQL have, in lower case.
const OF_POSTGRES: [&str; 7] = [
    "timestamptz",
    "with time zone",
    "double precision",
    "using btree",
    "using brin",
    "jsonb",
    "bigserial",
];

/// A type whose values a statement lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumType {
    pub name: String,
    pub values: Vec<String>,
}

/// Returns whether a statement has what only PostgreSQL knows, outside of its texts and comments.
pub fn is_of_postgres(sql: &str) -> bool {
    let words = words(sql).unwrap_or_default();
    let texts = words.iter().filter(|word| word.kind == Kind::Word);
    let texts: Vec<String> = texts.map(|word| word.text.to_lowercase()).collect();
    let plain = format!(" {} ", texts.join(" "));
    OF_POSTGRES
        .iter()
        .any(|words| plain.contains(&format!(" {words} ")))
}

/// Returns whether a statement makes a table, and not a foreign one.
pub fn makes_table(words: &[Token<'_>]) -> bool {
    let mut before = words
        .iter()
        .take_while(|word| !is(Some(*word), "table"))
        .skip(1);
    let kinds = [
        "global",
        "local",
        "temp",
        "temporary",
        "unlogged",
        "or",
        "replace",
    ];
    is(words.first(), "create")
        && words.iter().any(|word| is(Some(word), "table"))
        && before.all(|word| kinds.iter().any(|kind| is(Some(word), kind)))
}

/// Returns the type whose values a statement lists.
pub fn enum_of(words: &[Token<'_>]) -> Option<EnumType> {
    if !is(words.first(), "create") || !is(words.get(1), "type") {
        return None;
    }
    let end = words.iter().position(|word| is(Some(word), "enum"))?;
    // Before it are the name and AS.
    let name = name(words.get(end.checked_sub(2)?))?;
    let values = texts(&words[end..]);
    Some(EnumType { name, values })
}

/// Returns the values that a type such as `ENUM('a', 'b')` lists; none if it cannot be read.
pub fn listed_values(written: &str) -> Vec<String> {
    words(written).map_or_else(Vec::new, |words| texts(&words))
}

/// Returns the texts among words, without their quotes.
fn texts(words: &[Token<'_>]) -> Vec<String> {
    let texts = words.iter().filter(|word| word.kind == Kind::Text);
    let inside = texts.filter_map(|word| word.text.strip_prefix('\'')?.strip_suffix('\''));
    inside.map(|text| text.replace("''", "'")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_types_are_read() {
        let words = words("CREATE TYPE public.mood AS ENUM ('So so', 'it''s')").unwrap();
        let mood = enum_of(&words).unwrap();
        assert_eq!(
            (mood.name.as_str(), mood.values),
            ("mood", listed_values("ENUM('So so', 'it''s')"))
        );
        assert_eq!(listed_values("ENUM('So so', 'it''s')"), ["So so", "it's"]);
        assert!(listed_values("ENUM('a").is_empty());
    }
}
