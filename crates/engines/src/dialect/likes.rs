//! `LIKE` and `ILIKE`. In DataFusion, as in PostgreSQL, `LIKE` tells capitals from other letters and a backslash makes
//! the character behind it an ordinary one. DuckDB and SQLite have no such sign unless they are told, SQLite ignores
//! capitals, and Spark refuses a backslash before other characters than `%`, `_` and itself.

use super::sql_dialect::SqlDialect;
use super::tokens::Kind;
use super::units::{Unit, What, meaning, next, previous, trimmed, units as units_of};

/// Words that end a pattern.
const END_WORDS: [&str; 38] = [
    "all",
    "and",
    "any",
    "as",
    "asc",
    "between",
    "cross",
    "desc",
    "else",
    "end",
    "escape",
    "except",
    "fetch",
    "from",
    "full",
    "group",
    "having",
    "in",
    "inner",
    "intersect",
    "is",
    "join",
    "left",
    "limit",
    "natural",
    "not",
    "nulls",
    "offset",
    "on",
    "or",
    "order",
    "right",
    "some",
    "then",
    "union",
    "when",
    "where",
    "window",
];
/// Signs that end a pattern.
const END_SIGNS: [char; 6] = [',', ';', '=', '<', '>', '!'];
/// Words of clauses that a call in a pattern may have.
const CLAUSES: [&str; 3] = ["filter", "over", "within"];
/// The clause that makes a backslash the sign before ordinary characters.
const BY_BACKSLASH: &str = " ESCAPE '\\'";

/// Where a pattern is, and the clause that follows it.
struct Pattern {
    begin: usize,
    end: usize,
    /// The place behind the clause `ESCAPE '\'`, if there is one.
    clause_end: Option<usize>,
}

/// Writes each `LIKE` and `ILIKE` for a dialect.
pub fn likes(dialect: SqlDialect, units: &mut Vec<Unit>) {
    for at in (0..units.len()).rev() {
        let is_like = units[at].is("like");
        let pattern = if is_like || units[at].is("ilike") {
            pattern_at(units, at + 1)
        } else {
            None
        };
        let Some(pattern) = pattern else { continue };
        match dialect {
            SqlDialect::Duckdb | SqlDialect::DuckdbAlone => with_escapes(units, &pattern, false),
            SqlDialect::Spark => for_spark(units, &pattern),
            SqlDialect::Sqlite if is_like => {
                for_sqlite(units, &pattern);
                units[at].text = "GLOB".to_owned();
            }
            SqlDialect::Sqlite => {
                with_escapes(units, &pattern, true);
                units[at].text = "LIKE".to_owned();
            }
            SqlDialect::Datafusion | SqlDialect::Postgres => {}
        }
    }
}

/// Finds the pattern that begins at a place. Returns `None` if there is none, or if it has another sign than the
/// backslash, which DataFusion refuses.
fn pattern_at(units: &[Unit], from: usize) -> Option<Pattern> {
    let begin = next(units, from)?;
    let stop = stop_of(units, begin);
    let end = previous(units, stop)? + 1;
    if end <= begin {
        return None;
    }
    let has_clause = units.get(stop).is_some_and(|unit| unit.is("escape"));
    if !has_clause {
        return Some(Pattern {
            begin,
            end,
            clause_end: None,
        });
    }
    let sign = next(units, stop + 1).filter(|sign| units[*sign].text == "'\\'")?;
    Some(Pattern {
        begin,
        end,
        clause_end: Some(sign + 1),
    })
}

/// Returns the place of the first unit from `begin` on that is no part of a pattern.
fn stop_of(units: &[Unit], begin: usize) -> usize {
    let (mut at, mut last): (usize, Option<&Unit>) = (begin, None);
    while let Some(place) = next(units, at) {
        let unit = &units[place];
        if unit.is("case")
            && let Some(end) = end_of_case(units, place)
        {
            (at, last) = (end + 1, Some(&units[end]));
            continue;
        }
        let is_clause = last.is_some_and(|last| match last.what {
            What::Group => unit.is_one_of(&CLAUSES),
            _ => last.is("within") && unit.is("group"),
        });
        // A name without AS may follow.
        let is_other_name = unit.is_name() && !is_clause && last.is_some_and(is_operand);
        let is_end = unit.is_one_of(&END_WORDS) && !is_clause;
        if is_other_name || is_end || END_SIGNS.iter().any(|sign| unit.is_sign(*sign)) {
            return place;
        }
        (at, last) = (place + 1, Some(unit));
    }
    units.len()
}

/// Returns whether an operand may end with this, but for the words of clauses.
fn is_operand(unit: &Unit) -> bool {
    let is_value = matches!(unit.what, What::Group | What::Written)
        || unit.is_a(Kind::Text)
        || unit.is_a(Kind::Number)
        || unit.is_a(Kind::Parameter);
    is_value || (unit.is_name() && !unit.is_one_of(&CLAUSES))
}

/// Returns where the `END` of the `CASE` at a place is.
fn end_of_case(units: &[Unit], case: usize) -> Option<usize> {
    let mut open = 0_usize;
    for (place, unit) in units.iter().enumerate().skip(case) {
        if unit.is("case") {
            open += 1;
        } else if unit.is("end") {
            open -= 1;
            if open == 0 {
                return Some(place);
            }
        }
    }
    None
}

/// Returns what is between the quotes of a pattern that is a plain text, maybe in parentheses.
fn inside(pattern: &[Unit]) -> Option<String> {
    let text = |units: &[Unit]| match meaning(units).as_slice() {
        [only] if only.is_a(Kind::Text) => Some(only.text.clone()),
        _ => None,
    };
    let text = match meaning(pattern).as_slice() {
        [group] if group.what == What::Group => text(&units_of(&group.text)?),
        _ => text(pattern),
    }?;
    let inside = text.strip_prefix('\'')?.strip_suffix('\'')?;
    Some(inside.to_owned())
}

/// Says that the backslash is a sign, where a pattern has any, or, if `or_unknown`, may have.
fn with_escapes(units: &mut Vec<Unit>, pattern: &Pattern, or_unknown: bool) {
    let own = &units[pattern.begin..pattern.end];
    let is_unknown = or_unknown && inside(own).is_none();
    let has_backslash = own.iter().any(|unit| unit.text.contains('\\'));
    if pattern.clause_end.is_none() && (is_unknown || has_backslash) {
        units.insert(pattern.end, Unit::written(BY_BACKSLASH.to_owned()));
    }
}

/// Leaves out a backslash before other characters, and the clause, whose text would have no end in Spark.
fn for_spark(units: &mut Vec<Unit>, pattern: &Pattern) {
    if let Some(clause_end) = pattern.clause_end {
        units.drain(pattern.end..clause_end);
    }
    let own = &units[pattern.begin..pattern.end];
    let is_text = matches!(meaning(own).as_slice(), [only] if only.is_a(Kind::Text));
    let text = inside(own).filter(|text| is_text && text.contains('\\'));
    let Some(text) = text else { return };
    let mut other = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let (escaped, is_escape) = match character {
            '\\' => (characters.next().unwrap_or('\\'), true),
            character => (character, false),
        };
        if is_escape && matches!(escaped, '%' | '_' | '\\') {
            other.push('\\');
        }
        other.push(escaped);
    }
    let text = Unit {
        what: What::Token(Kind::Text),
        text: format!("'{other}'"),
    };
    units.splice(pattern.begin..pattern.end, [text]);
}

/// Writes a pattern for `GLOB`, which tells capitals from other letters. A backslash in one that is no plain text is an
/// ordinary character there.
fn for_sqlite(units: &mut Vec<Unit>, pattern: &Pattern) {
    let own = &units[pattern.begin..pattern.end];
    let other = match inside(own) {
        Some(text) => format!("'{}'", globbed(&text)),
        None => {
            let steps = [
                ('[', "[[]"),
                ('*', "[*]"),
                ('?', "[?]"),
                ('%', "*"),
                ('_', "?"),
            ];
            let own = trimmed(own);
            { steps.iter() }.fold(own, |text, (sign, other)| {
                format!("replace({text}, '{sign}', '{other}')")
            })
        }
    };
    let end = pattern.clause_end.unwrap_or(pattern.end);
    units.splice(pattern.begin..end, [Unit::written(other)]);
}

/// Returns the pattern of `GLOB` that means the same as one of `LIKE`.
fn globbed(pattern: &str) -> String {
    let mut other = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        let ordinary = match character {
            '%' => {
                other.push('*');
                continue;
            }
            '_' => {
                other.push('?');
                continue;
            }
            '\\' => characters.next().unwrap_or('\\'),
            character => character,
        };
        if matches!(ordinary, '*' | '?' | '[') {
            other.extend(['[', ordinary, ']']);
        } else {
            other.push(ordinary);
        }
    }
    other
}
