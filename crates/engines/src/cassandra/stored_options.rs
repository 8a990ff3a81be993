//! Reads the options of a table or a materialized view that exists from `system_schema`.

use std::collections::HashMap;

use scylla::client::session::Session;
use scylla::deserialize::row::DeserializeRow;

use super::diagnose::ask::rows;

/// An option with parameters of its own, such as compaction, as the schema has it.
pub type OptionMap = Option<HashMap<String, String>>;

/// What the options are those of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Table,
    View,
}

/// Reads the options of these names, in their order, of a table or view; `None` if there is none of this name. Other
/// options are not asked for, since a version of Cassandra may lack them.
///
/// # Errors
/// Says why the schema cannot be read.
pub async fn read<R>(
    session: &Session,
    kind: Kind,
    keyspace: &str,
    name: &str,
    options: &[&str],
) -> Result<Option<R>, String>
where
    R: for<'f> DeserializeRow<'f, 'f>,
{
    let reply = rows(session, None, &statement(kind, options), (keyspace, name)).await?;
    reply.maybe_first_row().map_err(|error| error.to_string())
}

fn statement(kind: Kind, options: &[&str]) -> String {
    let (from, name_column) = match kind {
        Kind::Table => ("tables", "table_name"),
        Kind::View => ("views", "view_name"),
    };
    format!(
        "SELECT {} FROM system_schema.{from} WHERE keyspace_name = ? AND {name_column} = ?",
        options.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_views_are_in_different_tables_of_the_schema() {
        assert_eq!(
            statement(Kind::Table, &["compaction", "caching"]),
            "SELECT compaction, caching FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?"
        );
        assert_eq!(
            statement(Kind::View, &["compaction"]),
            "SELECT compaction FROM system_schema.views WHERE keyspace_name = ? AND view_name = ?"
        );
    }
}
