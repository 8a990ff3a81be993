//! Calls of functions in SQL.

use super::tokens::Kind;
use super::units::{Unit, What, find, follow, next, previous, split, trimmed, units, written};

/// A call of a function, with the clauses that belong to it.
pub struct Call {
    /// The name in lower case.
    pub name: String,
    /// What is between the parentheses.
    pub inside: Vec<Unit>,
    /// What is between the parentheses of `WITHIN GROUP`.
    pub within: Option<Vec<Unit>>,
    /// The clause `FILTER (...)` with a space before it, or nothing.
    pub filter: String,
    /// Whether it is called over a window.
    pub is_window: bool,
    /// What follows the parentheses, up to the end of the last of these clauses.
    clauses: String,
}

impl Call {
    /// Finds the call that begins at a place, and the place behind it.
    pub fn at(all: &[Unit], place: usize) -> Option<(Call, usize)> {
        let name = all.get(place).filter(|unit| unit.is_a(Kind::Word))?;
        // What is in a schema is not a function of the dialect, and a name that is given here calls nothing.
        let before = previous(all, place).map(|before| &all[before]);
        if before
            .is_some_and(|unit| unit.is_sign('.') || unit.is_one_of(&["as", "with", "recursive"]))
        {
            return None;
        }
        let (inside, arguments_end) = group(all, place + 1)?;
        let mut end = arguments_end;
        let mut within = None;
        let mut filter = String::new();
        if let Some((units, behind)) = clause(all, end, &["within", "group"]) {
            within = Some(units);
            end = behind;
        }
        if let Some((units, behind)) = clause(all, end, &["filter"]) {
            filter = format!(" FILTER ({})", written(&units));
            end = behind;
        }
        let over = next(all, end).map(|place| &all[place]);
        let call = Call {
            name: name.text.to_ascii_lowercase(),
            inside,
            within,
            filter,
            is_window: over.is_some_and(|unit| unit.is_one_of(&["over", "ignore", "respect"])),
            clauses: written(&all[arguments_end..end]),
        };
        Some((call, end))
    }

    /// Returns the arguments.
    pub fn arguments(&self) -> Vec<String> {
        if next(&self.inside, 0).is_none() {
            return Vec::new();
        }
        let arguments = split(&self.inside, ',');
        arguments.into_iter().map(trimmed).collect()
    }

    /// Returns the arguments if there are exactly so many.
    pub fn exactly<const N: usize>(&self) -> Option<[String; N]> {
        self.arguments().try_into().ok()
    }

    /// Returns whether different values count only once.
    pub fn is_distinct(&self) -> bool {
        next(&self.inside, 0).is_some_and(|first| self.inside[first].is("distinct"))
    }

    /// Returns the only argument and its order, as in `last_value(value ORDER BY time)`.
    pub fn ordered(&self) -> Option<(String, &[Unit])> {
        let (place, behind) = find(&self.inside, 0, &["order", "by"])?;
        Some((trimmed(&self.inside[..place]), &self.inside[behind..]))
    }

    /// Returns the call of another function with the same arguments and clauses.
    pub fn renamed(&self, name: &str) -> String {
        format!("{name}({}){}", written(&self.inside), self.clauses)
    }
}

/// Returns what is in the parentheses that come next, and the place behind them.
fn group(all: &[Unit], from: usize) -> Option<(Vec<Unit>, usize)> {
    let place = next(all, from)?;
    let group = &all[place];
    let inside = (group.what == What::Group).then(|| units(&group.text))??;
    Some((inside, place + 1))
}

/// Returns what is in the parentheses of a clause that comes next, and the place behind it.
fn clause(all: &[Unit], from: usize, keywords: &[&str]) -> Option<(Vec<Unit>, usize)> {
    let behind = follow(all, next(all, from)?, keywords)?;
    group(all, behind)
}
