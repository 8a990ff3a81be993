//! Defines options of commands that measure on the hosts of a cluster: nodetool and exporters of metrics.

use anyhow::Result;
use bakeoff_engines::EngineOptions;
use clap::Args;

use super::metrics::SampledMetricsOptions;
use super::nodetool::NodetoolOptions;

#[derive(Args, Debug, Clone)]
pub struct HostsOptions {
    #[command(flatten)]
    pub nodetool: NodetoolOptions,

    #[command(flatten)]
    pub metrics: SampledMetricsOptions,
}

impl HostsOptions {
    /// Reads the command and the URLs into the options of engines.
    ///
    /// # Errors
    /// Fails with a misuse for one that cannot be right, or that has a password in it.
    pub fn put_into(&self, options: &mut EngineOptions) -> Result<()> {
        options.cassandra.nodetool = self.nodetool.command()?;
        options.cassandra.metrics = self.metrics.urls()?;
        Ok(())
    }
}
