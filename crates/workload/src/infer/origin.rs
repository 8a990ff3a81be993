//! What is known of a table of which a file is a sample, beyond the rows of the file.

use std::collections::BTreeMap;

use super::columns::AS_STORED;
use super::{Inferred, names};

/// A table of which a file is a sample.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// Name of the table, as people call it.
    pub name: String,
    /// Name of the table alone, from which that of the workload's table is made.
    pub table: String,
    /// What is said of it at the head of the workload, line by line.
    pub about: Vec<String>,
    /// What is said of columns, by their names in the file in lower case.
    pub columns: BTreeMap<String, String>,
    /// Columns of the table that the file does not have, with the reasons.
    pub left_out: Vec<String>,
    /// The number of its rows, and how that is known; `None` if it is not.
    pub rows: Option<(u64, String)>,
    /// Id of a design that is like the table.
    pub design: Option<String>,
    /// Columns of its order key whose greatest value comes first, by their names in the table; `None` if that is not
    /// known.
    pub descending: Option<Vec<String>>,
}

impl Inferred {
    /// Adds what is known of the table of which the file is a sample.
    pub fn sampled_from(mut self, origin: Origin) -> Inferred {
        for column in &mut self.columns {
            let written = column.from.as_ref().unwrap_or(&column.name);
            let Some(said) = origin.columns.get(&written.trim().to_lowercase()) else {
                continue;
            };
            if let Some(rest) = column.evidence.strip_prefix(AS_STORED) {
                column.evidence = format!("{said}{rest}");
            }
        }
        self.table = names::name(&origin.table, "data");
        self.left_out.extend(origin.left_out.iter().cloned());
        self.origin = Some(origin);
        self
    }
}
