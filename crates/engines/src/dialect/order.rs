//! What an `ORDER BY` orders by.

use super::units::{Unit, meaning, previous, split, trimmed};

/// One of the expressions that an `ORDER BY` lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub expression: String,
    pub is_descending: bool,
    /// Whether nulls are said to come first; `None` where nothing is said.
    pub nulls_first: Option<bool>,
}

impl Key {
    /// Reads the list behind `ORDER BY`.
    pub fn list(units: &[Unit]) -> Vec<Key> {
        split(units, ',').into_iter().map(Key::read).collect()
    }

    fn read(units: &[Unit]) -> Key {
        let (units, nulls_first) = without_nulls(units);
        let last = previous(units, units.len()).map(|last| (last, &units[last]));
        let (end, is_descending) = match last {
            Some((last, unit)) if unit.is_one_of(&["asc", "desc"]) => (last, unit.is("desc")),
            _ => (units.len(), false),
        };
        Key {
            expression: trimmed(&units[..end]),
            is_descending,
            nulls_first,
        }
    }

    /// Returns the key by which rows are in the opposite order.
    pub fn reversed(&self) -> Key {
        Key {
            expression: self.expression.clone(),
            is_descending: !self.is_descending,
            nulls_first: self.nulls_first.map(|first| !first),
        }
    }

    /// Writes what follows the expression.
    pub fn direction(&self) -> String {
        let direction = if self.is_descending { " DESC" } else { "" };
        let nulls = match self.nulls_first {
            Some(true) => " NULLS FIRST",
            Some(false) => " NULLS LAST",
            None => "",
        };
        format!("{direction}{nulls}")
    }

    /// Writes the key.
    pub fn written(&self) -> String {
        format!("{}{}", self.expression, self.direction())
    }
}

/// Writes a list of keys.
pub fn written(keys: &[Key]) -> String {
    let keys: Vec<String> = keys.iter().map(Key::written).collect();
    keys.join(", ")
}

/// Splits off `NULLS FIRST` or `NULLS LAST`.
fn without_nulls(units: &[Unit]) -> (&[Unit], Option<bool>) {
    let words = meaning(units);
    let [.., nulls, last] = words.as_slice() else {
        return (units, None);
    };
    if !(nulls.is("nulls") && last.is_one_of(&["first", "last"])) {
        return (units, None);
    }
    let last_place = previous(units, units.len());
    let begin = last_place.and_then(|place| previous(units, place));
    (&units[..begin.unwrap_or(0)], Some(last.is("first")))
}

#[cfg(test)]
mod tests {
    use super::super::units::units;
    use super::*;

    #[test]
    fn keys_are_read_and_reversed() {
        for (list, reversed) in [
            ("a", "a DESC"),
            ("a ASC, f(b, c) DESC", "a DESC, f(b, c)"),
            ("a desc nulls last", "a NULLS FIRST"),
            (
                "a + 1 NULLS FIRST , \"nulls\"",
                "a + 1 DESC NULLS LAST, \"nulls\" DESC",
            ),
        ] {
            let keys = Key::list(&units(list).unwrap());
            let opposite: Vec<Key> = keys.iter().map(Key::reversed).collect();
            assert_eq!(written(&opposite), reversed);
        }
    }
}
