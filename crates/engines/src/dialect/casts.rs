//! Casts of floating-point numbers to whole ones. DataFusion, Spark and SQLite cut decimals off, PostgreSQL and DuckDB
//! round, so that there the decimals are cut off before.

use bakeoff_workload::Table;

use super::floats::Floats;
use super::types::operand_before;
use super::units::{
    Unit, What, meaning, next, previous, split, trimmed, units as units_of, written,
};

/// Types of whole numbers.
const WHOLE_TYPES: [&str; 8] = [
    "int", "integer", "bigint", "smallint", "tinyint", "int2", "int4", "int8",
];
/// Functions whose results have no decimals, if they have one argument.
const WITHOUT_DECIMALS: [&str; 5] = ["ceil", "ceiling", "floor", "round", "trunc"];
/// Deepest parentheses that are looked into.
const DEEPEST: usize = 64;

/// Cuts off the decimals of what is certain to be a floating-point number, before it is cast to a whole one.
pub fn cut_off(table: &Table, sql: &str) -> String {
    in_text(&Floats::of(table, sql), sql, 0)
}

fn in_text(floats: &Floats, text: &str, depth: usize) -> String {
    let parts = if depth > DEEPEST {
        None
    } else {
        units_of(text)
    };
    let Some(mut parts) = parts else {
        return text.to_owned();
    };
    for at in 0..parts.len() {
        if parts[at].what != What::Group {
            continue;
        }
        let mut inside = in_text(floats, &parts[at].text, depth + 1);
        let before = previous(&parts, at);
        if before.is_some_and(|before| parts[before].is_one_of(&["cast", "try_cast"])) {
            inside = in_cast(floats, inside);
        }
        parts[at].text = inside;
    }
    double_colons(floats, &mut parts);
    written(&parts)
}

/// Writes what is between the parentheses of a cast.
fn in_cast(floats: &Floats, inside: String) -> String {
    let Some(parts) = units_of(&inside) else {
        return inside;
    };
    let Some(place) = parts.iter().rposition(|unit| unit.is("as")) else {
        return inside;
    };
    let is_whole = next(&parts, place + 1).is_some_and(|kind| {
        parts[kind].is_one_of(&WHOLE_TYPES) && next(&parts, kind + 1).is_none()
    });
    if !is_whole || !has_decimals(floats, &parts[..place]) {
        return inside;
    }
    let (value, kind) = (trimmed(&parts[..place]), written(&parts[place..]));
    format!("trunc({value}) {kind}")
}

/// Writes casts such as `value::int`.
fn double_colons(floats: &Floats, parts: &mut Vec<Unit>) {
    let mut at = 0;
    while at + 1 < parts.len() {
        if !(parts[at].is_sign(':') && parts[at + 1].is_sign(':')) {
            at += 1;
            continue;
        }
        let kind = next(parts, at + 2);
        let is_whole = kind.is_some_and(|kind| parts[kind].is_one_of(&WHOLE_TYPES));
        let first = first_of_casts(parts, at).filter(|_| is_whole);
        if let Some(first) = first.filter(|first| has_decimals(floats, &parts[*first..at])) {
            let cut = format!("trunc({})", trimmed(&parts[first..at]));
            parts.splice(first..at, [Unit::written(cut)]);
            at = first + 1;
        }
        at += 2;
    }
}

/// Returns where the operand begins that ends before this place, such as before the colons of a cast, with casts of it
/// that come before.
pub fn first_of_casts(parts: &[Unit], end: usize) -> Option<usize> {
    let mut first = operand_before(parts, end)?;
    let colons_before = |place: usize| {
        let before = previous(parts, place)?.checked_sub(1)?;
        (parts[before].is_sign(':') && parts[before + 1].is_sign(':')).then_some(before)
    };
    while let Some(colons) = colons_before(first) {
        first = operand_before(parts, colons)?;
    }
    Some(first)
}

/// Returns whether a value is certain to be a floating-point number, and may have decimals.
fn has_decimals(floats: &Floats, value: &[Unit]) -> bool {
    let is_cut = match meaning(value).as_slice() {
        [name, group] if name.is_one_of(&WITHOUT_DECIMALS) && group.what == What::Group => {
            units_of(&group.text).is_some_and(|inside| split(&inside, ',').len() == 1)
        }
        _ => false,
    };
    !is_cut && floats.has(value)
}
