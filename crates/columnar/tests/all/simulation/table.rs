//! CQL tables and the types of their columns.

use bytes::{BufMut, Bytes, BytesMut};

/// The type of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Bigint,
    Blob,
    Boolean,
    Inet,
    Int,
    Smallint,
    Text,
    Uuid,
    List(Box<Type>),
    /// A map of texts.
    Map,
    /// A set of texts.
    Set,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    pub columns: Vec<(String, Type)>,
    pub partition_key: Vec<String>,
    pub clustering: Vec<String>,
    pub comment: String,
}

impl Table {
    pub fn kind(&self, column: &str) -> Type {
        let found = self.columns.iter().find(|(name, _)| name == column);
        let (_, kind) = found.unwrap_or_else(|| panic!("{} has no {column}", self.name));
        kind.clone()
    }
}

impl Type {
    /// Returns the type of a name in CQL. Those of collections are short.
    pub fn named(name: &str) -> Type {
        match name {
            "bigint" => Type::Bigint,
            "blob" => Type::Blob,
            "boolean" => Type::Boolean,
            "inet" => Type::Inet,
            "int" => Type::Int,
            "smallint" => Type::Smallint,
            "text" => Type::Text,
            "uuid" => Type::Uuid,
            "map" => Type::Map,
            "set" => Type::Set,
            other => panic!("no type {other}"),
        }
    }

    /// Writes the type as the native protocol does.
    pub fn put(&self, body: &mut BytesMut) {
        let code = match self {
            Type::Bigint => 0x02,
            Type::Blob => 0x03,
            Type::Boolean => 0x04,
            Type::Int => 0x09,
            Type::Uuid => 0x0C,
            Type::Text => 0x0D,
            Type::Inet => 0x10,
            Type::Smallint => 0x13,
            Type::List(_) => 0x20,
            Type::Map => 0x21,
            Type::Set => 0x22,
        };
        body.put_u16(code);
        match self {
            Type::List(of) => of.put(body),
            Type::Map => {
                Type::Text.put(body);
                Type::Text.put(body);
            }
            Type::Set => Type::Text.put(body),
            _ => {}
        }
    }

    /// Returns the value of a constant in a statement.
    pub fn constant(&self, word: &str) -> Bytes {
        match self {
            Type::Bigint => word.parse::<i64>().unwrap().to_be_bytes().to_vec(),
            Type::Int => word.parse::<i32>().unwrap().to_be_bytes().to_vec(),
            Type::Boolean => vec![u8::from(word == "true")],
            Type::Text => word.strip_prefix('\'').unwrap().as_bytes().to_vec(),
            Type::Blob => {
                let digits = word.strip_prefix("0x").unwrap();
                let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
                (0..digits.len()).step_by(2).map(byte).collect()
            }
            other => panic!("no constants of {other:?}"),
        }
        .into()
    }
}
