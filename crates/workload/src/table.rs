//! Tables with their columns and key.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

/// A table: its columns in order, and its key. All names are lower case.
#[derive(Debug, Clone)]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    /// Columns by which rows belong together; never empty in a workload.
    pub partition_key: Vec<String>,
    /// Columns that order rows inside a partition, which may be none. With the partition key they
    /// are the primary key.
    pub order_key: Vec<String>,
}

/// Column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: ColumnType,
}

/// Type of a column, named as in CQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    Boolean,
    Int,
    Bigint,
    /// A floating-point number of 32 bits, with which questions are computed as with doubles.
    Float,
    /// A floating-point number of 64 bits.
    Double,
    Text,
    /// A UUID: 16 bytes, or its text of 36 characters in lower case where an engine has no such type. None is in an
    /// order key, since not all engines order them alike.
    Uuid,
    /// Milliseconds since the Unix epoch, UTC.
    Timestamp,
    /// A day of the years 1 to 9999, without a time of day.
    Date,
    /// Any bytes.
    Blob,
}

impl Table {
    /// Returns a column by its name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// Returns the index of a column.
    pub fn column_index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    /// Returns the table without some of its columns, also in its key.
    pub fn without(&self, is_left_out: impl Fn(&str) -> bool) -> Table {
        let mut table = self.clone();
        table.columns.retain(|column| !is_left_out(&column.name));
        table.partition_key.retain(|name| !is_left_out(name));
        table.order_key.retain(|name| !is_left_out(name));
        table
    }

    /// Returns the columns of the partition key followed by those of the order key.
    pub fn key(&self) -> impl Iterator<Item = &str> {
        self.partition_key
            .iter()
            .chain(&self.order_key)
            .map(String::as_str)
    }

    /// Returns the index of the column by which a table of series grows in time: the first one of the order
    /// key if it is a time, or otherwise any time, or otherwise a whole number that comes first in the
    /// order key.
    pub fn time_column(&self) -> Option<usize> {
        let kind = |index: usize| self.columns[index].kind;
        let first = self.order_key.first();
        let first = first.and_then(|name| self.column_index(name));
        let times = |index: &usize| kind(*index) == ColumnType::Timestamp;
        let numbers = |index: &usize| matches!(kind(*index), ColumnType::Bigint | ColumnType::Int);
        { first.filter(times) }
            .or_else(|| (0..self.columns.len()).find(times))
            .or_else(|| first.filter(numbers))
    }

    /// Returns the indices of the columns that say which series a row belongs to: those of the partition key, but for
    /// times, such as the days by which partitions are divided.
    pub fn series_columns(&self) -> Vec<usize> {
        let key = self.partition_key.iter();
        let key: Vec<usize> = key.filter_map(|name| self.column_index(name)).collect();
        let is_time = |index: &usize| self.columns[*index].kind == ColumnType::Timestamp;
        let others = key.iter().copied().filter(|index| !is_time(index));
        let others: Vec<usize> = others.collect();
        if others.is_empty() { key } else { others }
    }

    /// Returns whether a column is in the key.
    pub fn is_key(&self, name: &str) -> bool {
        self.key().any(|k| k == name)
    }

    /// Returns the Arrow schema of every batch of this table. Key columns are not nullable.
    pub fn schema(&self) -> SchemaRef {
        let fields = self
            .columns
            .iter()
            .map(|c| Field::new(&c.name, c.kind.arrow(), !self.is_key(&c.name)))
            .collect::<Vec<_>>();
        Arc::new(Schema::new(fields))
    }
}

impl ColumnType {
    /// All types with their names.
    pub const ALL: [(&'static str, ColumnType); 10] = [
        ("boolean", ColumnType::Boolean),
        ("int", ColumnType::Int),
        ("bigint", ColumnType::Bigint),
        ("float", ColumnType::Float),
        ("double", ColumnType::Double),
        ("text", ColumnType::Text),
        ("uuid", ColumnType::Uuid),
        ("timestamp", ColumnType::Timestamp),
        ("date", ColumnType::Date),
        ("blob", ColumnType::Blob),
    ];

    /// Returns the name of the type.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Boolean => "boolean",
            ColumnType::Int => "int",
            ColumnType::Bigint => "bigint",
            ColumnType::Float => "float",
            ColumnType::Double => "double",
            ColumnType::Text => "text",
            ColumnType::Uuid => "uuid",
            ColumnType::Timestamp => "timestamp",
            ColumnType::Date => "date",
            ColumnType::Blob => "blob",
        }
    }

    /// Returns whether values of the type are floating-point numbers.
    pub fn is_floating(self) -> bool {
        matches!(self, ColumnType::Float | ColumnType::Double)
    }

    /// Returns whether values of the type are numbers, whole or not.
    pub fn is_number(self) -> bool {
        self.is_floating() || matches!(self, ColumnType::Int | ColumnType::Bigint)
    }

    /// Returns whether rows can be found by values of this type, so that a column of it can be in a key that a design
    /// has in place of the table's own. Floats and doubles cannot, since NaN equals nothing, and neither can blobs, which
    /// no question asks for.
    pub fn can_be_key(self) -> bool {
        !self.is_floating() && self != ColumnType::Blob
    }

    /// Returns the Arrow type of the column's arrays.
    pub fn arrow(self) -> DataType {
        match self {
            ColumnType::Boolean => DataType::Boolean,
            ColumnType::Int => DataType::Int32,
            ColumnType::Bigint => DataType::Int64,
            ColumnType::Float => DataType::Float32,
            ColumnType::Double => DataType::Float64,
            ColumnType::Text => DataType::Utf8,
            ColumnType::Uuid => DataType::Utf8,
            ColumnType::Timestamp => DataType::Timestamp(TimeUnit::Millisecond, None),
            ColumnType::Date => DataType::Date32,
            ColumnType::Blob => DataType::Binary,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_all_types_but_doubles_and_blobs() {
        let found: Vec<&str> = { ColumnType::ALL.iter() }
            .filter(|(_, kind)| kind.can_be_key())
            .map(|(name, _)| *name)
            .collect();
        let expected = [
            "boolean",
            "int",
            "bigint",
            "text",
            "uuid",
            "timestamp",
            "date",
        ];
        assert_eq!(found, expected);
    }
}
