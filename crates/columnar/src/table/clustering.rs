//! Which chunks are sorted together, so that a query of one partition key reads few of them.
//!
//! Rows mostly come in order of time and of all partition keys: each chunk then has some of every
//! key. Those of a longer stretch of time, sorted as one, have fewer keys each. They reach over more
//! time then, so that there is a limit to it; and each time that rows are written again there are
//! several times as many together, so that it happens to none of them often.

use super::compaction::{Full, Group};
use super::overlap::Reach;

/// Chunks' worth of rows that are sorted together at most.
const CHUNKS_CLUSTERED: u64 = 32;

/// How many times as many rows are together afterwards, at least, as the largest stretch had.
const GROWTH: u64 = 4;

/// How many others a chunk shares a range of keys with, on average, where sorting is worth it.
const SHARED_WITH: usize = 3;

/// Joins groups of neighbouring stretches of time. None of them meets any other, before and after.
pub fn clustered(groups: Vec<Group>, full: &Full) -> Vec<Group> {
    let mut done = Vec::with_capacity(groups.len());
    let mut window: Vec<Stretch> = Vec::new();
    for stretch in stretches(groups) {
        let both = || window.iter().chain([&stretch]);
        let fits = both().map(Stretch::rows).sum::<u64>() <= full.rows * CHUNKS_CLUSTERED
            && both().map(Stretch::bytes).sum::<u64>() <= full.bytes * CHUNKS_CLUSTERED;
        if !fits {
            done.extend(joined(std::mem::take(&mut window)));
        }
        window.push(stretch);
    }
    done.extend(joined(window));
    done
}

/// Groups whose ranges of the first order key overlap, one with the next.
struct Stretch(Vec<Group>);

impl Stretch {
    fn rows(&self) -> u64 {
        self.0.iter().map(|group| group.rows).sum()
    }

    fn bytes(&self) -> u64 {
        self.0.iter().map(|group| group.bytes).sum()
    }
}

/// In order of time.
fn stretches(mut groups: Vec<Group>) -> Vec<Stretch> {
    groups.sort_by_key(|group| group.reach.low);
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut end = None;
    for group in groups {
        let overlaps = end.is_some_and(|end| group.reach.low <= end);
        end = end.max(Some(group.reach.high));
        match stretches.last_mut().filter(|_| overlaps) {
            Some(stretch) => stretch.0.push(group),
            None => stretches.push(Stretch(vec![group])),
        }
    }
    stretches
}

/// Joins all of them, or those before and those after one that is too large to be written again with
/// them, where that is worth it.
fn joined(mut stretches: Vec<Stretch>) -> Vec<Group> {
    let rows: u64 = stretches.iter().map(Stretch::rows).sum();
    let largest = (0..stretches.len()).max_by_key(|i| stretches[*i].rows());
    let Some(largest) = largest else {
        return Vec::new();
    };
    if rows < stretches[largest].rows().saturating_mul(GROWTH) {
        let after = joined(stretches.split_off(largest + 1));
        let largest = stretches.pop().map_or(Vec::new(), |stretch| stretch.0);
        let before = joined(stretches);
        return before.into_iter().chain(largest).chain(after).collect();
    }
    let is_worth_it = share_keys(&stretches);
    let groups = stretches.into_iter().flat_map(|stretch| stretch.0);
    if is_worth_it {
        Group::of(groups).into_iter().collect()
    } else {
        groups.collect()
    }
}

fn share_keys(stretches: &[Stretch]) -> bool {
    let groups = stretches.iter().flat_map(|stretch| &stretch.0);
    let reaches: Vec<&Reach> = groups.map(|group| &group.reach).collect();
    let shared_with = |reach: &&Reach| {
        let sharing = reaches.iter().filter(|other| other.shares_keys(reach));
        sharing.count() - 1
    };
    let shared: usize = reaches.iter().map(shared_with).sum();
    shared >= reaches.len() * SHARED_WITH
}
