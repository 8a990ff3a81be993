//! Defines the option that reads metrics of the hosts of a cluster, once or while something is measured there.

use anyhow::{Result, anyhow};
use bakeoff_engines::EngineError;
use bakeoff_engines::nodes::Metrics;
use clap::Args;

use crate::exit::Misuse;

#[derive(Args, Debug, Clone)]
pub struct MetricsOptions {
    /// Metrics of each host in the text format of Prometheus, for example http://{host}:9100/metrics: those of a
    /// JVM exporter and of a node exporter are understood (repeat for several)
    #[arg(long, value_name = "URL")]
    metrics: Vec<String>,
}

impl MetricsOptions {
    /// Returns whether a URL is given.
    pub fn is_given(&self) -> bool {
        !self.metrics.is_empty()
    }

    /// Reads the URLs. A message about a value that clap refuses would show it, and it may have a password in it.
    ///
    /// # Errors
    /// Fails with a misuse for a URL that cannot be right, or that has a password in it.
    pub fn urls(&self) -> Result<Vec<Metrics>> {
        let metrics = self.metrics.iter().map(|url| url.parse::<Metrics>());
        let metrics: Result<Vec<Metrics>, EngineError> = metrics.collect();
        metrics.map_err(|error| Misuse::new(anyhow!("--metrics: {error}")).into())
    }
}
