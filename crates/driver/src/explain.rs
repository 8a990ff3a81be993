//! Errors in one line.

use std::error::Error;

/// Describes an error with its causes, each only once: many messages contain their cause already.
pub fn explain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let message = cause.to_string();
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        next = cause.source();
    }
    text
}
