//! Cells of one column.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, Float32Array, Float64Array, Int32Array, Int64Array, StringArray,
    StringBuilder, TimestampMillisecondArray,
};

use super::bytes::Bytes;
use super::doubles::Doubles;
use super::draw::{Draw, Numbers, Texts};
use super::json::Json;
use super::numbers::{Normal, NormalInteger, UniformInteger, UniformReal, Zipf};
use super::text::{Characters, Passages, Words};
use crate::uuids::{CHARACTERS, numbered};
use crate::{ColumnGenerator, ColumnType, Value};

/// Generator of the cells of a column, by their type.
pub enum Cells {
    /// Whole numbers in a column of type int, bigint or timestamp, or for which UUIDs stand.
    Integers(ColumnType, Box<dyn Numbers<i64>>),
    /// Real numbers in a column of type float or double.
    Reals(ColumnType, Box<dyn Numbers<f64>>),
    Texts(Box<dyn Texts>),
    Blobs(Bytes),
    Lists(Doubles),
    Choice(ColumnType, Vec<Value>),
}

impl Cells {
    pub fn new(kind: ColumnType, generator: &ColumnGenerator) -> Self {
        let is_text = kind == ColumnType::Text;
        match generator.clone() {
            ColumnGenerator::Sequence(sequence) if is_text => Cells::Texts(Box::new(sequence)),
            ColumnGenerator::Sequence(sequence) => Cells::Integers(kind, Box::new(sequence)),
            ColumnGenerator::UniformInteger { from, to } => {
                Cells::Integers(kind, Box::new(UniformInteger { from, to }))
            }
            ColumnGenerator::UniformReal { from, to } => {
                Cells::Reals(kind, Box::new(UniformReal { from, to }))
            }
            ColumnGenerator::Normal { mean, deviation } if kind.is_floating() => {
                Cells::Reals(kind, Box::new(Normal { mean, deviation }))
            }
            ColumnGenerator::Normal { mean, deviation } => {
                let normal = Normal { mean, deviation };
                Cells::Integers(kind, Box::new(NormalInteger { normal, kind }))
            }
            ColumnGenerator::Zipf {
                items,
                exponent,
                prefix,
            } => {
                let zipf = Zipf::new(items, exponent, prefix);
                if is_text {
                    Cells::Texts(Box::new(zipf))
                } else {
                    Cells::Integers(kind, Box::new(zipf))
                }
            }
            ColumnGenerator::Choice(values) => Cells::Choice(kind, values),
            ColumnGenerator::Characters(length) => Cells::Texts(Box::new(Characters(length))),
            ColumnGenerator::Words(words) => Cells::Texts(Box::new(Words(words))),
            ColumnGenerator::Passages(words) => Cells::Texts(Box::new(Passages(words))),
            ColumnGenerator::Json(members) => Cells::Texts(Box::new(Json(members))),
            ColumnGenerator::Bytes {
                length,
                compressibility,
            } => {
                let bytes = Bytes::new(length, compressibility);
                if is_text {
                    Cells::Texts(Box::new(bytes))
                } else {
                    Cells::Blobs(bytes)
                }
            }
            ColumnGenerator::Doubles { items, law } => Cells::Lists(Doubles::new(items, law)),
        }
    }

    /// Returns the value of one cell.
    pub fn value(&self, mut draw: Draw) -> Value {
        match self {
            Cells::Integers(ColumnType::Int, law) => Value::Int(law.draw(draw) as i32),
            Cells::Integers(ColumnType::Timestamp, law) => Value::Timestamp(law.draw(draw)),
            Cells::Integers(ColumnType::Uuid, law) => Value::Uuid(numbered(law.draw(draw))),
            Cells::Integers(_, law) => Value::Bigint(law.draw(draw)),
            Cells::Reals(ColumnType::Float, law) => Value::Float(law.draw(draw) as f32),
            Cells::Reals(_, law) => Value::Double(law.draw(draw)),
            Cells::Texts(law) => {
                let mut text = String::new();
                law.append(draw, &mut text);
                Value::Text(text)
            }
            Cells::Blobs(law) => {
                let mut bytes = Vec::new();
                law.append(draw, &mut bytes);
                Value::Blob(bytes)
            }
            Cells::Lists(law) => {
                let mut bytes = Vec::new();
                law.append(&draw, &mut bytes);
                Value::Blob(bytes)
            }
            Cells::Choice(_, values) => choose(values, &mut draw).clone(),
        }
    }

    /// Makes an array of cells, as many as 32-bit offsets allow.
    pub fn array(&self, draws: impl Iterator<Item = Draw>) -> ArrayRef {
        match self {
            Cells::Integers(ColumnType::Int, law) => Arc::new(Int32Array::from_iter_values(
                draws.map(|draw| law.draw(draw) as i32),
            )),
            Cells::Integers(ColumnType::Timestamp, law) => Arc::new(
                TimestampMillisecondArray::from_iter_values(draws.map(|draw| law.draw(draw))),
            ),
            Cells::Integers(ColumnType::Uuid, law) => Arc::new(StringArray::from_iter_values(
                draws.map(|draw| numbered(law.draw(draw)).to_string()),
            )),
            Cells::Integers(_, law) => Arc::new(Int64Array::from_iter_values(
                draws.map(|draw| law.draw(draw)),
            )),
            Cells::Reals(ColumnType::Float, law) => Arc::new(Float32Array::from_iter_values(
                draws.map(|draw| law.draw(draw) as f32),
            )),
            Cells::Reals(_, law) => Arc::new(Float64Array::from_iter_values(
                draws.map(|draw| law.draw(draw)),
            )),
            Cells::Texts(law) => {
                let (mut text, mut builder) = (String::new(), StringBuilder::new());
                for draw in draws {
                    text.clear();
                    law.append(draw, &mut text);
                    builder.append_value(&text);
                }
                Arc::new(builder.finish())
            }
            Cells::Blobs(law) => {
                let (mut bytes, mut builder) = (Vec::new(), BinaryBuilder::new());
                for draw in draws {
                    bytes.clear();
                    law.append(draw, &mut bytes);
                    builder.append_value(&bytes);
                }
                Arc::new(builder.finish())
            }
            Cells::Lists(law) => {
                let (mut bytes, mut builder) = (Vec::new(), BinaryBuilder::new());
                for draw in draws {
                    bytes.clear();
                    law.append(&draw, &mut bytes);
                    builder.append_value(&bytes);
                }
                Arc::new(builder.finish())
            }
            Cells::Choice(kind, values) => {
                let chosen: Vec<&Value> = draws.map(|mut draw| choose(values, &mut draw)).collect();
                Value::array(*kind, chosen.into_iter())
            }
        }
    }

    /// Returns an upper estimate of the bytes of the longest cell.
    pub fn most_bytes(&self) -> u64 {
        match self {
            Cells::Integers(ColumnType::Uuid, _) => CHARACTERS as u64,
            Cells::Integers(..) | Cells::Reals(..) => 8,
            Cells::Texts(law) => law.most_bytes(),
            Cells::Blobs(law) => law.most_bytes(),
            Cells::Lists(law) => law.bytes(),
            Cells::Choice(_, values) => values.iter().map(bytes_of).max().unwrap_or(0),
        }
    }
}

fn choose<'a>(values: &'a [Value], draw: &mut Draw) -> &'a Value {
    const NULL: &Value = &Value::Null;
    let index = draw.stream.below(values.len() as u64);
    values.get(index as usize).unwrap_or(NULL)
}

fn bytes_of(value: &Value) -> u64 {
    match value {
        Value::Text(text) => text.len() as u64,
        Value::Uuid(_) => CHARACTERS as u64,
        Value::Blob(bytes) => bytes.len() as u64,
        _ => 8,
    }
}
