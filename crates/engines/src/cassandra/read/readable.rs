//! The description of a CQL table for reading, whether Bakeoff made it or not.

use std::sync::Arc;

use arrow::datatypes::{DECIMAL256_MAX_PRECISION, DataType, Field, Schema, SchemaRef, TimeUnit};
use bakeoff_workload::{Column, ColumnType};

use super::reading::Reading;
use crate::cassandra::column_names::ColumnNames;
use crate::cassandra::names::quoted;
use crate::cassandra::rows::copies::Copies;
use crate::cassandra::rows::indexes::Indexes;
use crate::cassandra::rows::layout::{BUCKET_COLUMN, Bucket, TableLayout};

/// The number of digits behind the point of decimals that are read.
pub const SCALE: i8 = 38;

/// A CQL type, as far as reading distinguishes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CqlKind {
    Boolean,
    Tinyint,
    Smallint,
    Int,
    /// Covers bigints and counters.
    Bigint,
    Float,
    Double,
    Text,
    Blob,
    Timestamp,
    Date,
    Time,
    /// Covers UUIDs of any version, which become text in lower case.
    Uuid,
    /// Becomes text.
    Inet,
    /// Becomes a decimal without digits behind the point.
    Varint,
    /// Becomes a decimal with [`SCALE`] digits behind the point, since each value has its own scale.
    Decimal,
    /// A varint of any length that becomes text.
    VarintText,
    /// A decimal of any length that becomes text, with its own scale.
    DecimalText,
    /// Covers all other types (collections, user types, tuples, vectors, durations), which become
    /// text like CQL's literals.
    Literal,
}

impl CqlKind {
    /// Returns the Arrow type of the values that are read.
    pub fn data_type(self) -> DataType {
        match self {
            CqlKind::Boolean => DataType::Boolean,
            CqlKind::Tinyint => DataType::Int8,
            CqlKind::Smallint => DataType::Int16,
            CqlKind::Int => DataType::Int32,
            CqlKind::Bigint => DataType::Int64,
            CqlKind::Float => DataType::Float32,
            CqlKind::Double => DataType::Float64,
            CqlKind::Blob => DataType::Binary,
            CqlKind::Timestamp => DataType::Timestamp(TimeUnit::Millisecond, None),
            CqlKind::Date => DataType::Date32,
            CqlKind::Time => DataType::Time64(TimeUnit::Nanosecond),
            CqlKind::Text
            | CqlKind::Uuid
            | CqlKind::Inet
            | CqlKind::VarintText
            | CqlKind::DecimalText
            | CqlKind::Literal => DataType::Utf8,
            CqlKind::Varint => DataType::Decimal256(DECIMAL256_MAX_PRECISION, 0),
            CqlKind::Decimal => DataType::Decimal256(DECIMAL256_MAX_PRECISION, SCALE),
        }
    }
}

impl From<ColumnType> for CqlKind {
    fn from(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Boolean => CqlKind::Boolean,
            ColumnType::Int => CqlKind::Int,
            ColumnType::Bigint => CqlKind::Bigint,
            ColumnType::Float => CqlKind::Float,
            ColumnType::Double => CqlKind::Double,
            ColumnType::Text => CqlKind::Text,
            ColumnType::Uuid => CqlKind::Uuid,
            ColumnType::Timestamp => CqlKind::Timestamp,
            ColumnType::Blob => CqlKind::Blob,
        }
    }
}

/// A column of a table that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadColumn {
    pub name: String,
    pub kind: CqlKind,
}

/// A table that is read.
#[derive(Debug, Clone, Default)]
pub struct ReadTable {
    pub keyspace: String,
    pub name: String,
    pub columns: Vec<ReadColumn>,
    /// Columns of the partition key, without a bucket.
    pub partition_key: Vec<String>,
    pub clustering_key: Vec<String>,
    /// Order of rows in a partition, with the greatest clustering key first if true; `None` if it
    /// is not known.
    pub descending: Option<bool>,
    pub bucket: Option<Bucket>,
    /// Types of the columns outside the key, in order, if one blob holds them all.
    pub blob_kinds: Vec<ColumnType>,
    pub reading: Reading,
    pub indexes: Option<Indexes>,
    /// Columns outside the key that are the partition keys of copies of the table.
    pub copies: Vec<String>,
    /// Whether these copies are index tables, which hold nothing but that column and the key.
    pub copies_hold_keys: bool,
    /// Column that is the partition key of this copy of another table, where it may be null.
    pub copied_by: Option<String>,
    /// Names of the static columns.
    pub statics: Vec<String>,
    /// Names of the columns whose values may have a time to live that CQL tells.
    pub with_ttl: Vec<String>,
    /// Names of the columns in CQL.
    pub names: ColumnNames,
}

impl ReadTable {
    /// Describes a table that a layout of rows has made.
    pub fn from_layout(layout: &TableLayout, keyspace: String) -> Self {
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let column = |c: &Column| ReadColumn {
            name: c.name.clone(),
            kind: c.kind.into(),
        };
        let in_blob = |c: &&Column| layout.has_blob() && !layout.table.is_key(&c.name);
        let columns = &layout.table.columns;
        ReadTable {
            keyspace,
            name: layout.name.clone(),
            columns: columns.iter().map(column).collect(),
            partition_key: owned(layout.partition_key()),
            clustering_key: owned(layout.clustering_key()),
            descending: Some(layout.descending),
            bucket: layout.bucket.clone(),
            reading: layout.reading,
            indexes: layout.indexes.clone(),
            copies: layout
                .copies
                .as_ref()
                .map_or(Vec::new(), |copies| copies.columns.clone()),
            copies_hold_keys: layout.copies.as_ref().is_some_and(Copies::hold_keys),
            copied_by: layout.copied_by.clone(),
            names: layout.names.clone(),
            blob_kinds: columns.iter().filter(in_blob).map(|c| c.kind).collect(),
            ..ReadTable::default()
        }
    }

    /// Returns the arguments of `token()`: the partition key with the bucket.
    pub fn token_columns(&self) -> Vec<&str> {
        let bucket = self.bucket.as_ref().map(|_| BUCKET_COLUMN);
        let key = self.partition_key.iter().map(String::as_str);
        key.chain(bucket).collect()
    }

    /// Returns keyspace and name, quoted for CQL.
    pub fn quoted_name(&self) -> String {
        format!("{}.{}", quoted(&self.keyspace), quoted(&self.name))
    }

    pub fn column(&self, name: &str) -> Option<&ReadColumn> {
        self.columns.iter().find(|c| c.name == name)
    }

    pub fn is_key(&self, name: &str) -> bool {
        self.partition_key.iter().any(|k| k == name) || self.is_clustering(name)
    }

    /// Returns whether CQL restricts a column by values, as it does those of the key, those with an index
    /// and those that are the key of a copy.
    pub fn can_restrict(&self, name: &str) -> bool {
        self.is_key(name) || self.has_index(name) || self.has_copy(name)
    }

    /// Returns whether a copy of the table is keyed by a column.
    pub fn has_copy(&self, name: &str) -> bool {
        self.copies.iter().any(|column| column == name)
    }

    /// Returns whether an index finds the values of a column.
    pub fn has_index(&self, name: &str) -> bool {
        let mut columns = self.indexes.iter().flat_map(|indexes| &indexes.columns);
        columns.any(|column| column == name)
    }

    /// Returns whether a column is in the blob of its row.
    pub fn is_in_blob(&self, name: &str) -> bool {
        !self.blob_kinds.is_empty() && !self.is_key(name)
    }

    /// Returns the columns that are read even if a query does not name them.
    ///
    /// In CQL, a partition that has only static columns is a row if one of them is selected, so that
    /// it would otherwise come and go with the columns that a query names.
    pub fn always_read(&self) -> impl Iterator<Item = &String> {
        // CQL cannot restrict the clustering key if only static columns are selected.
        let clustering = self.clustering_key.last();
        self.statics
            .iter()
            .chain(clustering.filter(|_| !self.statics.is_empty()))
    }

    fn is_clustering(&self, name: &str) -> bool {
        self.clustering_key.iter().any(|k| k == name)
    }

    /// Returns the Arrow schema of the table.
    pub fn schema(&self) -> SchemaRef {
        let columns = self.columns.iter();
        let fields: Vec<Field> = columns
            .map(|c| Field::new(&c.name, c.kind.data_type(), self.is_nullable(&c.name)))
            .collect();
        Arc::new(Schema::new(fields))
    }

    fn is_nullable(&self, name: &str) -> bool {
        if self.is_clustering(name) {
            // A partition that has only static columns is a row without a clustering key.
            !self.statics.is_empty()
        } else {
            // A copy has the schema of its table.
            !self.is_key(name) || self.copied_by.as_deref() == Some(name)
        }
    }
}
