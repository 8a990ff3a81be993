//! The statement that changes the options of a loaded table.

use super::TableLayout;

impl TableLayout {
    /// Returns the statement that changes the table, if the design has such a change.
    pub fn alter_statement(&self, keyspace: &str) -> Option<String> {
        let altered = self.altered.as_ref()?;
        let name = &self.name;
        Some(format!(
            "ALTER TABLE {keyspace}.{name} WITH {}",
            altered.cql()
        ))
    }

    /// Returns the change for reports.
    pub fn altered_setting(&self) -> Option<(String, String)> {
        let altered = self.altered.as_ref()?;
        let value = format!(
            "{}, of the loaded table, whose SSTables are then written anew",
            altered.cql()
        );
        Some(("altered to".to_owned(), value))
    }
}
