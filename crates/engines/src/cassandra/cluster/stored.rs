//! The first rows of a table as Cassandra stores them.

use bakeoff_driver::{DesignError, StoredText};

use super::deployment::Deployment;

/// Number of rows that are read.
const ROWS: usize = 12;

/// Reads the first rows of a table's largest SSTable; `None` for a table without SSTables, and for one of a server that
/// Bakeoff did not start, whose files it cannot read.
///
/// # Errors
/// If Cassandra's tool fails.
pub async fn read(
    deployment: &Deployment,
    keyspace: &str,
    table: &str,
) -> Result<Option<StoredText>, DesignError> {
    let Some(server) = &deployment.server else {
        return Ok(None);
    };
    let read = server.stored_rows(keyspace, table, ROWS).await;
    let text = read.map_err(|error| DesignError(error.to_string()))?;
    Ok(text.map(|text| StoredText {
        by: "sstabledump of Cassandra",
        text,
    }))
}
