//! Defines the option that takes over the settings of a table that exists.

use anyhow::{Result, anyhow};
use bakeoff_engines::TableSettings;
use clap::Args;

use super::cluster::ClusterOptions;
use crate::exit::Misuse;

#[derive(Args, Debug, Clone)]
pub struct SettingsOfOptions {
    /// A table of --cassandra whose compression, compaction, caching and further settings the tables of rows get,
    /// where a design states none; only its schema is read
    #[arg(
        long,
        value_name = "KEYSPACE.TABLE",
        requires = "cassandra",
        value_parser = parse
    )]
    settings_of: Option<TableName>,
}

/// A keyspace and a table, in the case in which the schema has them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TableName {
    keyspace: String,
    table: String,
}

impl SettingsOfOptions {
    /// Reads the settings of the table, if one is named.
    ///
    /// # Errors
    /// Fails with a misuse if there is no such table, and if the cluster does not answer.
    pub async fn read(&self, cluster: &ClusterOptions) -> Result<Option<TableSettings>> {
        let (Some(name), Some(cluster)) = (&self.settings_of, cluster.cluster()) else {
            return Ok(None);
        };
        let found = TableSettings::read(&cluster, &name.keyspace, &name.table).await?;
        let settings = found.ok_or_else(|| {
            Misuse::new(anyhow!(
                "--settings-of {}.{}: there is no such table in the Cassandra at {}; names are in the case of its \
                 schema",
                name.keyspace,
                name.table,
                cluster.address
            ))
        })?;
        Ok(Some(settings))
    }
}

fn parse(text: &str) -> Result<TableName, String> {
    let parts = text.split_once('.');
    let parts = parts.filter(|(keyspace, table)| !keyspace.is_empty() && !table.is_empty());
    let (keyspace, table) = parts.ok_or("not a table such as metrics.readings")?;
    Ok(TableName {
        keyspace: keyspace.to_owned(),
        table: table.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_keyspace() {
        let name = parse("metrics.readings").unwrap();
        assert_eq!(
            (name.keyspace.as_str(), name.table.as_str()),
            ("metrics", "readings")
        );
        for bad in ["", "readings", ".readings", "metrics."] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
