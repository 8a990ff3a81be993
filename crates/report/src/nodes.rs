//! Explains the figures of several Cassandra nodes on one machine.

use bakeoff_stats::drive::DriveSummary;
use bakeoff_stats::{Machine, NodesInfo, ScaleOut, ScaledQuery, Summary};

use crate::units;

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
    let mut others = summary.designs.iter();
    if others.any(|design| !nodes.hold(&design.info)) {
        note += "; the designs of other engines kept one copy and waited for no other, so their times \
                 and costs are not comparable";
    }
    Some(note)
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
