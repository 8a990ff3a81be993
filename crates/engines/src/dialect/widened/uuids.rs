//! UUIDs in questions, which are texts for DataFusion and a type of their own in some dialects. There they are cast to
//! text, but where they are only shown, counted, grouped or ordered by, or compared for equality with other UUIDs, for
//! which an index may find them.

use std::cell::Cell;

use bakeoff_workload::{ColumnType, Table, uuids};

use super::clauses::Clause;
use super::{DEEPEST, Widening, add_given};
use crate::dialect::sql_dialect::SqlDialect;
use crate::dialect::tokens::Kind;
use crate::dialect::types::operand_before;
use crate::dialect::units::{Unit, What, meaning, next, previous, split, units as units_of};

/// Writes a cast to text around each column of UUIDs with which a question does more than a dialect can with its own
/// type of them.
pub fn as_texts(dialect: SqlDialect, table: &Table, sql: &str) -> Option<String> {
    let cast: fn(&str) -> String = match dialect {
        // Compared byte by byte, as all texts.
        SqlDialect::Postgres => |operand: &str| format!("(CAST({operand} AS TEXT) COLLATE \"C\")"),
        SqlDialect::Duckdb => |operand: &str| format!("CAST({operand} AS VARCHAR)"),
        // These have texts.
        SqlDialect::Datafusion
        | SqlDialect::DuckdbAlone
        | SqlDialect::Spark
        | SqlDialect::Sqlite => return None,
    };
    let columns = table.columns.iter();
    let uuids = columns.filter(|column| column.kind == ColumnType::Uuid);
    let mut names: Vec<&str> = uuids.map(|column| column.name.as_str()).collect();
    if names.is_empty() {
        return None;
    }
    // Nobody knows the type of what a question calls by the same name.
    let mut given = Vec::new();
    add_given(sql, 0, &mut given);
    add_aliases(sql, 0, &mut given);
    names.retain(|name| !given.iter().any(|own| own.eq_ignore_ascii_case(name)));
    let casting = Widening {
        names,
        cast,
        keeps_picked: false,
        keeps_compared: true,
        has_kept: Cell::new(false),
        has_computed: Cell::new(false),
    };
    let text = casting.query(sql, Clause::Shown, 0);
    (text != sql).then_some(text)
}

/// Adds the names behind `AS`, which are types in casts.
fn add_aliases(text: &str, depth: usize, given: &mut Vec<String>) {
    let Some(units) = units_of(text).filter(|_| depth <= DEEPEST) else {
        return;
    };
    for (at, unit) in units.iter().enumerate() {
        if unit.what == What::Group {
            add_aliases(&unit.text, depth + 1, given);
        }
        let name = if unit.is("as") {
            next(&units, at + 1)
        } else {
            None
        };
        if let Some(name) = name.filter(|place| units[*place].is_name()) {
            given.push(units[name].name().to_owned());
        }
    }
}

impl Widening<'_> {
    /// Returns whether the column whose operand has these first and last units is compared for equality, and with
    /// UUIDs alone.
    pub(super) fn is_compared(&self, units: &[Unit], first: usize, last: usize) -> bool {
        self.equals_what_follows(units, first, last)
            || self.equals_what_precedes(units, first, last)
    }

    fn equals_what_follows(&self, units: &[Unit], first: usize, last: usize) -> bool {
        let Some(operator) = next(units, last + 1).filter(|_| begins(units, first)) else {
            return false;
        };
        let Some(second) = next(units, operator + 1) else {
            return false;
        };
        let third = next(units, second + 1);
        let (unit, behind) = (&units[operator], &units[second]);
        if unit.is("in") {
            return self.has_uuids_alone(&units[second]) && ends(units, second + 1);
        }
        if unit.is("not") && behind.is("in") {
            return third
                .is_some_and(|list| self.has_uuids_alone(&units[list]) && ends(units, list + 1));
        }
        let is_unequal =
            unit.is_sign('<') && behind.is_sign('>') || unit.is_sign('!') && behind.is_sign('=');
        let begin = if is_unequal {
            third
        } else {
            unit.is_sign('=').then_some(second)
        };
        let Some(begin) = begin else {
            return false;
        };
        let mut end = begin + 1;
        while let Some(dot) = next(units, end).filter(|place| units[*place].is_sign('.'))
            && let Some(name) = next(units, dot + 1)
        {
            end = name + 1;
        }
        self.is_uuid(&units[begin..end]) && ends(units, end)
    }

    fn equals_what_precedes(&self, units: &[Unit], first: usize, last: usize) -> bool {
        let Some(sign) = previous(units, first).filter(|_| ends(units, last + 1)) else {
            return false;
        };
        let before = previous(units, sign);
        let is_before = |other| before.filter(|before| units[*before].is_sign(other));
        let operator = if units[sign].is_sign('>') {
            is_before('<')
        } else if units[sign].is_sign('=') {
            is_before('!').or(Some(sign))
        } else {
            None
        };
        // What is before that of `<=` or `>=` is no operand.
        let begin =
            operator.and_then(|operator| Some((operand_before(units, operator)?, operator)));
        begin.is_some_and(|(begin, operator)| {
            begins(units, begin) && self.is_uuid(&units[begin..operator])
        })
    }

    /// Returns whether a list or a query between parentheses has UUIDs alone.
    fn has_uuids_alone(&self, list: &Unit) -> bool {
        let Some(inside) = units_of(&list.text).filter(|_| list.what == What::Group) else {
            return false;
        };
        if self.is_query_of_uuids(&inside) {
            return true;
        }
        let mut items = split(&inside, ',').into_iter();
        items.all(|item| self.is_uuid(item))
    }

    /// Returns whether a query selects a column of UUIDs alone, which is left as it is there, too.
    fn is_query_of_uuids(&self, inside: &[Unit]) -> bool {
        let Some(select) = next(inside, 0).filter(|place| inside[*place].is("select")) else {
            return false;
        };
        let distinct = { next(inside, select + 1) }.filter(|place| inside[*place].is("distinct"));
        let begin = distinct.unwrap_or(select) + 1;
        let mut all = inside.iter();
        let is_combined = all.any(|unit| unit.is_one_of(&["union", "intersect", "except"]));
        let from = inside.iter().position(|unit| unit.is("from"));
        let item = from.and_then(|from| inside.get(begin..from));
        !is_combined && item.is_some_and(|item| self.is_name_of_uuids(item))
    }

    /// Returns whether an operand is a UUID: a text of one, a parameter, a column of them or a query of that.
    fn is_uuid(&self, operand: &[Unit]) -> bool {
        match meaning(operand).as_slice() {
            [unit] if unit.is_a(Kind::Parameter) => true,
            [unit] if unit.is_a(Kind::Text) => is_canonical(&unit.text),
            [unit] if unit.what == What::Group => {
                let inside = units_of(&unit.text);
                inside.is_some_and(|inside| self.is_query_of_uuids(&inside))
            }
            _ => self.is_name_of_uuids(operand),
        }
    }

    /// Returns whether an operand is the name of a column of UUIDs, with those of its table and schema or without.
    fn is_name_of_uuids(&self, operand: &[Unit]) -> bool {
        let words = meaning(operand);
        let is_place = |(at, unit): (usize, &&Unit)| match at % 2 {
            0 => unit.is_name(),
            _ => unit.is_sign('.'),
        };
        let is_name = words.iter().enumerate().all(is_place);
        is_name && words.last().is_some_and(|column| self.is_one(column))
    }
}

/// Returns whether nothing before a place binds more closely than a comparison does.
fn begins(units: &[Unit], first: usize) -> bool {
    previous(units, first).is_none_or(|before| units[before].is_a(Kind::Word))
}

/// Returns whether nothing from a place on does.
fn ends(units: &[Unit], from: usize) -> bool {
    let behind = next(units, from).map(|behind| &units[behind]);
    behind.is_none_or(|unit| unit.is_a(Kind::Word) && !unit.is("collate") || unit.is_sign(';'))
}

/// Returns whether a literal is the canonical text of a UUID. Another spelling is another text, although it is the same
/// UUID.
fn is_canonical(literal: &str) -> bool {
    let text = { literal.strip_prefix('\'') }.and_then(|text| text.strip_suffix('\''));
    let uuid = text.and_then(uuids::parsed);
    uuid.is_some_and(|uuid| Some(uuid.to_string().as_str()) == text)
}
