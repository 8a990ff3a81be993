//! Why a request could not be traced.

use crate::EngineError;

/// The reason why there is no trace, in words for the user.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TraceError {
    /// A mistake in what was asked for.
    #[error("{0}")]
    Asked(String),
    /// A request that was sent and failed, or a cluster that does not answer.
    #[error("{0}")]
    Failed(String),
}

impl From<EngineError> for TraceError {
    fn from(error: EngineError) -> Self {
        TraceError::Failed(error.0)
    }
}
