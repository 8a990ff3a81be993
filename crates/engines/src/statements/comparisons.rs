//! Conditions of a statement that compare a column with a value.

use std::ops::Range;

use super::asking::Asking;
use super::words::{is, is_sign, marker_length};
use crate::dialect::tokens::{Kind, Token};

/// How a column is compared with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Equal,
    /// The value is the least, or below it.
    Lower,
    /// The value is the greatest, or above it.
    Upper,
    /// The value is a list.
    List,
}

/// A column that is compared with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Place of the column in the table.
    pub column: usize,
    pub bound: Bound,
    /// Words of the value.
    pub value: Range<usize>,
    /// Whether the value is bound, and not in the statement.
    pub is_marker: bool,
}

/// Returns the conditions of a statement that compare a column of the table with a value alone, in their order.
pub fn comparisons(words: &[Token<'_>], asking: &Asking<'_>) -> Vec<Comparison> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if let Some(column) = asking.column(word) {
            for (bound, (value, is_marker)) in bounds(words, at + 1) {
                found.push(Comparison {
                    column,
                    bound,
                    value,
                    is_marker,
                });
            }
        }
    }
    found
}

/// The words of a value, and whether it is a marker.
type Value = (Range<usize>, bool);

/// Returns what is compared with a column whose condition goes on at a place.
fn bounds(words: &[Token<'_>], at: usize) -> Vec<(Bound, Value)> {
    let (operator, next) = (words.get(at), words.get(at + 1));
    let alone = |bound: Bound, begin: usize| {
        let value = value_at(words, begin);
        value.map(|value| (bound, value)).into_iter().collect()
    };
    let behind_equals = at + 1 + usize::from(is_sign(next, '='));
    if is_sign(operator, '=') {
        alone(Bound::Equal, at + 1)
    } else if is_sign(operator, '>') {
        alone(Bound::Lower, behind_equals)
    } else if is_sign(operator, '<') && !is_sign(next, '>') {
        alone(Bound::Upper, behind_equals)
    } else if is(operator, "between") {
        between(words, at + 1).unwrap_or_default()
    } else if is(operator, "in") {
        match marker_length(words, at + 1) {
            Some(length) => vec![(Bound::List, (at + 1..at + 1 + length, true))],
            None => listed(words, at + 1).unwrap_or_default(),
        }
    } else {
        Vec::new()
    }
}

fn between(words: &[Token<'_>], at: usize) -> Option<Vec<(Bound, Value)>> {
    let low = value_at(words, at)?;
    if !is(words.get(low.0.end), "and") {
        return None;
    }
    let high = value_at(words, low.0.end + 1)?;
    Some(vec![(Bound::Lower, low), (Bound::Upper, high)])
}

/// Returns the values of a list in parentheses.
fn listed(words: &[Token<'_>], at: usize) -> Option<Vec<(Bound, Value)>> {
    if !is_sign(words.get(at), '(') {
        return None;
    }
    let mut all = Vec::new();
    let mut begin = at + 1;
    loop {
        let value = value_at(words, begin)?;
        let end = value.0.end;
        all.push((Bound::Equal, value));
        if is_sign(words.get(end), ')') {
            return Some(all);
        }
        if !is_sign(words.get(end), ',') {
            return None;
        }
        begin = end + 1;
    }
}

/// Returns the constant or the marker that is alone at a place, with its cast.
fn value_at(words: &[Token<'_>], begin: usize) -> Option<Value> {
    if let Some(length) = marker_length(words, begin) {
        let end = behind_casts(words, begin + length);
        return ends(words.get(end)).then_some((begin..end, true));
    }
    let first = words.get(begin);
    let is_text = |token: Option<&Token<'_>>| token.is_some_and(|token| token.kind == Kind::Text);
    let is_typed = (is(first, "timestamp") || is(first, "date")) && is_text(words.get(begin + 1));
    let is_negative = is_sign(first, '-');
    let at = begin + usize::from(is_typed || is_negative);
    let is_constant = match words.get(at)?.kind {
        Kind::Number => true,
        Kind::Text => !is_negative,
        _ => false,
    };
    let end = behind_casts(words, at + 1);
    (is_constant && ends(words.get(end))).then_some((begin..end, false))
}

/// Returns the place behind casts, such as `::timestamp with time zone`.
fn behind_casts(words: &[Token<'_>], mut at: usize) -> usize {
    let is_word = |at: usize| words.get(at).is_some_and(|token| token.kind == Kind::Word);
    while is_sign(words.get(at), ':') && is_sign(words.get(at + 1), ':') && is_word(at + 2) {
        at += 3;
        let has_zone = is(words.get(at), "with") || is(words.get(at), "without");
        if has_zone && is(words.get(at + 1), "time") && is(words.get(at + 2), "zone") {
            at += 3;
        }
    }
    at
}

/// Returns whether a value ends before a token, so that it is not a part of an expression.
fn ends(next: Option<&Token<'_>>) -> bool {
    match next {
        None => true,
        Some(token) => match token.kind {
            Kind::Sign(sign) => matches!(sign, ')' | ',' | ';'),
            Kind::Word => !is(next, "at") && !is(next, "collate"),
            _ => false,
        },
    }
}
