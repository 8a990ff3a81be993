//! Defines options for a Cassandra of several nodes, and for the copies that it keeps.

use anyhow::Result;
use bakeoff_engines::{OptionGroup, Replication};
use bakeoff_workload::Consistency;
use clap::Args;

use super::cluster::ClusterOptions;
use super::unused::Given;
use crate::exit::Misuse;

#[derive(Args, Debug, Clone)]
pub struct NodesOptions {
    /// Nodes of the Cassandra that is started, at 127.0.0.1, 127.0.0.2 and so on, all on this machine
    /// [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "cassandra", value_parser = clap::value_parser!(u8).range(1..=16), allow_negative_numbers = true)]
    nodes: Option<u8>,

    /// Copies of each row in Cassandra [default: 3, or as many as --nodes if that is less]
    #[arg(long, value_name = "COPIES", value_parser = clap::value_parser!(u32).range(1..=16), allow_negative_numbers = true)]
    replication: Option<u32>,

    /// Start a separate Cassandra, with its own heap, for each design, instead of one for all; they run
    /// side by side until the end
    #[arg(long, conflicts_with_all = ["cassandra", "nodes"])]
    pub server_per_design: bool,
}

/// Returns the options about Cassandra that are given.
pub fn given(
    cluster: &ClusterOptions,
    nodes: &NodesOptions,
    consistency: Option<Consistency>,
) -> Given {
    let mut given = Given::default();
    cluster.add_given(&mut given);
    nodes.add_given(&mut given);
    let has_level = consistency.is_some();
    given.add("--consistency", OptionGroup::Cassandra, has_level);
    given
}

impl NodesOptions {
    fn add_given(&self, given: &mut Given) {
        given.add("--nodes", OptionGroup::Cassandra, self.nodes.is_some());
        let has_copies = self.replication.is_some();
        given.add("--replication", OptionGroup::Cassandra, has_copies);
        let has_own = self.server_per_design;
        given.add("--server-per-design", OptionGroup::Cassandra, has_own);
    }

    /// Returns the number of nodes that are started.
    pub fn count(&self) -> u8 {
        self.nodes.unwrap_or(1)
    }

    /// Returns the nodes, copies and consistency that were asked for.
    ///
    /// # Errors
    /// Fails with a misuse if the nodes that are to be started cannot provide them.
    pub fn replication(&self, ours: bool, consistency: Option<Consistency>) -> Result<Replication> {
        let replication = Replication {
            nodes: self.count(),
            copies: self.replication,
            consistency,
        };
        if ours {
            let checked = replication.check(usize::from(replication.nodes));
            checked.map_err(|error| Misuse::new(error.into()))?;
        }
        Ok(replication)
    }
}
