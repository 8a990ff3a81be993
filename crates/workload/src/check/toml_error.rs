//! Rewrites the TOML library's errors in Bakeoff's own form.

use super::text::{Text, suggestion};
use crate::Error;

/// Returns the error with its line and column, with a suggestion if a key is unknown.
pub fn explain(document: Text<'_>, error: &toml::de::Error) -> Error {
    let span = error.span().unwrap_or(0..0);
    let message = unknown_key(error.message())
        .or_else(|| missing_key(error.message()))
        .or_else(|| wrong_type(error.message()))
        .unwrap_or_else(|| error.message().to_owned());
    document.error(span, message)
}

/// Rewrites serde's "unknown field `x`, expected one of `a`, `b`".
fn unknown_key(message: &str) -> Option<String> {
    message.strip_prefix("unknown field ")?;
    let mut words = message.split('`').skip(1).step_by(2);
    let unknown = words.next()?;
    Some(format!(
        "unknown key `{unknown}`{}",
        suggestion(unknown, words)
    ))
}

/// Rewrites serde's "missing field `x`".
fn missing_key(message: &str) -> Option<String> {
    let key = message.strip_prefix("missing field ")?;
    Some(format!("the key {key} is missing here"))
}

/// Rewrites serde's "invalid type: string "x", expected i64".
fn wrong_type(message: &str) -> Option<String> {
    let (found, expected) = message
        .strip_prefix("invalid type: ")?
        .split_once(", expected ")?;
    let expected = match expected {
        "i64" => "a whole number",
        "f64" => "a number",
        "a sequence" => "a list in brackets: [..]",
        "a map" => "a table",
        other if other.starts_with("struct ") => "a table",
        other => other,
    };
    Some(format!("expected {expected}, found {found}"))
}
