//! Defines options that name a cluster, the same for every command that uses one.

use std::path::PathBuf;

use bakeoff_engines::{Cluster, OptionGroup};
use clap::Args;

use super::unused::Given;

/// Variable with the password of --username. There is no flag, to keep it out of process lists and histories.
const PASSWORD_VARIABLE: &str = "BAKEOFF_CASSANDRA_PASSWORD";

#[derive(Args, Debug, Clone)]
pub struct ClusterOptions {
    /// A running Cassandra; otherwise one is started on loopback and stopped at the end
    #[arg(long, value_name = "HOST[:PORT]")]
    pub cassandra: Option<String>,

    /// User name for --cassandra; its password comes from BAKEOFF_CASSANDRA_PASSWORD
    #[arg(long, requires = "cassandra")]
    username: Option<String>,

    /// Encrypt the connection to --cassandra
    #[arg(long, requires = "cassandra", requires = "tls_ca")]
    tls: bool,

    /// PEM file with the certificates to trust, for --tls
    #[arg(long, value_name = "FILE", requires = "tls")]
    tls_ca: Option<PathBuf>,
}

/// Returns the password for a Cassandra, if there is one.
pub fn password() -> Option<String> {
    std::env::var(PASSWORD_VARIABLE).ok()
}

impl ClusterOptions {
    /// Adds the options that are given. The others need the first one.
    pub fn add_given(&self, given: &mut Given) {
        let is_named = self.cassandra.is_some();
        given.add("--cassandra", OptionGroup::Cassandra, is_named);
    }

    /// Returns the option that names a cluster, if there is one.
    pub fn option(&self) -> Option<&'static str> {
        self.cassandra.is_some().then_some("--cassandra")
    }

    /// Returns the named cluster; `None` if a server is to be started.
    pub fn cluster(&self) -> Option<Cluster> {
        self.cassandra.clone().map(|address| Cluster {
            address,
            username: self.username.clone(),
            password: password(),
            tls: self.tls,
            tls_ca: self.tls_ca.clone(),
            consistency: None,
        })
    }
}
