//! Operations as written (`[mix]`), which are performed at the same time.

use serde::Deserialize;
use toml::{Spanned, Value};

use super::Names;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    pub consistency: Option<Spanned<String>>,
    pub ttl: Option<Spanned<String>>,
    #[serde(default)]
    pub operations: Vec<Spanned<Operation>>,
    #[serde(default)]
    pub schema: Vec<Spanned<String>>,
    #[serde(default)]
    pub populate: Vec<Spanned<String>>,
    #[serde(default)]
    pub background: Vec<Background>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    pub name: Option<Spanned<String>>,
    pub action: Spanned<String>,
    pub weight: Spanned<f64>,
    pub keys: Option<Spanned<Value>>,
    pub consistency: Option<Spanned<String>>,
    pub ttl: Option<Spanned<String>>,
    pub batch: Option<Spanned<i64>>,
    pub columns: Option<Spanned<Vec<Spanned<String>>>>,
    pub limit: Option<Spanned<i64>>,
    pub newest_first: Option<Spanned<bool>>,
    pub requests: Option<Spanned<i64>>,
    pub at_once: Option<Spanned<bool>>,
    pub rows: Option<Spanned<i64>>,
    pub query: Option<Spanned<String>>,
    pub statements: Option<Spanned<Vec<Spanned<String>>>>,
    pub bind: Option<Spanned<Names<Spanned<Bind>>>>,
    pub otherwise: Option<Spanned<String>>,
    pub expect: Option<Spanned<Vec<Spanned<String>>>>,
    pub expect_row: Option<Spanned<bool>>,
}

/// Value of a statement's marker as written: a column, or a result.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bind {
    pub column: Option<Spanned<String>>,
    pub version: Option<Spanned<i64>>,
    pub result: Option<Spanned<String>>,
    pub plus: Option<Spanned<i64>>,
    pub toggle: Option<Spanned<Vec<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Background {
    pub every: Spanned<String>,
    pub cycle: Option<Spanned<i64>>,
    pub statements: Spanned<Vec<Spanned<String>>>,
}
