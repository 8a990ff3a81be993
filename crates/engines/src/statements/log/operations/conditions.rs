//! What the conditions of a statement say of the key.

use crate::dialect::tokens::{Kind, Token};
use crate::statements::asking::Asking;
use crate::statements::words::{behind_parentheses, is, is_sign, name};

/// Words behind the conditions of a statement.
const BEHIND: [&str; 16] = [
    "group",
    "order",
    "limit",
    "offset",
    "fetch",
    "for",
    "having",
    "window",
    "union",
    "intersect",
    "except",
    "allow",
    "per",
    "returning",
    "if",
    "qualify",
];
/// Words behind an operator that compare with several values.
const QUANTIFIERS: [&str; 3] = ["any", "all", "some"];
/// Most parentheses around conditions that are looked into.
const MOST_NESTED: usize = 16;

/// A condition that all rows of a statement meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// The column at this place has one value.
    Equal(usize),
    /// The column at this place is above a value, below one, or both.
    Range(usize),
    Other,
}

/// What the conditions of a statement say of the key of its table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfKey {
    /// Whether all columns of the partition key have one value.
    pub is_partition: bool,
    /// Number of the first columns of the order key that have one value.
    pub ordered: usize,
    /// Whether all columns of the key have one value.
    pub is_row: bool,
    /// Whether the next column of the order key is bounded.
    pub has_range: bool,
    /// Whether there is any other condition.
    pub has_others: bool,
}

/// Returns the words of the conditions that begin at `WHERE`, and the place behind them.
pub fn conditions_at<'w, 'a>(
    words: &'w [Token<'a>],
    at: usize,
) -> Option<(&'w [Token<'a>], usize)> {
    if !is(words.get(at), "where") {
        return None;
    }
    let mut open = 0_usize;
    let mut end = at + 1;
    while let Some(token) = words.get(end) {
        match token.kind {
            Kind::Sign('(') => open += 1,
            Kind::Sign(')') => open = open.saturating_sub(1),
            Kind::Sign(';') => break,
            _ if open == 0 && BEHIND.iter().any(|word| is(Some(token), word)) => break,
            _ => {}
        }
        end += 1;
    }
    Some((&words[at + 1..end], end))
}

/// Returns what conditions say of the key; `None` if not all of them hold for every row, or one has a query in it.
pub fn of_key(conditions: &[Token<'_>], asking: &Asking<'_>) -> Option<OfKey> {
    let mut all = Vec::new();
    divide(conditions, asking, MOST_NESTED, &mut all)?;
    let found = asking.found;
    let place = |called: &String| found.columns.iter().position(|of| of.name == *called);
    let has_one = |called: &String| {
        place(called).is_some_and(|place| {
            // A column that is the same in all rows is in no statement.
            all.contains(&Condition::Equal(place)) || found.columns[place].constant.is_some()
        })
    };
    let is_partition = found.partition_key.iter().all(has_one);
    let order = &found.order_key;
    let ordered = order.iter().take_while(|&called| has_one(called)).count();
    let next = order.get(ordered).and_then(place);
    let is_range = |condition: &Condition| next.map(Condition::Range) == Some(*condition);
    let is_other = |condition: &Condition| match condition {
        Condition::Equal(place) => !asking.is_key(*place),
        Condition::Range(_) => !is_range(condition),
        Condition::Other => true,
    };
    // A further column of the order key behind one without a value.
    let has_behind = order.iter().skip(ordered).any(has_one);
    Some(OfKey {
        is_partition,
        ordered,
        is_row: is_partition && ordered == order.len(),
        has_range: all.iter().any(is_range),
        has_others: has_behind || all.iter().any(is_other),
    })
}

/// Adds the conditions that ANDs divide; `None` if there is an OR or a query among them.
fn divide(
    conditions: &[Token<'_>],
    asking: &Asking<'_>,
    most_nested: usize,
    all: &mut Vec<Condition>,
) -> Option<()> {
    let (mut begin, mut open, mut is_between) = (0, 0_usize, false);
    for (at, token) in conditions.iter().enumerate() {
        match token.kind {
            Kind::Sign('(') => open += 1,
            Kind::Sign(')') => open = open.saturating_sub(1),
            _ => {}
        }
        let token = Some(token);
        if is(token, "select") || (open == 0 && is(token, "or")) {
            return None;
        }
        if open > 0 {
            continue;
        }
        if is(token, "between") {
            is_between = true;
        } else if is(token, "and") && !std::mem::take(&mut is_between) {
            add(&conditions[begin..at], asking, most_nested, all)?;
            begin = at + 1;
        }
    }
    add(&conditions[begin..], asking, most_nested, all)
}

/// Adds what is between two ANDs.
fn add(
    words: &[Token<'_>],
    asking: &Asking<'_>,
    most_nested: usize,
    all: &mut Vec<Condition>,
) -> Option<()> {
    if behind_parentheses(words, 0) == Some(words.len()) {
        let inside = &words[1..words.len() - 1];
        return divide(inside, asking, most_nested.checked_sub(1)?, all);
    }
    all.push(condition(words, asking));
    Some(())
}

fn condition(words: &[Token<'_>], asking: &Asking<'_>) -> Condition {
    let at = behind_qualifiers(words, 0);
    let Some(column) = words.get(at).and_then(|token| asking.column(token)) else {
        return Condition::Other;
    };
    let (operator, next) = (words.get(at + 1), words.get(at + 2));
    let is_above_or_below = (is_sign(operator, '>') || is_sign(operator, '<'))
        && !(is_sign(operator, '<') && is_sign(next, '>'));
    let value = at + 2 + usize::from(is_sign(next, '='));
    let (condition, value) = if is_sign(operator, '=') {
        (Condition::Equal(column), at + 2)
    } else if is_above_or_below {
        (Condition::Range(column), value)
    } else if is(operator, "between") {
        (Condition::Range(column), at + 2)
    } else {
        // A list, too: its form is the same whatever the number of its values.
        return Condition::Other;
    };
    let value = words.get(value..).unwrap_or_default();
    let is_any = QUANTIFIERS.iter().any(|word| is(value.first(), word));
    if value.is_empty() || is_any || has_column(value, asking) {
        return Condition::Other;
    }
    condition
}

/// Returns the place behind the names of tables that are before the name of a column.
pub fn behind_qualifiers(words: &[Token<'_>], mut at: usize) -> usize {
    while name(words.get(at)).is_some() && is_sign(words.get(at + 1), '.') {
        at += 2;
    }
    at
}

/// Returns whether a value depends on the row, by a column in it.
pub fn has_column(value: &[Token<'_>], asking: &Asking<'_>) -> bool {
    (0..value.len()).any(|at| {
        let before = at.checked_sub(1).and_then(|before| value.get(before));
        let next = value.get(at + 1);
        // The name of a marker or of a type, of a function, or what says the type of a text.
        let is_other_name = is_sign(before, ':')
            || is_sign(next, '(')
            || next.is_some_and(|next| next.kind == Kind::Text);
        !is_other_name && asking.column(&value[at]).is_some()
    })
}
