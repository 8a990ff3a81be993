//! Which parts of a place a seal rewrites, and which of them together.

use super::overlap::Reach;
use super::selection::Part;
use crate::Result;
use crate::definition::Definition;

/// Chunks' worth of rows that small parts are joined up to.
const CHUNKS_JOINED: u64 = 8;

struct Group {
    reach: Reach,
    part: Part,
    /// Whether it would rather be joined with others.
    is_small: bool,
}

/// Parts that are merged whenever they are read, and small ones together with others whose keys or
/// order keys are next to theirs. Chunks that are well as they are are not among them.
pub fn groups(definition: &Definition, parts: Vec<Part>) -> Result<Vec<Part>> {
    let full = u64::from(definition.chunk_rows);
    let mut groups = Vec::with_capacity(parts.len());
    for part in parts {
        if let Some(reach) = Reach::of(definition, &part)? {
            let is_small = part.rows_at_most() <= full / 2;
            groups.push(Group {
                reach,
                part,
                is_small,
            });
        }
    }
    groups.sort_by(|a, b| a.reach.first.cmp(&b.reach.first));
    let mut groups = joined(groups, full * CHUNKS_JOINED);
    groups.sort_by_key(|group| group.reach.low);
    let groups = joined(groups, full * CHUNKS_JOINED);
    let parts = groups.into_iter().map(|group| group.part);
    Ok(parts.filter(|part| part.exact().is_none()).collect())
}

/// Joins small neighbours where the joined one meets none of the others.
fn joined(groups: Vec<Group>, rows_at_most: u64) -> Vec<Group> {
    let reaches: Vec<Reach> = groups.iter().map(|group| group.reach.clone()).collect();
    let mut joined: Vec<Group> = Vec::with_capacity(groups.len());
    // The first of those that are in the last group.
    let mut begin = 0;
    for (i, group) in groups.into_iter().enumerate() {
        let fits = |last: &Group| {
            let rows = last.part.rows_at_most() + group.part.rows_at_most();
            let both = last.reach.and(&group.reach);
            let others = reaches[..begin].iter().chain(&reaches[i + 1..]);
            let small = last.is_small && group.is_small && rows <= rows_at_most;
            small && !others.into_iter().any(|other| other.meets(&both))
        };
        match joined.last_mut() {
            Some(last) if fits(last) => {
                last.reach = last.reach.and(&group.reach);
                last.part.chunks.extend(group.part.chunks);
                last.part.fresh.extend(group.part.fresh);
                last.part.fresh.sort_unstable_by(|a, b| a.key.cmp(&b.key));
            }
            _ => {
                begin = i;
                joined.push(group);
            }
        }
    }
    joined
}
