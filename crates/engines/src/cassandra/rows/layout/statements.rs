//! The statements that make a table of rows, and insert into it.

use super::{Shape, TableLayout};

impl TableLayout {
    /// Returns the statements that make the empty table with its indexes and copies, in place of one of an
    /// earlier attempt, whose indexes are dropped with it, and the functions that all of them are read with.
    pub fn recreation_statements(&self, keyspace: &str) -> Vec<String> {
        let aggregate = self.reading.aggregate;
        let functions = aggregate.and_then(|aggregate| aggregate.java(keyspace));
        let kinds = self.table.columns.iter().map(|column| column.kind);
        let mut statements = functions.map_or(Vec::new(), |functions| functions.statements(kinds));
        // A table cannot be dropped before its views.
        let relations = self.relations();
        let drops = relations.iter().rev();
        statements
            .extend(drops.map(|r| format!("DROP {} IF EXISTS {keyspace}.{}", r.kind(), r.name)));
        statements.push(self.create_statement(keyspace));
        let copies = self.copies();
        statements.extend(
            copies
                .iter()
                .map(|copy| self.copy_statement(copy, keyspace)),
        );
        statements.extend({ self.summary_table() }.map(|table| table.create_statement(keyspace)));
        if let Some(indexes) = &self.indexes {
            statements.extend(indexes.create_statements(keyspace, &self.name));
        }
        statements
    }

    /// Returns the statement that creates the table.
    pub(super) fn create_statement(&self, keyspace: &str) -> String {
        let columns: Vec<String> = self
            .cql_columns()
            .iter()
            .map(|(name, kind)| format!("{} {kind}", self.names.quoted(name)))
            .collect();
        let partition = self.names.quoted_list(&self.token_columns());
        let clustering = self.clustering_key();
        let key = if clustering.is_empty() {
            format!("({partition})")
        } else {
            format!("({partition}), {}", self.names.quoted_list(&clustering))
        };
        let compact = match self.shape {
            Shape::Compact => "COMPACT STORAGE AND ",
            Shape::Narrow | Shape::Wide | Shape::Blob => "",
        };
        let order = match self.clustering_order().as_str() {
            "" => String::new(),
            columns => format!("CLUSTERING ORDER BY ({columns}) AND "),
        };
        // Nulls that overwrite are tombstones, which compaction keeps until they are this old.
        // A table with views may not drop them at once, since its tombstones wait for the views.
        let keeps_tombstones = self.options.has_grace() || self.has_views();
        let grace = if self.keys_repeat && !keeps_tombstones {
            " AND gc_grace_seconds = 0"
        } else {
            ""
        };
        format!(
            "CREATE TABLE {keyspace}.{} ({}, PRIMARY KEY ({key})) WITH {compact}{order}{}{grace}",
            self.name,
            columns.join(", "),
            self.options.cql()
        )
    }

    /// Returns the clustering columns with their order, or nothing for CQL's default order.
    pub(super) fn clustering_order(&self) -> String {
        if !self.descending {
            return String::new();
        }
        let columns = self.clustering_key();
        let descending: Vec<String> = columns
            .iter()
            .map(|c| format!("{} DESC", self.names.quoted(c)))
            .collect();
        descending.join(", ")
    }

    /// Returns the statement that inserts a row.
    pub fn insert_statement(&self, keyspace: &str) -> String {
        let columns: Vec<&str> = self.cql_columns().iter().map(|(name, _)| *name).collect();
        let marks = vec!["?"; columns.len()].join(", ");
        format!(
            "INSERT INTO {keyspace}.{} ({}) VALUES ({marks})",
            self.name,
            self.names.quoted_list(&columns)
        )
    }
}
