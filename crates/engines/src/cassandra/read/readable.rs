//! What reading has to know of a CQL table, whoever made it.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use bakeoff_workload::{Column, ColumnType};

use crate::cassandra::names::quoted;
use crate::cassandra::rows::layout::{BUCKET_COLUMN, Bucket, TableLayout};

/// A type of CQL as it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CqlKind {
    Boolean,
    Tinyint,
    Smallint,
    Int,
    /// Also counters.
    Bigint,
    Float,
    Double,
    Text,
    Blob,
    Timestamp,
    Date,
    Time,
    /// Of any version, as text in lower case.
    Uuid,
    /// As text.
    Inet,
    /// As text: it may have any number of digits.
    Varint,
    /// As text: each value has a scale of its own.
    Decimal,
    /// Anything else (collections, user types, tuples, vectors, durations), as text like CQL's
    /// literals.
    Literal,
}

impl CqlKind {
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
            | CqlKind::Varint
            | CqlKind::Decimal
            | CqlKind::Literal => DataType::Utf8,
        }
    }
}

impl From<ColumnType> for CqlKind {
    fn from(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Boolean => CqlKind::Boolean,
            ColumnType::Int => CqlKind::Int,
            ColumnType::Bigint => CqlKind::Bigint,
            ColumnType::Double => CqlKind::Double,
            ColumnType::Text => CqlKind::Text,
            ColumnType::Timestamp => CqlKind::Timestamp,
            ColumnType::Blob => CqlKind::Blob,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadColumn {
    pub name: String,
    pub kind: CqlKind,
}

/// A table as it is read.
#[derive(Debug, Clone, Default)]
pub struct ReadTable {
    pub keyspace: String,
    pub name: String,
    pub columns: Vec<ReadColumn>,
    /// Without a bucket.
    pub partition_key: Vec<String>,
    pub clustering_key: Vec<String>,
    /// Whether the greatest clustering key of a partition comes first; not known of any table.
    pub descending: Option<bool>,
    pub bucket: Option<Bucket>,
    /// Types of the columns outside the key, in order, where one blob holds them all.
    pub blob_kinds: Vec<ColumnType>,
    pub statics: Vec<String>,
}

impl ReadTable {
    pub fn of_layout(layout: &TableLayout, keyspace: String) -> Self {
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
            blob_kinds: columns.iter().filter(in_blob).map(|c| c.kind).collect(),
            ..ReadTable::default()
        }
    }

    /// Partition key with the bucket: what `token()` is computed of.
    pub fn token_columns(&self) -> Vec<&str> {
        let bucket = self.bucket.as_ref().map(|_| BUCKET_COLUMN);
        let key = self.partition_key.iter().map(String::as_str);
        key.chain(bucket).collect()
    }

    /// Keyspace and name as CQL takes them.
    pub fn quoted_name(&self) -> String {
        format!("{}.{}", quoted(&self.keyspace), quoted(&self.name))
    }

    pub fn column(&self, name: &str) -> Option<&ReadColumn> {
        self.columns.iter().find(|c| c.name == name)
    }

    pub fn is_key(&self, name: &str) -> bool {
        self.partition_key.iter().any(|k| k == name) || self.is_clustering(name)
    }

    /// Whether a column is in the blob of its row.
    pub fn is_in_blob(&self, name: &str) -> bool {
        !self.blob_kinds.is_empty() && !self.is_key(name)
    }

    /// Columns that are read whatever is asked for. A partition that has nothing but static columns
    /// is a row in CQL if one of them is selected: it would else come and go with the columns that
    /// a query names. Selecting nothing else, CQL takes no restriction of the clustering key.
    pub fn read_in_any_case(&self) -> impl Iterator<Item = &String> {
        let clustering = self.clustering_key.last();
        self.statics
            .iter()
            .chain(clustering.filter(|_| !self.statics.is_empty()))
    }

    fn is_clustering(&self, name: &str) -> bool {
        self.clustering_key.iter().any(|k| k == name)
    }

    /// Keys are never null, but for the clustering key of a partition with static columns alone.
    pub fn schema(&self) -> SchemaRef {
        let nullable = |name: &str| {
            if self.is_clustering(name) {
                !self.statics.is_empty()
            } else {
                !self.is_key(name)
            }
        };
        let field = |c: &ReadColumn| Field::new(&c.name, c.kind.data_type(), nullable(&c.name));
        Arc::new(Schema::new(
            self.columns.iter().map(field).collect::<Vec<_>>(),
        ))
    }
}
