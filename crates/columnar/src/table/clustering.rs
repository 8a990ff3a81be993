//! The choice of chunks that are sorted together, so that a query of one partition key reads few of
//! them.
//!
//! Rows mostly come in order of time and of all partition keys: then each chunk has some rows of every
//! key. If the chunks of a longer stretch of time are sorted as one, each new chunk has fewer keys, but
//! reaches over more time, so that a query of a short time reads more. Therefore the length of such a
//! stretch is limited. And rows are sorted again only if several times as many come together, so that
//! no row is rewritten often.

use super::group::{ChunkLimits, Group};
use super::overlap::KeySpan;

/// The highest number of chunks whose rows are sorted together.
const CHUNKS_CLUSTERED: u64 = 32;

/// The lowest factor by which the largest stretch has to grow, or else it is not sorted again.
const GROWTH: u64 = 4;

/// The average number of other chunks that a chunk has to share keys with for sorting to be worth it.
const SHARED_WITH: usize = 3;

/// Joins groups of neighbouring stretches of time. No group shares a key with another, neither before
/// nor after.
pub fn clustered(groups: Vec<Group>, limits: &ChunkLimits) -> Vec<Group> {
    let mut done = Vec::with_capacity(groups.len());
    let mut window: Vec<Stretch> = Vec::new();
    for stretch in stretches(groups) {
        let rows = stretch.rows() + window.iter().map(Stretch::rows).sum::<u64>();
        let bytes = stretch.bytes() + window.iter().map(Stretch::bytes).sum::<u64>();
        let fits =
            rows <= limits.rows * CHUNKS_CLUSTERED && bytes <= limits.bytes * CHUNKS_CLUSTERED;
        // A window is as long as it can be. What comes later belongs to the next one, so that seals
        // choose the same windows again as long as nothing comes in between.
        if !fits {
            done.extend(joined(std::mem::take(&mut window)));
        }
        window.push(stretch);
    }
    done.extend(joined(window));
    done
}

/// A stretch of time: groups whose ranges of the first order key overlap, each with the next.
struct Stretch(Vec<Group>);

impl Stretch {
    fn rows(&self) -> u64 {
        self.0.iter().map(|group| group.rows).sum()
    }

    fn bytes(&self) -> u64 {
        self.0.iter().map(|group| group.bytes).sum()
    }
}

/// Divides groups into stretches, in order of time. No two stretches overlap, so that a range of them
/// that is joined meets no group outside of it.
fn stretches(mut groups: Vec<Group>) -> Vec<Stretch> {
    groups.sort_by_key(|group| group.span.low);
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut end = None;
    for group in groups {
        // Groups come in order of their beginnings, but the one that reaches furthest may be any of the
        // earlier ones.
        let overlaps = end.is_some_and(|end| group.span.low <= end);
        end = end.max(Some(group.span.high));
        match stretches.last_mut().filter(|_| overlaps) {
            Some(stretch) => stretch.0.push(group),
            None => stretches.push(Stretch(vec![group])),
        }
    }
    stretches
}

/// Joins all stretches of a window where that is worth it, or else those before and those after one
/// that is too large to be rewritten with them.
fn joined(mut stretches: Vec<Stretch>) -> Vec<Group> {
    let rows: u64 = stretches.iter().map(Stretch::rows).sum();
    let largest = (0..stretches.len()).max_by_key(|i| stretches[*i].rows());
    let Some(largest) = largest else {
        return Vec::new();
    };
    // The largest stretch was likely sorted before. It is rewritten only once the rows around it are
    // several times as many, so that a row is rewritten a logarithmic number of times.
    if rows < stretches[largest].rows().saturating_mul(GROWTH) {
        let after = joined(stretches.split_off(largest + 1));
        let largest = stretches.pop().map_or(Vec::new(), |stretch| stretch.0);
        let before = joined(stretches);
        return before.into_iter().chain(largest).chain(after).collect();
    }
    let is_worth_it = share_keys(&stretches);
    let groups = stretches.into_iter().flat_map(|stretch| stretch.0);
    if is_worth_it {
        Group::joined(groups).into_iter().collect()
    } else {
        groups.collect()
    }
}

/// Returns whether groups share their ranges of keys with several others on average. If not, each
/// partition key is in few chunks already.
fn share_keys(stretches: &[Stretch]) -> bool {
    let groups = stretches.iter().flat_map(|stretch| &stretch.0);
    let spans: Vec<&KeySpan> = groups.map(|group| &group.span).collect();
    let shared_with = |span: &&KeySpan| {
        let sharing = spans.iter().filter(|other| other.shares_keys(span));
        // The group itself is one of those that share its keys.
        sharing.count() - 1
    };
    let shared: usize = spans.iter().map(shared_with).sum();
    shared >= spans.len() * SHARED_WITH
}
