//! The forms of the statements of a log: how often each is there, with the first statement of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::sent::Sent;
use crate::dialect::tokens::Token;
use crate::statements::asked_table::AskedTable;
use crate::statements::form::form;
use crate::statements::words::{
    INSERT, SELECT, behind_parentheses, is, is_sign, tables, written_table,
};

/// Most forms of statements that are told apart.
pub const MOST_FORMS: usize = 10_000;
/// Most bytes of these, with an example of each.
pub const MOST_HELD: usize = 64 << 20;

/// Statements of one form.
#[derive(Debug, Clone)]
pub struct Form {
    /// The first of them, of an INSERT of several rows with the first row alone.
    pub example: String,
    pub kind: &'static str,
    pub number: u64,
    /// The rows of all of them, where they are INSERTs.
    pub rows: u64,
    /// Its place among all forms.
    pub place: usize,
    /// The tables that it asks; of one that writes first the table that it writes.
    pub tables: Vec<AskedTable>,
}

impl Form {
    /// Returns whether it asks, and does not write.
    pub fn asks(&self) -> bool {
        self.kind == SELECT
    }

    /// Returns the table that it asks alone, or that it writes.
    pub fn own(&self) -> Option<&AskedTable> {
        match self.tables.as_slice() {
            [only] => Some(only),
            [written, ..] if !self.asks() => Some(written),
            _ => None,
        }
    }
}

/// The forms of all statements that ask or write.
#[derive(Debug, Clone, Default)]
pub struct Forms {
    known: BTreeMap<String, Form>,
    /// Number of statements in further forms than are told apart.
    pub beyond: u64,
    /// Bytes of the forms and their examples.
    pub held: usize,
    pub sent: Sent,
}

impl Forms {
    /// Counts a statement of a kind that was sent at a time, if that is known.
    pub fn add(&mut self, kind: &'static str, sql: &str, words: &[Token<'_>], at: Option<i64>) {
        let (one, rows) = with_one_row(kind, words);
        let mut form = form(&one);
        if rows > 1 {
            // One row and several are two operations, however many these are.
            form.push_str(" several");
        }
        if let Some(known) = self.known.get_mut(&form) {
            known.number += 1;
            known.rows += rows;
            self.sent.count(known.place, at);
            return;
        }
        let example = match one {
            Cow::Borrowed(_) => sql.to_owned(),
            Cow::Owned(one) => {
                let texts: Vec<&str> = one.iter().map(|token| token.text).collect();
                texts.join(" ")
            }
        };
        let held = self.held + form.len() + example.len();
        if self.known.len() >= MOST_FORMS || held > MOST_HELD {
            self.beyond += 1;
            return;
        }
        self.held = held;
        let place = self.known.len();
        let form_of = Form {
            example,
            kind,
            number: 1,
            rows,
            place,
            tables: all_tables(kind, words),
        };
        self.known.insert(form, form_of);
        self.sent.count(place, at);
    }

    /// Returns all forms, in the order of their texts.
    pub fn all(&self) -> impl Iterator<Item = &Form> {
        self.known.values()
    }
}

/// Returns the tables of a statement, first the one that it writes.
fn all_tables(kind: &str, words: &[Token<'_>]) -> Vec<AskedTable> {
    let written = written_table(words, kind).map(|(table, _)| table);
    let is_other = |table: &AskedTable| {
        written
            .as_ref()
            .is_none_or(|written| !written.may_be(table))
    };
    let mut asked = tables(words);
    asked.retain(is_other);
    written.into_iter().chain(asked).collect()
}

/// Returns the words of a statement with the first alone of the rows that it inserts, and the number of these.
fn with_one_row<'w, 'a>(kind: &str, words: &'w [Token<'a>]) -> (Cow<'w, [Token<'a>]>, u64) {
    let values = words.iter().position(|token| is(Some(token), "values"));
    let first = { values.filter(|_| kind == INSERT) }
        .and_then(|values| behind_parentheses(words, values + 1));
    let Some(first) = first else {
        return (Cow::Borrowed(words), 1);
    };
    let (mut rows, mut end) = (1, first);
    while is_sign(words.get(end), ',')
        && let Some(behind) = behind_parentheses(words, end + 1)
    {
        rows += 1;
        end = behind;
    }
    if rows == 1 {
        return (Cow::Borrowed(words), 1);
    }
    let one = [&words[..first], &words[end..]].concat();
    (Cow::Owned(one), rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements::words::{kind, words};

    fn forms(all: &[&str]) -> Vec<Form> {
        let mut forms = Forms::default();
        for sql in all {
            let words = words(sql).unwrap();
            forms.add(kind(&words), sql, &words, None);
        }
        forms.all().cloned().collect()
    }

    #[test]
    fn rows_of_an_insert_are_counted_and_not_its_form() {
        let found = forms(&[
            "INSERT INTO t (a, b) VALUES (1, f(2)), (3, f('x, (y')) ON CONFLICT DO NOTHING",
            "INSERT INTO t (a, b) VALUES (1, f(2)) ON CONFLICT DO NOTHING",
            "INSERT INTO t (a, b) VALUES (1, f(2)), (3, f(4)), (5, f(6)) ON CONFLICT DO NOTHING",
        ]);
        let [one, several] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((one.number, one.rows), (1, 1));
        assert_eq!((several.number, several.rows), (2, 5));
        assert_eq!(
            several.example,
            "INSERT INTO t ( a , b ) VALUES ( 1 , f ( 2 ) ) ON CONFLICT DO NOTHING"
        );
    }

    #[test]
    fn a_statement_that_writes_is_about_the_table_that_it_writes() {
        for (sql, expected) in [
            ("INSERT INTO a.t SELECT b FROM u", "a.t"),
            ("DELETE FROM t WHERE b = 1", "t"),
            ("UPDATE t SET b = u.b FROM u WHERE t.a = u.a", "t"),
            ("SELECT b FROM t", "t"),
        ] {
            let found = forms(&[sql]);
            assert_eq!(found[0].own().unwrap().to_string(), expected, "{sql}");
        }
        assert!(forms(&["SELECT b FROM t, u"])[0].own().is_none());
    }
}
