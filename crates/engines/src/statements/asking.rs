//! The table that statements of an application ask, and their language.

use bakeoff_workload::ColumnType;
use bakeoff_workload::infer::{Inferred, InferredColumn};

use super::words::name;
use crate::dialect::tokens::{Kind, Token};

/// Keywords that are no column, whatever columns are called.
const KEYWORDS: [&str; 28] = [
    "and", "as", "asc", "between", "by", "case", "desc", "distinct", "else", "end", "from",
    "group", "having", "in", "is", "join", "like", "limit", "not", "null", "on", "or", "order",
    "select", "then", "union", "when", "where",
];

/// The language of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Cql,
    Sql,
}

/// The table that statements ask.
#[derive(Debug, Clone)]
pub struct Asking<'a> {
    /// As the workload has it.
    pub found: &'a Inferred,
    /// Its name in the statements, without keyspace or schema.
    pub table: &'a str,
    pub language: Language,
    /// Columns of the order key, by their names in the workload, whose greatest value comes first where a statement
    /// names no order; `None` if that is not known.
    pub descending: Option<Vec<String>>,
}

/// Returns the name of a column as rows or statements have it.
pub fn written(column: &InferredColumn) -> &str {
    column.from.as_deref().unwrap_or(&column.name).trim()
}

impl Asking<'_> {
    /// Returns the place of the column that a token names.
    pub fn column(&self, token: &Token<'_>) -> Option<usize> {
        let is_keyword = |word: &str| KEYWORDS.contains(&word.to_ascii_lowercase().as_str());
        if token.kind == Kind::Word && is_keyword(token.text) {
            return None;
        }
        let called = name(Some(token))?;
        let mut columns = self.found.columns.iter();
        // Two columns may differ in upper and lower case alone.
        let same = columns.position(|column| written(column) == called);
        let called = called.to_lowercase();
        same.or_else(|| {
            let mut columns = self.found.columns.iter();
            columns.position(|column| {
                written(column).to_lowercase() == called || column.name == called
            })
        })
    }

    /// Returns whether the column at a place is in the key.
    pub fn is_key(&self, place: usize) -> bool {
        let called = &self.found.columns[place].name;
        let mut key = self.found.partition_key.iter().chain(&self.found.order_key);
        key.any(|name| name == called)
    }

    /// Returns the type of the column at a place.
    pub fn kind(&self, place: usize) -> ColumnType {
        self.found.columns[place].kind
    }
}
