//! Turns values of a workload file into SQL literals.

use std::ops::Range;

use toml::Value;

use super::text::Text;
use crate::Result;

/// Returns a number or boolean as an SQL literal.
pub fn plain(document: Text<'_>, span: Range<usize>, value: &Value) -> Result<String> {
    match value {
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(format!("{number:?}")),
        Value::Boolean(value) => Ok(value.to_string()),
        _ => Err(document.error(span, "expected a string, a number or a boolean")),
    }
}
