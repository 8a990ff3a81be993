//! Defines the option that takes over the settings of a table that exists.

use anyhow::{Result, anyhow};
use bakeoff_engines::TableSettings;
use bakeoff_engines::nodes::TableName;
use clap::Args;

use super::cluster::ClusterOptions;
use crate::exit::Misuse;

#[derive(Args, Debug, Clone)]
pub struct SettingsOfOptions {
    /// A table of --cassandra whose compression, compaction, caching and further settings the tables of rows get,
    /// where a design states none; only its schema is read
    #[arg(long, value_name = "KEYSPACE.TABLE", requires = "cassandra")]
    settings_of: Option<TableName>,
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
                "--settings-of {name}: there is no such table in the Cassandra at {}; names are in the case of its \
                 schema",
                cluster.address
            ))
        })?;
        Ok(Some(settings))
    }
}
