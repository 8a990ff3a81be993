//! The keyspaces that the text of a CQL statement names.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;

#[derive(Debug, PartialEq, Eq)]
enum Token {
    /// A name or a key word, in lower case unless it is quoted.
    Word(String),
    Mark(char),
}

/// Returns the keyspaces that a statement names: before a dot, behind `KEYSPACE` and behind `USE`.
pub fn keyspaces(cql: &str) -> BTreeSet<String> {
    let tokens = tokens(cql);
    let mut found = BTreeSet::new();
    for window in tokens.windows(2) {
        if let [Token::Word(name), Token::Mark('.')] = window {
            found.insert(name.clone());
        }
    }
    let words = tokens.iter().map(|token| match token {
        Token::Word(word) => word.as_str(),
        Token::Mark(_) => "",
    });
    let mut words = words.peekable();
    if words.peek() == Some(&"use") {
        found.extend(words.clone().nth(1).map(str::to_owned));
    }
    if words.any(|word| word == "keyspace") {
        let mut rest = words.skip_while(|word| ["if", "not", "exists"].contains(word));
        found.extend(rest.next().map(str::to_owned));
    }
    found
}

/// Returns whether a statement only reads.
pub fn only_reads(cql: &str) -> bool {
    tokens(cql).first() == Some(&Token::Word("select".to_owned()))
}

fn tokens(cql: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = cql.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' => _ = quoted(&mut rest, '\''),
            '"' => tokens.push(Token::Word(quoted(&mut rest, '"'))),
            '$' if rest.next_if_eq(&'$').is_some() => skip_to(&mut rest, ['$', '$']),
            '/' if rest.next_if_eq(&'*').is_some() => skip_to(&mut rest, ['*', '/']),
            '-' if rest.next_if_eq(&'-').is_some() => skip_line(&mut rest),
            '/' if rest.next_if_eq(&'/').is_some() => skip_line(&mut rest),
            c if c.is_alphabetic() || c == '_' => {
                let word = word(c, &mut rest);
                tokens.push(Token::Word(word.to_lowercase()));
            }
            // A number, whose dot is no end of a name.
            c if c.is_ascii_digit() => while rest.next_if(|c| is_in_number(*c)).is_some() {},
            c if c.is_whitespace() => {}
            c => tokens.push(Token::Mark(c)),
        }
    }
    tokens
}

/// Returns the rest of a text in quotes, in which a quote is written twice.
fn quoted(rest: &mut Peekable<Chars>, quote: char) -> String {
    let mut text = String::new();
    while let Some(c) = rest.next() {
        if c == quote && rest.next_if_eq(&quote).is_none() {
            break;
        }
        text.push(c);
    }
    text
}

fn word(first: char, rest: &mut Peekable<Chars>) -> String {
    let mut word = String::from(first);
    while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
        word.push(c);
    }
    word
}

fn is_in_number(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '.'
}

fn skip_to(rest: &mut Peekable<Chars>, end: [char; 2]) {
    while let Some(c) = rest.next() {
        if c == end[0] && rest.next_if_eq(&end[1]).is_some() {
            break;
        }
    }
}

/// Skips a comment, which a carriage return ends as well.
fn skip_line(rest: &mut Peekable<Chars>) {
    while rest.next_if(|c| !['\n', '\r'].contains(c)).is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn names(cql: &str, expected: &[&str]) {
        let found = keyspaces(cql);
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, expected, "{cql}");
    }

    #[test]
    fn keyspaces_are_found_wherever_a_statement_names_them() {
        names("SELECT a, b FROM Shop.orders WHERE id = 1.5", &["shop"]);
        names(
            "INSERT INTO \"My Shop\" . \"t\" (a) VALUES (?)",
            &["My Shop"],
        );
        names(
            "CREATE KEYSPACE IF NOT EXISTS shop WITH replication = {}",
            &["shop"],
        );
        names("DROP KEYSPACE shop", &["shop"]);
        names("USE shop", &["shop"]);
        names("CREATE INDEX i ON a.t (b)", &["a"]);
        let hidden = "BEGIN BATCH -- c\r DELETE FROM prod.t WHERE k = 1; APPLY BATCH";
        names(hidden, &["prod"]);
        let two = "BEGIN BATCH /* x.y */ UPDATE a.t SET v = 1 WHERE k = 1; INSERT INTO b.t (k) VALUES (1)";
        names(two, &["a", "b"]);
    }

    #[test]
    fn texts_comments_and_numbers_name_none() {
        names(
            "SELECT a FROM t WHERE b = 'it''s shop.orders' // c.d\n LIMIT 1.0e5",
            &[],
        );
        names("CREATE FUNCTION f AS $$ org.apache.X $$", &[]);
        names(
            "ALTER TABLE ks.t WITH compaction = {'class': 'org.apache.C'}",
            &["ks"],
        );
    }

    #[test]
    fn only_a_select_reads() {
        assert!(only_reads(" -- a comment\nselect * FROM t"));
        assert!(!only_reads("INSERT INTO t (a) VALUES ('select')"));
        assert!(!only_reads(""));
    }
}
