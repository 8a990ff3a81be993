//! Division of whole numbers, whose result is whole for DataFusion. For Spark and DuckDB itself it is not, and not for
//! PostgreSQL where one of them is a sum or a part of a time.

use bakeoff_workload::{ColumnType, Table};

use super::tokens::Kind;
use super::types::operand_before;
use super::units::{Unit, What, find, next, previous, split, units as units_of, written};

/// Aggregates that return the type of their argument.
const SAME_TYPE: [&str; 6] = ["sum", "min", "max", "abs", "coalesce", "nullif"];
/// Functions whose results are whole numbers.
const WHOLE: [&str; 7] = [
    "count",
    "length",
    "row_number",
    "char_length",
    "instr",
    "strpos",
    "unix_timestamp",
];
/// Functions of parts of times, whose results are whole numbers except for `epoch`.
const PARTS: [&str; 2] = ["extract", "date_part"];
/// Beginnings of what rules write for functions whose results are whole numbers.
const WRITTEN_WHOLE: [&str; 2] = ["trunc(", "floor(extract("];
/// Types of whole numbers.
const WHOLE_TYPES: [&str; 4] = ["int", "integer", "bigint", "smallint"];
/// Deepest parentheses in operands that are looked at.
const DEEPEST: usize = 16;

/// Returns a table without the columns whose names SQL also gives to what is not certain to be a whole number, since
/// nobody knows which of both is divided.
pub fn certain(table: &Table, sql: &str) -> Table {
    let mut certain = table.clone();
    leave_out(table, &mut certain, sql, 0);
    certain
}

fn leave_out(table: &Table, certain: &mut Table, text: &str, depth: usize) {
    let Some(units) = units_of(text).filter(|_| depth <= DEEPEST) else {
        return;
    };
    for (at, unit) in units.iter().enumerate() {
        if unit.what == What::Group {
            leave_out(table, certain, &unit.text, depth + 1);
        }
        let given = if unit.is("as") {
            next(&units, at + 1)
        } else {
            None
        };
        if let Some(given) = given.filter(|place| units[*place].is_name())
            && !is_whole_item(table, &units, at)
        {
            let name = units[given].name();
            certain
                .columns
                .retain(|own| !own.name.eq_ignore_ascii_case(name));
        }
    }
}

/// Returns whether what a SELECT lists before a place is certain to be a whole number.
fn is_whole_item(table: &Table, units: &[Unit], end: usize) -> bool {
    let Some(begin) = product_before(units, end) else {
        return false;
    };
    let is_begin =
        |place: usize| units[place].is_sign(',') || units[place].is_one_of(&["select", "distinct"]);
    previous(units, begin).is_none_or(is_begin) && is_whole_before(table, units, end)
}

/// Writes another operator for each division whose operands are certain to be whole numbers.
pub fn whole(table: &Table, units: &mut [Unit], operator: &str) {
    for at in 0..units.len() {
        if !units[at].is_sign('/') {
            continue;
        }
        let divides_whole = is_whole_before(table, units, at) && is_whole_after(table, units, at);
        if divides_whole {
            let is_blank = |place: Option<usize>| {
                place
                    .and_then(|place| units.get(place))
                    .is_some_and(|unit| unit.is_a(Kind::Blank))
            };
            let before = if is_blank(at.checked_sub(1)) { "" } else { " " };
            let behind = if is_blank(Some(at + 1)) { "" } else { " " };
            units[at] = Unit {
                what: What::Token(Kind::Word),
                text: format!("{before}{operator}{behind}"),
            };
        }
    }
}

/// Cuts off the decimals of each division of whole numbers that PostgreSQL has as numbers with decimals.
pub fn cut(table: &Table, units: &mut Vec<Unit>) {
    let mut at = 0;
    while at < units.len() {
        let is_whole = units[at].is_sign('/')
            && is_whole_before(table, units, at)
            && is_whole_after(table, units, at);
        let operands = is_whole.then(|| {
            let begin = product_before(units, at)?;
            Some((begin, clauses_after(units, operand_after(units, at)?)))
        });
        if let Some((begin, end)) = operands.flatten()
            && has_decimals(&units[begin..end], 0)
        {
            let text = format!("trunc({})", written(&units[begin..end]));
            units.splice(begin..end, [Unit::written(text)]);
            at = begin;
        }
        at += 1;
    }
}

/// Returns whether a function is called whose results have decimals for PostgreSQL.
fn has_decimals(units: &[Unit], depth: usize) -> bool {
    let mut units = units.iter().filter(|_| depth <= DEEPEST);
    units.any(|unit| match unit.what {
        What::Group | What::Written => {
            units_of(&unit.text).is_some_and(|inside| has_decimals(&inside, depth + 1))
        }
        What::Token(_) => unit.is("sum") || unit.is_one_of(&PARTS),
    })
}

/// Returns where all that is multiplied and divided to the left of an operator begins.
fn product_before(units: &[Unit], at: usize) -> Option<usize> {
    let begin = operand_before(units, at)?;
    match previous(units, begin) {
        Some(place) if is_operator(&units[place]) => product_before(units, place),
        _ => Some(begin),
    }
}

/// Returns the place behind the clauses of a call that ends before a place.
fn clauses_after(units: &[Unit], end: usize) -> usize {
    let clause = next(units, end).filter(|place| units[*place].is_one_of(&["filter", "over"]));
    match clause.and_then(|place| next(units, place + 1)) {
        Some(last) => clauses_after(units, last + 1),
        None => end,
    }
}

fn is_operator(unit: &Unit) -> bool {
    let is_written = matches!(unit.text.trim(), "div" | "//");
    unit.is_sign('*') || unit.is_sign('/') || unit.is_sign('%') || is_written
}

/// Returns whether all that is multiplied and divided to the left of a division is whole.
fn is_whole_before(table: &Table, units: &[Unit], at: usize) -> bool {
    let Some(begin) = operand_before(units, at) else {
        return false;
    };
    let is_whole = is_whole_operand(table, &units[begin..at], 0);
    match previous(units, begin) {
        Some(place) if is_operator(&units[place]) => {
            is_whole && is_whole_before(table, units, place)
        }
        _ => is_whole,
    }
}

/// Returns whether the operand to the right of a division is whole.
fn is_whole_after(table: &Table, units: &[Unit], at: usize) -> bool {
    operand_after(units, at).is_some_and(|end| {
        // A cast of it comes first.
        let is_cast = next(units, end).is_some_and(|place| units[place].is_sign(':'));
        !is_cast && is_whole_operand(table, &units[at + 1..end], 0)
    })
}

/// Returns the place behind the operand to the right of an operator.
fn operand_after(units: &[Unit], at: usize) -> Option<usize> {
    let mut last = next(units, at + 1)?;
    // Names of tables, and the parentheses of a call.
    while let Some(place) = next(units, last + 1)
        && (units[place].is_sign('.')
            || units[last].is_sign('.')
            || units[last].is_name() && units[place].what == What::Group)
    {
        last = place;
    }
    Some(last + 1)
}

/// Returns whether an operand is certain to be a whole number.
fn is_whole_operand(table: &Table, units: &[Unit], depth: usize) -> bool {
    let words: Vec<&Unit> = units.iter().filter(|unit| !unit.is_space()).collect();
    match words.as_slice() {
        _ if depth > DEEPEST => false,
        [number] if number.is_a(Kind::Number) => number.text.chars().all(|c| c.is_ascii_digit()),
        [group] if group.what == What::Group => is_whole_expression(table, &group.text, depth),
        [rule] if rule.what == What::Written => {
            WRITTEN_WHOLE
                .iter()
                .any(|begin| rule.text.starts_with(begin))
                || units_of(&rule.text)
                    .is_some_and(|units| is_whole_operand(table, &units, depth + 1))
        }
        [column] if column.is_name() => is_whole_column(table, column),
        [_, dot, column] | [_, _, _, dot, column]
            if words[1].is_sign('.') && dot.is_sign('.') && column.is_name() =>
        {
            is_whole_column(table, column)
        }
        [name, group, ..] if name.is_a(Kind::Word) && group.what == What::Group => {
            let name = name.text.to_ascii_lowercase();
            match name.as_str() {
                "cast" => is_cast_to_whole(&group.text),
                name if WHOLE.contains(&name) => true,
                name if PARTS.contains(&name) => !group.text.to_ascii_lowercase().contains("epoch"),
                name if SAME_TYPE.contains(&name) => arguments_are_whole(table, &group.text, depth),
                _ => false,
            }
        }
        _ => false,
    }
}

fn is_whole_column(table: &Table, column: &Unit) -> bool {
    let column = { table.columns.iter() }.find(|own| own.name.eq_ignore_ascii_case(column.name()));
    column.is_some_and(|own| matches!(own.kind, ColumnType::Int | ColumnType::Bigint))
}

fn arguments_are_whole(table: &Table, text: &str, depth: usize) -> bool {
    units_of(text).is_some_and(|units| {
        let mut arguments = split(&units, ',').into_iter();
        arguments.all(|argument| is_whole_operand(table, argument, depth + 1))
    })
}

/// Returns whether all operands of sums, products and the like are whole.
fn is_whole_expression(table: &Table, text: &str, depth: usize) -> bool {
    let Some(units) = units_of(text) else {
        return false;
    };
    let mut operands =
        units.split(|unit| is_operator(unit) || unit.is_sign('+') || unit.is_sign('-'));
    operands.all(|operand| is_whole_operand(table, operand, depth + 1))
}

fn is_cast_to_whole(text: &str) -> bool {
    let Some(units) = units_of(text) else {
        return false;
    };
    let kind = find(&units, 0, &["as"]).and_then(|(_, behind)| next(&units, behind));
    kind.is_some_and(|place| {
        units[place].is_one_of(&WHOLE_TYPES) && next(&units, place + 1).is_none()
    })
}
