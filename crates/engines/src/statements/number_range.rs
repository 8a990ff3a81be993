//! Ranges of numbers whose bounds are drawn: together, so that the lower bound is not above the upper one.

use bakeoff_workload::ColumnType;

use super::asking::Asking;
use super::comparisons::{Bound, Comparison};
use super::words::is;
use crate::dialect::tokens::Token;

/// What is said of a range of anything else.
const NO_NUMBERS: &str = "it has a range that is not one of numbers, and bounds that are drawn apart would mostly find \
                          nothing: compare with one value, or write the question into the workload with values that \
                          its rows have";

/// A range of a column, of whose bounds at least one is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberRange {
    /// Places of the comparisons that have its lower and its upper bound.
    pub begin: usize,
    pub end: usize,
    /// What the upper bound is above the lower one.
    pub length: String,
}

/// A comparison as far as its value matters here.
#[derive(Debug, Clone)]
pub struct DrawnBound<'a> {
    pub comparison: &'a Comparison,
    pub is_drawn: bool,
    /// Its constant without quotes; `None` if it is a marker.
    pub constant: Option<String>,
}

/// Finds the ranges of numbers and texts whose bounds are drawn.
///
/// # Errors
/// Says which range has bounds that cannot be drawn together, and what to write.
pub fn number_ranges(
    words: &[Token<'_>],
    asking: &Asking<'_>,
    all: &[DrawnBound<'_>],
) -> Result<Vec<NumberRange>, String> {
    let mut found: Vec<NumberRange> = Vec::new();
    for (begin, lower) in all.iter().enumerate() {
        let column = lower.comparison.column;
        if lower.comparison.bound != Bound::Lower || asking.kind(column) == ColumnType::Timestamp {
            continue;
        }
        let is_upper = |(at, upper): &(usize, &DrawnBound<'_>)| {
            upper.comparison.bound == Bound::Upper
                && upper.comparison.column == column
                && (lower.is_drawn || upper.is_drawn)
                && !found.iter().any(|range| range.end == *at)
                && !are_alternatives(words, lower.comparison, upper.comparison)
        };
        let Some((end, upper)) = all.iter().enumerate().find(is_upper) else {
            continue;
        };
        let length = match lower.constant.as_deref().zip(upper.constant.as_deref()) {
            Some((low, high)) => distance(asking.kind(column), low, high)?,
            None => Some(usual_length(asking, column)?),
        };
        // What ends before it begins is no range.
        if let Some(length) = length {
            found.push(NumberRange { begin, end, length });
        }
    }
    Ok(found)
}

/// Returns whether a row needs to meet one of two conditions only.
fn are_alternatives(words: &[Token<'_>], one: &Comparison, other: &Comparison) -> bool {
    let (first, second) = if one.value.start < other.value.start {
        (one, other)
    } else {
        (other, one)
    };
    let between = words.get(first.value.end..second.value.start);
    between.is_some_and(|words| words.iter().any(|word| is(Some(word), "or")))
}

/// Returns what one constant is above another one; `None` if it is below it.
fn distance(kind: ColumnType, low: &str, high: &str) -> Result<Option<String>, String> {
    let (low, high) = (low.trim(), high.trim());
    let is_of_numbers = kind.is_number();
    if let (Ok(low), Ok(high), true) = (low.parse::<i64>(), high.parse::<i64>(), is_of_numbers) {
        let length = high.checked_sub(low).filter(|length| *length >= 0);
        return Ok(length.map(|length| length.to_string()));
    }
    let is_floating = kind.is_floating();
    if let (Ok(low), Ok(high), true) = (low.parse::<f64>(), high.parse::<f64>(), is_floating) {
        let length = high - low;
        let is_range = length.is_finite() && length >= 0.0;
        return Ok(is_range.then(|| length.to_string()));
    }
    Err(NO_NUMBERS.to_owned())
}

/// Returns about a tenth of all numbers of a column whose values are made.
fn usual_length(asking: &Asking<'_>, column: usize) -> Result<String, String> {
    let found = asking.found;
    let of = &found.columns[column];
    if !of.kind.is_number() {
        return Err(NO_NUMBERS.to_owned());
    }
    if found.made.is_none() {
        return Err(format!(
            "how long its range of `{}` is, is not known, since a bound of it is a marker: write numbers in place of \
             both, such as BETWEEN 1 AND 100",
            of.name
        ));
    }
    let highest = of.high_value.unwrap_or(of.distinct as f64);
    Ok(format!("{:.0}", (highest / 10.0).max(1.0)))
}
