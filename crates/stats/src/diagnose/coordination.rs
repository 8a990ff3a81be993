//! A rule about the nodes to which clients send their reads.

use super::evidence::{Evidence, Node, Share};
use super::finding::{Finding, NotChecked, Observed, Outcome, Unit, Urgency};
use super::gather::{Source, enough_reads, of_shares, view};

/// Share of the reads that one node coordinates, where clients use hardly any other one.
const NEARLY_ALL: f64 = 0.75;
/// Share of the reads that other nodes coordinate than those that serve them.
const MISPLACED: f64 = 0.25;
/// Fewest coordinated reads that show where clients send them.
const FEWEST_COORDINATED: u64 = 1000;

const COORDINATED: Source = view("coordinator_read_latency");

/// A node's shares of all reads of a table in its datacenter.
struct Part<'a> {
    node: &'a Node,
    /// Share of the reads that it coordinates, from 0 to 1.
    coordinates: f64,
    /// Share of the reads that it serves from its own SSTables.
    serves: f64,
}

/// Compares which nodes coordinate reads with which nodes serve them.
pub fn token_awareness(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    enough_reads(evidence, table)?;
    let (parts, coordinated) = parts(evidence, table)?;
    let most = parts.iter().map(|part| part.coordinates).reduce(f64::max);
    if most > Some(NEARLY_ALL) {
        return Ok(finding(
            &parts,
            "one node coordinates nearly all reads",
            "more than three quarters of the reads are coordinated by one node",
            "this node does the work of coordinating for all others, and is missed if it stops: name several nodes to \
             the driver, and use a token-aware policy and prepared statements. Nearly all reads of one key of a table \
             with one copy look alike",
        ));
    }
    let apart = |part: &Part| (part.coordinates - part.serves).abs();
    let misplaced = parts.iter().map(apart).sum::<f64>() / 2.0;
    if misplaced > MISPLACED {
        return Ok(finding(
            &parts,
            "clients send reads to other nodes than those that have the rows",
            "more than a quarter of the reads is coordinated by other nodes than serve them",
            "each such read takes one more hop, and a few nodes do the work of coordinating: use a driver with a \
             token-aware policy, prepared statements, and all nodes",
        ));
    }
    // A read that is coordinated by a node without its rows takes a message of that node at least.
    let sent = parts
        .iter()
        .try_fold(0_u64, |sum, part| sum.checked_add(part.node.sent_messages?));
    if sent.is_some_and(|sent| sent as f64 <= MISPLACED * coordinated as f64) {
        return Ok(Outcome::Healthy);
    }
    Err(NotChecked {
        reason: "reads are spread evenly over the nodes, as those of clients are that are not token-aware; no view \
                 tells them apart, unless the nodes have sent each other few messages"
            .to_owned(),
        brings: Some("the policy of your driver, or `bakeoff trace` of a prepared read (--operation)"),
    })
}

/// Returns the shares of the nodes in the datacenter whose nodes coordinate most, and the number of reads that these
/// coordinate. Clients in one datacenter may well ask for copies in another one.
///
/// # Errors
/// Says why they cannot be compared.
fn parts(evidence: &Evidence, table: usize) -> Result<(Vec<Part<'_>>, u64), NotChecked> {
    let counts = |share: &Share| Some((share.coordinator_reads.count?, share.local_reads.count?));
    let known = of_shares(evidence, table, COORDINATED, counts)?;
    let most = { known.iter() }.max_by_key(|(_, (coordinated, _))| *coordinated);
    let datacenter = most.map(|(node, _)| node.datacenter.clone());
    let is_near = |(node, _): &(&Node, (u64, u64))| Some(&node.datacenter) == datacenter.as_ref();
    let near: Vec<_> = known.into_iter().filter(is_near).collect();
    if near.len() < 2 {
        return Err(NotChecked::new(
            "a datacenter of one node has no other coordinator",
        ));
    }
    let all = |reads: fn(&(u64, u64)) -> u64| {
        let counts = near.iter().map(|(_, counts)| reads(counts));
        counts.fold(0, u64::saturating_add)
    };
    let (coordinated, served) = (all(|(of, _)| *of), all(|(_, by)| *by));
    if coordinated < FEWEST_COORDINATED || served == 0 {
        return Err(NotChecked::new(format!(
            "only {coordinated} coordinated reads, fewer than {FEWEST_COORDINATED}"
        )));
    }
    let parts = near.into_iter().map(|(node, (of, by))| Part {
        node,
        coordinates: of as f64 / coordinated as f64,
        serves: by as f64 / served as f64,
    });
    Ok((parts.collect(), coordinated))
}

fn finding(parts: &[Part], says: &str, threshold: &'static str, meaning: &str) -> Outcome {
    let mut seen = Vec::new();
    for part in parts {
        let of = |figure, value| Observed::of(&part.node.address, figure, value, Unit::Share);
        seen.push(of("of the reads that it coordinates", part.coordinates));
        seen.push(of("of the reads that it serves", part.serves));
    }
    Outcome::Finding(Finding {
        urgency: Urgency::Soon,
        says: says.to_owned(),
        evidence: seen,
        threshold,
        source: "Bakeoff's own",
        meaning: meaning.to_owned(),
        designs: Vec::new(),
    })
}
