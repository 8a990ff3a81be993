//! Several nodes of Cassandra on one machine: what their figures are, and what they are not.

use bakeoff_stats::drive::DriveSummary;
use bakeoff_stats::{Machine, NodesInfo, ScaleOut, ScaledQuery, Summary};

use crate::units;

/// What the figures of the nodes are.
pub fn measured(summary: &Summary) -> Option<String> {
    let (nodes, machine) = (summary.header.nodes.as_ref()?, &summary.header.machine);
    let mut designs = summary.designs.iter();
    designs.find(|design| nodes.hold(&design.info))?;
    let mut told = format!(
        "{}, reading and writing at {}: bytes a row are those of one copy, as everywhere, CPU times \
         those of all nodes together; {}",
        ran(nodes),
        nodes.consistency,
        shared(machine),
    );
    let mut others = summary.designs.iter();
    if others.any(|design| !nodes.hold(&design.info)) {
        told += "; the designs of other engines kept one copy and waited for no other: their times \
                 and costs are not of the same thing";
    }
    Some(told)
}

/// What the figures of a load on the nodes are.
pub fn driven(summary: &DriveSummary) -> Option<String> {
    let (nodes, machine) = (summary.header.nodes.as_ref()?, &summary.header.machine);
    let mut designs = summary.header.designs.iter();
    designs.find(|design| nodes.hold(design))?;
    Some(format!(
        "{}: CPU times, and what is stored and read from disk, are of all nodes together; {}",
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

/// What more machines would bring.
pub fn forecast(summary: &Summary) -> Option<String> {
    let ScaleOut {
        machines,
        cores,
        queries,
    } = summary.scale_out.as_ref()?;
    let rate = |q: &ScaledQuery| {
        let (rate, cost) = (
            units::rate(q.per_second),
            units::duration(q.server_cpu_seconds),
        );
        format!(
            "{} {rate} a second with {} ({cost} of CPU)",
            q.query, q.design
        )
    };
    let rates: Vec<String> = queries.iter().map(rate).collect();
    Some(format!(
        "forecast, not measured: {machines} machines of {} each, with a node each, would answer at \
         most {}; it assumes that the CPU is the limit, that the work is spread evenly and that \
         the network costs nothing, and no single answer gets faster by it",
        units::plural(u64::from(*cores), "core", "cores"),
        rates.join(", ")
    ))
}
