//! A table as a statement declares it: its columns and its key, without any row.

use super::Origin;
use crate::ColumnType;

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
