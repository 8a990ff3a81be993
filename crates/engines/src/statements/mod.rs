//! Statements of applications and schemas, in CQL or SQL: the tables that they make, and what they ask, as questions of
//! a workload. They come from a file of statements, or from a log of queries.

pub(crate) mod ambiguous;
mod asked;
mod asked_table;
mod asking;
mod changes;
mod comparisons;
pub(crate) mod depth;
mod divided;
mod file;
mod form;
#[cfg(test)]
mod hostile;
pub(crate) mod ignored;
mod log;
mod moments;
mod named;
mod number_range;
pub(crate) mod parse;
mod plain;
mod sql_checks;
mod sql_tables;
mod sql_types;
mod sql_words;
mod table;
pub(crate) mod words;

pub use asked_table::AskedTable;
pub use asking::Language;
pub use file::StatementsFile;
pub use log::{LogKind, LoggedMix, QueryLog};
pub use named::{columns_with_values, named_columns};
pub(crate) use table::{MOST_KEY_COLUMNS, TableStatement, Written, held_as};

use asked::question;
use asking::{Asking, written};
use bakeoff_workload::infer::{AskedQuestion, Inferred, InferredColumn};

use crate::dialect::tokens::{Kind, Token, tokens};
use crate::live::MIXED_ORDER;

/// A statement that may become a question.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its text for people, with `'...'` in place of each text in it; it may be cut.
    pub shown: String,
    /// The question, or why it cannot be one.
    pub question: Result<AskedQuestion, String>,
}

/// Returns a question with values that are drawn from the rows where it has markers, such as `?`, `$1` or `:name`;
/// `None` if it has none. It calls the table as the workload does.
///
/// # Errors
/// Says why no values can be drawn for it.
pub fn with_drawn_values(
    question: &AskedQuestion,
    found: &Inferred,
    language: Language,
) -> Result<Option<AskedQuestion>, String> {
    let Some(words) = words::words(&question.sql) else {
        return Ok(None);
    };
    if !(0..words.len()).any(|at| words::marker_length(&words, at).is_some()) {
        return Ok(None);
    }
    let asking = Asking {
        found,
        table: &found.table,
        language,
        descending: descending(found),
    };
    let drawn = asked::question(&question.sql, &asking)?;
    Ok(Some(AskedQuestion {
        name: question.name.clone(),
        ..drawn
    }))
}

/// Most characters of a statement that a message shows.
const MOST_SHOWN: usize = 80;

impl Candidate {
    /// Reads a statement that asks a table.
    fn new(sql: &str, asking: &Asking<'_>) -> Candidate {
        Candidate {
            shown: shown(sql),
            question: question(sql, asking),
        }
    }
}

/// Returns a statement in one line without the texts in it, which may be secrets, cut if it is long.
fn shown(sql: &str) -> String {
    in_one_line(sql, shown_token)
}

/// Returns a statement in one line with `?` in place of every value in it, cut if it is long.
fn without_values(sql: &str) -> String {
    in_one_line(sql, |token| match token.kind {
        Kind::Text | Kind::Number => "?",
        _ => shown_token(token),
    })
}

/// Returns the tokens of a statement in one line as they are shown, cut if it is long.
fn in_one_line<'a>(sql: &'a str, shown: impl Fn(&Token<'a>) -> &'a str) -> String {
    let without_texts: String = match tokens(sql) {
        Some(all) => all.iter().map(shown).collect(),
        None => sql.split('\'').next().unwrap_or_default().to_owned(),
    };
    let mut line = String::new();
    for word in without_texts.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.chars().count() > MOST_SHOWN {
            let cut: String = line.chars().take(MOST_SHOWN).collect();
            return format!("{cut}...");
        }
    }
    line
}

fn shown_token<'a>(token: &Token<'a>) -> &'a str {
    match token.kind {
        Kind::Text => "'...'",
        Kind::Comment => " ",
        _ => token.text,
    }
}

/// Returns the columns of the order key, by their names in the workload, whose greatest value comes first in the table
/// that it is of; `None` if that is not known.
fn descending(found: &Inferred) -> Option<Vec<String>> {
    let origin = found.origin.as_ref();
    let Some(declared) = origin.and_then(|origin| origin.descending.as_ref()) else {
        return is_newest_first(found).map(|is_newest_first| {
            if is_newest_first {
                found.order_key.clone()
            } else {
                Vec::new()
            }
        });
    };
    let is_declared = |column: &InferredColumn| {
        let called = written(column).to_lowercase();
        declared
            .iter()
            .any(|name| name.trim().to_lowercase() == called)
    };
    let descends = |name: &&String| {
        let column = found.columns.iter().find(|column| column.name == **name);
        column.is_some_and(is_declared)
    };
    Some(found.order_key.iter().filter(descends).cloned().collect())
}

/// Returns whether the greatest order key comes first in the table that a workload is of, as far as that is known;
/// `None` if that differs among its columns.
fn is_newest_first(found: &Inferred) -> Option<bool> {
    let origin = found.origin.as_ref();
    let mut about = origin.into_iter().flat_map(|origin| &origin.about);
    if about.any(|about| about.contains(MIXED_ORDER)) {
        return None;
    }
    let design = origin.and_then(|origin| origin.design.as_deref());
    Some(design.is_some_and(|design| design.contains("order=desc")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_statement_are_not_shown() {
        for (sql, expected) in [
            (
                "SELECT a -- it's\n FROM t WHERE b = 'secret' AND c > 5",
                "SELECT a FROM t WHERE b = '...' AND c > 5",
            ),
            ("SELECT $$secret$$, E'sec\\'ret'", "SELECT '...', '...'"),
            (
                "SELECT a FROM t WHERE b = 'secret",
                "SELECT a FROM t WHERE b =",
            ),
        ] {
            assert_eq!(shown(sql), expected);
        }
        assert_eq!(
            without_values("UPDATE t SET a = a || 'secret', b = -5.5, c = $1 -- x"),
            "UPDATE t SET a = a || ?, b = -?, c = $?"
        );
        assert_eq!(
            without_values("SELECT a FROM t WHERE b = 0xc0Ffee"),
            "SELECT a FROM t WHERE b = ?"
        );
        let long = shown(&format!("SELECT {}", "a, ".repeat(100)));
        assert_eq!(long.chars().count(), MOST_SHOWN + 3);
    }
}
