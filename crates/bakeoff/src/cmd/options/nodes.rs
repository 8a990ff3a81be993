//! Defines options for a Cassandra of several nodes, and for the copies that it keeps.

use anyhow::Result;
use bakeoff_engines::{OptionGroup, Replication};
use bakeoff_workload::{Consistency, ServerSettings, Workload};
use clap::Args;

use super::choice::parse_mebibytes;
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

    /// Heap of each Cassandra that is started, for example 8GiB; all nodes together take no more than a quarter of
    /// the memory [default: as the workload says, or 2GiB]
    #[arg(long, value_name = "SIZE", conflicts_with = "cassandra", value_parser = parse_mebibytes)]
    heap: Option<u64>,
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
        given.add("--heap", OptionGroup::Cassandra, self.heap.is_some());
    }

    /// Returns the limits and settings of each Cassandra that is started: those of the workload, with the heap that was
    /// asked for.
    pub fn server(&self, workload: &Workload) -> ServerSettings {
        let of_workload = workload.server.clone();
        ServerSettings {
            heap_mib: self.heap.or(of_workload.heap_mib),
            ..of_workload
        }
    }

    /// Describes what has to be the same for a run to go on; nothing where no such option is given.
    pub fn fingerprint(&self) -> String {
        let own = if self.server_per_design {
            "server per design"
        } else {
            ""
        };
        let heap = self.heap.map(|mib| format!("heap of {mib} MiB"));
        own.to_owned() + &heap.unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::testing::Line;
    use super::*;

    const WORKLOAD: &str = r#"
        title = "t"
        designs = ["cassandra/wide"]
        [data]
        generator = "sensor"
        [[queries]]
        name = "count"
        sql = "SELECT count(*) AS points FROM sensor"
    "#;

    fn nodes(arguments: &[&str]) -> NodesOptions {
        let line = Line::of(arguments).unwrap();
        assert_eq!(line.cluster.cassandra, None);
        line.options
    }

    fn workload(server: &str) -> Workload {
        let text = format!("{WORKLOAD}{server}");
        Workload::parse(&text, Path::new("w.toml")).unwrap()
    }

    #[test]
    fn a_heap_of_the_command_line_goes_before_that_of_the_workload() {
        let settings = "[server]\nheap = \"1GiB\"\nmemory = \"16GiB\"\n";
        let server = |arguments: &[&str], text: &str| nodes(arguments).server(&workload(text));
        assert_eq!(server(&[], "").heap_mib, None);
        assert_eq!(server(&[], settings).heap_mib, Some(1024));
        let asked = server(&["--heap", "8GiB"], settings);
        assert_eq!(
            (asked.heap_mib, asked.memory_mib),
            (Some(8192), Some(16_384))
        );
        assert_eq!(server(&["--heap", "768MiB"], "").heap_mib, Some(768));
    }

    #[test]
    fn a_run_does_not_go_on_with_another_heap() {
        assert_eq!(nodes(&[]).fingerprint(), "");
        let alone = nodes(&["--server-per-design"]).fingerprint();
        assert_eq!(alone, "server per design");
        let of = |heap| nodes(&["--heap", heap]).fingerprint();
        assert_eq!(of("2GiB"), of("2048MiB"));
        assert_ne!(of("2GiB"), of("4GiB"));
    }
}
