//! Splitting of a scan: the ring into token ranges, and requests among partitions.
//!
//! Each range lies within the ranges of the ring that some node has as a whole, so that this node can
//! answer a request for it alone.

use std::iter;

use uuid::Uuid;

/// Number of all tokens of the Murmur3 partitioner.
const TOKENS: i128 = 1 << 64;
/// The most ranges of a scan, as a multiple of those that are wanted: small ones cost a request each.
const MOST_TIMES: usize = 4;

/// A node that has rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Replica {
    /// Number of its datacenter, if that is known.
    pub datacenter: Option<usize>,
    pub host: Uuid,
}

/// A range of the ring that begins behind the token of the one before it.
#[derive(Debug, Clone)]
pub struct RingRange {
    /// Its last token.
    pub to: i64,
    /// The nodes that have its rows, in their order.
    pub replicas: Vec<Replica>,
}

/// A range of tokens without its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRange {
    pub after: i64,
    pub to: i64,
    /// The nodes that have all of its rows, as far as they are known.
    pub replicas: Vec<Replica>,
}

impl TokenRange {
    fn width(&self) -> i128 {
        i128::from(self.to) - i128::from(self.after)
    }

    /// Divides the range into parts of equal width, each of about this many tokens.
    fn divided(&self, tokens: i128) -> Vec<TokenRange> {
        let width = self.width();
        let parts = ((width + tokens / 2) / tokens).clamp(1, width);
        let bound = |part: i128| (i128::from(self.after) + width * part / parts) as i64;
        let part = |part: i128| TokenRange {
            after: bound(part),
            to: bound(part + 1),
            replicas: self.replicas.clone(),
        };
        (0..parts).map(part).collect()
    }
}

/// Splits all tokens into about `wanted` ranges. `ring` is in the order of its tokens, and empty where
/// nothing is known of it.
///
/// A range that is wider than its share is divided. Narrower ones, such as those of virtual nodes, are
/// joined with their neighbours as far as a node has all of their rows, in each datacenter that has
/// them at all. If that leaves far more ranges than are wanted, the narrowest neighbours are joined
/// whoever has them, and nothing is known of the replicas of these.
pub fn token_ranges(ring: &[RingRange], wanted: usize) -> Vec<TokenRange> {
    let wanted = wanted.max(1);
    let share = TOKENS / wanted as i128;
    let runs = runs(ring);
    let divided = runs.iter().flat_map(|run| run.divided(share)).collect();
    let ranges = joined(divided, share, common);
    let most = MOST_TIMES * wanted;
    if ranges.len() <= most {
        return ranges;
    }
    // Two neighbours are then wider together than twice the width of the most ranges.
    joined(ranges, 2 * TOKENS / most as i128, |_, _| Some(Vec::new()))
}

/// Returns the ranges of the ring from the least token to the greatest one, of which neighbours have
/// different replicas.
///
/// No key has the least token: Cassandra maps it to the greatest one.
fn runs(ring: &[RingRange]) -> Vec<TokenRange> {
    // The range that ends at the first token of the ring begins behind its last one.
    let first = ring.first().map(|range| range.replicas.clone());
    let last = RingRange {
        to: i64::MAX,
        replicas: first.unwrap_or_default(),
    };
    let mut runs: Vec<TokenRange> = Vec::new();
    let mut after = i64::MIN;
    for RingRange { to, replicas } in ring.iter().chain(iter::once(&last)) {
        if *to <= after {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.replicas == *replicas => run.to = *to,
            _ => runs.push(TokenRange {
                after,
                to: *to,
                replicas: replicas.clone(),
            }),
        }
        after = *to;
    }
    runs
}

/// Joins neighbours that have at most this many tokens together, and replicas in common by `common`.
fn joined(
    ranges: Vec<TokenRange>,
    tokens: i128,
    common: impl Fn(&[Replica], &[Replica]) -> Option<Vec<Replica>>,
) -> Vec<TokenRange> {
    let mut joined: Vec<TokenRange> = Vec::new();
    for range in ranges {
        let last = joined.last_mut();
        let narrow = last.filter(|last| last.width() + range.width() <= tokens);
        let both = narrow.and_then(|last| {
            let replicas = common(&last.replicas, &range.replicas)?;
            Some((last, replicas))
        });
        match both {
            Some((last, replicas)) => {
                last.to = range.to;
                last.replicas = replicas;
            }
            None => joined.push(range),
        }
    }
    joined
}

/// Returns the nodes that have the rows of both, if there is one in each datacenter that has any.
fn common(one: &[Replica], other: &[Replica]) -> Option<Vec<Replica>> {
    let both = one.iter().filter(|replica| other.contains(replica));
    let both: Vec<Replica> = both.copied().collect();
    let has_both = |replica: &Replica| both.iter().any(|b| b.datacenter == replica.datacenter);
    let is_everywhere = one.iter().chain(other).all(has_both);
    is_everywhere.then_some(both)
}

/// Splits items round robin into at most `n` partitions, but at least one.
pub fn split_round_robin<T: Clone>(items: Vec<T>, n: usize) -> Vec<Vec<T>> {
    let mut partitions = vec![Vec::new(); n.min(items.len()).max(1)];
    let count = partitions.len();
    for (i, item) in items.into_iter().enumerate() {
        partitions[i % count].push(item);
    }
    partitions
}

#[cfg(test)]
mod tests;
