//! The names of the CQL tables that a columnar table consists of.

use crate::{Error, Result};

/// The highest number of characters that Cassandra allows in the name of a table or a keyspace.
const NAME_CHARACTERS_AT_MOST: usize = 48;

/// One of the CQL tables that a columnar table consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Catalogue,
    Places,
    Index,
    Chunks,
    Fresh,
}

impl Part {
    /// All parts, in the order in which they are created.
    pub(super) const ALL: [Part; 5] = [
        Part::Catalogue,
        Part::Places,
        Part::Index,
        Part::Chunks,
        Part::Fresh,
    ];

    fn suffix(self) -> &'static str {
        match self {
            Part::Catalogue => "_columnar",
            Part::Places => "_places",
            Part::Index => "_index",
            Part::Chunks => "_chunks",
            Part::Fresh => "_fresh",
        }
    }
}

/// Returns the names of the CQL tables that a columnar table consists of, without their keyspace.
pub fn table_names(table: &str) -> Vec<String> {
    let name = |part: Part| format!("{table}{}", part.suffix());
    Part::ALL.map(name).to_vec()
}

/// The keyspace and the name of a columnar table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) keyspace: String,
    pub(super) table: String,
}

impl Names {
    /// Checks names.
    ///
    /// # Errors
    /// Fails if Cassandra would not take a name, or would change it.
    pub(super) fn new(keyspace: &str, table: &str) -> Result<Self> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let keyspace_fits = (1..=NAME_CHARACTERS_AT_MOST).contains(&keyspace.len())
            && keyspace.chars().all(is_word);
        if !keyspace_fits {
            return Err(Error::Invalid(format!(
                "`{keyspace}` is not a name of a keyspace: it has 1 to {NAME_CHARACTERS_AT_MOST} \
                 letters, digits and underscores"
            )));
        }
        let longest = Part::ALL.iter().map(|part| part.suffix().len()).max();
        let at_most = NAME_CHARACTERS_AT_MOST - longest.unwrap_or(0);
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let begins_well = table.starts_with(|c: char| c.is_ascii_lowercase());
        if !begins_well || table.len() > at_most || !table.chars().all(is_plain) {
            return Err(Error::Invalid(format!(
                "`{table}` is not a name for a columnar table: use up to {at_most} of a-z, 0-9 and _, \
                 a letter first"
            )));
        }
        Ok(Names {
            keyspace: keyspace.to_owned(),
            table: table.to_owned(),
        })
    }

    /// Returns the name of one of the CQL tables, without the keyspace.
    pub(super) fn bare(&self, part: Part) -> String {
        format!("{}{}", self.table, part.suffix())
    }

    /// Returns the name of one of the CQL tables for a statement.
    pub(super) fn cql(&self, part: Part) -> String {
        format!("\"{}\".{}", self.keyspace, self.bare(part))
    }

    /// Returns the name of one of the CQL tables for people.
    pub(super) fn shown(&self, part: Part) -> String {
        format!("{}.{}", self.keyspace, self.bare(part))
    }

    /// Returns the name of the columnar table for people.
    pub(super) fn whole(&self) -> String {
        format!("{}.{}", self.keyspace, self.table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_they_need_it() {
        let names = Names::new("Ks1", "metrics").unwrap();
        assert_eq!(names.cql(Part::Chunks), "\"Ks1\".metrics_chunks");
        assert_eq!(names.shown(Part::Fresh), "Ks1.metrics_fresh");
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let long = "a".repeat(40);
        for table in ["", "1a", "_a", "A", "a-b", "a.b", "a b", "ä", &long] {
            let error = Names::new("ks", table).unwrap_err().to_string();
            assert!(
                error.contains("is not a name for a columnar table"),
                "{error}"
            );
        }
        Names::new("ks", &long[1..]).unwrap();
        for keyspace in ["", "a\"b", "a.b", &"k".repeat(49)] {
            let error = Names::new(keyspace, "t").unwrap_err().to_string();
            assert!(error.contains("is not a name of a keyspace"), "{error}");
        }
    }
}
