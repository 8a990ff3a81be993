//! Errors of this library as errors of DataFusion.

use datafusion::error::DataFusionError;

/// Wraps an error of this library for DataFusion.
pub fn external(error: crate::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
