//! Names that the columns of a table have in CQL: those of the workload, or short ones.

use super::names::quoted;

const LETTERS: usize = 26;

/// The names of a table's columns in CQL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnNames {
    /// Columns in the order of their short names; none if all keep their own.
    shortened: Vec<String>,
}

impl ColumnNames {
    /// Gives these columns short names.
    pub fn short<'a>(columns: impl Iterator<Item = &'a str>) -> Self {
        ColumnNames {
            shortened: columns.map(str::to_owned).collect(),
        }
    }

    /// Returns whether columns have other names than in the workload.
    pub fn are_short(&self) -> bool {
        !self.shortened.is_empty()
    }

    /// Returns the name of a column in CQL, quoted.
    pub fn quoted(&self, column: &str) -> String {
        let mut shortened = self.shortened.iter();
        match shortened.position(|shortened| shortened == column) {
            Some(number) => quoted(&short_name(number)),
            None => quoted(column),
        }
    }

    /// Returns the names of columns in CQL, quoted and with commas between them.
    pub fn quoted_list(&self, columns: &[&str]) -> String {
        let names: Vec<String> = columns.iter().map(|column| self.quoted(column)).collect();
        names.join(", ")
    }
}

/// Returns the short name with this number: `a` to `z`, then `a1` to `z1`, and so on. No word of CQL is a single
/// letter or has a digit.
fn short_name(number: usize) -> String {
    let letter = ('a'..='z').nth(number % LETTERS).unwrap_or('a');
    match number / LETTERS {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn short_names_are_letters_with_numbers_behind_them() {
        let names = [0, 1, 25, 26, 51, 52, 260].map(short_name);
        assert_eq!(names, ["a", "b", "z", "a1", "z1", "a2", "a10"]);
        let all: BTreeSet<String> = (0..5000).map(short_name).collect();
        assert_eq!(all.len(), 5000);
    }

    #[test]
    fn columns_keep_their_names_unless_they_are_shortened() {
        let own = ColumnNames::default();
        assert!(!own.are_short());
        assert_eq!(own.quoted_list(&["time", "b"]), r#""time", "b""#);
        // One is called as another one's short name.
        let short = ColumnNames::short(["time", "b", "a"].into_iter());
        assert!(short.are_short());
        assert_eq!(short.quoted_list(&["a", "b", "time"]), r#""c", "b", "a""#);
        assert_eq!(short.quoted("other"), r#""other""#);
    }
}
