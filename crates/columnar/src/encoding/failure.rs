//! Failures of encoding and decoding, among them panics of the libraries below.

use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The error of bytes that are no blob of the expected kind and number of rows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes are damaged.
    #[error("{0}")]
    Corrupt(String),

    /// The blob has a format that this version does not know.
    #[error("it has format {found}, and this version reads up to {known}; use a newer version")]
    Version { found: u8, known: u8 },
}

/// The text of any error.
#[derive(Debug)]
pub(super) struct Failure(pub String);

impl<E: Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(error.to_string())
    }
}

impl From<Failure> for DecodeError {
    fn from(failure: Failure) -> Self {
        DecodeError::Corrupt(failure.0)
    }
}

/// Returns the result of some work, or its panic as an error. Vortex checks what it reads, but in some
/// places it asserts; nothing that it works on is used again after a panic.
pub(super) fn guarded<T, E: From<Failure>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Failure(words(&*panic)).into()))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panicked without a message").to_owned()
}
