//! Reads when a node is to be added during the load: `--add-node-after 1m`.

use std::time::Duration;

use anyhow::{Result, bail};
use bakeoff_driver::drive::Schedule;
use bakeoff_engines::registry::engine;
use bakeoff_stats::Role;
use bakeoff_workload::DesignId;
use clap::Args;

use super::Drive;
use super::load::Load;
use crate::cmd::options::choice::parse_duration;

/// Fewest nodes to which another one can be added: a Cassandra of one node has other settings, and tokens at random.
const FEWEST_NODES: u8 = 2;

#[derive(Args, Debug)]
pub struct AddedNodeOptions {
    /// Starts one more node so long after the load has begun, which joins the --nodes while it lasts; the report says
    /// how long that took and what it cost the load
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = parse_duration,
        requires = "nodes",
        conflicts_with_all = [
            "cassandra", "within", "passes", "operations", "beside", "beside_query", "beside_design", "need",
            "prices", "start_at"
        ]
    )]
    add_node_after: Option<Duration>,
}

impl AddedNodeOptions {
    /// Returns the time from the start of the load until a node is added, if one is to be.
    pub fn after(&self) -> Option<Duration> {
        self.add_node_after
    }

    /// Returns the number of nodes that are added to those of the start.
    pub fn nodes(&self) -> u8 {
        u8::from(self.add_node_after.is_some())
    }

    /// Writes the lines that a dry run shows of the node.
    pub fn lines(&self, nodes: u8) -> Vec<String> {
        let lines = self.add_node_after.iter().map(|after| {
            format!(
                "\n{} s into the load one more node of Cassandra is started at 127.0.0.{}, and joins the others.",
                after.as_secs_f64(),
                nodes.saturating_add(1)
            )
        });
        lines.collect()
    }
}

impl Drive {
    /// Checks that a node can be added while the load runs, and that the load shows what that costs.
    pub fn check_added_node(&self, load: &Load, designs: &[DesignId], nodes: u8) -> Result<()> {
        let Some(after) = self.added_node.after() else {
            return Ok(());
        };
        if nodes < FEWEST_NODES {
            bail!(
                "--add-node-after: a Cassandra of one node has other settings than one of several: start at least \
                 --nodes {FEWEST_NODES}"
            );
        }
        if designs.len() > 1 || self.rounds() > 1 {
            bail!(
                "--add-node-after: no load that comes after the first one would have the same nodes: name one design \
                 with --design, for one round"
            );
        }
        for id in designs {
            if engine(id)?.role() == Role::Sink {
                bail!(
                    "--add-node-after: {id} stores nothing that a node could fetch: name another design"
                );
            }
        }
        if matches!(
            load.schedule,
            Schedule::Ramp { .. } | Schedule::Steps { .. }
        ) {
            bail!(
                "--add-node-after: the rate changes by itself, so that the load before and after cannot be compared: \
                 give one --rate"
            );
        }
        if after >= load.duration {
            bail!(
                "--add-node-after {} s: the load is over after {} s: give it a longer --for, in which the node can \
                 join as well",
                after.as_secs_f64(),
                load.duration.as_secs_f64()
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::{Action, Keys, Mix, Operation};
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        drive: Drive,
    }

    fn checked(arguments: &[&str], nodes: u8, designs: &[&str]) -> Result<(), String> {
        let line = ["drive", "w.toml", "--nodes", "3", "--add-node-after"];
        let line = Line::try_parse_from(line.iter().chain(arguments));
        let drive = line.map_err(|error| error.to_string())?.drive;
        let mix = Mix {
            operations: vec![Operation {
                name: "read".to_owned(),
                weight: 1.0,
                action: Action::ReadRow,
                keys: Keys::Uniform,
                consistency: None,
                ttl_seconds: None,
                batch: 1,
            }],
            schema: Vec::new(),
            populate: Vec::new(),
            background: Vec::new(),
        };
        let load = Load::new(&drive, &mix).unwrap();
        let designs: Vec<DesignId> = designs.iter().map(|id| id.parse().unwrap()).collect();
        let checked = drive.check_added_node(&load, &designs, nodes);
        checked.map_err(|error| error.to_string())
    }

    #[test]
    fn a_node_is_added_to_several_during_one_even_load() {
        let one = ["cassandra/wide"];
        assert_eq!(checked(&["10s", "--for", "2m"], 3, &one), Ok(()));
        assert_eq!(checked(&["10s", "--rate", "5k"], 3, &one), Ok(()));
        let two = ["cassandra/wide", "cassandra/narrow"];
        for (arguments, nodes, designs, words) in [
            (&["10s"][..], 1, &one[..], "start at least --nodes 2"),
            (&["10s"], 3, &two, "name one design"),
            (&["10s", "--rounds", "2"], 3, &one, "for one round"),
            (&["10s"], 3, &["dry"], "stores nothing"),
            (&["10s", "--rate", "1k..2k"], 3, &one, "give one --rate"),
            (&["10s", "--rate", "1k,2k"], 3, &one, "give one --rate"),
            (&["1m"], 3, &one, "a longer --for"),
            (&["1m", "--within", "p99<1s"], 3, &one, "--within"),
            (&["1m", "--passes", "read"], 3, &one, "--passes"),
            (&["1m", "--operations", "5k"], 3, &one, "--operations"),
            (&["1m", "--cassandra", "db1"], 3, &one, "--cassandra"),
        ] {
            let error = checked(arguments, nodes, designs).unwrap_err();
            assert!(error.contains(words), "{arguments:?}: {error}");
        }
        let alone = Line::try_parse_from(["drive", "w.toml", "--add-node-after", "1m"]);
        assert!(alone.err().unwrap().to_string().contains("--nodes"));
    }
}
