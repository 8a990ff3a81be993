//! Reads SQL literals of a workload file.

use std::ops::Range;

use toml::Value;

use super::text::Text;
use crate::Result;

/// Returns a number or boolean as an SQL literal.
pub fn plain(place: Text<'_>, span: Range<usize>, value: &Value) -> Result<String> {
    match value {
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(format!("{number:?}")),
        Value::Boolean(value) => Ok(value.to_string()),
        _ => Err(place.error(span, "expected a string, a number or a boolean")),
    }
}
