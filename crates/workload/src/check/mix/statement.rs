//! Reads markers and placeholders of CQL statements.

use super::super::query::placeholders;
use super::super::text::suggestion;
use super::names;
use super::tokens::{Complaint, quoted, unending};

/// A statement with `?` instead of its named markers.
#[derive(Debug, PartialEq)]
pub struct Scanned {
    pub cql: String,
    pub markers: Vec<Marker>,
}

/// A named marker of a statement.
#[derive(Debug, PartialEq)]
pub struct Marker {
    /// Name in lower case.
    pub name: String,
    /// Number of the item in brackets behind the name.
    pub item: Option<u32>,
    /// Byte offset in the statement as written.
    pub at: usize,
}

/// Turns `:name` and `:name[3]` outside of literals, quoted names and comments into `?`.
pub fn scan(statement: &str) -> Result<Scanned, Complaint> {
    let mut scanned = Scanned {
        cql: String::with_capacity(statement.len()),
        markers: Vec::new(),
    };
    let mut at = 0;
    while let Some(character) = statement[at..].chars().next() {
        let rest = &statement[at..];
        let length = match quoted(rest) {
            Some((opening, None)) => {
                return Err((at, unending(opening)));
            }
            Some((_, Some(length))) => length,
            None if character == '?' => {
                let message = "markers have names: write :name instead of ?";
                return Err((at, message.to_owned()));
            }
            None => {
                let name = marker(rest);
                if !name.is_empty() {
                    let brackets = item(&rest[1 + name.len()..]);
                    let (item, length) = brackets.map_err(|message| (at, message))?;
                    scanned.markers.push(Marker {
                        name: name.to_lowercase(),
                        item,
                        at,
                    });
                    scanned.cql.push('?');
                    at += 1 + name.len() + length;
                    continue;
                }
                character.len_utf8()
            }
        };
        scanned.cql.push_str(&rest[..length]);
        at += length;
    }
    Ok(scanned)
}

/// Returns the name after a colon that `text` begins with; empty if there is none.
fn marker(text: &str) -> &str {
    let Some(name) = text.strip_prefix(':') else {
        return "";
    };
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let end = name
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(name.len());
    if begins { &name[..end] } else { "" }
}

/// Returns the number in brackets that `text` begins with, and the length of all; no number and 0 if
/// there is none.
fn item(text: &str) -> Result<(Option<u32>, usize), String> {
    let inside = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    match inside {
        Some((digits, _)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            let number = digits.parse();
            let number = number.map_err(|_| format!("there is no item of the number {digits}"))?;
            Ok((Some(number), digits.len() + "[]".len()))
        }
        _ => Ok((None, 0)),
    }
}

/// Checks that a statement stays in the keyspace of the run, and has only known placeholders.
pub fn check_placeholders(statement: &str, known: &[&str]) -> Result<(), Complaint> {
    if statement.trim().is_empty() {
        return Err((0, "the statement is empty".to_owned()));
    }
    for (range, name) in placeholders(statement) {
        if !known.contains(&name) {
            let hint = suggestion(name, known.iter().copied());
            return Err((range.start, format!("unknown placeholder `{name}`{hint}")));
        }
    }
    names::stay_in_keyspace(statement)
}

#[cfg(test)]
mod tests {
    use super::super::names::KEYSPACE;
    use super::*;

    fn markers(statement: &str) -> (String, Vec<String>) {
        let scanned = scan(statement).unwrap();
        let names = scanned.markers.into_iter().map(|m| m.name).collect();
        (scanned.cql, names)
    }

    #[test]
    fn names_become_question_marks() {
        let (cql, names) = markers("INSERT INTO ${keyspace}.t (k, v) VALUES (:K, :v_2)");
        assert_eq!(cql, "INSERT INTO ${keyspace}.t (k, v) VALUES (?, ?)");
        assert_eq!(names, ["k", "v_2"]);
    }

    #[test]
    fn items_are_numbers_in_brackets_behind_a_name() {
        let scanned = scan("SET a = :Bins[7], b[1] = :b, c = :c[x], d = :d[]").unwrap();
        assert_eq!(scanned.cql, "SET a = ?, b[1] = ?, c = ?[x], d = ?[]");
        let marker = |name: &str, item, at| Marker {
            name: name.to_owned(),
            item,
            at,
        };
        let wanted = [
            marker("bins", Some(7), 8),
            marker("b", None, 25),
            marker("c", None, 33),
            marker("d", None, 44),
        ];
        assert_eq!(scanned.markers, wanted);
        let (at, message) = scan("a = :b[99999999999]").unwrap_err();
        assert_eq!((at, message.contains("99999999999")), (4, true));
        // A marker may touch a word behind its brackets, which is a word of its own.
        assert_eq!(scan("SELECT :b[1]FROM t").unwrap().cql, "SELECT ?FROM t");
    }

    #[test]
    fn maps_keep_their_colons() {
        let (cql, names) = markers("m + {:k::v, 'a:b': 1, x: :y, ä:ö}");
        assert_eq!(cql, "m + {?:?, 'a:b': 1, x: ?, ä:ö}");
        assert_eq!(names, ["k", "v", "y"]);
    }

    #[test]
    fn literals_names_and_comments_are_left_alone() {
        let text = "a 'it''s :x ?' \"q:x\" $$ :x $$ /* :x */ -- :x\n// ?";
        assert_eq!(markers(text), (text.to_owned(), Vec::new()));
    }

    #[test]
    fn complaints_have_their_place() {
        assert_eq!(scan("a = ?").unwrap_err().0, 4);
        assert_eq!(scan("ab 'c").unwrap_err().0, 3);
        assert_eq!(
            check_placeholders("x ${keyspce}", &[KEYSPACE])
                .unwrap_err()
                .0,
            2
        );
        assert!(check_placeholders("SELECT 1", &[KEYSPACE]).is_err());
        assert_eq!(
            check_placeholders("DROP TABLE ${keyspace}.t", &[KEYSPACE]),
            Ok(())
        );
        let dollars = "SELECT $$ a $${keyspace} $$ FROM ${keyspace}.t";
        let error = check_placeholders(dollars, &[KEYSPACE]).unwrap_err();
        assert_eq!(error.0, dollars.find("${").unwrap() - 1);
    }
}
