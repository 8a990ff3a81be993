//! Statements that write rows by the key, as operations.

use super::Operation;
use super::conditions::{OfKey, behind_qualifiers, conditions_at, has_column, of_key};
use crate::dialect::tokens::{Kind, Token};
use crate::statements::asking::{Asking, Language};
use crate::statements::log::forms::Form;
use crate::statements::words::{DELETE, INSERT, UPDATE, is, is_sign, written_table};

/// Returns the operation that statements of a form are.
///
/// # Errors
/// Says why they are none.
pub fn of_write(
    form: &Form,
    words: &[Token<'_>],
    asking: &Asking<'_>,
) -> Result<Operation, String> {
    let has = |word: &str| words.iter().any(|token| is(Some(token), word));
    if is(words.first(), "with") || form.tables.len() > 1 || has("select") {
        return Err("it takes rows from a query or another table".to_owned());
    }
    if has("if") {
        return Err("it is a lightweight transaction, which only a mix in CQL can have".to_owned());
    }
    match form.kind {
        INSERT => insert(form, words, asking),
        UPDATE => update(words, asking),
        DELETE => delete(words, asking),
        _ => Err("it neither inserts, updates nor deletes".to_owned()),
    }
}

fn insert(form: &Form, words: &[Token<'_>], asking: &Asking<'_>) -> Result<Operation, String> {
    let has = |word: &str| words.iter().any(|token| is(Some(token), word));
    let is_json = asking.language == Language::Cql && has("json");
    if !has("values") && !is_json {
        return Err("it has no values".to_owned());
    }
    if form.rows > form.number {
        Ok(Operation::InsertSeveral)
    } else {
        Ok(Operation::Insert)
    }
}

fn update(words: &[Token<'_>], asking: &Asking<'_>) -> Result<Operation, String> {
    let is_where = |token: &Token<'_>| is(Some(token), "where");
    let begin = words.iter().position(|token| is(Some(token), "set"));
    let end = words.iter().position(is_where);
    let (Some(begin), Some(end)) = (begin, end) else {
        return Err("it changes all rows".to_owned());
    };
    let assigned = words.get(begin + 1..end).unwrap_or_default();
    let mut places = Vec::new();
    for assignment in at_commas(assigned) {
        let at = behind_qualifiers(assignment, 0);
        let column = assignment.get(at).and_then(|token| asking.column(token));
        let Some(column) = column.filter(|_| is_sign(assignment.get(at + 1), '=')) else {
            // One that the workload does not have, or a part of one.
            continue;
        };
        if asking.is_key(column) {
            return Err("it changes the key".to_owned());
        }
        let is_cql = asking.language == Language::Cql;
        if is_cql && has_column(&assignment[at + 2..], asking) {
            return Err(
                "it changes a counter or a collection, which only a mix in CQL can".to_owned(),
            );
        }
        if !places.contains(&column) {
            places.push(column);
        }
    }
    if places.is_empty() {
        return Err("it sets no column that the workload has as a whole".to_owned());
    }
    places.sort_unstable();
    if !key_at(words, end, asking)?.is_row {
        return Err("its conditions do not name one row by the whole key".to_owned());
    }
    let columns = places
        .into_iter()
        .map(|place| asking.found.columns[place].name.clone());
    Ok(Operation::Update {
        columns: columns.collect(),
    })
}

fn delete(words: &[Token<'_>], asking: &Asking<'_>) -> Result<Operation, String> {
    if !is(words.get(1), "from") {
        return Err("it deletes single columns".to_owned());
    }
    if asking.language == Language::Sql && words.iter().any(|token| is(Some(token), "using")) {
        return Err("it takes rows from a query or another table".to_owned());
    }
    let behind = written_table(words, DELETE).map_or(words.len(), |(_, behind)| behind);
    let is_where = |token: &Token<'_>| is(Some(token), "where");
    let rest = words.get(behind..).unwrap_or_default();
    let Some(at) = rest.iter().position(is_where) else {
        return Err("it deletes all rows".to_owned());
    };
    let key = key_at(words, behind + at, asking)?;
    if key.is_row {
        Ok(Operation::DeleteRow)
    } else if key.is_partition && key.ordered == 0 && !key.has_range && !key.has_others {
        Ok(Operation::DeletePartition)
    } else {
        Err("its conditions name neither one row nor one partition by the key".to_owned())
    }
}

/// Returns what the conditions at a place say of the key.
fn key_at(words: &[Token<'_>], at: usize, asking: &Asking<'_>) -> Result<OfKey, String> {
    let conditions = conditions_at(words, at).map(|(conditions, _)| conditions);
    conditions
        .and_then(|conditions| of_key(conditions, asking))
        .ok_or_else(|| "its conditions have an OR or a query in them".to_owned())
}

/// Divides assignments at the commas between them.
fn at_commas<'w, 'a>(words: &'w [Token<'a>]) -> Vec<&'w [Token<'a>]> {
    let (mut parts, mut begin, mut open) = (Vec::new(), 0, 0_usize);
    for (at, token) in words.iter().enumerate() {
        match token.kind {
            Kind::Sign('(' | '[' | '{') => open += 1,
            Kind::Sign(')' | ']' | '}') => open = open.saturating_sub(1),
            Kind::Sign(',') if open == 0 => {
                parts.push(&words[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&words[begin..]);
    parts
}
