//! What goes wrong with tables.

use std::fmt;

use datafusion::error::DataFusionError;

use crate::EngineError;
use crate::sql::message;

/// A query that cannot be, and where in its SQL.
#[derive(Debug, Clone)]
pub struct SqlError {
    /// Line and column, both from 1 on.
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

/// In words for the user.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TableError {
    /// What was asked for cannot be: a table, a column or a query that does not exist.
    #[error("{0}")]
    Asked(String),
    /// The SQL is wrong, as was found when it was carried out.
    #[error("{0}")]
    Sql(SqlError),
    /// A value of a source does not fit its column.
    #[error("{0}")]
    Misfit(String),
    /// What was asked for was begun, and did not succeed.
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
