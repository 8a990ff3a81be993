//! Floats of 32 bits in questions. Engines compute with them in 32 or in 64 bits, each in other places, so that sums,
//! products and comparisons would differ in their last digits: every question computes with doubles.
//!
//! A float that is only shown, grouped or ordered by stays what it is. So does the least, the greatest or the newest
//! one, so that engines may answer from their statistics, unless the question computes with such a value as well:
//! DataFusion leaves casts out of names, and would have two aggregates of the same name.
//!
//! UUIDs are texts for DataFusion, and a type of their own elsewhere: with those, too, questions compute as with texts,
//! but where they are only compared with other UUIDs.

mod clauses;
pub mod uuids;

use std::cell::Cell;

use bakeoff_workload::{ColumnType, Table};

use super::floats::{Floats, PICKING};
use super::tokens::Kind;
use super::units::{Unit, What, meaning, next, previous, units as units_of, written};
use clauses::{Clause, clause_behind};

/// Functions whose answers are compared by the range of their values, for which DataFusion is asked for the least and
/// the greatest one in their place.
const PERCENTILES: [&str; 3] = ["percentile", "percentile_cont", "quantile_cont"];
/// Words before parentheses in which a column alone is computed with by nobody: values are counted, or rows are grouped
/// (`GROUPING SETS`) and told apart (`DISTINCT ON`) by it.
const OF_KEYS: [&str; 6] = ["approx_distinct", "count", "cube", "on", "rollup", "sets"];
/// Keywords behind which an expression may begin.
const BEFORE_EXPRESSIONS: [&str; 17] = [
    "all", "and", "between", "by", "case", "distinct", "else", "from", "ilike", "in", "like",
    "not", "on", "or", "select", "then", "when",
];
/// Words behind an item of a list that belong to its order.
const OF_ORDER: [&str; 5] = ["asc", "desc", "first", "last", "nulls"];
/// The keyword before rows that a question has itself.
const VALUES: &str = "values";
/// Types into which some engines bring a float with fewer digits than its double has.
const DECIMALS: [&str; 3] = ["dec", "decimal", "numeric"];
/// Deepest parentheses that are looked into.
const DEEPEST: usize = 64;

/// Writes a cast to double around each column of floats with which a question computes.
pub fn widened(table: &Table, sql: &str) -> Option<String> {
    let columns = table.columns.iter();
    let floats = columns.filter(|column| column.kind == ColumnType::Float);
    let mut names: Vec<&str> = floats.map(|column| column.name.as_str()).collect();
    if names.is_empty() {
        return None;
    }
    // Nobody knows the type of what a question calls by the same name.
    let known = Floats::of(table, sql);
    let mut given = Vec::new();
    add_given(sql, 0, &mut given);
    let is_given = |name: &str| given.iter().any(|own| own.eq_ignore_ascii_case(name));
    names.retain(|name| known.is_certain(name) && !is_given(name));
    let mut widening = Widening {
        names,
        cast: |operand: &str| format!("CAST({operand} AS DOUBLE)"),
        keeps_picked: true,
        keeps_compared: false,
        has_kept: Cell::new(false),
        has_computed: Cell::new(false),
    };
    let mut text = widening.query(sql, Clause::Shown, 0);
    if widening.has_kept.get() && widening.has_computed.get() {
        widening.keeps_picked = false;
        text = widening.query(sql, Clause::Shown, 0);
    }
    (text != sql).then_some(text)
}

/// Adds the names of columns of rows that a question has itself, as small tables are written:
/// `WITH racks(device, heat) AS (VALUES ('a', 1))`.
fn add_given(text: &str, depth: usize, given: &mut Vec<String>) {
    let Some(units) = units_of(text).filter(|_| depth <= DEEPEST) else {
        return;
    };
    let begins = |query: &Unit| {
        let word = query.text.trim_start().get(..VALUES.len());
        query.what == What::Group && word.is_some_and(|word| word.eq_ignore_ascii_case(VALUES))
    };
    for (at, unit) in units.iter().enumerate() {
        if unit.what != What::Group {
            continue;
        }
        add_given(&unit.text, depth + 1, given);
        let rows = { next(&units, at + 1) }.filter(|place| units[*place].is("as"));
        let rows = rows.and_then(|place| next(&units, place + 1));
        if rows.is_some_and(|place| begins(&units[place])) {
            let names = units_of(&unit.text).unwrap_or_default();
            let names = names.iter().filter(|name| name.is_name());
            given.extend(names.map(|name| name.name().to_owned()));
        }
    }
}

/// The columns of floats, or of UUIDs, that a question means by their names.
struct Widening<'t> {
    names: Vec<&'t str>,
    /// Writes the cast of an operand.
    cast: fn(&str) -> String,
    /// Whether values that functions pick stay what they are where they are only shown or ordered by.
    keeps_picked: bool,
    /// Whether a column stays what it is where it is only compared with UUIDs.
    keeps_compared: bool,
    /// Whether some stayed, and whether some were computed with.
    has_kept: Cell<bool>,
    has_computed: Cell<bool>,
}

impl Widening<'_> {
    /// Writes a text that is a query or a part of one, whose first item is in this clause. What it selects is shown
    /// if that clause is.
    fn query(&self, text: &str, first: Clause, depth: usize) -> String {
        let Some(parts) = units_of(text).filter(|_| depth <= DEEPEST) else {
            return text.to_owned();
        };
        let selects = match first {
            Clause::Shown => Clause::Shown,
            _ => Clause::Inner,
        };
        let (mut clause, mut begin, mut out) = (first, 0, String::new());
        for at in 0..parts.len() {
            let Some(behind) = clause_behind(&parts, at, clause, selects) else {
                continue;
            };
            out += &self.item(&parts[begin..at], clause, depth);
            out += &parts[at].text;
            (clause, begin) = (behind, at + 1);
        }
        out + &self.item(&parts[begin..], clause, depth)
    }

    /// Writes what is between two commas or keywords.
    fn item(&self, item: &[Unit], clause: Clause, depth: usize) -> String {
        let stays = match clause {
            Clause::Shown => self.is_column(item) || self.is_column(without_name(item)),
            Clause::Keys => self.is_column(item),
            Clause::Inner => self.is_column(item) && !names_itself(item),
            Clause::Value => false,
            Clause::Other => true,
        };
        let mut units = item.to_vec();
        for at in 0..units.len() {
            if units[at].what == What::Group {
                units[at].text = self.group(&units, at, clause, depth);
            }
        }
        if !stays {
            self.widen(&mut units);
        }
        written(&units)
    }

    /// Writes what is between parentheses in an item of a clause.
    fn group(&self, item: &[Unit], at: usize, clause: Clause, depth: usize) -> String {
        let text = &item[at].text;
        let Some(inside) = units_of(text) else {
            return text.clone();
        };
        let within = |clause| self.query(text, clause, depth + 1);
        let first = next(&inside, 0).map(|place| &inside[place]);
        if first.is_some_and(|first| first.is_one_of(&["select", "with"])) {
            return within(Clause::Inner);
        }
        let Some(before) = previous(item, at) else {
            return within(match clause {
                Clause::Keys | Clause::Other => clause,
                Clause::Shown | Clause::Inner | Clause::Value => Clause::Value,
            });
        };
        let name = &item[before];
        let earlier = previous(item, before).map(|earlier| &item[earlier]);
        let are_names = name.is_one_of(&["except", "exclude", "extract", "using"]);
        if are_names || gives_names(item, name, earlier, at) {
            return text.clone();
        }
        if name.is_one_of(&["cast", "try_cast"]) {
            return self.cast(&inside, depth);
        }
        if name.is("group") && earlier.is_some_and(|unit| unit.is("within")) {
            // Percentiles are interpolated between the values that they are ordered by.
            return self.item(&inside, Clause::Value, depth + 1);
        }
        let picks = name.is_one_of(&PICKING);
        let is_shown = !matches!(clause, Clause::Inner | Clause::Value) && is_picked(item);
        let keeps = picks && is_shown && self.keeps_picked;
        if keeps {
            self.has_kept.set(true);
        } else if picks || name.is_one_of(&PERCENTILES) {
            self.has_computed.set(true);
        }
        within(if name.is_one_of(&OF_KEYS) || keeps {
            Clause::Keys
        } else if clause == Clause::Other || name.is_one_of(&["filter", "over"]) {
            Clause::Other
        } else {
            Clause::Value
        })
    }

    /// Writes what is between the parentheses of a cast, which may be that of a column alone.
    fn cast(&self, inside: &[Unit], depth: usize) -> String {
        let end = inside.iter().rposition(|unit| unit.is("as"));
        let (value, kind) = inside.split_at(end.unwrap_or(inside.len()));
        let is_decimal = next(kind, 1).is_some_and(|place| kind[place].is_one_of(&DECIMALS));
        if self.is_column(value) && !is_decimal {
            return written(inside);
        }
        self.query(&written(value), Clause::Value, depth + 1) + &written(kind)
    }

    /// Returns whether an item is a column of floats alone, with its name and its place in an order, and behind the
    /// columns of `DISTINCT ON`.
    fn is_column(&self, item: &[Unit]) -> bool {
        let mut words = meaning(item);
        if words.len() > 2 && words[0].is("on") {
            words.drain(..2);
        }
        while words.len() > 1 && words.last().is_some_and(|last| last.is_one_of(&OF_ORDER)) {
            words.pop();
        }
        if names_itself(item) {
            words.truncate(words.len().saturating_sub(2));
        }
        match words.as_slice() {
            [column] => self.is_one(column),
            [table, dot, column] => table.is_name() && dot.is_sign('.') && self.is_one(column),
            _ => false,
        }
    }

    fn is_one(&self, unit: &Unit) -> bool {
        let name = unit.name();
        unit.is_name() && self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Writes a cast around each column of floats in an expression.
    fn widen(&self, units: &mut Vec<Unit>) {
        let mut at = 0;
        while at < units.len() {
            let is_float = self.is_one(&units[at]);
            let first = operand(units, at).filter(|_| is_float);
            let first =
                first.filter(|first| !self.keeps_compared || !self.is_compared(units, *first, at));
            if let Some(first) = first {
                let cast = (self.cast)(&written(&units[first..=at]));
                units.splice(first..=at, [Unit::written(cast)]);
                at = first;
            }
            at += 1;
        }
    }
}

/// Returns where the operand begins whose name is at this place, with the names of its table and schema; `None` if it
/// is no operand that is computed with.
fn operand(units: &[Unit], at: usize) -> Option<usize> {
    if next(units, at + 1).is_some_and(|behind| leaves_alone(units, behind)) {
        return None;
    }
    let mut first = at;
    while let Some(dot) = previous(units, first).filter(|dot| units[*dot].is_sign('.')) {
        first = previous(units, dot).filter(|place| units[*place].is_name())?;
    }
    let is_operand = previous(units, first).is_none_or(|before| match units[before].what {
        // The columns of `DISTINCT ON`.
        What::Group => previous(units, before).is_some_and(|place| units[place].is("on")),
        What::Written => false,
        What::Token(Kind::Word) => units[before].is_one_of(&BEFORE_EXPRESSIONS),
        What::Token(Kind::Sign(_)) => true,
        What::Token(_) => false,
    });
    is_operand.then_some(first)
}

/// Returns whether what is at a place says that a name before it is not computed with: it is the name of something
/// else, or is cast or asked for nulls.
fn leaves_alone(units: &[Unit], at: usize) -> bool {
    let unit = &units[at];
    let is_colon = |place: usize| units.get(place).is_some_and(|unit| unit.is_sign(':'));
    let is_cast = is_colon(at) && is_colon(at + 1);
    let is_decimal = || next(units, at + 2).is_some_and(|place| units[place].is_one_of(&DECIMALS));
    let is_group = |place: usize| units[place].what == What::Group;
    let names_query = unit.is("as") && next(units, at + 1).is_some_and(is_group);
    unit.what == What::Group
        || unit.is_sign('.')
        || unit.is_a(Kind::Text)
        || names_query
        || is_cast && !is_decimal()
        || is_null_test(units, at)
}

/// Returns whether `IS NULL` or `IS NOT NULL` is at a place.
fn is_null_test(units: &[Unit], at: usize) -> bool {
    let word = |at: usize, word: &str| next(units, at).filter(|place| units[*place].is(word));
    let Some(is) = word(at, "is") else {
        return false;
    };
    let behind = word(is + 1, "not").unwrap_or(is);
    word(behind + 1, "null").is_some()
}

/// Returns whether an item gives itself a name.
fn names_itself(item: &[Unit]) -> bool {
    matches!(meaning(item).as_slice(), [.., word, _] if word.is("as"))
}

/// Returns an item without the name that it gives itself without `AS`.
fn without_name(item: &[Unit]) -> &[Unit] {
    match previous(item, item.len()) {
        Some(last) if item[last].is_name() => &item[..last],
        _ => item,
    }
}

/// Returns whether what is between parentheses at a place names columns, as behind the name that a query is given.
fn gives_names(item: &[Unit], name: &Unit, earlier: Option<&Unit>, at: usize) -> bool {
    let is_given = earlier.is_some_and(|unit| unit.is_one_of(&["as", "recursive", "with"]));
    let query = { next(item, at + 1) }.filter(|place| item[*place].is("as"));
    let query = query.and_then(|place| next(item, place + 1));
    let is_before_query = query.is_some_and(|place| item[place].what == What::Group);
    name.is_name() && (is_given || is_before_query)
}

/// Returns whether an item is nothing but the call of a function that picks one of the values of its argument.
fn is_picked(item: &[Unit]) -> bool {
    let words = meaning(item);
    let [function, arguments, rest @ ..] = words.as_slice() else {
        return false;
    };
    let is_of_call = |unit: &&Unit| unit.what == What::Group || unit.is_name();
    function.is_one_of(&PICKING) && arguments.what == What::Group && rest.iter().all(is_of_call)
}

#[cfg(test)]
mod tests;
