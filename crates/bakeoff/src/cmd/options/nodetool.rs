//! Defines the option that reaches nodetool on the hosts of a cluster.

use bakeoff_engines::nodes::Nodetool;
use clap::Args;

#[derive(Args, Debug, Clone)]
pub struct NodetoolOptions {
    /// Nodetool on the hosts of --cassandra: a command with {host} in it, for example 'ssh {host} nodetool',
    /// split into words as a shell does
    #[arg(long, value_name = "COMMAND", requires = "cassandra")]
    pub nodetool: Option<Nodetool>,
}
