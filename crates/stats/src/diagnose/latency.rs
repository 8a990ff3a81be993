//! Rules about latencies of reads, by coordinators and by the nodes that have the rows.

use super::evidence::{Evidence, Node};
use super::finding::{Finding, NotChecked, Observed, Outcome, Unit, Urgency};
use super::gather::{
    FEWEST_READS, Source, enough_reads, healthy_if_all_show, of_reads, of_shares, view,
};

/// Coordinator's p99 by the local one that points at other replicas or the network.
const COORDINATOR_FACTOR: f64 = 3.0;
/// p99 by p50 that points at single partitions or pauses.
const TAIL_FACTOR: f64 = 10.0;
/// p99 of a node by the median of the others.
const SLOW_FACTOR: f64 = 3.0;
/// p99 in microseconds below which reads are good on SSD, whatever they are compared with.
const GOOD: f64 = 20e3;
/// p99 in microseconds above which reads are bad on SSD.
const BAD: f64 = 50e3;

const LOCAL: Source = view("local_read_latency");
const COORDINATED: Source = view("coordinator_read_latency");

/// Compares latencies of coordinators with those of their own SSTables.
pub fn coordinator(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    enough_reads(evidence, table)?;
    let known = of_shares(evidence, table, COORDINATED, |share| {
        let has_enough = share.coordinator_reads.count >= Some(FEWEST_READS);
        let both = (share.coordinator_reads.p99?, share.local_reads.p99?);
        has_enough.then_some(both)
    })?;
    let is_slow = |(_, (coordinator, local)): &(&Node, (f64, f64))| {
        *coordinator > COORDINATOR_FACTOR * local && *coordinator > GOOD
    };
    let slow: Vec<_> = known.into_iter().filter(is_slow).collect();
    let worst = slow.iter().map(|(_, (p99, _))| *p99).fold(0.0, f64::max);
    let mut seen = Vec::new();
    for (node, (coordinator, local)) in &slow {
        let of = |figure, value| Observed::of(&node.address, figure, value, Unit::Microseconds);
        seen.push(of("p99 as coordinator", *coordinator));
        seen.push(of("p99 of its own SSTables", *local));
    }
    if slow.is_empty() {
        return Ok(Outcome::Healthy);
    }
    Ok(Outcome::Finding(Finding {
        urgency: if worst > BAD {
            Urgency::Now
        } else {
            Urgency::Soon
        },
        says: "reads take much longer at the coordinator than on the node itself".to_owned(),
        evidence: seen,
        threshold: "p99 as coordinator above 3 times the local p99, and above 20 ms (now: 50 ms)",
        source: "netdata's guide to Cassandra; AxonOps for 20 and 50 ms",
        meaning: "the time is spent between nodes: on another replica, in the network, or in a \
                  queue for it; look at the slowest replica first"
            .to_owned(),
        designs: Vec::new(),
    }))
}

/// Compares the slowest reads with usual ones.
pub fn tail(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    let known = of_reads(evidence, table, LOCAL, |share| {
        Some((share.local_reads.p50?, share.local_reads.p99?))
    })?;
    let is_long = |(_, (p50, p99)): &(&Node, (f64, f64))| *p99 > TAIL_FACTOR * p50 && *p99 > GOOD;
    let long: Vec<_> = known.into_iter().filter(is_long).collect();
    let mut seen = Vec::new();
    for (node, (p50, p99)) in &long {
        let of = |figure, value| Observed::of(&node.address, figure, value, Unit::Microseconds);
        seen.push(of("p50 of local reads", *p50));
        seen.push(of("p99 of local reads", *p99));
    }
    if long.is_empty() {
        return Ok(Outcome::Healthy);
    }
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Soon,
        says: "a few reads take much longer than the others".to_owned(),
        evidence: seen,
        threshold: "p99 of local reads above 10 times their p50, and above 20 ms",
        source: "netdata's guide to Cassandra; AxonOps for 20 ms",
        meaning: "some partitions are larger or have more tombstones than others, or garbage \
                  collections stop the node"
            .to_owned(),
        designs: Vec::new(),
    }))
}

/// Compares each node's local reads with those of the others.
pub fn slow_replica(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    let known = of_reads(evidence, table, LOCAL, |share| share.local_reads.p99)?;
    if known.len() < 3 {
        return Err(NotChecked::new(
            "fewer than three nodes have served enough reads to compare them",
        ));
    }
    let others = |address: &str| {
        let others = known.iter().filter(|(node, _)| node.address != address);
        median(others.map(|(_, p99)| *p99).collect())
    };
    let is_slow =
        |(node, p99): &&(&Node, f64)| *p99 > GOOD && *p99 > SLOW_FACTOR * others(&node.address);
    let slow: Vec<_> = known.iter().filter(is_slow).collect();
    let mut seen = Vec::new();
    for (node, p99) in &slow {
        let of = |figure, value| Observed::of(&node.address, figure, value, Unit::Microseconds);
        seen.push(of("p99 of local reads", *p99));
        seen.push(of("median of the other nodes", others(&node.address)));
    }
    if slow.is_empty() {
        // Reads of a node that serves few of them are no measure of it.
        let shows = |node: &Node| {
            let share = node.tables.get(table);
            share.is_some_and(|share| share.local_reads.count.is_some())
        };
        return healthy_if_all_show(evidence, LOCAL, shows);
    }
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Now,
        says: "one replica is much slower than the others".to_owned(),
        evidence: seen,
        threshold: "p99 of local reads above 3 times the median of the other nodes, and above 20 \
                    ms",
        source: "Bakeoff's own; AxonOps for 20 ms",
        meaning: "every read that waits for this node is slow: look at its disk, heap and \
                  neighbours on the machine, and at what it compacts"
            .to_owned(),
        designs: Vec::new(),
    }))
}

/// Returns the median, or the lower one of two.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len().saturating_sub(1) / 2;
    values.get(middle).copied().unwrap_or_default()
}
