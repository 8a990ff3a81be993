//! Casts, and the names of types.

use super::call::Call;
use super::sql_dialect::SqlDialect;
use super::tokens::Kind;
use super::units::{Unit, What, find, next, previous, trimmed, written};

/// Keywords before parentheses that call nothing.
pub const KEYWORDS: [&str; 32] = [
    "all",
    "and",
    "any",
    "as",
    "between",
    "by",
    "case",
    "distinct",
    "else",
    "except",
    "exists",
    "from",
    "having",
    "ilike",
    "in",
    "intersect",
    "interval",
    "is",
    "join",
    "lateral",
    "like",
    "limit",
    "not",
    "on",
    "or",
    "over",
    "select",
    "then",
    "union",
    "values",
    "when",
    "where",
];
/// Types whose literals are this word and a text.
const TYPED: [&str; 4] = ["timestamp", "date", "time", "interval"];

/// Writes a cast, such as `CAST(value AS DOUBLE)`, if its type has another name.
pub fn cast(dialect: SqlDialect, call: &Call) -> Result<Option<String>, String> {
    if call.name == "try_cast" && matches!(dialect, SqlDialect::Postgres | SqlDialect::Sqlite) {
        return Err("has no `try_cast`".to_owned());
    }
    // The last AS is that of the cast.
    let (mut found, mut from) = (None, 0);
    while let Some((_, behind)) = find(&call.inside, from, &["as"]) {
        found = Some(behind);
        from = behind;
    }
    let Some(behind) = found else {
        return Ok(None);
    };
    let Some((begin, end)) = next(&call.inside, behind).and_then(|at| type_at(&call.inside, at))
    else {
        return Ok(None);
    };
    let Some(name) = name_of(dialect, &call.inside[begin..end])? else {
        return Ok(None);
    };
    let mut units = call.inside.clone();
    units.splice(begin..end, [Unit::written(name)]);
    Ok(Some(format!("{}({})", call.name, written(&units))))
}

/// Writes casts such as `value::double`, where the type has another name or the dialect has no such casts.
pub fn double_colons(dialect: SqlDialect, units: &mut Vec<Unit>) -> Result<(), String> {
    let has_colons = !matches!(dialect, SqlDialect::Spark | SqlDialect::Sqlite);
    let mut at = 0;
    while at + 1 < units.len() {
        if !(units[at].is_sign(':') && units[at + 1].is_sign(':')) {
            at += 1;
            continue;
        }
        let kind = next(units, at + 2).and_then(|place| type_at(units, place));
        let (Some((begin, end)), Some(first)) = (kind, operand_before(units, at)) else {
            at += 2;
            continue;
        };
        let renamed = name_of(dialect, &units[begin..end])?;
        let name = renamed
            .clone()
            .unwrap_or_else(|| trimmed(&units[begin..end]));
        if !has_colons {
            let cast = format!("CAST({} AS {name})", trimmed(&units[first..at]));
            units.splice(first..end, [Unit::written(cast)]);
            at = first;
        } else if renamed.is_some() {
            units.splice(begin..end, [Unit::written(name)]);
        }
        at += 1;
    }
    Ok(())
}

/// Returns where the type begins and ends that a name at this place begins.
fn type_at(units: &[Unit], begin: usize) -> Option<(usize, usize)> {
    let name = units.get(begin).filter(|unit| unit.is_a(Kind::Word))?;
    let mut end = begin + 1;
    let further: &[&str] = match name.text.to_ascii_lowercase().as_str() {
        "double" => &["precision"],
        "character" => &["varying"],
        "timestamp" | "time" => &["without", "with", "time", "zone"],
        _ => &[],
    };
    while let Some(place) = next(units, end).filter(|place| units[*place].is_one_of(further)) {
        end = place + 1;
    }
    if let Some(place) = next(units, end).filter(|place| units[*place].what == What::Group) {
        end = place + 1;
    }
    Some((begin, end))
}

/// Returns the name that a type has in a dialect, or `None` if it is the same.
fn name_of(dialect: SqlDialect, kind: &[Unit]) -> Result<Option<String>, String> {
    let words: Vec<String> = { kind.iter().filter(|unit| !unit.is_space()) }
        .map(|unit| unit.text.to_ascii_lowercase())
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let name = match (dialect, words.as_slice()) {
        (SqlDialect::Postgres, ["double"]) => "double precision",
        // Of four bytes.
        (SqlDialect::Postgres, ["float"]) => "real",
        (SqlDialect::Postgres | SqlDialect::Sqlite, ["string"]) => "text",
        (SqlDialect::Postgres, ["tinyint"]) => "smallint",
        (SqlDialect::Postgres, ["datetime"]) => "timestamp",
        (SqlDialect::Spark, ["text" | "varchar" | "char" | "character"]) => "string",
        (SqlDialect::Spark, ["character", "varying"]) => "string",
        (SqlDialect::Spark, ["bytea"]) => "binary",
        (SqlDialect::Sqlite, [name @ ("timestamp" | "date" | "time" | "boolean"), ..]) => {
            return Err(format!("has no type `{name}` that values can be cast to"));
        }
        _ => return Ok(None),
    };
    Ok(Some(name.to_owned()))
}

/// Returns where the operand begins that ends before this place, as far as binding as closely as a cast goes.
pub fn operand_before(units: &[Unit], end: usize) -> Option<usize> {
    let last = previous(units, end)?;
    let before = |place: usize| previous(units, place).map(|place| (place, &units[place]));
    let mut begin = match units[last].what {
        What::Written => return Some(last),
        What::Group => match before(last) {
            // Clauses of a call.
            Some((place, unit)) if unit.is_one_of(&["filter", "over"]) => {
                return operand_before(units, place);
            }
            Some((place, unit)) if unit.is("group") => {
                return before(place)
                    .filter(|(_, unit)| unit.is("within"))
                    .and_then(|(within, _)| operand_before(units, within));
            }
            Some((place, unit)) if unit.is_a(Kind::Word) && !unit.is_one_of(&KEYWORDS) => place,
            _ => return Some(last),
        },
        What::Token(Kind::Text) => {
            return Some(match before(last) {
                Some((place, unit)) if unit.is_one_of(&TYPED) => place,
                _ => last,
            });
        }
        What::Token(Kind::Number | Kind::Parameter) => return Some(last),
        What::Token(Kind::Word) if units[last].is("end") => return case_before(units, last),
        What::Token(Kind::Word | Kind::Name) => last,
        What::Token(_) => return None,
    };
    // The names of its table and schema.
    while let Some((dot, _)) = before(begin).filter(|(_, unit)| unit.is_sign('.'))
        && let Some((name, _)) = before(dot).filter(|(_, unit)| unit.is_name())
    {
        begin = name;
    }
    match before(begin) {
        // The name of a window.
        Some((place, unit)) if unit.is("over") => operand_before(units, place),
        _ => Some(begin),
    }
}

/// Returns where the `CASE` begins whose `END` is at this place.
fn case_before(units: &[Unit], end: usize) -> Option<usize> {
    let mut open = 0_usize;
    for (place, unit) in units[..=end].iter().enumerate().rev() {
        if unit.is("end") {
            open += 1;
        } else if unit.is("case") {
            open = open.checked_sub(1)?;
            if open == 0 {
                return Some(place);
            }
        }
    }
    None
}
