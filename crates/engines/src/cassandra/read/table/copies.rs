//! Copies of a table that are keyed by another column, and are read where a query wants one value of it: for their
//! rows, or for the keys that they hold (`by_keys.rs`).

use std::sync::Arc;

use scylla::client::session::Session;

use super::CassandraTable;
use crate::cassandra::read::pushdown::Pushdown;
use crate::cassandra::read::readable::ReadTable;
use crate::cassandra::rows::layout::TableLayout;

impl CassandraTable {
    /// Makes the table of a layout with its copies.
    pub fn of_layout(session: &Arc<Session>, layout: &TableLayout, keyspace: &str) -> Self {
        let read = |layout: &TableLayout| {
            let table = ReadTable::from_layout(layout, keyspace.to_owned());
            CassandraTable::new(session.clone(), table)
        };
        CassandraTable {
            copies: layout.copies().iter().map(read).collect(),
            ..read(layout)
        }
    }

    /// Returns the copy that answers what the pushed filters ask for, if one does.
    pub(super) fn copy_for(&self, pushdown: &Pushdown) -> Option<&CassandraTable> {
        let column = pushdown.copy.as_ref()?;
        let mut copies = self.copies.iter();
        copies.find(|copy| copy.table.copied_by.as_ref() == Some(column))
    }
}
