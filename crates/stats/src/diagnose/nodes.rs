//! Rules about the nodes themselves and the addresses by which they are known.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use super::evidence::{Dropped, Evidence, Node};
use super::finding::{Finding, NotChecked, Observed, Outcome, Unit, Urgency};
use super::gather::{METRICS, healthy_if_all_show, nodetool, of_nodes, view};

/// Tasks that wait for a pool of threads, as many as it has threads by default.
const WAITING: u64 = 32;
/// Beginnings of the names of messages that are requests of clients and their answers.
const REQUESTS: [&str; 4] = ["COUNTER_MUTATION", "MUTATION", "RANGE", "READ"];
/// Share of the heap in use that leaves no room.
const FULL_HEAP: f64 = 0.9;
/// Longest garbage collection in milliseconds that is concerning.
const LONG_GC: f64 = 100.0;
/// Longest garbage collection in milliseconds at which requests are dropped.
const VERY_LONG_GC: f64 = 500.0;
/// Bytes of read-ahead that suit reads of single rows.
const SHORT_READ_AHEAD: f64 = 8.0 * 1024.0;

/// Looks for nodes that do not answer.
pub fn silent(evidence: &Evidence, (): ()) -> Result<Outcome, NotChecked> {
    if evidence.nodes.is_empty() {
        return Err(NotChecked::new("no node is known"));
    }
    let silent = evidence.nodes.iter().filter(|node| node.version.is_none());
    let see = |node: &Node| {
        let reason = node.why("version").unwrap_or("no reason is known");
        Observed::fact(&node.address, format!("does not answer: {reason}"))
    };
    let mut seen: Vec<_> = silent.map(see).collect();
    if seen.is_empty() && evidence.joined.is_empty() {
        return Ok(Outcome::Healthy);
    }
    if seen.is_empty() {
        return Err(NotChecked {
            reason: format!(
                "joined while the others were read: {}",
                evidence.joined.join(", ")
            ),
            brings: Some("another look, by the same command"),
        });
    }
    for address in &evidence.joined {
        let says = "joined while the others were read, and nothing of it is checked";
        seen.push(Observed::fact(address, says));
    }
    Ok(finding(
        Urgency::Now,
        "a node does not answer",
        seen,
        [
            "every node of the ring answers a query of system.local within 2 s",
            "Bakeoff's own",
        ],
        "its requests go to other replicas, or fail where there are too few: see whether it runs \
         and can be reached from here; what it would have shown is not checked",
    ))
}

/// Compares addresses that are named with those of the ring.
pub fn ring_address(evidence: &Evidence, (): ()) -> Result<Outcome, NotChecked> {
    let ring = addresses_of_ring(evidence);
    let is_known = evidence.nodes.iter().any(|node| node.peers.is_some());
    if !is_known && evidence.named_ips.is_empty() {
        let reason = of_nodes(evidence, view("peers"), |node| node.peers.as_ref());
        return Err(reason.map_or_else(|not| not, |_| NotChecked::new("no address is known")));
    }
    let mut seen = Vec::new();
    let is_in_ring = |ip: &String| ring.contains(ip);
    if !evidence.named_ips.is_empty() && !evidence.named_ips.iter().any(is_in_ring) {
        let figure = format!("nodes that have the named address {}", evidence.named);
        seen.push(Observed::of_all(figure, 0.0, Unit::Count));
    }
    let mut urgency = Urgency::Soon;
    for node in &evidence.nodes {
        for peer in node.peers.iter().flatten().filter(|ip| !is_in_ring(ip)) {
            urgency = Urgency::Now;
            let says = format!("knows a peer at {peer}, which no node of the ring has");
            seen.push(Observed::fact(&node.address, says));
        }
    }
    if seen.is_empty() {
        return Ok(Outcome::Healthy);
    }
    Ok(finding(
        urgency,
        "an address is not in the ring",
        seen,
        [
            "every address that is named, or that a node tells drivers, is of a node",
            "Bakeoff's own",
        ],
        "drivers connect to the addresses of the ring, and wait in vain for others: correct \
         rpc_address or broadcast_rpc_address, remove what is left of an old node, and name \
         nodes instead of a proxy",
    ))
}

/// Returns the IP addresses of all nodes, those that have joined while the others were read included: the others may
/// know them already.
fn addresses_of_ring(evidence: &Evidence) -> BTreeSet<String> {
    let joined =
        { evidence.joined.iter() }.filter_map(|address| address.parse::<SocketAddr>().ok());
    let joined = joined.map(|address| address.ip().to_string());
    let hosts = evidence.nodes.iter().map(|node| node.host.clone());
    hosts.chain(joined).collect()
}

/// Looks for pools of threads that are full.
pub fn pools(evidence: &Evidence, (): ()) -> Result<Outcome, NotChecked> {
    let source = view("thread_pools");
    let known = of_nodes(evidence, source, |node| node.pools.as_ref())?;
    let mut urgency = Urgency::Soon;
    let mut seen = Vec::new();
    for (node, pools) in known {
        for pool in pools {
            let mut see = |tasks: u64, what: &str| {
                let figure = format!("tasks of {} {what}", pool.name);
                seen.push(Observed::of(
                    &node.address,
                    figure,
                    tasks as f64,
                    Unit::Count,
                ));
            };
            if let Some(blocked) = pool.blocked.filter(|tasks| *tasks > 0) {
                urgency = Urgency::Now;
                see(blocked, "are blocked");
            }
            let serves = pool.name != "CompactionExecutor";
            if let Some(waiting) = pool.pending.filter(|tasks| serves && *tasks > WAITING) {
                see(waiting, "wait");
            }
        }
    }
    if seen.is_empty() {
        return healthy_if_all_show(evidence, source, |node| node.pools.is_some());
    }
    Ok(finding(
        urgency,
        "tasks wait for threads",
        seen,
        [
            "any blocked task (now); more than 32 that wait (soon)",
            "J. Haddad; Bakeoff's own for 32",
        ],
        "the node is asked for more than it can do at this moment: see which resource is used \
         up, the CPU, the disk or the heap, and look again in some seconds",
    ))
}

/// Looks for requests that nodes have given up.
pub fn dropped(evidence: &Evidence, (): ()) -> Result<Outcome, NotChecked> {
    let source = nodetool("nodetool tpstats");
    let known = of_nodes(evidence, source, |node| node.dropped.as_ref())?;
    let is_request = |message: &&Dropped| {
        let mut names = REQUESTS.iter();
        message.count > 0 && names.any(|begin| message.name.starts_with(*begin))
    };
    let mut seen = Vec::new();
    for (node, dropped) in known {
        for message in dropped.iter().filter(is_request) {
            let figure = format!("dropped messages {}", message.name);
            let count = message.count as f64;
            seen.push(Observed::of(&node.address, figure, count, Unit::Count));
        }
    }
    if seen.is_empty() {
        return healthy_if_all_show(evidence, source, |node| node.dropped.is_some());
    }
    Ok(finding(
        Urgency::Soon,
        "nodes have dropped requests",
        seen,
        [
            "any read or write that was dropped since the node started",
            "J. Haddad",
        ],
        "a request that has waited for its whole time limit is given up: reads fail or another \
         replica answers, and copies lack dropped writes until nodetool repair. Look again in \
         some minutes: if the counts grow, see pools of threads, collections and the disk",
    ))
}

/// Looks at how full the heap is.
pub fn heap(evidence: &Evidence, (): ()) -> Result<Outcome, NotChecked> {
    let share = |node: &Node| {
        let most = node.heap_max_bytes.filter(|most| *most > 0.0)?;
        Some(node.heap_used_bytes? / most)
    };
    let source = nodetool("nodetool info");
    let known = of_nodes(evidence, source, share);
    let known = known.map_err(|not| NotChecked {
        brings: not
            .brings
            .filter(|_| !evidence.asked.metrics)
            .map(|_| METRICS),
        ..not
    })?;
    let full = known.into_iter().filter(|(_, share)| *share > FULL_HEAP);
    let seen: Vec<_> = full
        .map(|(node, share)| Observed::of(&node.address, "of the heap in use", share, Unit::Share))
        .collect();
    if seen.is_empty() {
        return healthy_if_all_show(evidence, source, |node| share(node).is_some());
    }
    Ok(finding(
        Urgency::Now,
        "the heap is nearly full",
        seen,
        [
            "more than 90% of the heap in use",
            "documentation of Cassandra for 75% of the old generation; Bakeoff's own for the \
             whole heap",
        ],
        "garbage collections come one after the other and stop the node: look for huge \
         partitions, large batches and pages, or give it more heap. What is not collected yet \
         counts as well: if another look finds less in use, the heap is not full",
    ))
}

/// Looks at the longest garbage collection, where nodetool was to tell it.
pub fn gc(evidence: &Evidence, (): ()) -> Result<Outcome, NotChecked> {
    if !evidence.asked.gc {
        return Err(NotChecked {
            reason: "only nodetool gcstats tells it, which resets its counts for whoever else reads them"
                .to_owned(),
            brings: Some(if evidence.asked.nodetool {
                "--gc"
            } else {
                "--gc with --nodetool 'ssh {host} nodetool'"
            }),
        });
    }
    let source = nodetool("nodetool gcstats");
    let known = of_nodes(evidence, source, |node| node.longest_gc_ms)?;
    let long: Vec<_> = known.into_iter().filter(|(_, ms)| *ms > LONG_GC).collect();
    if long.is_empty() {
        return healthy_if_all_show(evidence, source, |node| node.longest_gc_ms.is_some());
    }
    let is_very_long = long.iter().any(|(_, ms)| *ms > VERY_LONG_GC);
    let see = |(node, ms): &(&Node, f64)| {
        let figure = "longest garbage collection";
        Observed::of(&node.address, figure, *ms * 1e3, Unit::Microseconds)
    };
    Ok(finding(
        if is_very_long {
            Urgency::Soon
        } else {
            Urgency::Sometime
        },
        "garbage collections stop nodes for a long time",
        long.iter().map(see).collect(),
        [
            "a collection above 500 ms (soon), above 100 ms (sometime), since gcstats was last \
             called",
            "J. Haddad",
        ],
        "all requests of the node wait meanwhile, and from 500 ms on some are dropped: look at \
         the heap and its collector, and at what allocates",
    ))
}

/// Looks at how much the disks read ahead.
pub fn read_ahead(evidence: &Evidence, (): ()) -> Result<Outcome, NotChecked> {
    let bytes = |node: &Node| Some(node.read_ahead_bytes? as f64);
    let known = of_nodes(evidence, view("read-ahead"), bytes);
    let known = known.map_err(|not| NotChecked {
        brings: Some("run `bakeoff diagnose` on the machine of the node, with its data readable"),
        ..not
    })?;
    let long = known
        .into_iter()
        .filter(|(_, bytes)| *bytes > SHORT_READ_AHEAD);
    let seen: Vec<_> = long
        .map(|(node, bytes)| Observed::of(&node.address, "read-ahead", bytes, Unit::Bytes))
        .collect();
    if seen.is_empty() {
        return Ok(Outcome::Healthy);
    }
    Ok(finding(
        Urgency::Sometime,
        "the disk reads far ahead",
        seen,
        ["read-ahead above 8 KiB", "J. Haddad (4 to 8 KiB)"],
        "each read of a row that is not in memory fetches that much: echo 8 > \
         /sys/block/DEVICE/queue/read_ahead_kb. Tables that are mostly scanned may be better off \
         as they are",
    ))
}

/// A finding that no setting of a table cures, with its threshold and who states it.
fn finding(
    urgency: Urgency,
    says: &str,
    evidence: Vec<Observed>,
    [threshold, source]: [&'static str; 2],
    meaning: &str,
) -> Outcome {
    Outcome::Finding(Finding {
        urgency,
        says: says.to_owned(),
        evidence,
        threshold,
        source,
        meaning: meaning.to_owned(),
        designs: Vec::new(),
    })
}
