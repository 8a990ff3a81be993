//! Queries that read rows by the key, as operations.

use super::conditions::{OfKey, behind_qualifiers, conditions_at, of_key};
use super::{Operation, Rows};
use crate::dialect::tokens::{Kind, Token};
use crate::statements::asking::{Asking, Language};
use crate::statements::comparisons::{Bound, Comparison, comparisons};
use crate::statements::moments::milliseconds;
use crate::statements::words::{is, is_sign, marker_length, name, table_at};

/// Most rows of a range that is estimated.
const MOST_ESTIMATED: f64 = 10_000.0;

/// What is behind the conditions of a query.
#[derive(Debug, Default)]
struct Behind {
    /// Columns by which rows are ordered, and whether the greatest value comes first.
    order: Vec<(usize, bool)>,
    limit: Option<Rows>,
}

/// Returns the operation that a query of a table alone is; `None` if it is heavier.
pub fn of_select(words: &[Token<'_>], asking: &Asking<'_>) -> Option<Operation> {
    let selects = words.iter().filter(|token| is(Some(token), "select"));
    if !is(words.first(), "select") || selects.count() > 1 {
        return None;
    }
    let from = words.iter().position(|token| is(Some(token), "from"))?;
    let (_, behind_table) = table_at(words, from + 1)?;
    let at = behind_alias(words, behind_table);
    let (conditions, behind) = conditions_at(words, at)?;
    let key = of_key(conditions, asking)?;
    let behind = behind_conditions(words.get(behind..)?, asking)?;
    if key.is_row {
        return Some(Operation::ReadRow);
    }
    if !key.is_partition || key.has_others || !is_plain(&words[1..from]) {
        return None;
    }
    let newest_first = newest_first(&behind, &key, asking)?;
    if key.ordered == 0 && !key.has_range {
        return Some(Operation::ReadPartition {
            limit: behind.limit,
            newest_first,
        });
    }
    let estimated = || estimated(words, &key, asking);
    let rows = behind.limit.or_else(estimated).unwrap_or(Rows::Unknown);
    Some(Operation::ReadRange(rows))
}

/// Returns whether what is selected are columns, and nothing that is computed of several rows.
fn is_plain(selected: &[Token<'_>]) -> bool {
    let computes = |token: &Token<'_>| is_sign(Some(token), '(') || is(Some(token), "distinct");
    !selected.iter().any(computes)
}

/// Returns the place behind the other name of a table, if it has one.
fn behind_alias(words: &[Token<'_>], at: usize) -> usize {
    let at = at + usize::from(is(words.get(at), "as"));
    let is_other_name = !is(words.get(at), "where") && name(words.get(at)).is_some();
    at + usize::from(is_other_name)
}

/// Reads what is behind the conditions; `None` if it is more than an order and a number of rows.
fn behind_conditions(words: &[Token<'_>], asking: &Asking<'_>) -> Option<Behind> {
    let mut behind = Behind::default();
    let mut at = 0;
    while let Some(token) = words.get(at) {
        let next = words.get(at + 1);
        if is_sign(Some(token), ';') {
            at += 1;
        } else if is(Some(token), "order") && is(next, "by") {
            at = read_order(words, at + 2, asking, &mut behind.order)?;
        } else if is(Some(token), "limit") {
            let length = marker_length(words, at + 1).unwrap_or(1);
            behind.limit = Some(number(next));
            at += 1 + length;
        } else if is(Some(token), "fetch") && (is(next, "first") || is(next, "next")) {
            behind.limit = Some(number(words.get(at + 2)));
            let is_last = |token: &Token<'_>| is(Some(token), "only");
            at += 1 + words[at..].iter().position(is_last)?;
        } else if is(Some(token), "allow") && is(next, "filtering") {
            at += 2;
        } else {
            return None;
        }
    }
    Some(behind)
}

/// Returns the number of rows that a word says.
fn number(word: Option<&Token<'_>>) -> Rows {
    let text = word.map_or("", |word| word.text.trim_matches('\''));
    let number = text.parse::<u32>().ok().filter(|number| *number > 0);
    number.map_or(Rows::Unknown, Rows::Limited)
}

/// Reads the columns of an order, and returns the place behind them; `None` if something else orders the rows.
fn read_order(
    words: &[Token<'_>],
    mut at: usize,
    asking: &Asking<'_>,
    order: &mut Vec<(usize, bool)>,
) -> Option<usize> {
    loop {
        at = behind_qualifiers(words, at);
        let column = asking.column(words.get(at)?)?;
        let direction = words.get(at + 1);
        let descends = is(direction, "desc");
        order.push((column, descends));
        at += 1 + usize::from(descends || is(direction, "asc"));
        if !is_sign(words.get(at), ',') {
            return Some(at);
        }
        at += 1;
    }
}

/// Returns whether rows of a partition are read from the greatest order key on; `None` if they are in another order
/// than that of the key.
fn newest_first(behind: &Behind, key: &OfKey, asking: &Asking<'_>) -> Option<bool> {
    let found = asking.found;
    let place = |called: &String| found.columns.iter().position(|of| of.name == *called);
    let given: Vec<usize> = { found.partition_key.iter() }
        .chain(found.order_key.iter().take(key.ordered))
        .filter_map(place)
        .collect();
    let of_order: Vec<usize> = { found.order_key.iter().skip(key.ordered) }
        .filter_map(place)
        .collect();
    let mut by = behind
        .order
        .iter()
        .filter(|(column, _)| !given.contains(column));
    let Some((first, descends)) = by.next() else {
        // CQL has an order of its own.
        let descending = asking.descending.as_deref().unwrap_or_default();
        let next = found.order_key.get(key.ordered);
        let is_cql = asking.language == Language::Cql;
        return Some(is_cql && next.is_some_and(|next| descending.contains(next)));
    };
    let is_in_order = |(number, (column, other)): (usize, &(usize, bool))| {
        of_order.get(number + 1) == Some(column) && other == descends
    };
    (of_order.first() == Some(first) && by.enumerate().all(is_in_order)).then_some(*descends)
}

/// Estimates how many rows are in a range of times, by the rows of a partition and the time from the first to the last.
fn estimated(words: &[Token<'_>], key: &OfKey, asking: &Asking<'_>) -> Option<Rows> {
    let found = asking.found;
    let ordered = found.order_key.get(key.ordered)?;
    let span = found
        .span
        .as_ref()
        .filter(|_| found.time.as_ref() == Some(ordered))?;
    let all = comparisons(words, asking);
    let time = |bound: Bound| {
        let is_it =
            |of: &&Comparison| of.bound == bound && found.columns[of.column].name == *ordered;
        let value = all.iter().find(is_it)?.value.clone();
        let is_constant = |token: &&Token<'_>| matches!(token.kind, Kind::Text | Kind::Number);
        let text = words.get(value)?.iter().find(is_constant)?.text;
        milliseconds(text.trim_matches('\''), asking.language)
    };
    let length = time(Bound::Upper)?.checked_sub(time(Bound::Lower)?)?;
    let whole = span
        .end
        .checked_sub(span.start)
        .filter(|whole| *whole > 0)?;
    let of_series = found.rows as f64 / found.series.max(1) as f64;
    let rows = of_series * length as f64 / whole as f64;
    // A cast from a float saturates.
    Some(Rows::Estimated(rows.clamp(1.0, MOST_ESTIMATED) as u32))
}
