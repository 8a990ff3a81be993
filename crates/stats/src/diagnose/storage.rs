//! Rules about compression and caches.

use super::evidence::{Cache, Evidence, Node};
use super::finding::{Finding, NotChecked, Observed, Outcome, Unit, Urgency};
use super::gather::{
    NODETOOL, design, designs, enough_reads, nodetool, of_nodes, of_shares, schema, view,
};

/// Ratio of compression that saves next to nothing.
const WASTED: f64 = 0.9;
/// Longest chunk in KiB that suits small partitions.
const SHORT_CHUNK_KIB: u64 = 16;
/// Mean bytes of a partition that is read as a whole from one chunk.
const SMALL_PARTITION: f64 = 16.0 * 1024.0;
/// Fewest requests of a cache that show how often it hits.
const FEWEST_REQUESTS: u64 = 10_000;
/// Share of hits below which a cache of keys is of no use.
const FEW_HITS: f64 = 0.1;
/// Share of hits below which a cache of rows is of no use.
const FEW_ROW_HITS: f64 = 0.5;

/// Looks at what compression saves.
pub fn ratio(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    if schema(evidence, table)?.chunk_kib.is_none() {
        return Ok(Outcome::Healthy);
    }
    let source = nodetool("nodetool tablestats");
    let known = of_shares(evidence, table, source, |share| share.compression_ratio)?;
    let wasted: Vec<_> = known.into_iter().filter(|(_, r)| *r >= WASTED).collect();
    if wasted.is_empty() {
        return Ok(Outcome::Healthy);
    }
    let see = |(node, ratio): &(&Node, f64)| {
        Observed::of(
            &node.address,
            "of the bytes are left by compression",
            *ratio,
            Unit::Share,
        )
    };
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Sometime,
        says: "compression saves next to nothing".to_owned(),
        evidence: wasted.iter().map(see).collect(),
        threshold: "compressed to 90% or more",
        source: "Montecristo",
        meaning: "reads decompress chunks for nothing: the values are compressed or random \
                  already, or the chunks are too short"
            .to_owned(),
        designs: designs(
            evidence,
            table,
            &["", "compressor=none", "compressor=Zstd", "chunk=64KiB"],
        ),
    }))
}

/// Compares the length of chunks with what reads want of them.
pub fn chunk_length(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    let Some(chunk) = schema(evidence, table)?.chunk_kib else {
        return Ok(Outcome::Healthy);
    };
    if chunk <= SHORT_CHUNK_KIB {
        return Ok(Outcome::Healthy);
    }
    enough_reads(evidence, table)?;
    let known = of_shares(evidence, table, view("size_estimates"), |share| {
        share.mean_partition_bytes
    });
    let known = known.map_err(|not| NotChecked {
        brings: Some(NODETOOL).filter(|_| !evidence.asked.nodetool),
        ..not
    })?;
    let small: Vec<_> = { known.into_iter() }
        .filter(|(_, bytes)| *bytes < SMALL_PARTITION)
        .collect();
    if small.is_empty() {
        return Ok(Outcome::Healthy);
    }
    let chunk_bytes = (chunk << 10) as f64;
    let mut seen = vec![Observed::of_all(
        "length of chunks",
        chunk_bytes,
        Unit::Bytes,
    )];
    for (node, bytes) in &small {
        let figure = "usual partition";
        seen.push(Observed::of(&node.address, figure, *bytes, Unit::Bytes));
    }
    let now = design(evidence, table, &format!("chunk={chunk}KiB"));
    let mut to_compare = designs(evidence, table, &["chunk=4KiB", "chunk=16KiB"]);
    to_compare.push(now);
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Soon,
        says: "chunks are much longer than the partitions that are read".to_owned(),
        evidence: seen,
        threshold: "chunks above 16 KiB where a usual partition has less than 16 KiB",
        source: "Montecristo",
        meaning: "each read fetches and decompresses a whole chunk to return a small part of it"
            .to_owned(),
        designs: to_compare,
    }))
}

/// Looks at whether rows that may be cached are.
pub fn row_cache(evidence: &Evidence, table: usize) -> Result<Outcome, NotChecked> {
    if !schema(evidence, table)?.caches_rows {
        return Ok(Outcome::Healthy);
    }
    let of_rows = |node: &Node| Some(cache(node, "rows")?.clone());
    let known = of_nodes(evidence, view("caches"), of_rows)?;
    let mut seen = Vec::new();
    for (node, cache) in &known {
        if cache.capacity_bytes == Some(0) {
            let figure = "capacity of the row cache";
            seen.push(Observed::of(&node.address, figure, 0.0, Unit::Bytes));
        }
        if let Some(share) = hits(cache).filter(|share| *share < FEW_ROW_HITS) {
            let figure = "hits of the row cache";
            seen.push(Observed::of(&node.address, figure, share, Unit::Share));
        }
    }
    if seen.is_empty() {
        return Ok(Outcome::Healthy);
    }
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Sometime,
        says: "rows are to be cached, and hardly are".to_owned(),
        evidence: seen,
        threshold: "caching of rows without a row cache, or with less than 50% hits of 10,000 \
                    requests",
        source: "J. Haddad (ask why a row cache is on); Bakeoff's own for 50%",
        meaning: "the cache takes memory and each update drops its rows, which pays only for \
                  partitions that are read far more often than written"
            .to_owned(),
        designs: designs(evidence, table, &["caching=keys", "caching=rows:100"]),
    }))
}

/// Looks at how often the cache of keys hits.
pub fn key_cache(evidence: &Evidence, (): ()) -> Result<Outcome, NotChecked> {
    let of_keys = |node: &Node| hits(cache(node, "keys")?);
    let known = of_nodes(evidence, view("caches"), of_keys);
    let shows_caches = evidence.nodes.iter().any(|node| node.caches.is_some());
    let known = known.map_err(|not| {
        if shows_caches {
            NotChecked::new(format!(
                "fewer than {FEWEST_REQUESTS} requests of each node"
            ))
        } else {
            not
        }
    })?;
    let few: Vec<_> = known.into_iter().filter(|(_, s)| *s < FEW_HITS).collect();
    if few.is_empty() {
        return Ok(Outcome::Healthy);
    }
    let see = |(node, share): &(&Node, f64)| {
        Observed::of(&node.address, "hits of the key cache", *share, Unit::Share)
    };
    Ok(Outcome::Finding(Finding {
        urgency: Urgency::Sometime,
        says: "the key cache hardly ever hits".to_owned(),
        evidence: few.iter().map(see).collect(),
        threshold: "less than 10% hits of at least 10,000 requests",
        source: "Bakeoff's own",
        meaning: "reads go to more keys than it holds, or each key is read once: the memory is \
                  better given to the page cache"
            .to_owned(),
        designs: Vec::new(),
    }))
}

fn cache<'a>(node: &'a Node, name: &str) -> Option<&'a Cache> {
    node.caches
        .as_ref()?
        .iter()
        .find(|cache| cache.name == name)
}

/// Returns the share of hits, if there were enough requests.
fn hits(cache: &Cache) -> Option<f64> {
    let requests = cache.requests.filter(|n| *n >= FEWEST_REQUESTS)?;
    Some(cache.hits? as f64 / requests as f64)
}
