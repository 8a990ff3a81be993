//! The layouts of a table's copies, and the statements that create them.

use bakeoff_workload::Table;

use super::{BUCKET_COLUMN, Shape, TableLayout};
use crate::cassandra::cluster::relations::Relation;
use crate::cassandra::names::{quoted, quoted_list};
use crate::cassandra::rows::copies::Copies;

impl TableLayout {
    /// Lays out the copies of the table: partitions of the rows with one value, or of their keys, in the order of the
    /// table's key.
    pub fn copies(&self) -> Vec<TableLayout> {
        let columns = self.copies.iter().flat_map(|copies| &copies.columns);
        let holds_keys = self.copies.as_ref().is_some_and(Copies::hold_keys);
        let words = if holds_keys { "keys_by" } else { "by" };
        let held = |by: &str| {
            let columns = self.table.columns.iter();
            let wanted =
                columns.filter(|c| !holds_keys || c.name == by || self.table.is_key(&c.name));
            wanted.cloned().collect::<Vec<_>>()
        };
        let copy = |(column, number): (&String, usize)| TableLayout {
            shape: Shape::Wide,
            bucket: None,
            descending: false,
            options: self.options.clone(),
            altered: None,
            settling: self.settling,
            replication: self.replication,
            batch_bytes: self.batch_bytes,
            keys_repeat: self.keys_repeat,
            reading: self.reading,
            indexes: None,
            copies: None,
            copied_by: Some(column.clone()),
            summary: None,
            names: self.names.clone(),
            key_values: None,
            table: Table {
                columns: held(column),
                partition_key: vec![column.clone()],
                order_key: self.table.key().map(str::to_owned).collect(),
                ..self.table.clone()
            },
            name: format!("{}_{words}_{number}", self.name),
        };
        columns.zip(1..).map(copy).collect()
    }

    /// Returns whether the copies of the table are materialized views.
    pub fn has_views(&self) -> bool {
        self.copies.as_ref().is_some_and(Copies::are_views)
    }

    /// Lists the layouts of the tables into which rows are written.
    pub fn written(&self) -> Vec<TableLayout> {
        let copies = if self.has_views() {
            Vec::new()
        } else {
            self.copies()
        };
        std::iter::once(self.clone()).chain(copies).collect()
    }

    /// Lists the table, its copies and its summary table.
    pub fn relations(&self) -> Vec<Relation> {
        let copies = self.copies().into_iter().map(|copy| Relation {
            name: copy.name,
            is_view: self.has_views(),
        });
        let table = Relation::table(self.name.as_str());
        let summary = { self.summary_table() }.map(|summary| Relation::table(summary.name));
        std::iter::once(table)
            .chain(copies)
            .chain(summary)
            .collect()
    }

    /// Returns the statement that creates a copy of the table.
    pub(super) fn copy_statement(&self, copy: &TableLayout, keyspace: &str) -> String {
        if !self.has_views() {
            return copy.create_statement(keyspace);
        }
        let order = copy.clustering_key().into_iter();
        // A view has to have all of the table's key in its own.
        let bucket = self.bucket.as_ref().map(|_| BUCKET_COLUMN);
        let order: Vec<&str> = order.chain(bucket).collect();
        let partition = copy.partition_key();
        let key = partition.iter().chain(&order);
        let known: Vec<String> = key.map(|c| format!("{} IS NOT NULL", quoted(c))).collect();
        format!(
            "CREATE MATERIALIZED VIEW {keyspace}.{} AS SELECT * FROM {keyspace}.{} WHERE {} \
             PRIMARY KEY (({}), {}) WITH {}",
            copy.name,
            self.name,
            known.join(" AND "),
            quoted_list(&partition),
            quoted_list(&order),
            // Rows of a view live as long as those of its table, and it may not say so itself.
            copy.options.clone().without_ttl().cql()
        )
    }
}

#[cfg(test)]
mod tests;
