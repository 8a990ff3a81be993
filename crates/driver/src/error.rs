//! The error of designs.

/// Failure of a design, in words for its user: what was being done, to what, and what to do now.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct DesignError(pub String);

impl DesignError {
    /// Makes an error from its text.
    pub fn new(message: impl Into<String>) -> Self {
        DesignError(message.into())
    }
}
