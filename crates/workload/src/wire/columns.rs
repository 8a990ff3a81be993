//! Generators of columns as written (`[data.columns]`), one for each column.

use serde::Deserialize;
use toml::{Spanned, Value};

/// A generator as written: exactly one of these, and `prefix` in text columns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnGenerator {
    pub sequence: Option<Spanned<Sequence>>,
    pub uniform: Option<Spanned<Vec<Value>>>,
    pub normal: Option<Spanned<Normal>>,
    pub zipf: Option<Spanned<Zipf>>,
    pub choice: Option<Spanned<Vec<Spanned<Value>>>>,
    pub characters: Option<Spanned<Vec<i64>>>,
    pub words: Option<Spanned<Vec<i64>>>,
    pub passages: Option<Spanned<Vec<i64>>>,
    pub json: Option<Spanned<Vec<i64>>>,
    pub bytes: Option<Spanned<Bytes>>,
    pub doubles: Option<Spanned<Doubles>>,
    pub prefix: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    pub start: Option<Spanned<Value>>,
    pub step: Option<Spanned<Value>>,
    pub every: Option<Spanned<i64>>,
    pub cycle: Option<Spanned<i64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Normal {
    pub mean: Spanned<f64>,
    pub deviation: Spanned<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zipf {
    pub items: Spanned<i64>,
    pub exponent: Option<Spanned<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    pub length: Spanned<Vec<i64>>,
    pub compressibility: Option<Spanned<f64>>,
}

/// A list of numbers as written, with one distribution.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doubles {
    pub items: Spanned<i64>,
    pub uniform: Option<Spanned<Vec<Value>>>,
    pub normal: Option<Spanned<Normal>>,
}
