//! Explains the figures of several servers on one machine: nodes of Cassandra, and standbys.

use std::collections::BTreeSet;

use bakeoff_stats::drive::DriveSummary;
use bakeoff_stats::{DesignInfo, Machine, NodesInfo, ScaleOut, ScaledQuery, Summary};

use crate::units;

/// What is said where designs of other engines had no copies.
const OTHERS: &str = "; the designs of other engines kept one copy and waited for no other, so their times \
                      and costs are not comparable";

/// Says what the figures of a comparison on several nodes mean.
pub fn measured(summary: &Summary) -> Option<String> {
    let (nodes, machine) = (summary.header.nodes.as_ref()?, &summary.header.machine);
    let mut designs = summary.designs.iter();
    designs.find(|design| nodes.hold(&design.info))?;
    let mut note = format!(
        "{}, reading and writing at {}: bytes per row are of one copy, as everywhere, CPU times of \
         all nodes together; {}",
        ran(nodes),
        nodes.consistency,
        shared(machine),
    );
    if has_others(summary) {
        note += OTHERS;
    }
    Some(note)
}

/// Says what the figures of a comparison with standbys mean.
pub fn replicated(summary: &Summary) -> Option<String> {
    let (standbys, machine) = (summary.header.standbys.as_ref()?, &summary.header.machine);
    let held = summary.designs.iter().map(|design| &design.info);
    let held = held.filter(|info| standbys.hold(info));
    let engines: BTreeSet<&str> = held.map(|info| info.engine.as_str()).collect();
    if engines.is_empty() {
        return None;
    }
    let engines: Vec<&str> = engines.into_iter().collect();
    let mut note = format!(
        "{} ran with {} on this one machine, and a commit waited for {}: questions went to the primary \
         alone, bytes per row are of one copy, as everywhere, CPU times of all servers together; these \
         share {}, so times show what replication costs, not how fast more machines are",
        engines.join(" and "),
        units::plural(u64::from(standbys.standbys), "standby", "standbys"),
        standbys.commit_waits_for,
        units::plural(u64::from(machine.cores), "core", "cores"),
    );
    if has_others(summary) {
        note += OTHERS;
    }
    Some(note)
}

/// Returns whether there are designs of engines without copies.
fn has_others(summary: &Summary) -> bool {
    let header = &summary.header;
    let is_held = |info: &DesignInfo| {
        let by_nodes = header.nodes.as_ref().is_some_and(|nodes| nodes.hold(info));
        let standbys = header.standbys.as_ref();
        by_nodes || standbys.is_some_and(|standbys| standbys.hold(info))
    };
    let mut designs = summary.designs.iter();
    designs.any(|design| !is_held(&design.info))
}

/// Says what the figures of a load on several nodes mean.
pub fn driven(summary: &DriveSummary) -> Option<String> {
    let (nodes, machine) = (summary.header.nodes.as_ref()?, &summary.header.machine);
    let mut designs = summary.header.designs.iter();
    designs.find(|design| nodes.hold(design))?;
    Some(format!(
        "{}: CPU times, storage and disk reads are of all nodes together; {}",
        ran(nodes),
        shared(machine),
    ))
}

fn ran(nodes: &NodesInfo) -> String {
    let copies = match nodes.copies {
        1 => "1 copy of each row".to_owned(),
        several => format!("{several} copies of each row"),
    };
    let nodes = nodes.nodes;
    format!("Cassandra ran as {nodes} nodes on this one machine with {copies}")
}

fn shared(machine: &Machine) -> String {
    format!(
        "all nodes share {}, so times show what replication and consistency cost, not how fast more \
         machines are",
        units::plural(u64::from(machine.cores), "core", "cores"),
    )
}

/// Forecasts the rates of more machines.
pub fn forecast(summary: &Summary) -> Option<String> {
    let ScaleOut {
        machines,
        cores,
        queries,
    } = summary.scale_out.as_ref()?;
    let rates: Vec<String> = queries.iter().map(scaled_rate).collect();
    Some(format!(
        "forecast, not measured: {machines} machines of {} each, with a node each, would answer at \
         most {}; it assumes that the CPU is the limit, that the work is spread evenly and that \
         the network costs nothing; no single answer gets faster",
        units::plural(u64::from(*cores), "core", "cores"),
        rates.join(", ")
    ))
}

fn scaled_rate(query: &ScaledQuery) -> String {
    format!(
        "{} {} per second with {} ({} of CPU)",
        query.query,
        units::rate(query.per_second),
        query.design,
        units::duration(query.server_cpu_seconds)
    )
}
