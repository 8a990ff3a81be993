//! Rules about the sizes of partitions, and how often each is read.

use super::evidence::{Evidence, Key, Node};
use super::finding::{Finding, NotChecked, Observed, Outcome, Unit, Urgency};
use super::gather::{FEWEST_READS, NODETOOL, designs, greatest, of_shares, view};

/// Bytes of a partition that are a problem.
const LARGE: f64 = 100.0 * (1 << 20) as f64;
/// Bytes of a partition that are worth knowing.
const NOTABLE: f64 = 10.0 * (1 << 20) as f64;
/// Share of the reads of the ten keys that are read most.
const HOT: f64 = 0.5;

/// Looks at the largest partition.
pub fn size(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    let known = of_shares(evidence, table, view("max_partition_size"), |share| {
        Some(share.max_partition_bytes? as f64)
    })?;
    let large: Vec<_> = known.into_iter().filter(|(_, b)| *b > NOTABLE).collect();
    let Some((worst, most)) = greatest(&large) else {
        return Ok(Outcome::Healthy);
    };
    let see = |(node, bytes): &(&Node, f64)| {
        Observed::of(&node.address, "largest partition", *bytes, Unit::Bytes)
    };
    let mut seen: Vec<Observed> = large.iter().map(see).collect();
    seen.extend(distribution(worst, table));
    let has_order = evidence.tables.get(table).is_some_and(|t| t.has_order_key);
    let buckets: &[&str] = if has_order {
        &["", "bucket=30d", "bucket=1d"]
    } else {
        &[]
    };
    let (urgency, says) = if most > LARGE {
        (Urgency::Now, "there is a huge partition")
    } else {
        (Urgency::Sometime, "there are large partitions")
    };
    Ok(Outcome::Finding(Finding {
        urgency,
        says: says.to_owned(),
        evidence: seen,
        threshold: "a partition above 100 MiB (now), above 10 MiB (sometime)",
        source: "the default of Cassandra's partition_size_warn_threshold in earlier versions \
                 (100 MB); J. Haddad's rules for data models (10 MB)",
        meaning: "reads, compactions and repairs of it take long and fill the heap, always on \
                  the same nodes: add a bucket of time or a shard number to the partition key"
            .to_owned(),
        designs: designs(evidence, table, buckets),
    }))
}

/// Says whether large partitions are usual on a node, and of how many cells they are, where nodetool tells it.
fn distribution(node: &Node, table: usize) -> Vec<Observed> {
    let share = node.tables.get(table);
    let p99 = share.and_then(|share| share.p99_partition_bytes);
    let cells = share.and_then(|share| share.max_partition_cells);
    let of = |figure: &str, value: f64, unit| Observed::of(&node.address, figure, value, unit);
    let p99 = p99.map(|bytes| of("p99 of partitions", bytes, Unit::Bytes));
    let cells = cells.map(|cells| of("most cells of a partition", cells, Unit::Count));
    p99.into_iter().chain(cells).collect()
}

/// Looks for a key that has most of the reads, where keys were sampled.
pub fn hot_key(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    if !evidence.asked.keys {
        return Err(NotChecked {
            reason: "no view has reads by key, and sampling them costs the nodes something"
                .to_owned(),
            brings: Some(if evidence.asked.nodetool {
                "--sample-keys 2s"
            } else {
                "--sample-keys 2s with --nodetool 'ssh {host} nodetool'"
            }),
        });
    }
    let sampled = view("nodetool toppartitions");
    let known = of_shares(evidence, table, sampled, |share| share.keys.as_deref());
    let known = known.map_err(|not| NotChecked {
        brings: Some(NODETOOL).filter(|_| !evidence.asked.nodetool),
        ..not
    })?;
    let most = |keys: &[Key]| keys.iter().map(|key| key.reads).max().unwrap_or_default();
    let enough = known.iter().any(|(_, keys)| most(keys) >= FEWEST_READS);
    if !enough {
        return Err(NotChecked::new(format!(
            "no key was read {FEWEST_READS} times while keys were sampled"
        )));
    }
    let mut seen = Vec::new();
    for (node, keys) in known {
        let all: f64 = keys.iter().map(|key| key.reads as f64).sum();
        let hot = keys.iter().filter(|key| key.reads >= FEWEST_READS);
        for key in hot.filter(|key| key.reads as f64 > HOT * all) {
            let share = key.reads as f64 / all;
            let figure = format!("of the reads of the ten most read keys go to {}", key.key);
            seen.push(Observed::of(&node.address, figure, share, Unit::Share));
        }
    }
    if seen.is_empty() {
        return Ok(Outcome::Healthy);
    }
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Soon,
        says: "one key has most of the reads".to_owned(),
        evidence: seen,
        threshold: "a key with more than half of the reads of the ten keys that are read most",
        source: "Bakeoff's own",
        meaning: "the few nodes that have this key limit all of its reads, however many nodes \
                  there are: cache it in the application, or divide it by a shard number in the \
                  key"
        .to_owned(),
        designs: designs(evidence, table, &["", "caching=rows:100"]),
    }))
}
