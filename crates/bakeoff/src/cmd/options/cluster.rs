//! Options that name a cluster, the same for every command that measures on one.

use std::path::PathBuf;

use bakeoff_engines::Cluster;
use clap::Args;

/// Password of --username; never a flag, so that it is in no process list and no history.
const PASSWORD_VARIABLE: &str = "BAKEOFF_CASSANDRA_PASSWORD";

#[derive(Args, Debug, Clone)]
pub struct ClusterOptions {
    /// A Cassandra that already runs; else one is started on loopback and stopped at the end
    #[arg(long, value_name = "HOST[:PORT]")]
    pub cassandra: Option<String>,

    /// User name for --cassandra; its password comes from BAKEOFF_CASSANDRA_PASSWORD
    #[arg(long, requires = "cassandra")]
    username: Option<String>,

    /// Encrypt the connection to --cassandra
    #[arg(long, requires = "cassandra", requires = "tls_ca")]
    tls: bool,

    /// PEM file with the certificates to trust, for --tls
    #[arg(long, value_name = "FILE", requires = "cassandra")]
    tls_ca: Option<PathBuf>,
}

impl ClusterOptions {
    /// The cluster that was named; `None` when one is to be started.
    pub fn cluster(&self) -> Option<Cluster> {
        self.cassandra.clone().map(|address| Cluster {
            address,
            username: self.username.clone(),
            password: std::env::var(PASSWORD_VARIABLE).ok(),
            tls: self.tls,
            tls_ca: self.tls_ca.clone(),
            consistency: None,
        })
    }
}
