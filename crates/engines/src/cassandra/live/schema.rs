//! What `system_schema` has of a table.

use std::collections::HashMap;

use scylla::client::session::Session;

use crate::cassandra::diagnose::ask::rows;
use crate::cassandra::rows::storage::stored::StoredOptions;

type Map = Option<HashMap<String, String>>;

/// A table as `system_schema` has it.
#[derive(Debug, Default)]
pub struct Schema {
    /// The types of its columns as CQL writes them, by the names of these.
    pub types: HashMap<String, String>,
    pub options: StoredOptions,
    /// The names of its indexes.
    pub indexes: Vec<String>,
}

impl Schema {
    /// Reads a table or a materialized view.
    ///
    /// # Errors
    /// Says why it cannot be read.
    pub async fn read(session: &Session, keyspace: &str, name: &str) -> Result<Schema, String> {
        let cql = "SELECT column_name, type FROM system_schema.columns \
                   WHERE keyspace_name = ? AND table_name = ?";
        let reply = rows(session, None, cql, (keyspace, name)).await?;
        let columns = reply.rows::<(String, String)>();
        let types: Result<HashMap<String, String>, _> =
            columns.map_err(|e| e.to_string())?.collect();
        let cql = "SELECT index_name FROM system_schema.indexes \
                   WHERE keyspace_name = ? AND table_name = ?";
        let reply = rows(session, None, cql, (keyspace, name)).await?;
        let indexes = reply.rows::<(String,)>().map_err(|e| e.to_string())?;
        let indexes: Result<Vec<String>, _> = indexes.map(|row| row.map(|(name,)| name)).collect();
        let options = match options(session, "tables", "table_name", keyspace, name).await? {
            Some(options) => options,
            None => options_of_view(session, keyspace, name).await?,
        };
        Ok(Schema {
            types: types.map_err(|e| e.to_string())?,
            options,
            indexes: indexes.map_err(|e| e.to_string())?,
        })
    }
}

async fn options_of_view(
    session: &Session,
    keyspace: &str,
    name: &str,
) -> Result<StoredOptions, String> {
    let options = options(session, "views", "view_name", keyspace, name).await?;
    options.ok_or_else(|| "it was dropped meanwhile".to_owned())
}

/// Reads the options of a table or view; `None` if there is none of this name.
async fn options(
    session: &Session,
    from: &str,
    name_column: &str,
    keyspace: &str,
    name: &str,
) -> Result<Option<StoredOptions>, String> {
    let cql = format!(
        "SELECT compaction, compression, caching, default_time_to_live, gc_grace_seconds \
         FROM system_schema.{from} WHERE keyspace_name = ? AND {name_column} = ?"
    );
    let reply = rows(session, None, &cql, (keyspace, name)).await?;
    let row = reply.maybe_first_row::<(Map, Map, Map, Option<i32>, Option<i32>)>();
    let row = row.map_err(|e| e.to_string())?;
    let seconds = |seconds: Option<i32>| u64::try_from(seconds.unwrap_or_default()).unwrap_or(0);
    Ok(row.map(
        |(compaction, compression, caching, ttl, grace)| StoredOptions {
            compaction: compaction.unwrap_or_default(),
            compression: compression.unwrap_or_default(),
            caching: caching.unwrap_or_default(),
            default_time_to_live: seconds(ttl),
            gc_grace_seconds: seconds(grace),
        },
    ))
}
