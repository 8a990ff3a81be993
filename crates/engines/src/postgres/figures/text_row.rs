//! Rows of views by the names of their columns, since versions of PostgreSQL have different ones.

use std::collections::HashMap;

use tokio_postgres::{SimpleQueryMessage, SimpleQueryRow};

/// A row whose values are texts; a column that the version lacks has no value.
#[derive(Debug, Default)]
pub struct TextRow(HashMap<String, String>);

impl TextRow {
    /// Reads the rows of a reply.
    pub fn all(reply: &[SimpleQueryMessage]) -> Vec<TextRow> {
        let rows = reply.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(TextRow::new(row)),
            _ => None,
        });
        rows.collect()
    }

    fn new(row: &SimpleQueryRow) -> TextRow {
        let columns = row.columns().iter().enumerate();
        let known = columns.filter_map(|(place, column)| {
            let value = row.try_get(place).ok().flatten()?;
            Some((column.name().to_owned(), value.to_owned()))
        });
        TextRow(known.collect())
    }

    /// Returns a text; `None` if there is no such column or value.
    pub fn text(&self, column: &str) -> Option<String> {
        self.0.get(column).cloned()
    }

    /// Returns a truth value.
    pub fn truth(&self, column: &str) -> Option<bool> {
        match self.0.get(column)?.as_str() {
            "t" => Some(true),
            "f" => Some(false),
            _ => None,
        }
    }

    /// Returns a number that is not negative and finite.
    pub fn number(&self, column: &str) -> Option<f64> {
        let number: f64 = self.0.get(column)?.parse().ok()?;
        (number.is_finite() && number >= 0.0).then_some(number)
    }

    /// Returns a whole number that is not negative.
    pub fn count(&self, column: &str) -> Option<u64> {
        self.0.get(column)?.parse().ok()
    }

    /// Returns how far a place of the log is behind another one; nothing if it is ahead, which only looks so.
    pub fn distance(&self, column: &str) -> Option<u64> {
        let distance: i128 = self.0.get(column)?.parse().ok()?;
        u64::try_from(distance.max(0)).ok()
    }

    /// Returns seconds from a column of milliseconds.
    pub fn seconds(&self, column: &str) -> Option<f64> {
        Some(self.number(column)? / 1e3)
    }

    #[cfg(test)]
    pub fn of(cells: &[(&str, &str)]) -> TextRow {
        let cells = cells.iter();
        TextRow(
            cells
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_anything_else_is_none() {
        let row = TextRow::of(&[
            ("n", "7"),
            ("x", "2.5"),
            ("negative", "-1"),
            ("nan", "NaN"),
            ("yes", "t"),
        ]);
        assert_eq!(row.count("n"), Some(7));
        assert_eq!(row.number("n"), Some(7.0));
        assert_eq!(row.seconds("x"), Some(0.0025));
        assert_eq!(row.count("x"), None);
        assert_eq!(row.count("negative"), None);
        assert_eq!(row.number("negative"), None);
        assert_eq!(row.distance("negative"), Some(0));
        assert_eq!(row.distance("n"), Some(7));
        assert_eq!(row.distance("absent"), None);
        assert_eq!(row.number("nan"), None);
        assert_eq!(row.truth("yes"), Some(true));
        assert_eq!(row.truth("n"), None);
        assert_eq!(row.text("absent"), None);
    }
}
