//! The parts of a query, by the keywords before them.

use crate::dialect::tokens::Kind;
use crate::dialect::units::{Unit, next, previous};

/// The part of a query in which an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clause {
    /// What the whole question shows.
    Shown,
    /// What a query within it shows, with whose names others compute.
    Inner,
    /// What rows are grouped or ordered by, or the arguments of a function that picks or counts values.
    Keys,
    /// An expression, or a condition.
    Value,
    /// Tables, which have no columns by name, or anything else in which there is nothing to compute.
    Other,
}

/// Returns the clause that begins behind a unit, if one does: at a comma it is the same one again.
pub fn clause_behind(units: &[Unit], at: usize, clause: Clause, selects: Clause) -> Option<Clause> {
    let unit = &units[at];
    let before = previous(units, at).map(|before| &units[before]);
    let follows = |words: &[&str]| before.is_some_and(|before| before.is_one_of(words));
    if unit.is_sign(',') {
        return Some(clause);
    }
    if unit.is("select") {
        return Some(selects);
    }
    if unit.is("distinct") && !follows(&["is", "not"]) || unit.is("all") && follows(&["select"]) {
        return Some(clause);
    }
    if unit.is_one_of(&["where", "having", "qualify"]) || unit.is("on") && !follows(&["distinct"]) {
        return Some(Clause::Value);
    }
    if unit.is("by") && follows(&["group", "order", "partition"]) {
        return Some(Clause::Keys);
    }
    let is_of_all = before.is_some_and(|before| before.is_sign('*'));
    let is_other = unit.is_one_of(&["join", "union", "intersect"])
        || unit.is("except") && !is_of_all
        || unit.is("from") && !follows(&["distinct"])
        || unit.is_one_of(&["group", "order", "partition"]) && is_before(units, at, "by")
        || unit.is_one_of(&["limit", "offset"]) && is_before_number(units, at);
    is_other.then_some(Clause::Other)
}

fn is_before(units: &[Unit], at: usize, word: &str) -> bool {
    next(units, at + 1).is_some_and(|place| units[place].is(word))
}

fn is_before_number(units: &[Unit], at: usize) -> bool {
    next(units, at + 1)
        .is_some_and(|place| units[place].is_a(Kind::Number) || units[place].is_a(Kind::Parameter))
}
