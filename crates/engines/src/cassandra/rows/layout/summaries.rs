//! The layout of a design's summary table.

use super::{Shape, TableLayout};

impl TableLayout {
    /// Lays out the summary table, if the design has one.
    pub fn summary_table(&self) -> Option<TableLayout> {
        let summary = self.summary.as_ref()?;
        Some(TableLayout {
            shape: Shape::Wide,
            bucket: None,
            descending: false,
            options: self.options.clone(),
            altered: None,
            settling: self.settling,
            replication: self.replication,
            batch_bytes: self.batch_bytes,
            keys_repeat: false,
            reading: self.reading,
            indexes: None,
            copies: None,
            copied_by: None,
            summary: None,
            names: self.names.clone(),
            key_values: None,
            table: summary.table(&self.table),
            name: format!("{}_summary", self.name),
        })
    }
}
