//! The errors of engines, in words for the user.

use bakeoff_driver::DesignError;

/// An engine that cannot be used, or a design that it cannot build, in words for the user.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct EngineError(pub String);

impl From<EngineError> for DesignError {
    fn from(error: EngineError) -> Self {
        DesignError(error.0)
    }
}

impl From<bakeoff_servers::Error> for EngineError {
    fn from(error: bakeoff_servers::Error) -> Self {
        EngineError(error.to_string())
    }
}
