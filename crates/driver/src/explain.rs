//! Text of an error with its causes, in one line.

use std::error::Error;

/// Describes an error with its causes. A cause is left out if the text contains its message already,
/// as many errors quote what caused them.
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
