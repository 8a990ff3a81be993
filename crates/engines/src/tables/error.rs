//! The errors of tables.

use std::fmt;

use datafusion::error::DataFusionError;

use crate::EngineError;
use crate::sql::message;

/// An error in a query, and its position in the SQL.
#[derive(Debug, Clone)]
pub struct SqlError {
    /// The line and the column, both counted from 1.
    pub position: Option<(usize, usize)>,
    pub message: String,
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some((line, column)) => write!(f, "SQL {line}:{column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// An error of a table, in words for the user.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TableError {
    /// A request that is not possible, such as one for a table or a column that does not exist.
    #[error("{0}")]
    Asked(String),
    /// An error in the SQL that was found while the query ran.
    #[error("{0}")]
    Sql(SqlError),
    /// A value of a source that does not fit its column.
    #[error("{0}")]
    Misfit(String),
    /// A request that was started and failed.
    #[error("{0}")]
    Failed(String),
}

impl From<EngineError> for TableError {
    fn from(error: EngineError) -> Self {
        TableError::Failed(error.0)
    }
}

impl From<DataFusionError> for TableError {
    fn from(error: DataFusionError) -> Self {
        let text = message(&error);
        TableError::Failed(match error.find_root() {
            DataFusionError::ResourcesExhausted(_) => format!(
                "the query needs more memory than it may use: {text}; give it more with --memory"
            ),
            _ => text.trim_start_matches("Arrow error: ").to_owned(),
        })
    }
}
