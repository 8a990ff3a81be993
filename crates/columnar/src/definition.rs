//! The definition of a table: its columns and keys, and how its rows are cut into chunks.

use std::fmt;
use std::num::NonZeroI64;
use std::str::FromStr;
use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use crate::id::Place;
use crate::kind::Kind;
use crate::{Error, Result};

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// The name, which is compared with its case.
    pub name: String,
    /// The type of the values.
    pub kind: Kind,
}

impl Column {
    /// Makes a column of this name and type.
    pub fn new(name: impl Into<String>, kind: Kind) -> Column {
        Column {
            name: name.into(),
            kind,
        }
    }
}

/// The effort that goes into encoding columns when chunks are written. Readers take both, also mixed
/// in one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Uses light encodings only, which are the fastest to read.
    #[default]
    Fast,
    /// Adds zstd and pco, which are smaller and slower to read.
    Compact,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Profile; 2] = [Profile::Fast, Profile::Compact];

    /// Returns the name that definitions use.
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

    /// Parses a name, ignoring the case of letters.
    fn from_str(text: &str) -> Result<Profile> {
        let found = Profile::ALL
            .into_iter()
            .find(|profile| profile.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            Error::Invalid(format!(
                "`{text}` is not a profile of a columnar table; there are {}",
                Profile::ALL.map(Profile::name).join(", ")
            ))
        })
    }
}

/// The definition of a table, which never changes once the table is created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// All columns, in the order of the table.
    pub columns: Vec<Column>,
    /// The names of the columns that say which rows belong together.
    pub partition_key: Vec<String>,
    /// The names of the columns that order the rows of a partition key, usually a time. Partition key
    /// and order key together identify a row.
    pub order_key: Vec<String>,
    /// The width of a time bucket in units of the first order key, or `None` for a table without
    /// buckets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket: Option<NonZeroI64>,
    /// The number of parts that each bucket is divided into by a hash of the partition key.
    pub shards: u32,
    /// The effort that goes into encoding columns.
    #[serde(default)]
    pub profile: Profile,
    /// The highest number of rows in a chunk.
    pub chunk_rows: u32,
}

/// The usual number of rows in a chunk: larger chunks decode no faster, smaller ones take more bytes.
pub const CHUNK_ROWS: u32 = 32 * 1024;

/// The highest number of rows that a chunk can have: with 8 bytes each they make a column of 4 MiB.
pub const CHUNK_ROWS_AT_MOST: u32 = 1 << 19;

/// The highest number of parts that a bucket can be divided into.
const SHARDS_AT_MOST: u32 = 4096;

/// The highest number of columns: a chunk's statistics for all of them have to fit one read.
const COLUMNS_AT_MOST: usize = 4096;

impl Definition {
    /// Makes a definition of a table without buckets and with the usual chunks, in one shard. Set the
    /// other fields with the update syntax: `Definition { shards: 4, ..Definition::new(...) }`.
    pub fn new(columns: Vec<Column>, partition_key: &[&str], order_key: &[&str]) -> Definition {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Definition {
            columns,
            partition_key: owned(partition_key),
            order_key: owned(order_key),
            bucket: None,
            shards: 1,
            profile: Profile::default(),
            chunk_rows: CHUNK_ROWS,
        }
    }

    /// Checks that the keys are columns and that all numbers are within their limits.
    ///
    /// # Errors
    /// Returns the first thing that is wrong, and what is possible instead.
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
                return invalid(format!("column `{}` appears twice", column.name));
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
                return invalid(format!("key column `{key}` appears twice"));
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

    /// Returns the Arrow schema, in which the key columns are not nullable and all others are.
    pub fn schema(&self) -> SchemaRef {
        let keys: Vec<&String> = self.key_names().collect();
        let field = |c: &Column| Field::new(&c.name, c.kind.data_type(), !keys.contains(&&c.name));
        Arc::new(Schema::new(
            self.columns.iter().map(field).collect::<Vec<_>>(),
        ))
    }

    /// Returns the number of the column with this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    fn key_names(&self) -> impl Iterator<Item = &String> {
        self.partition_key.iter().chain(&self.order_key)
    }

    fn indexes<'a>(&self, names: impl Iterator<Item = &'a String>) -> Vec<usize> {
        names.filter_map(|name| self.index_of(name)).collect()
    }

    /// Returns the column numbers of the partition key.
    pub fn partition_indexes(&self) -> Vec<usize> {
        self.indexes(self.partition_key.iter())
    }

    /// Returns the column numbers of the order key.
    pub fn order_indexes(&self) -> Vec<usize> {
        self.indexes(self.order_key.iter())
    }

    /// Returns the column number of the first order key if that is an integer, a date or a time.
    pub fn first_order_index(&self) -> Option<usize> {
        let first = self.order_indexes().first().copied();
        first.filter(|i| self.columns[*i].kind.has_buckets())
    }

    /// Returns the column numbers of the whole key: the partition key, then the order key.
    pub fn key_indexes(&self) -> Vec<usize> {
        self.indexes(self.key_names())
    }

    /// Returns the place that all rows have, in a table with one shard and without buckets.
    pub(crate) fn only_place(&self) -> Option<Place> {
        let is_one = self.bucket.is_none() && self.shards == 1;
        is_one.then_some(Place {
            bucket: 0,
            shard: 0,
        })
    }

    /// Returns the numbers of the columns outside of the key, in the order of the table.
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
