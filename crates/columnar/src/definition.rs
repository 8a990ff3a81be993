//! What a table is: its columns and keys, and how rows are cut into chunks.

use std::fmt;
use std::num::NonZeroI64;
use std::str::FromStr;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The type of a column. The name in a definition is that of the variant in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Boolean,
    /// 32 bits, signed.
    Int,
    /// 64 bits, signed.
    Bigint,
    /// IEEE 754, 32 bits.
    Float,
    /// IEEE 754, 64 bits.
    Double,
    /// Days since 1970-01-01.
    Date,
    /// Milliseconds since 1970-01-01 UTC.
    Timestamp,
    /// Nanoseconds since 1970-01-01 UTC.
    Nanotime,
    /// UTF-8.
    Text,
    Blob,
}

impl Kind {
    pub const ALL: [Kind; 10] = [
        Kind::Boolean,
        Kind::Int,
        Kind::Bigint,
        Kind::Float,
        Kind::Double,
        Kind::Date,
        Kind::Timestamp,
        Kind::Nanotime,
        Kind::Text,
        Kind::Blob,
    ];

    /// As it is in a definition.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Boolean => "boolean",
            Kind::Int => "int",
            Kind::Bigint => "bigint",
            Kind::Float => "float",
            Kind::Double => "double",
            Kind::Date => "date",
            Kind::Timestamp => "timestamp",
            Kind::Nanotime => "nanotime",
            Kind::Text => "text",
            Kind::Blob => "blob",
        }
    }

    pub fn data_type(self) -> DataType {
        match self {
            Kind::Boolean => DataType::Boolean,
            Kind::Int => DataType::Int32,
            Kind::Bigint => DataType::Int64,
            Kind::Float => DataType::Float32,
            Kind::Double => DataType::Float64,
            Kind::Date => DataType::Date32,
            Kind::Timestamp => DataType::Timestamp(TimeUnit::Millisecond, None),
            Kind::Nanotime => DataType::Timestamp(TimeUnit::Nanosecond, None),
            Kind::Text => DataType::Utf8,
            Kind::Blob => DataType::Binary,
        }
    }

    /// The kind that keeps every value of an Arrow type, if there is one.
    pub fn of(data_type: &DataType) -> Option<Kind> {
        Some(match data_type {
            DataType::Boolean => Kind::Boolean,
            DataType::Int8 | DataType::Int16 | DataType::Int32 => Kind::Int,
            DataType::UInt8 | DataType::UInt16 => Kind::Int,
            DataType::Int64 | DataType::UInt32 => Kind::Bigint,
            DataType::Float16 | DataType::Float32 => Kind::Float,
            DataType::Float64 => Kind::Double,
            DataType::Date32 => Kind::Date,
            DataType::Timestamp(TimeUnit::Second | TimeUnit::Millisecond, _) => Kind::Timestamp,
            DataType::Timestamp(TimeUnit::Microsecond | TimeUnit::Nanosecond, _) => Kind::Nanotime,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Kind::Text,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Kind::Blob,
            DataType::Dictionary(_, values) => return Kind::of(values),
            _ => return None,
        })
    }

    /// Whether a time bucket can be cut from values of this kind.
    fn has_buckets(self) -> bool {
        matches!(
            self,
            Kind::Int | Kind::Bigint | Kind::Date | Kind::Timestamp | Kind::Nanotime
        )
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kind {
    type Err = Error;

    /// In any case of letters.
    fn from_str(text: &str) -> Result<Kind> {
        let found = Kind::ALL
            .into_iter()
            .find(|kind| kind.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            Error::Invalid(format!(
                "`{text}` is no type of a columnar table; there are {}",
                Kind::ALL.map(Kind::name).join(", ")
            ))
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
}

/// How column blobs are encoded when chunks are written. Either is read everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Light encodings only: the fastest to read.
    #[default]
    Fast,
    /// Also zstd and pco: smaller, slower to read.
    Compact,
}

impl Profile {
    pub const ALL: [Profile; 2] = [Profile::Fast, Profile::Compact];

    /// As it is in a definition.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Fast => "fast",
            Profile::Compact => "compact",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Profile {
    type Err = Error;

    /// In any case of letters.
    fn from_str(text: &str) -> Result<Profile> {
        let found = Profile::ALL
            .into_iter()
            .find(|profile| profile.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            Error::Invalid(format!(
                "`{text}` is no profile of a columnar table; there are {}",
                Profile::ALL.map(Profile::name).join(", ")
            ))
        })
    }
}

/// The part of a table that is written and sealed together: one partition in Cassandra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Time bucket: the first order key divided by the bucket's width, rounded down. 0 without
    /// buckets.
    pub bucket: i64,
    /// Hash of the partition key modulo the number of shards.
    pub shard: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bucket {} shard {}", self.bucket, self.shard)
    }
}

/// What a table is. Never changes once the table is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    pub columns: Vec<Column>,
    /// Names of the columns whose rows belong together.
    pub partition_key: Vec<String>,
    /// Names of the columns that order the rows of a partition key, usually a time. Together with
    /// the partition key they name a row.
    pub order_key: Vec<String>,
    /// Width of a time bucket in the units of the first order key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket: Option<NonZeroI64>,
    /// Parts that each bucket is cut into by a hash of the partition key.
    pub shards: u32,
    #[serde(default)]
    pub profile: Profile,
    /// Rows of a chunk at most.
    pub chunk_rows: u32,
}

/// Rows of a chunk where nothing else is asked for. Larger chunks decode no faster, smaller ones
/// take more bytes.
pub const CHUNK_ROWS: u32 = 32 * 1024;

/// Rows that a chunk may have: with 8 bytes each they are a column of 4 MiB.
pub const CHUNK_ROWS_AT_MOST: u32 = 1 << 19;

/// Parts that a bucket may be cut into, and columns that a table may have: each chunk's
/// statistics have to fit one read.
const SHARDS_AT_MOST: u32 = 4096;
const COLUMNS_AT_MOST: usize = 4096;

impl Definition {
    /// # Errors
    /// Says what cannot be, and what can.
    pub fn check(&self) -> Result<()> {
        let invalid = |message: String| Err(Error::Invalid(message));
        if self.columns.is_empty() || self.columns.len() > COLUMNS_AT_MOST {
            let count = self.columns.len();
            return invalid(format!(
                "a table has 1 to {COLUMNS_AT_MOST} columns, not {count}"
            ));
        }
        for (i, column) in self.columns.iter().enumerate() {
            if self.columns[..i].iter().any(|c| c.name == column.name) {
                return invalid(format!("column `{}` is there twice", column.name));
            }
        }
        let keys: Vec<&String> = self.key_names().collect();
        if self.partition_key.is_empty() {
            return invalid("a table needs a partition key of one column or more".to_owned());
        }
        for (i, key) in keys.iter().enumerate() {
            if self.index_of(key).is_none() {
                return invalid(format!("key column `{key}` is not a column of the table"));
            }
            if keys[..i].contains(key) {
                return invalid(format!("key column `{key}` is there twice"));
            }
        }
        if let Some(width) = self.bucket {
            let Some(order) = self.order_indexes().first().copied() else {
                return invalid("a bucket needs an order key".to_owned());
            };
            let column = &self.columns[order];
            if width.get() < 0 || !column.kind.has_buckets() {
                return invalid(format!(
                    "a bucket is a positive number of units of an integer, date or time; the first \
                     order key `{}` is {}, the width {width}",
                    column.name, column.kind
                ));
            }
        }
        if self.shards == 0 || self.shards > SHARDS_AT_MOST {
            return invalid(format!(
                "1 to {SHARDS_AT_MOST} shards are possible, not {}",
                self.shards
            ));
        }
        if self.chunk_rows == 0 || self.chunk_rows > CHUNK_ROWS_AT_MOST {
            return invalid(format!(
                "a chunk has 1 to {CHUNK_ROWS_AT_MOST} rows, not {}",
                self.chunk_rows
            ));
        }
        Ok(())
    }

    /// Keys are never null, all else may be.
    pub fn schema(&self) -> SchemaRef {
        let keys: Vec<&String> = self.key_names().collect();
        let field = |c: &Column| Field::new(&c.name, c.kind.data_type(), !keys.contains(&&c.name));
        Arc::new(Schema::new(
            self.columns.iter().map(field).collect::<Vec<_>>(),
        ))
    }

    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    fn key_names(&self) -> impl Iterator<Item = &String> {
        self.partition_key.iter().chain(&self.order_key)
    }

    fn indexes<'a>(&self, names: impl Iterator<Item = &'a String>) -> Vec<usize> {
        names.filter_map(|name| self.index_of(name)).collect()
    }

    /// Column numbers of the partition key.
    pub fn partition_indexes(&self) -> Vec<usize> {
        self.indexes(self.partition_key.iter())
    }

    /// Column numbers of the order key.
    pub fn order_indexes(&self) -> Vec<usize> {
        self.indexes(self.order_key.iter())
    }

    /// Number of the first order key, if it is an integer, a date or a time.
    pub fn first_order_index(&self) -> Option<usize> {
        let first = self.order_indexes().first().copied();
        first.filter(|i| self.columns[*i].kind.has_buckets())
    }

    /// Column numbers of the whole key: partition key, then order key.
    pub fn key_indexes(&self) -> Vec<usize> {
        self.indexes(self.key_names())
    }

    /// Column numbers outside the key, in table order.
    pub fn value_indexes(&self) -> Vec<usize> {
        let keys = self.key_indexes();
        (0..self.columns.len())
            .filter(|i| !keys.contains(i))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_profiles_are_written_and_read_as_in_a_definition() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
            assert_eq!(kind.name().to_uppercase().parse::<Kind>().unwrap(), kind);
        }
        for profile in Profile::ALL {
            assert_eq!(serde_json::to_value(profile).unwrap(), profile.to_string());
            assert_eq!(profile.name().parse::<Profile>().unwrap(), profile);
        }
        let error = "money".parse::<Kind>().unwrap_err().to_string();
        assert!(error.contains("there are boolean, int, bigint"), "{error}");
        assert!("tiny".parse::<Profile>().is_err());
    }
}
