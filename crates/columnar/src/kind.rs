//! The types that a column can have.

use std::fmt;
use std::str::FromStr;

use arrow::datatypes::{DataType, TimeUnit};
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The type of a column. Definitions spell it as the variant's name in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// `true` or `false`.
    Boolean,
    /// A signed integer of 32 bits.
    Int,
    /// A signed integer of 64 bits.
    Bigint,
    /// An IEEE 754 number of 32 bits.
    Float,
    /// An IEEE 754 number of 64 bits.
    Double,
    /// A day, counted from 1970-01-01.
    Date,
    /// A moment in milliseconds since 1970-01-01 UTC.
    Timestamp,
    /// A moment in nanoseconds since 1970-01-01 UTC.
    Nanotime,
    /// A text in UTF-8.
    Text,
    /// Bytes of any content.
    Blob,
}

impl Kind {
    /// Every kind.
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

    /// Returns the name that definitions use.
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

    /// Returns the Arrow type of columns of this kind.
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

    /// Returns the kind that can hold every value of an Arrow type, if there is one.
    pub fn from_data_type(data_type: &DataType) -> Option<Kind> {
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
            DataType::Dictionary(_, values) => return Kind::from_data_type(values),
            _ => return None,
        })
    }

    /// Returns whether time buckets can be cut from values of this kind.
    pub(crate) fn has_buckets(self) -> bool {
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

    /// Parses a name, ignoring the case of letters.
    fn from_str(text: &str) -> Result<Kind> {
        let found = Kind::ALL
            .into_iter()
            .find(|kind| kind.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            Error::Invalid(format!(
                "`{text}` is not a type of a columnar table; there are {}",
                Kind::ALL.map(Kind::name).join(", ")
            ))
        })
    }
}
