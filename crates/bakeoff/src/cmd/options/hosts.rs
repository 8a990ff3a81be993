//! Defines options of commands that measure on the hosts of a cluster: nodetool and exporters of metrics.

use anyhow::Result;
use bakeoff_engines::EngineOptions;
use clap::Args;

use super::metrics::MetricsOptions;
use super::nodetool::NodetoolOptions;

/// Help of --metrics, whose hosts are those of a cluster that is measured.
const METRICS_HELP: &str = "Exporters of metrics on the hosts of --cassandra, sampled while it is measured, for \
    example http://{host}:9100/metrics: those of the JVM and of machines are understood (repeat for several)";

#[derive(Args, Debug, Clone)]
#[command(mut_arg("metrics", |a| a.help(METRICS_HELP).requires("cassandra")))]
pub struct HostsOptions {
    #[command(flatten)]
    pub nodetool: NodetoolOptions,

    #[command(flatten)]
    pub metrics: MetricsOptions,
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
