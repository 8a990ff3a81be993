//! Rules about SSTables and their compaction.

use super::evidence::{Evidence, Node};
use super::finding::{Finding, NotChecked, Observed, Outcome, Unit, Urgency};
use super::gather::{
    NODETOOL, designs, greatest, healthy_if_all_show, nodetool, of_nodes, of_reads, of_shares,
    schema, view,
};

/// p95 of SSTables in a read that is very bad.
const VERY_MANY_PER_READ: f64 = 10.0;
/// p95 of SSTables in a read that is bad.
const MANY_PER_READ: f64 = 5.0;
/// Most SSTables of a table that is compacted by size.
const MANY: f64 = 20.0;
/// Most compactions that wait on a node.
const PENDING: f64 = 20.0;
/// Compactions that wait on a node that does not keep up.
const FAR_BEHIND: f64 = 100.0;
/// The share of false positives that tables allow their Bloom filters by default.
const ALLOWED: f64 = 0.01;
/// Fewest false positives that show how frequent they are.
const FEWEST_FALSE: f64 = 100.0;
/// Standard errors by which a count has to be above what is allowed, so that it hardly ever is by chance.
const CERTAIN: f64 = 3.0;
/// The only strategy for which a number of SSTables alone says something.
const BY_SIZE: &str = "SizeTieredCompactionStrategy";
/// Settings of compaction to compare.
const STRATEGIES: [&str; 4] = [
    "compaction=STCS",
    "compaction=LCS",
    "compaction=UCS:T4",
    "compaction=UCS:L10",
];

/// Looks at how many SSTables a read needs.
pub fn per_read(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    let source = nodetool("nodetool tablehistograms");
    let known = of_reads(evidence, table, source, |share| share.sstables_per_read_p95)?;
    let many: Vec<_> = { known.into_iter() }
        .filter(|(_, p95)| *p95 >= MANY_PER_READ)
        .collect();
    let Some((_, most)) = greatest(&many) else {
        return Ok(Outcome::Healthy);
    };
    let see = |(node, p95): &(&Node, f64)| {
        Observed::of(
            &node.address,
            "p95 of SSTables in a read",
            *p95,
            Unit::Count,
        )
    };
    Ok(Outcome::Finding(Finding {
        urgency: if most >= VERY_MANY_PER_READ {
            Urgency::Now
        } else {
            Urgency::Soon
        },
        says: "reads look into too many SSTables".to_owned(),
        evidence: many.iter().map(see).collect(),
        threshold: "p95 of 10 SSTables in a read (now), of 5 (soon)",
        source: "Montecristo",
        meaning: "rows of a partition are spread: compaction is behind or switched off, or its \
                  strategy does not suit reads"
            .to_owned(),
        designs: designs(evidence, table, &STRATEGIES),
    }))
}

/// Counts SSTables where compaction by size should keep them few.
pub fn count(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    let compaction = evidence
        .tables
        .get(table)
        .and_then(|t| t.compaction.as_deref());
    let source = nodetool("nodetool tablestats");
    let known = of_shares(evidence, table, source, |share| {
        Some(share.sstables? as f64)
    })?;
    let many: Vec<_> = known.into_iter().filter(|(_, n)| *n > MANY).collect();
    if compaction != Some(BY_SIZE) || many.is_empty() {
        return Ok(Outcome::Healthy);
    }
    let see = |(node, sstables): &(&Node, f64)| {
        Observed::of(&node.address, "SSTables", *sstables, Unit::Count)
    };
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Soon,
        says: "there are too many SSTables".to_owned(),
        evidence: many.iter().map(see).collect(),
        threshold: "more than 20 SSTables with compaction by size",
        source: "Montecristo; AxonOps",
        meaning: "compaction does not keep up with writes, or SSTables are flushed very small"
            .to_owned(),
        designs: designs(evidence, table, &STRATEGIES),
    }))
}

/// Compares how often Bloom filters are wrong with what the table allows them.
pub fn bloom_filter(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    let allowed = schema(evidence, table)?.bloom_fp_chance.unwrap_or(ALLOWED);
    let source = nodetool("nodetool tablestats");
    let known = of_reads(evidence, table, source, |share| {
        // A read looks at the filter of an SSTable once at most. The ratio that nodetool prints is only that since
        // anybody last asked for it.
        let most_looks = share.local_reads.count? as f64 * share.sstables? as f64;
        Some((share.bloom_false_positives? as f64, most_looks))
    })?;
    let is_wrong = |(_, (count, most_looks)): &(&Node, (f64, f64))| {
        let expected = allowed * most_looks;
        *count >= FEWEST_FALSE && *count > expected + CERTAIN * expected.sqrt()
    };
    let wrong: Vec<_> = known.into_iter().filter(is_wrong).collect();
    if wrong.is_empty() {
        return Ok(Outcome::Healthy);
    }
    let mut seen = Vec::new();
    for (node, (count, most_looks)) in &wrong {
        let of = |figure, value, unit| Observed::of(&node.address, figure, value, unit);
        seen.push(of("false positives", *count, Unit::Count));
        let looks = "looks at Bloom filters at most, one at each SSTable a read";
        seen.push(of(looks, *most_looks, Unit::Count));
    }
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Sometime,
        says: "reads look into SSTables in vain".to_owned(),
        evidence: seen,
        threshold: "at least 100 false positives, and certainly more than the table's \
                    bloom_filter_fp_chance (1% by default)",
        source: "Bakeoff's own",
        meaning: "each of them reads the disk for nothing: Bloom filters are older than the \
                  setting, or were made for fewer keys. nodetool upgradesstables -a makes them \
                  anew; a smaller bloom_filter_fp_chance takes more memory"
            .to_owned(),
        designs: Vec::new(),
    }))
}

/// Looks at whether a table is compacted at all.
pub fn compaction_off(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    if !schema(evidence, table)?.compaction_is_off {
        return Ok(Outcome::Healthy);
    }
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Now,
        says: "compaction is switched off".to_owned(),
        evidence: vec![Observed::of_all("the schema says so", 1.0, Unit::Fact)],
        threshold: "compaction = {'enabled': 'false'} in the schema",
        source: "documentation of Cassandra",
        meaning:
            "SSTables and tombstones only ever become more: ALTER TABLE with 'enabled': 'true'"
                .to_owned(),
        designs: designs(evidence, table, &STRATEGIES),
    }))
}

/// Counts compactions that wait.
pub fn behind(evidence: &Evidence, (): ()) -> Result<Outcome, NotChecked> {
    let source = nodetool("nodetool compactionstats");
    let estimated = of_nodes(evidence, source, |node| {
        Some(node.pending_compactions? as f64)
    });
    let waiting = |node: &Node| {
        let mut pools = node.pools.as_ref()?.iter();
        let pool = pools.find(|pool| pool.name == "CompactionExecutor")?;
        Some(pool.pending? as f64)
    };
    let is_estimated = estimated.is_ok();
    let known = match estimated {
        Ok(known) => known,
        // What waits in the pool is less than what the node has still to compact.
        Err(_) => of_nodes(evidence, view("thread_pools"), waiting)?,
    };
    let many: Vec<_> = known.into_iter().filter(|(_, n)| *n > PENDING).collect();
    let Some((_, most)) = greatest(&many) else {
        if is_estimated {
            return healthy_if_all_show(evidence, source, |node| {
                node.pending_compactions.is_some()
            });
        }
        return Err(NotChecked {
            reason: "none waits in a pool of threads, which is not all that a node has to compact"
                .to_owned(),
            brings: Some(NODETOOL).filter(|_| !evidence.asked.nodetool),
        });
    };
    let see = |(node, pending): &(&Node, f64)| {
        Observed::of(&node.address, "pending compactions", *pending, Unit::Count)
    };
    Ok(Outcome::Finding(Finding {
        urgency: if most > FAR_BEHIND {
            Urgency::Now
        } else {
            Urgency::Soon
        },
        says: "compaction is behind".to_owned(),
        evidence: many.iter().map(see).collect(),
        threshold: "more than 20 pending compactions of a node (soon), more than 100 (now)",
        source: "Montecristo and J. Haddad for 20; Bakeoff's own for 100",
        meaning: "reads will look into more and more SSTables: look again in some minutes, and \
                  if it grows, raise compaction_throughput, or write less"
            .to_owned(),
        designs: Vec::new(),
    }))
}
