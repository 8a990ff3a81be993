//! A table as a statement declares it: its columns and its key, without any row.

use super::Origin;
use crate::ColumnType;

/// What is said of a column of UUIDs that is text, since it is in the order key.
pub const UUID_IN_ORDER: &str =
    "held as text in the order key, since not all engines order UUIDs alike";

/// A table that a statement declares.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    /// What is said of the table and its columns.
    pub origin: Origin,
    pub columns: Vec<DeclaredColumn>,
    /// Columns by which rows belong together, as they are declared.
    pub partition_key: Vec<String>,
    /// Columns that order rows there, as they are declared.
    pub order_key: Vec<String>,
    /// What the user should know before anything else.
    pub notes: Vec<String>,
}

impl Declared {
    /// Makes columns of UUIDs text that are in the order key, and says so.
    pub(super) fn without_uuids_in_order(mut self) -> Declared {
        for column in &mut self.columns {
            if column.kind == ColumnType::Uuid && self.order_key.contains(&column.name) {
                column.kind = ColumnType::Text;
                let said = self.origin.columns.entry(column.name.to_lowercase());
                let said = said.or_default();
                if !said.is_empty() {
                    said.push_str(", ");
                }
                said.push_str(UUID_IN_ORDER);
            }
        }
        self
    }
}

/// A column of a table that a statement declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredColumn {
    /// Its name as it is declared, without quotes.
    pub name: String,
    /// The type that a workload has for it.
    pub kind: ColumnType,
    pub form: DeclaredForm,
}

/// What the declared type says of values, beyond the type that a workload has for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclaredForm {
    /// Nothing.
    Plain,
    /// They are UUIDs.
    Uuid,
    /// They are addresses of a network.
    Address,
    /// They are times of the day.
    Clock,
    /// They are days.
    Day,
    /// They are texts of at most this many characters.
    Characters(u64),
    /// They are some of these texts.
    OneOf(Vec<String>),
    /// They are numbers from the first one to the second one, both included.
    Between(i64, i64),
}
